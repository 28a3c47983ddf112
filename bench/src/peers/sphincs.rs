//! Haraka from PQClean's SPHINCS+, in C with AES-NI. The public interface of the crate
//! `pqcrypto-sphincsplus` has only signatures; these functions are internal to its C code. The
//! round constants are derived from a public seed.

// Linked for its C code.
use pqcrypto_sphincsplus as _;

/// The C type `harakactx`: the round constants for a public seed, and the constants for a secret
/// seed, which this module does not use.
#[repr(C, align(16))]
pub struct Constants([[u8; 16]; 80]);

/// The length of a seed in bytes, fixed by the parameters of the C code.
const SEED_BYTES: usize = 16;

unsafe extern "C" {
    #[link_name = "PQCLEAN_SPHINCSHARAKA128FSIMPLE_AESNI_tweak_constants"]
    fn tweak_constants(constants: *mut Constants, public_seed: *const u8, secret_seed: *const u8, length: u64);
    #[link_name = "PQCLEAN_SPHINCSHARAKA128FSIMPLE_AESNI_haraka256"]
    fn c_haraka256(output: *mut u8, input: *const u8, constants: *const Constants);
    #[link_name = "PQCLEAN_SPHINCSHARAKA128FSIMPLE_AESNI_haraka512"]
    fn c_haraka512(output: *mut u8, input: *const u8, constants: *const Constants);
    #[link_name = "PQCLEAN_SPHINCSHARAKA128FSIMPLE_AESNI_haraka256x4"]
    fn c_haraka256_x4(outputs: *mut u8, inputs: *const u8, constants: *const Constants);
    #[link_name = "PQCLEAN_SPHINCSHARAKA128FSIMPLE_AESNI_haraka512x4"]
    fn c_haraka512_x4(outputs: *mut u8, inputs: *const u8, constants: *const Constants);
}

impl Constants {
    /// Computes the constants for a public seed.
    pub fn new(seed: &[u8]) -> Self {
        assert_eq!(seed.len(), SEED_BYTES);
        assert!(std::arch::is_x86_feature_detected!("aes"), "the CPU has no AES-NI");
        let mut constants = Self([[0; 16]; 80]);
        // SAFETY: the constants are valid for writing and aligned; the public seed has the length
        // that is passed; the secret seed is null, so none is read. The CPU has the instructions.
        unsafe { tweak_constants(&mut constants, seed.as_ptr(), std::ptr::null(), SEED_BYTES as u64) };
        constants
    }
}

/// Defines a safe wrapper of one C function, which takes adjacent inputs and writes adjacent
/// outputs.
macro_rules! call {
    ($name:ident: $c:ident, $count:literal, $bytes:literal) => {
        #[inline]
        pub fn $name(constants: &Constants, inputs: &[[u8; $bytes]; $count]) -> [[u8; 32]; $count] {
            let mut outputs = [[0; 32]; $count];
            // SAFETY: the arrays are as long as the function reads and writes, and it needs no
            // alignment; `Constants::new` computed the constants, and checked that the CPU has the
            // instructions.
            unsafe { $c(outputs.as_flattened_mut().as_mut_ptr(), inputs.as_flattened().as_ptr(), constants) };
            outputs
        }
    };
}

call!(haraka256: c_haraka256, 1, 32);
call!(haraka512: c_haraka512, 1, 64);
call!(haraka256_x4: c_haraka256_x4, 4, 32);
call!(haraka512_x4: c_haraka512_x4, 4, 64);
