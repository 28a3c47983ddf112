//! After any change, opening fails and releases nothing.

use std::mem::MaybeUninit;

use sealane::{Backend, ChaCha20Poly1305, OpenError, Tag, XChaCha20Poly1305};

use crate::common::{array, backends, test_bytes};

/// The inputs of one opening.
#[derive(Clone)]
struct Message<const N: usize> {
    key: [u8; 32],
    nonce: [u8; N],
    aad: Vec<u8>,
    ciphertext: Vec<u8>,
    tag: Tag,
}

/// Checks that every way to open a message refuses it.
macro_rules! refuse {
    ($cipher:ty, $backend:expr, $message:expr, $what:expr) => {{
        let (message, backend): (&Message<_>, Backend) = ($message, $backend);
        let Message { key, nonce, aad, ciphertext, tag } = message;
        let cipher = <$cipher>::with_backend(key, backend);
        let mut buffer = ciphertext.clone();
        let result = cipher.open_in_place(nonce, aad, &mut buffer, tag);
        assert_eq!(result, Err(OpenError), "{} on {backend}", $what);
        assert!(buffer == *ciphertext, "{} on {backend}: the buffer was changed", $what);

        let mut memory = vec![MaybeUninit::uninit(); ciphertext.len()];
        let result = cipher.open_into(nonce, aad, ciphertext, tag, &mut memory[..]);
        assert_eq!(result, Err(OpenError), "{} on {backend}", $what);

        let mut opener = cipher.opener(nonce, aad);
        opener.update(ciphertext).unwrap();
        assert_eq!(opener.verify(tag).err(), Some(OpenError), "{} on {backend}", $what);

        let mut opener = cipher.opener(nonce, aad);
        opener.decrypt_unauthenticated(&mut buffer).unwrap();
        assert_eq!(opener.verify(tag).err(), Some(OpenError), "{} on {backend}", $what);
    }};
}

fn flip(bytes: &mut [u8], bit: usize) {
    bytes[bit / 8] ^= 1 << (bit % 8);
}

macro_rules! forgeries {
    ($name:ident, $cipher:ty, $nonce_bytes:literal) => {
        #[test]
        fn $name() {
            for backend in backends() {
                for (aad, length) in [(0, 0), (0, 1), (5, 20), (17, 70), (3, 300)] {
                    let (key, nonce) = (array(1), array::<$nonce_bytes>(2));
                    let (aad, mut ciphertext) = (test_bytes(3, aad), test_bytes(4, length));
                    let tag = <$cipher>::with_backend(&key, backend).seal_in_place(&nonce, &aad, &mut ciphertext);
                    let good = Message { key, nonce, aad, ciphertext, tag };
                    let mut buffer = good.ciphertext.clone();
                    let cipher = <$cipher>::with_backend(&key, backend);
                    assert_eq!(cipher.open_in_place(&nonce, &good.aad, &mut buffer, &tag), Ok(()));
                    assert_eq!(buffer, test_bytes(4, length));

                    for bit in 0..8 * 16 {
                        let mut bad = good.clone();
                        flip(&mut bad.tag, bit);
                        refuse!($cipher, backend, &bad, format!("bit {bit} of the tag flipped"));
                    }
                    for bit in 0..8 * length {
                        let mut bad = good.clone();
                        flip(&mut bad.ciphertext, bit);
                        refuse!($cipher, backend, &bad, format!("bit {bit} of the ciphertext flipped"));
                    }
                    for bit in 0..8 * good.aad.len() {
                        let mut bad = good.clone();
                        flip(&mut bad.aad, bit);
                        refuse!($cipher, backend, &bad, format!("bit {bit} of the associated data flipped"));
                    }
                    for bit in 0..8 * $nonce_bytes {
                        let mut bad = good.clone();
                        flip(&mut bad.nonce, bit);
                        refuse!($cipher, backend, &bad, format!("bit {bit} of the nonce flipped"));
                    }
                    for bit in 0..8 * 32 {
                        let mut bad = good.clone();
                        flip(&mut bad.key, bit);
                        refuse!($cipher, backend, &bad, format!("bit {bit} of the key flipped"));
                    }

                    // Wrong lengths: shorter by any number of bytes; longer by zeros, which the
                    // padding would hide; with bytes moved from the message to the associated
                    // data.
                    for shorter in 0..length {
                        let mut bad = good.clone();
                        bad.ciphertext.truncate(shorter);
                        refuse!($cipher, backend, &bad, format!("{length} bytes cut to {shorter}"));
                    }
                    for more in 1..=17 {
                        let mut bad = good.clone();
                        bad.ciphertext.resize(length + more, 0);
                        refuse!($cipher, backend, &bad, format!("{more} zeros appended to the ciphertext"));
                        let mut bad = good.clone();
                        bad.aad.resize(bad.aad.len() + more, 0);
                        refuse!($cipher, backend, &bad, format!("{more} zeros appended to the associated data"));
                    }
                    for moved in 1..=length.min(16) {
                        let mut bad = good.clone();
                        bad.aad.extend(bad.ciphertext.drain(..moved));
                        refuse!($cipher, backend, &bad, format!("{moved} bytes moved to the associated data"));
                    }
                    for tag in [[0; 16], [0xff; 16]] {
                        let bad = Message { tag, ..good.clone() };
                        refuse!($cipher, backend, &bad, format!("tag {tag:?}"));
                    }
                }
            }
        }
    };
}

