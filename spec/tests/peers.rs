//! Checks the vectors against independent implementations, to find mistakes that a reference shares
//! with the program that generated a vector.

use chacha20::cipher::{KeyIvInit, StreamCipher, StreamCipherSeek};
use chacha20::{ChaCha8, ChaCha12, ChaCha20, ChaCha20Legacy, XChaCha8, XChaCha12, XChaCha20};
use chacha20poly1305::aead::{Aead, KeyInit, Payload};
use chacha20poly1305::{ChaCha20Poly1305, XChaCha20Poly1305};
use sealane_vectors::{self as vectors, Layout, Stream};

fn encrypt<C: KeyIvInit + StreamCipher + StreamCipherSeek>(v: &Stream) -> Vec<u8> {
    let mut cipher = C::new_from_slices(&v.key, &v.nonce).unwrap();
    cipher.seek(u128::from(v.counter) * 64);
    let mut buffer = v.plaintext.to_vec();
    // The blocks are processed one at a time, because some versions of the crate refuse to reach
    // the last block of the counter in one call.
    for block in buffer.chunks_mut(64) {
        cipher.apply_keystream(block);
    }
    buffer
}

#[test]
fn stream_ciphers() {
    let mut compared = 0;
    for v in vectors::streams() {
        // The crate refuses to use the end of the counter, and has the original layout for 20
        // rounds only.
        let last = v.counter as u128 + v.plaintext.len().div_ceil(64) as u128;
        let end = if v.layout == Layout::Original { 1_u128 << 64 } else { 1 << 32 };
        if last >= end {
            continue;
        }
        let ciphertext = match (v.layout, v.rounds) {
            (Layout::Ietf, 8) => encrypt::<ChaCha8>(&v),
            (Layout::Ietf, 12) => encrypt::<ChaCha12>(&v),
            (Layout::Ietf, 20) => encrypt::<ChaCha20>(&v),
            (Layout::XChaCha, 8) => encrypt::<XChaCha8>(&v),
            (Layout::XChaCha, 12) => encrypt::<XChaCha12>(&v),
            (Layout::XChaCha, 20) => encrypt::<XChaCha20>(&v),
            (Layout::Original, 20) => encrypt::<ChaCha20Legacy>(&v),
            _ => continue,
        };
        assert_eq!(ciphertext, &*v.ciphertext, "{}", v.id);
        compared += 1;
    }
    assert_eq!(compared, 35);
}

#[test]
fn poly1305() {
    use poly1305::Poly1305;
    for v in vectors::macs() {
        let mac = Poly1305::new_from_slice(&v.key).unwrap();
        assert_eq!(mac.compute_unpadded(&v.message).as_slice(), &*v.tag, "{}", v.id);
    }
}

#[test]
fn aeads() {
    fn check<A: Aead + KeyInit>(v: &vectors::Aead) {
        let nonce = (&*v.nonce).try_into().unwrap();
        let sealed =
            A::new_from_slice(&v.key).unwrap().encrypt(&nonce, Payload { msg: &v.plaintext, aad: &v.aad }).unwrap();
        assert_eq!(sealed, [&*v.ciphertext, &*v.tag].concat(), "{}", v.id);
    }
    vectors::rfc8439_chacha20_poly1305().vectors.iter().for_each(check::<ChaCha20Poly1305>);
    vectors::xchacha20_poly1305().vectors.iter().for_each(check::<XChaCha20Poly1305>);
}

#[test]
fn committing_aeads() {
    use orion::hazardous::cae::{chacha20poly1305blake2b as ctx, xchacha20poly1305blake2b as ctx_x};
    for v in vectors::committing_aead().vectors {
        let mut sealed = vec![0; v.plaintext.len() + 32];
        let key = ctx::SecretKey::try_from(&*v.key).unwrap();
        let (plaintext, aad) = (&*v.plaintext, Some(&*v.aad));
        // The crate does not seal empty messages.
        if plaintext.is_empty() {
            continue;
        }
        if v.nonce.len() == 12 {
            ctx::seal(&key, &ctx::Nonce::try_from(&*v.nonce).unwrap(), plaintext, aad, &mut sealed).unwrap();
        } else {
            ctx_x::seal(&key, &ctx_x::Nonce::try_from(&*v.nonce).unwrap(), plaintext, aad, &mut sealed).unwrap();
        }
        assert_eq!(sealed, [&*v.ciphertext, &*v.tag].concat(), "{}", v.id);
    }
}
