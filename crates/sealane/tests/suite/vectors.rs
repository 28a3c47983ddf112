//! The vectors for the stream ciphers, Poly1305 and the AEADs, on every backend.

use std::mem::MaybeUninit;

use sealane::chacha20::{self, ChaCha};
use sealane::{ChaCha20Poly1305, OpenError, Poly1305, XChaCha20Poly1305};
use sealane_vectors::{self as vectors, Layout, Stream};

use crate::common::{Reference, at_block, backends};

fn stream<const ROUNDS: usize, L: Reference>(v: &Stream, nonce: &L::Nonce) {
    for backend in backends() {
        let mut cipher: ChaCha<ROUNDS, L> = at_block(&v.key.array(), nonce, backend, v.counter.into());
        let mut buffer = v.plaintext.to_vec();
        cipher.apply_keystream(&mut buffer).unwrap();
        assert_eq!(buffer, &*v.ciphertext, "{} on {backend}", v.id);
    }
}

fn stream_with<L: Reference>(v: &Stream, nonce: &L::Nonce) {
    match v.rounds {
        8 => stream::<8, L>(v, nonce),
        12 => stream::<12, L>(v, nonce),
        20 => stream::<20, L>(v, nonce),
        rounds => panic!("{}: {rounds} rounds", v.id),
    }
}

#[test]
fn stream_ciphers() {
    for v in vectors::streams() {
        match v.layout {
            Layout::Ietf => stream_with::<chacha20::Ietf>(&v, &v.nonce.array()),
            Layout::Original => stream_with::<chacha20::Original>(&v, &v.nonce.array()),
            Layout::XChaCha => stream_with::<chacha20::Extended>(&v, &v.nonce.array()),
        }
    }
}

#[test]
fn hchacha() {
    for v in vectors::hchacha20().vectors {
        assert_eq!(v.rounds, 20);
        assert_eq!(chacha20::hchacha20(&v.key.array(), &v.nonce.array()), v.output.array(), "{}", v.id);
        let (key, nonce) = (v.key.array(), v.nonce.array());
        assert_eq!(chacha20::hchacha12(&key, &nonce), sealane_spec::xchacha::hchacha(12, &key, &nonce));
        assert_eq!(chacha20::hchacha8(&key, &nonce), sealane_spec::xchacha::hchacha(8, &key, &nonce));
    }
}

#[test]
fn poly1305() {
    for v in vectors::macs() {
        let key = v.key.array();
        assert_eq!(Poly1305::mac(&key, &v.message), v.tag.array(), "{}", v.id);
        for backend in backends() {
            let mut whole = Poly1305::with_backend(&key, backend);
            whole.update(&v.message);
            assert_eq!(whole.clone().finalize(), v.tag.array(), "{} on {backend}", v.id);
            assert_eq!(whole.verify(&v.tag.array()), Ok(()), "{} on {backend}", v.id);

            // Between pieces, the accumulator moves between vector and scalar code with its edge
            // value.
            for piece in [1, 16, 17, 64, 128, 272] {
                let mut pieces = Poly1305::with_backend(&key, backend);
                v.message.chunks(piece).for_each(|piece| pieces.update(piece));
                assert_eq!(pieces.finalize(), v.tag.array(), "{} on {backend} in pieces of {piece}", v.id);
            }
        }
    }
}

#[test]
fn poly1305_key_gen() {
    // The one-time key is block 0 of the key stream (RFC 8439, section 2.6).
    for v in vectors::rfc8439_poly1305_key_gen().vectors {
        for backend in backends() {
            let mut one_time_key = [0; 32];
            let mut cipher = chacha20::ChaCha20::with_backend(&v.key.array(), &v.nonce.array(), backend);
            cipher.apply_keystream(&mut one_time_key).unwrap();
            assert_eq!(one_time_key, v.one_time_key.array(), "{} on {backend}", v.id);
        }
    }
}

/// Tests one of the two AEADs. They have the same interface, and differ in the length of the nonce.
macro_rules! aead {
    ($name:ident, $cipher:ty, $vectors:ident) => {
        #[test]
        fn $name() {
            for v in vectors::$vectors().vectors {
                let (nonce, tag) = (v.nonce.array(), v.tag.array());
                for backend in backends() {
                    let cipher = <$cipher>::with_backend(&v.key.array(), backend);
                    let mut buffer = v.plaintext.to_vec();
                    assert_eq!(cipher.seal_in_place(&nonce, &v.aad, &mut buffer), tag, "{} on {backend}", v.id);
                    assert_eq!(buffer, &*v.ciphertext, "{} on {backend}", v.id);
                    assert_eq!(cipher.open_in_place(&nonce, &v.aad, &mut buffer, &tag), Ok(()));
                    assert_eq!(buffer, &*v.plaintext, "{} on {backend}", v.id);

                    let mut output = vec![MaybeUninit::uninit(); v.plaintext.len()];
                    let (ciphertext, sealed_tag) = cipher.seal_into(&nonce, &v.aad, &v.plaintext, &mut output[..]);
                    assert_eq!((&*ciphertext, sealed_tag), (&*v.ciphertext, tag), "{} on {backend}", v.id);
                    let mut output = vec![MaybeUninit::uninit(); v.plaintext.len()];
                    let opened = cipher.open_into(&nonce, &v.aad, &v.ciphertext, &tag, &mut output[..]);
                    assert_eq!(opened.as_deref(), Ok(&*v.plaintext), "{} on {backend}", v.id);
                    let opened = cipher.open_into(&nonce, &v.aad, &v.ciphertext, &[0; 16], &mut output[..]);
                    assert_eq!(opened, Err(OpenError), "{} on {backend}", v.id);
                }
            }
        }
    };
}

aead!(chacha20_poly1305, ChaCha20Poly1305, rfc8439_chacha20_poly1305);
aead!(xchacha20_poly1305, XChaCha20Poly1305, xchacha20_poly1305);
