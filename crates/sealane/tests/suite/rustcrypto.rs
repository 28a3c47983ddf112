//! Tests `sealane::rustcrypto` through the traits of `aead`, `cipher` and `universal-hash`.
//!
//! The comparison with the crates `chacha20` and `poly1305` is in `tests/rustcrypto_peers.rs`.

use sealane::rustcrypto::cipher::inout::InOutBuf;
use sealane::rustcrypto::cipher::{StreamCipher, StreamCipherSeek};
use sealane::rustcrypto::universal_hash::{KeyInit, UniversalHash};
use sealane::rustcrypto::{AeadInOut, KeyIvInit};

use crate::common::{array, test_bytes};

/// A program that uses `chacha20poly1305`, compiled for the crate at `$path`. Only the `use` line
/// differs.
macro_rules! program {
    ($name:ident, $($path:ident)::+) => {
        mod $name {
            use $($path)::+::aead::{Aead, Payload};
            use $($path)::+::{
                AeadCore, AeadInOut, ChaCha20Poly1305, Error, Key, KeyInit, KeySizeUser, Nonce, Tag, XChaCha20Poly1305, XNonce,
            };

            pub(super) fn sizes() -> [usize; 5] {
                fn tag<A: AeadCore>() -> usize {
                    assert_eq!(size_of::<$($path)::+::aead::Tag<A>>(), size_of::<Tag>());
                    size_of::<Tag>()
                }
                [
                    ChaCha20Poly1305::key_size(),
                    size_of::<Nonce>(),
                    size_of::<XNonce>(),
                    tag::<ChaCha20Poly1305>(),
                    tag::<XChaCha20Poly1305>(),
                ]
            }

            fn sealed_and_opened<A: Aead + AeadInOut + Clone>(cipher: &A, nonce: &[u8], aad: &[u8], message: &[u8]) -> Vec<Vec<u8>> {
                let nonce = nonce.try_into().unwrap();
                let mut results = Vec::new();
                let sealed = cipher.clone().encrypt(&nonce, Payload { msg: message, aad }).unwrap();
                assert_eq!(cipher.decrypt(&nonce, Payload { msg: &sealed, aad }).unwrap(), message);
                for at in [0, sealed.len() / 2, sealed.len() - 1] {
                    let mut forged = sealed.clone();
                    forged[at] ^= 1;
                    assert_eq!(cipher.decrypt(&nonce, Payload { msg: &forged, aad }), Err(Error));
                }
                assert_eq!(cipher.decrypt(&nonce, &sealed[..15]), Err(Error));
                results.push(cipher.encrypt(&nonce, message).unwrap());

                let mut buffer = message.to_vec();
                cipher.encrypt_in_place(&nonce, aad, &mut buffer).unwrap();
                assert_eq!(buffer, sealed);
                cipher.decrypt_in_place(&nonce, aad, &mut buffer).unwrap();
                assert_eq!(buffer, message);

                let tag = cipher.encrypt_inout_detached(&nonce, aad, buffer.as_mut_slice().into()).unwrap();
                assert_eq!([&buffer[..], &tag[..]].concat(), sealed);
                cipher.decrypt_inout_detached(&nonce, aad, buffer.as_mut_slice().into(), &tag).unwrap();
                assert_eq!(buffer, message);
                results.push(sealed);
                results
            }

            pub(super) fn run(key: &[u8; 32], nonce: &[u8; 24], aad: &[u8], message: &[u8]) -> Vec<Vec<u8>> {
                let (short, long) = (Nonce::try_from(&nonce[..12]).unwrap(), XNonce::from(*nonce));
                let mut results = sealed_and_opened(&ChaCha20Poly1305::new(&Key::from(*key)), &short, aad, message);
                results.extend(sealed_and_opened(&ChaCha20Poly1305::new_from_slice(key).unwrap(), &short, aad, message));
                results.extend(sealed_and_opened(&XChaCha20Poly1305::new(key.into()), &long, aad, message));
                assert!(ChaCha20Poly1305::new_from_slice(&key[1..]).is_err());
                results
            }
        }
    };
}

program!(theirs, chacha20poly1305_011);
program!(ours, sealane::rustcrypto);

