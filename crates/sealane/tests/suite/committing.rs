//! Tags that commit to the key: the references, vectors, and an attack that plain tags allow.

use std::mem::MaybeUninit;

use sealane::{ChaCha20Poly1305, CommittingChaCha20Poly1305, CommittingTag, CommittingXChaCha20Poly1305, OpenError};
use sealane_spec::aead::pad16;
use sealane_spec::committing::{ctx_chacha20_decrypt, ctx_chacha20_encrypt, ctx_xchacha20_encrypt};
use sealane_spec::num::Num;
use sealane_spec::poly1305::{accumulate, poly1305_key_gen, r_and_s};

use crate::common::{array, backends, test_bytes};

/// Seals and opens in every way.
macro_rules! check {
    ($cipher:expr, $nonce:expr, $aad:expr, $plaintext:expr, $ciphertext:expr, $tag:expr, $what:expr) => {{
        let (cipher, nonce, aad) = ($cipher, $nonce, $aad);
        let (plaintext, ciphertext, tag): (&[u8], &[u8], &CommittingTag) = ($plaintext, $ciphertext, $tag);
        let mut buffer = plaintext.to_vec();
        assert_eq!(cipher.seal_in_place(nonce, aad, &mut buffer), *tag, "{}", $what);
        assert!(buffer == ciphertext, "{}", $what);
        let mut memory = vec![MaybeUninit::uninit(); plaintext.len()];
        let (sealed, computed) = cipher.seal_into(nonce, aad, plaintext, &mut memory[..]);
        assert!(sealed == ciphertext && computed == *tag, "{}", $what);

        assert_eq!(cipher.open_in_place(nonce, aad, &mut buffer, tag), Ok(()), "{}", $what);
        assert!(buffer == plaintext, "{}", $what);
        let mut memory = vec![MaybeUninit::uninit(); plaintext.len()];
        let opened = cipher.open_into(nonce, aad, ciphertext, tag, &mut memory[..]);
        assert_eq!(opened.as_deref(), Ok(plaintext), "{}", $what);
    }};
}

#[test]
fn vectors() {
    for v in sealane_vectors::committing_aead().vectors {
        for backend in backends() {
            let case = format!("{} on {backend}", v.id);
            let (key, tag) = (v.key.array(), v.tag.array());
            if v.nonce.len() == 12 {
                let cipher = CommittingChaCha20Poly1305::with_backend(&key, backend);
                check!(cipher, &v.nonce.array(), &v.aad, &v.plaintext, &v.ciphertext, &tag, case);
            } else {
                let cipher = CommittingXChaCha20Poly1305::with_backend(&key, backend);
                check!(cipher, &v.nonce.array(), &v.aad, &v.plaintext, &v.ciphertext, &tag, case);
            }
        }
    }
}

#[test]
fn every_way_agrees_with_the_reference() {
    let key = array(1);
    // The last lengths are at and above 16 KiB, the length of the pieces in which a message is
    // opened into another buffer.
    for (aad, length) in [(0, 0), (68, 447), (69, 448), (200, 4609), (13, 16_384), (13, 16_385), (3, 40_000)] {
        let (aad, plaintext) = (test_bytes(2, aad), test_bytes(3, length));
        let (nonce, xnonce) = (array(4), array(5));
        let (ciphertext, tag) = ctx_chacha20_encrypt(&aad, &key, &nonce, &plaintext);
        let (xciphertext, xtag) = ctx_xchacha20_encrypt(&aad, &key, &xnonce, &plaintext);
        for backend in backends() {
            let case = format!("{length} bytes on {backend}");
            let cipher = CommittingChaCha20Poly1305::with_backend(&key, backend);
            assert_eq!(cipher.backend(), backend);
            check!(cipher, &nonce, &aad, &plaintext, &ciphertext, &tag, case);
            let cipher = CommittingXChaCha20Poly1305::with_backend(&key, backend);
            check!(cipher, &xnonce, &aad, &plaintext, &xciphertext, &xtag, case);
        }
    }
}

