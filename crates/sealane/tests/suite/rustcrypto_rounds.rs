//! Compares the AEADs of `sealane::rustcrypto`, with every number of rounds and every layout, with
//! the same construction from parts of the references.
//!
//! Vectors of these AEADs are published only for 20 rounds. `vectors.rs` tests their key streams,
//! and `tests/rustcrypto_programs` compares with RustCrypto.

use sealane::Backend;
use sealane::rustcrypto::aead::array::Array;
use sealane::rustcrypto::cipher::{Iv, IvSizeUser};
use sealane::rustcrypto::variants::Variant;
use sealane::rustcrypto::{AeadInOut, ChaChaPoly1305, StreamCipherOf};

use crate::common::{AeadOracle, Reference, array, backends, for_every_variant, test_bytes};

/// Two pieces, which the cipher and the authenticator process in turn, and the start of a third.
const LONGEST: usize = 2 * 8192 + 100;

type Aead<const ROUNDS: usize, L> = ChaChaPoly1305<StreamCipherOf<ROUNDS, L>, <L as IvSizeUser>::IvSize>;

/// A message in the reference's form, and the cipher's nonce.
struct Case<L: Variant> {
    key: [u8; 32],
    nonce: Iv<L>,
    oracle: AeadOracle,
}

impl<L: Reference<Nonce: AsRef<[u8]>> + Variant> Case<L> {
    fn new<const ROUNDS: usize>(aad: usize) -> Self {
        let (key, nonce) = (array(30), L::nonce(31));
        let key_stream = L::key_stream(ROUNDS, &key, &nonce, 0, 1 + LONGEST.div_ceil(64) as u64);
        let oracle = AeadOracle::with_key_stream(&key_stream, &test_bytes(32, aad), &test_bytes(33, LONGEST));
        Self { key, nonce: Iv::<L>::try_from(nonce.as_ref()).unwrap(), oracle }
    }

    /// Seals and opens the first `length` bytes.
    fn check<const ROUNDS: usize>(&self, backend: Backend, length: usize)
    where
        Aead<ROUNDS, L>: AeadInOut<NonceSize = L::IvSize, TagSize = sealane::rustcrypto::consts::U16>,
    {
        let Self { key, nonce, oracle: AeadOracle { plaintext, ciphertext, aad, .. } } = self;
        let (plaintext, ciphertext) = (&plaintext[..length], &ciphertext[..length]);
        let context = || format!("{} {ROUNDS}, {length} bytes, {} of data, on {backend}", L::NAME, aad.len());
        let cipher = Aead::<ROUNDS, L>::with_backend(&Array(*key), backend);
        let mut buffer = plaintext.to_vec();
        let tag = cipher.encrypt_inout_detached(nonce, aad, buffer.as_mut_slice().into()).unwrap();
        assert!(buffer == ciphertext && tag.0 == self.oracle.tag(length), "sealed: {}", context());

        let mut forged = tag;
        forged[length % 16] ^= 1 << (length % 8);
        cipher.decrypt_inout_detached(nonce, aad, buffer.as_mut_slice().into(), &forged).unwrap_err();
        assert!(buffer == ciphertext, "a forgery changed the buffer: {}", context());

        cipher.decrypt_inout_detached(nonce, aad, buffer.as_mut_slice().into(), &tag).unwrap();
        assert!(buffer == plaintext, "opened: {}", context());
    }
}

fn every_length<const ROUNDS: usize, L>()
where
    L: Reference<Nonce: AsRef<[u8]>> + Variant,
    Aead<ROUNDS, L>: AeadInOut<NonceSize = L::IvSize, TagSize = sealane::rustcrypto::consts::U16>,
{
    let case = Case::<L>::new::<ROUNDS>(13);
    for backend in backends() {
        for length in (0..=1025).chain([2000, 4096, 8191, 8192, 8193, 12_345, 16_384, LONGEST]) {
            case.check::<ROUNDS>(backend, length);
        }
    }
    for aad in [0, 15, 16, 17, 500] {
        let case = Case::<L>::new::<ROUNDS>(aad);
        for backend in backends() {
            for length in [0, 1, 16, 64, 1000] {
                case.check::<ROUNDS>(backend, length);
            }
        }
    }
}

#[test]
fn every_length_of_every_variant() {
    for_every_variant!(every_length);
}