#[test]
fn programs_with_another_use_line_have_the_same_results() {
    assert_eq!(theirs::sizes(), ours::sizes());
    let (key, nonce) = (array(1), array(2));
    for length in [0, 1, 15, 16, 17, 64, 100, 448, 1000, 5000, 70_000] {
        for aad in [0, 7, 16, 300] {
            let (aad, message) = (test_bytes(3, aad), test_bytes(4, length));
            assert!(
                ours::run(&key, &nonce, &aad, &message) == theirs::run(&key, &nonce, &aad, &message),
                "{length} bytes"
            );
        }
    }
}

#[test]
fn from_one_buffer_into_another() {
    use sealane::rustcrypto::{ChaCha20Poly1305, Nonce};
    let (key, nonce, message) = (array::<32>(5), Nonce::from(array::<12>(6)), test_bytes(7, 1234));
    let cipher = ChaCha20Poly1305::new(&key.into());
    let (expected, expected_tag) = sealane_spec::aead::chacha20_aead_encrypt(b"aad", &key, &nonce.0, &message);

    let mut sealed = vec![0; message.len()];
    let tag = cipher.encrypt_inout_detached(&nonce, b"aad", InOutBuf::new(&message, &mut sealed).unwrap()).unwrap();
    assert_eq!((&sealed, tag.0), (&expected, expected_tag));

    let mut opened = vec![0; message.len()];
    cipher.decrypt_inout_detached(&nonce, b"aad", InOutBuf::new(&sealed, &mut opened).unwrap(), &tag).unwrap();
    assert_eq!(opened, message);

    let mut refused = vec![0; message.len()];
    let buffers = InOutBuf::new(&sealed, &mut refused).unwrap();
    cipher.decrypt_inout_detached(&nonce, b"AAD", buffers, &tag).unwrap_err();
    // As the module's documentation says.
    assert_eq!(refused, sealed);
}

#[test]
fn positions_in_every_type_of_number() {
    use sealane::rustcrypto::{ChaCha20, ChaCha20Legacy, XChaCha20};
    fn check<C: KeyIvInit + StreamCipher + StreamCipherSeek>(nonce: &[u8], end: u128) {
        let key = array::<32>(8);
        let mut whole = vec![0; 300];
        C::new_from_slices(&key, nonce).unwrap().apply_keystream(&mut whole);
        for at in 0..200 {
            let mut cipher = C::new_from_slices(&key, nonce).unwrap();
            cipher.seek(at as u64);
            assert_eq!(cipher.current_pos::<u64>(), at as u64);
            assert_eq!(cipher.current_pos::<u32>(), at as u32);
            assert_eq!(cipher.current_pos::<i32>(), at);
            assert_eq!(cipher.current_pos::<u128>(), at as u128);
            assert_eq!(cipher.current_pos::<usize>(), at as usize);
            let mut buffer = [0; 100];
            cipher.apply_keystream(&mut buffer);
            assert_eq!(buffer, whole[at as usize..at as usize + 100]);
            assert_eq!(cipher.current_pos::<u64>(), at as u64 + 100);
            let mut buffer = [0xff; 10];
            cipher.seek(at);
            cipher.write_keystream(&mut buffer);
            assert_eq!(buffer, whole[at as usize..at as usize + 10]);
        }
        let mut cipher = C::new_from_slices(&key, nonce).unwrap();
        cipher.try_seek(end - 10).unwrap();
        assert!(cipher.try_current_pos::<u32>().is_err());
        assert!(cipher.check_remaining(10).is_ok() && cipher.check_remaining(11).is_err());
        let mut buffer = [0x5a; 11];
        assert!(cipher.try_apply_keystream(&mut buffer).is_err());
        assert_eq!(buffer, [0x5a; 11]);
        assert_eq!(cipher.current_pos::<u128>(), end - 10);
        cipher.try_apply_keystream(&mut buffer[..10]).unwrap();
        assert_ne!(buffer, [0x5a; 11]);
        assert!(cipher.try_seek(end + 1).is_err() && cipher.try_seek(u128::MAX).is_err());
        assert_eq!(cipher.current_pos::<u128>(), end);
    }
    check::<ChaCha20>(&array::<12>(9), 1 << 38);
    check::<XChaCha20>(&array::<24>(9), 1 << 38);
    check::<ChaCha20Legacy>(&array::<8>(9), 1 << 70);
}