#[test]
fn every_change_is_refused() {
    for backend in backends() {
        for (aad, length) in [(0, 0), (5, 20), (70, 70), (3, 700)] {
            let (key, nonce, aad, plaintext) =
                (array(21), array::<24>(22), test_bytes(23, aad), test_bytes(24, length));
            let mut ciphertext = plaintext.clone();
            let cipher = CommittingXChaCha20Poly1305::with_backend(&key, backend);
            let tag = cipher.seal_in_place(&nonce, &aad, &mut ciphertext);
            let refuse = |key: &[u8; 32], nonce: &[u8; 24], aad: &[u8], ciphertext: &[u8], tag: &CommittingTag| {
                let cipher = CommittingXChaCha20Poly1305::with_backend(key, backend);
                let mut buffer = ciphertext.to_vec();
                assert_eq!(cipher.open_in_place(nonce, aad, &mut buffer, tag), Err(OpenError));
                assert!(buffer == ciphertext, "the buffer was changed on {backend}");
                let mut output = vec![0x5a; ciphertext.len()];
                assert_eq!(cipher.open_into(nonce, aad, ciphertext, tag, &mut output[..]), Err(OpenError));
                assert!(output.iter().all(|&byte| byte == 0x5a), "something was written on {backend}");
            };
            for bit in 0..256 {
                let mut bad = tag;
                bad[bit / 8] ^= 1 << (bit % 8);
                refuse(&key, &nonce, &aad, &ciphertext, &bad);
                let mut bad = key;
                bad[bit / 8] ^= 1 << (bit % 8);
                refuse(&bad, &nonce, &aad, &ciphertext, &tag);
                let mut bad = nonce;
                bad[bit / 8 % 24] ^= 1 << (bit % 8);
                refuse(&key, &bad, &aad, &ciphertext, &tag);
            }
            for i in 0..length.min(70) {
                let mut bad = ciphertext.clone();
                bad[i] ^= 0x10;
                refuse(&key, &nonce, &aad, &bad, &tag);
                refuse(&key, &nonce, &aad, &ciphertext[..i], &tag);
                // The first bytes of the ciphertext become associated data.
                refuse(&key, &nonce, &[&aad, &ciphertext[..=i]].concat(), &ciphertext[i + 1..], &tag);
            }
            for i in 0..aad.len() {
                let mut bad = aad.clone();
                bad[i] ^= 0x10;
                refuse(&key, &nonce, &bad, &ciphertext, &tag);
                refuse(&key, &nonce, &aad[..i], &ciphertext, &tag);
            }
            refuse(&key, &nonce, &[&aad[..], &[0]].concat(), &ciphertext, &tag);
        }
    }
}

/// The attack of "invisible salamanders" and partitioning oracles (Len, Grubbs, Ristenpart, USENIX
/// Security 2021): a ciphertext and a tag that ChaCha20-Poly1305 accepts under two keys. With a
/// committing tag, the ciphertext opens only under one of the keys.
#[test]
fn a_ciphertext_for_two_keys_opens_under_one() {
    let (keys, nonce, aad) = ([array(31), array(32)], array::<12>(33), test_bytes(34, 19));
    let (ciphertext, tag) = two_key_ciphertext(&keys, &nonce, &aad);
    let mut opened = Vec::new();
    for key in &keys {
        let mut buffer = ciphertext.clone();
        let result = ChaCha20Poly1305::new(key).open_in_place(&nonce, &aad, &mut buffer, &tag);
        assert_eq!(result, Ok(()), "the attack does not work");
        opened.push(buffer);
    }
    assert_ne!(opened[0], opened[1], "two different messages");

    for backend in backends() {
        for (sealing, other) in [(0, 1), (1, 0)] {
            // Sealing the message that the key opens gives the same ciphertext again, with a
            // committing tag.
            let mut buffer = opened[sealing].clone();
            let cipher = CommittingChaCha20Poly1305::with_backend(&keys[sealing], backend);
            let tag = cipher.seal_in_place(&nonce, &aad, &mut buffer);
            assert_eq!(buffer, ciphertext);
            let other = CommittingChaCha20Poly1305::with_backend(&keys[other], backend);
            assert_eq!(other.open_in_place(&nonce, &aad, &mut buffer, &tag), Err(OpenError), "on {backend}");
            assert_eq!(cipher.open_in_place(&nonce, &aad, &mut buffer, &tag), Ok(()), "on {backend}");
        }
    }
    let sealed = |key| ctx_chacha20_decrypt(&aad, key, &nonce, &ciphertext, &[0; 32]);
    assert!(keys.iter().all(|key| sealed(key).is_err()));
}

/// The limit of the commitment: anyone who knows the key can make two messages with one tag. Adding
/// 1 to a block and subtracting r from the next one leaves the sum of Poly1305 as it is. The
/// ciphertexts differ, and each opens to its own message.
#[test]
fn a_tag_without_the_ciphertext_does_not_commit_to_the_message() {
    let (key, nonce) = (array(35), array::<12>(36));
    let r = poly1305_key_gen(&key, &nonce)[..16].try_into().map(u128::from_le_bytes).unwrap();
    // The bits that clamping leaves (RFC 8439, section 2.5).
    let r = r & 0x0fff_fffc_0fff_fffc_0fff_fffc_0fff_ffff;
    let one = [[0; 16], [0xff; 16]].concat();
    let two = [1_u128.to_le_bytes(), (u128::MAX - r).to_le_bytes()].concat();
    for backend in backends() {
        let cipher = CommittingChaCha20Poly1305::with_backend(&key, backend);
        let [tag, other] = [&one, &two].map(|ciphertext| {
            // The key stream makes the message whose encryption is this ciphertext.
            let mut message = ciphertext.clone();
            let _ = cipher.seal_in_place(&nonce, b"", &mut message);
            let tag = cipher.seal_in_place(&nonce, b"", &mut message.clone());
            assert_eq!(cipher.open_in_place(&nonce, b"", &mut ciphertext.clone(), &tag), Ok(()), "on {backend}");
            tag
        });
        assert_eq!(tag, other, "on {backend}");
    }
}