forgeries!(chacha20_poly1305, ChaCha20Poly1305, 12);
forgeries!(xchacha20_poly1305, XChaCha20Poly1305, 24);

#[test]
fn a_forged_long_message_leaves_the_ciphertext() {
    for backend in backends() {
        let cipher = ChaCha20Poly1305::with_backend(&array(5), backend);
        let mut ciphertext = test_bytes(6, 70_000);
        let tag = cipher.seal_in_place(&[0; 12], b"", &mut ciphertext);
        for at in [0, 447, 448, 8191, 8640, 65_535, 69_999] {
            let mut bad = ciphertext.clone();
            bad[at] ^= 0x80;
            let before = bad.clone();
            assert_eq!(cipher.open_in_place(&[0; 12], b"", &mut bad, &tag), Err(OpenError));
            assert!(bad == before, "byte {at} changed on {backend}: the buffer was written to");
        }
    }
}

#[test]
#[should_panic(expected = "the same length")]
fn seal_into_a_buffer_of_another_length_panics() {
    let mut short = [MaybeUninit::uninit(); 4];
    let _ = ChaCha20Poly1305::new(&[0; 32]).seal_into(&[0; 12], b"", b"hello", &mut short);
}

#[test]
#[should_panic(expected = "the same length")]
fn open_into_a_buffer_of_another_length_panics() {
    let mut long = [MaybeUninit::uninit(); 6];
    let _ = ChaCha20Poly1305::new(&[0; 32]).open_into(&[0; 12], b"", b"hello", &[0; 16], &mut long);
}

#[test]
fn truncated_tags() {
    let (key, nonce, aad) = (array(1), array(2), test_bytes(3, 5));
    for backend in backends() {
        for length in [0, 20, 300] {
            let cipher = ChaCha20Poly1305::with_backend(&key, backend);
            let mut ciphertext = test_bytes(4, length);
            let tag = cipher.seal_in_place(&nonce, &aad, &mut ciphertext);
            let mut opener = cipher.opener(&nonce, &aad);
            opener.update(&ciphertext).unwrap();
            for tag_bytes in 1..=tag.len() {
                let case = || format!("{length} bytes, {tag_bytes} of the tag, on {backend}");
                let mut opened = ciphertext.clone();
                let mut verified = opener.clone().verify_truncated(&tag[..tag_bytes]).unwrap();
                verified.decrypt(&mut opened).unwrap();
                assert!(opened == test_bytes(4, length), "{}", case());
                for bit in 0..8 * tag_bytes {
                    let mut wrong = tag;
                    flip(&mut wrong, bit);
                    let result = opener.clone().verify_truncated(&wrong[..tag_bytes]);
                    assert_eq!(result.err(), Some(OpenError), "bit {bit}: {}", case());
                }
            }
            // A tag without bytes would be right for every message.
            for wrong in [&[][..], &[tag, tag].concat()[..17]] {
                assert_eq!(opener.clone().verify_truncated(wrong).err(), Some(OpenError), "{backend}");
            }
        }
    }
}