#[test]
fn methods_without_a_check() {
    use sealane::rustcrypto::ChaCha20;
    let (key, nonce, message) = (array::<32>(12).into(), array::<12>(13).into(), test_bytes(14, 300));
    let cipher = ChaCha20::new(&key, &nonce);
    let (mut expected, mut key_stream) = (message.clone(), vec![0; 300]);
    cipher.clone().apply_keystream(&mut expected);
    cipher.clone().apply_keystream(&mut key_stream);
    let mut output = vec![0; 300];
    cipher.clone().unchecked_apply_keystream_b2b(&message, &mut output).unwrap();
    assert_eq!(output, expected);
    output.copy_from_slice(&message);
    cipher.clone().unchecked_apply_keystream(&mut output);
    assert_eq!(output, expected);
    cipher.clone().unchecked_write_keystream(&mut output);
    assert_eq!(output, key_stream);

    let mut at_end = cipher;
    at_end.seek((1_u64 << 38) - 299);
    at_end.unchecked_write_keystream(&mut output[1..]);
    assert_eq!(at_end.current_pos::<u64>(), 1 << 38);
}

#[test]
#[cfg_attr(not(panic = "unwind"), ignore = "a panic ends the process here")]
fn methods_without_a_check_write_nothing_behind_the_end() {
    use sealane::rustcrypto::ChaCha20;
    use std::panic::{AssertUnwindSafe, catch_unwind};
    let message = test_bytes(14, 300);
    let mut at_end = ChaCha20::new(&array::<32>(12).into(), &array::<12>(13).into());
    at_end.seek((1_u64 << 38) - 299);
    let mut output = vec![0x5a; 300];
    let panics = |method: &mut dyn FnMut()| catch_unwind(AssertUnwindSafe(method)).is_err();
    assert!(panics(&mut || at_end.clone().unchecked_apply_keystream_b2b(&message, &mut output).unwrap()));
    assert!(panics(&mut || at_end.clone().unchecked_apply_keystream(&mut output)));
    assert!(panics(&mut || at_end.clone().unchecked_write_keystream(&mut output)));
    assert_eq!(output, [0x5a; 300]);
}

#[test]
fn poly1305_under_universal_hash() {
    use sealane::rustcrypto::Poly1305;
    let (key, message) = (array::<32>(10), test_bytes(11, 5000));
    for blocks in (0..=20).chain([63, 64, 65, 127, 128, 200, 312]) {
        let bytes = &message[..16 * blocks];
        let expected = sealane_spec::poly1305::poly1305_mac(bytes, &key);
        let start = Poly1305::new(&key.into());
        let blocks: Vec<_> = bytes.as_chunks::<16>().0.iter().map(|block| (*block).into()).collect();

        let mut whole = start.clone();
        whole.update(&blocks);
        assert_eq!(whole.clone().finalize().0, expected);
        whole.clone().verify(&expected.into()).unwrap();
        let mut flipped = expected;
        flipped[15] ^= 0x80;
        whole.verify(&flipped.into()).unwrap_err();

        let mut one_by_one = start.clone();
        blocks.iter().for_each(|block| one_by_one.update(std::slice::from_ref(block)));
        assert_eq!(one_by_one.clone().finalize().0, expected);
        one_by_one.update_padded(&message[..5]);
        one_by_one.update_padded(&message[..3]);
        let zeros = [bytes, &message[..5], &[0; 11], &message[..3], &[0; 13]].concat();
        assert_eq!(one_by_one.finalize().0, sealane_spec::poly1305::poly1305_mac(&zeros, &key));

        // In one call, with an incomplete last block.
        let mut padded = start.clone();
        padded.update_padded(&message[..bytes.len() + 5]);
        let zeros = [&message[..bytes.len() + 5], &[0; 11]].concat();
        assert_eq!(padded.finalize().0, sealane_spec::poly1305::poly1305_mac(&zeros, &key));

        let unpadded = &message[..bytes.len() + 5];
        assert_eq!(start.compute_unpadded(unpadded).0, sealane_spec::poly1305::poly1305_mac(unpadded, &key));
    }
}