/// Returns a ciphertext of four blocks and a tag that ChaCha20-Poly1305 accepts under both keys.
///
/// Poly1305 is linear in each block x: the tags are a x + b + s and a' x + b' + s', modulo p and
/// then modulo 2^128. They are equal for x = (s' - s + b' - b + m 2^128) / (a - a') with a small m.
/// A block is below 2^128, and so is one such x in four. The first block is changed until x is
/// small enough.
fn two_key_ciphertext(keys: &[[u8; 32]; 2], nonce: &[u8; 12], aad: &[u8]) -> (Vec<u8>, [u8; 16]) {
    let [(r, s), (r2, s2)] = keys.map(|key| r_and_s(&poly1305_key_gen(&key, nonce)));
    let p = Num::p();
    let number = |bytes: &[u8]| Num::le_bytes_to_num(bytes);
    let subtract = |a: Num, b: Num| (a + p - b % p) % p;
    let two_128 = number(&[&[0; 16][..], &[1]].concat());
    let mut ciphertext = [0x61; 64];
    let lengths = [(aad.len() as u64).to_le_bytes(), 64_u64.to_le_bytes()].concat();
    let mac = |r: Num, s: Num, ciphertext: &[u8]| {
        let data = [aad, pad16(aad), ciphertext, &lengths].concat();
        (data.chunks(16).fold(Num::ZERO, |a, block| accumulate(a, r, block)) + s).num_to_16_le_bytes()
    };
    // The third block is the unknown. `constant` computes an accumulator's value if this block is
    // 0, and `factor` is the factor of the block.
    let constant = |r: Num, ciphertext: &[u8]| {
        let data = [aad, pad16(aad), ciphertext, &lengths].concat();
        data.chunks(16).fold(Num::ZERO, |a, block| accumulate(a, r, block))
    };
    let factor = |r: Num| r * r % p * r % p;
    let inverse = inverse(subtract(factor(r), factor(r2)));
    for attempt in 0..=u8::MAX {
        ciphertext[0] = attempt;
        ciphertext[32..48].fill(0);
        let (b, b2) = (constant(r, &ciphertext), constant(r2, &ciphertext));
        for m in 0..8_u8 {
            let multiple = two_128 * number(&[m]);
            let difference = subtract((s2 + b2 + multiple) % p, (s + b) % p);
            let x = difference * inverse % p;
            if x >= two_128 {
                continue;
            }
            ciphertext[32..48].copy_from_slice(&x.num_to_16_le_bytes());
            let tag = mac(r, s, &ciphertext);
            if tag == mac(r2, s2, &ciphertext) {
                return (ciphertext.to_vec(), tag);
            }
        }
    }
    panic!("no ciphertext for both keys");
}

/// Returns the inverse modulo p: a^(p - 2).
fn inverse(a: Num) -> Num {
    let p = Num::p();
    // p - 2 = 2^130 - 7: from the highest bit, 127 ones, then 001.
    let mut power = a;
    for bit in (0..129).rev() {
        power = power * power % p;
        if !matches!(bit, 1 | 2) {
            power = power * a % p;
        }
    }
    assert_eq!(power * a % p, Num::le_bytes_to_num(&[1]));
    power
}

#[cfg(feature = "rustcrypto")]
#[test]
fn under_the_traits_of_rustcrypto() {
    use sealane::rustcrypto::{self, AeadInOut, KeyInit};
    let (key, nonce) = (array::<32>(41), array::<24>(42));
    let mut expected = test_bytes(43, 100);
    let expected_tag = CommittingXChaCha20Poly1305::new(&key).seal_in_place(&nonce, b"aad", &mut expected);
    let cipher = rustcrypto::CommittingXChaCha20Poly1305::new(&key.into());
    let mut buffer = test_bytes(43, 100);
    let tag = cipher.encrypt_inout_detached(&nonce.into(), b"aad", (&mut buffer[..]).into()).unwrap();
    assert!(buffer == expected && tag.0 == expected_tag);
    cipher.decrypt_inout_detached(&nonce.into(), b"aad", (&mut buffer[..]).into(), &tag).unwrap();
    assert_eq!(buffer, test_bytes(43, 100));
    let result = cipher.decrypt_inout_detached(&nonce.into(), b"", (&mut expected[..]).into(), &tag);
    assert!(result.is_err());
}

#[test]
#[should_panic(expected = "the same length")]
fn open_into_a_buffer_of_another_length_panics() {
    let mut long = [MaybeUninit::uninit(); 6];
    let _ = CommittingChaCha20Poly1305::new(&[0; 32]).open_into(&[0; 12], b"", b"hello", &[0; 32], &mut long);
}
