//! The operations on the instruction set that this crate is compiled for, without a branch on the
//! CPU. In the copy that `built-twice` compiles, the functions have their own symbol names, by
//! which `built-twice` calls them.

use sealane_simd::Scalar;
#[cfg(target_feature = "avx2")]
use sealane_simd::x86;

use crate::{Combine, Hash, MANY, Packet, Product, Split, Stream};
use crate::{block_on, combine_on, haraka_on, multiply_on, seal_on, split_on};

/// Defines a function that returns a token for the features that this crate is compiled with. The
/// crate runs only on CPUs with these features, so detection cannot fail.
macro_rules! token {
    ($name:ident: $($feature:literal => $token:ty,)*) => {
        cfg_select! {
            $(target_feature = $feature => {
                #[inline(always)]
                fn $name() -> $token {
                    <$token>::detect().expect("this crate was compiled for it")
                }
            })*
            _ => {
                #[inline(always)]
                fn $name() -> Scalar {
                    Scalar::new()
                }
            }
        }
    };
}

token!(vectors: "avx2" => x86::Avx2,);
token!(aes: "vaes" => x86::Vaes, "aes" => x86::AesNi,);
token!(products: "vpclmulqdq" => x86::Vpclmulqdq, "pclmulqdq" => x86::Pclmulqdq,);

macro_rules! functions {
    ($($(#[$doc:meta])* $name:ident as $symbol:literal ($data:ident: $type:ty) $call:expr;)*) => {$(
        $(#[$doc])*
        #[cfg_attr(copy = "simd", unsafe(export_name = $symbol))]
        pub extern "C" fn $name($data: &mut $type) {
            $call;
        }
    )*};
}

functions! {
    /// Multiplies two 64-bit polynomials over GF(2).
    multiply as "simd_multiply" (product: Product) multiply_on(products(), product);
    /// Hashes with Haraka-256, 5 rounds.
    haraka as "simd_haraka" (hash: Hash) haraka_on(aes(), hash);
    /// Encrypts one block with ChaCha20.
    block as "simd_block" (stream: Stream) block_on(vectors(), stream);
    /// Seals a message of 64 bytes with ChaCha20-Poly1305.
    seal as "simd_seal" (packet: Packet) seal_on(vectors(), packet);
    /// Splits a secret of 16 bytes.
    split_one as "simd_split_one" (split: Split<1>) split_on(products(), split);
    /// Splits a secret of 1 KiB.
    split_many as "simd_split_many" (split: Split<MANY>) split_on(products(), split);
    /// Reconstructs a secret of 16 bytes.
    combine_one as "simd_combine_one" (combine: Combine<1>) combine_on(products(), combine);
    /// Reconstructs a secret of 1 KiB.
    combine_many as "simd_combine_many" (combine: Combine<MANY>) combine_on(products(), combine);
}
