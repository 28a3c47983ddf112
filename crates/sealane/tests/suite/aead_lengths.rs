//! Whole messages at every length, with every way to seal and open them, against the reference.

use std::mem::MaybeUninit;

use sealane::{Backend, ChaCha20Poly1305, XChaCha20Poly1305};

use crate::common::{AeadOracle, array, backends, combined, test_bytes};

/// Seals and opens the first `length` bytes in place, into other memory, and with a sealer and an
/// opener that get one piece. All results must agree with the oracle.
macro_rules! check {
    ($cipher:expr, $nonce:expr, $oracle:expr, $length:expr) => {{
        let (cipher, nonce, oracle, length): (_, _, &AeadOracle, usize) = ($cipher, $nonce, $oracle, $length);
        let (plaintext, ciphertext) = (&oracle.plaintext[..length], &oracle.ciphertext[..length]);
        let (aad, tag) = (&oracle.aad[..], oracle.tag(length));
        let case = || format!("{length} bytes and {} of associated data on {}", aad.len(), cipher.backend());

        let mut buffer = plaintext.to_vec();
        assert_eq!(cipher.seal_in_place(nonce, aad, &mut buffer), tag, "{}", case());
        assert!(buffer == ciphertext, "{}", case());
        assert_eq!(cipher.open_in_place(nonce, aad, &mut buffer, &tag), Ok(()), "{}", case());
        assert!(buffer == plaintext, "{}", case());

        let mut memory = vec![MaybeUninit::uninit(); length];
        let (sealed, sealed_tag) = cipher.seal_into(nonce, aad, plaintext, &mut memory[..]);
        assert!(sealed == ciphertext, "{}", case());
        assert_eq!(sealed_tag, tag, "{}", case());
        let mut memory = vec![MaybeUninit::uninit(); length];
        let opened = cipher
            .open_into(nonce, aad, ciphertext, &tag, &mut memory[..])
            .unwrap_or_else(|e| panic!("{e}: {}", case()));
        assert!(opened == plaintext, "{}", case());

        let mut sealer = cipher.sealer(nonce, aad);
        sealer.seal(&mut buffer).unwrap();
        assert!(buffer == ciphertext, "{}", case());
        assert_eq!(sealer.finish(), tag, "{}", case());
        let mut opener = cipher.opener(nonce, aad);
        opener.update(&buffer).unwrap();
        opener.verify(&tag).unwrap_or_else(|e| panic!("{e}: {}", case())).decrypt(&mut buffer).unwrap();
        assert!(buffer == plaintext, "{}", case());
    }};
}

fn each(check: impl Fn(Backend)) {
    backends().into_iter().for_each(check);
}

#[test]
fn every_length() {
    let (key, nonce, plaintext) = (array(1), array(2), test_bytes(3, 1300));
    for aad in [0, 13] {
        let oracle = AeadOracle::new(&key, &nonce, &test_bytes(4, aad), &plaintext);
        each(|backend| {
            let cipher = ChaCha20Poly1305::with_backend(&key, backend);
            (0..=plaintext.len()).for_each(|length| check!(&cipher, &nonce, &oracle, length));
        });
    }
}

#[test]
fn every_length_extended() {
    let (key, nonce, plaintext) = (array(5), array(6), test_bytes(7, 1300));
    let oracle = AeadOracle::extended(&key, &nonce, &test_bytes(8, 32), &plaintext);
    each(|backend| {
        let cipher = XChaCha20Poly1305::with_backend(&key, backend);
        (0..=plaintext.len()).for_each(|length| check!(&cipher, &nonce, &oracle, length));
    });
}

#[test]
fn every_length_of_associated_data() {
    let (key, nonce, plaintext, all) = (array(9), array(10), test_bytes(11, 100), test_bytes(12, 1300));
    for aad in combined(0..=all.len()) {
        let oracle = AeadOracle::new(&key, &nonce, &all[..aad], &plaintext);
        each(|backend| {
            let cipher = ChaCha20Poly1305::with_backend(&key, backend);
            [0, 1, 64, 100].into_iter().for_each(|length| check!(&cipher, &nonce, &oracle, length));
        });
    }
}

/// Lengths around the powers of two, around the multiples of 8 KiB after a head of 448 bytes, and
/// around age's chunk of 64 KiB.
fn large() -> impl Iterator<Item = usize> {
    let powers = [2048, 4096, 8192, 16_384, 32_768, 65_536];
    let pieces = (1..=8).map(|n| 448 + 8192 * n);
    powers.into_iter().chain(pieces).flat_map(|at| [at - 64, at - 17, at - 1, at, at + 1, at + 16, at + 63, at + 1024])
}

#[test]
fn large_messages() {
    let (key, nonce, xnonce, plaintext) = (array(13), array(14), array(15), test_bytes(16, 70_000));
    let oracle = AeadOracle::new(&key, &nonce, b"", &plaintext);
    let extended = AeadOracle::extended(&key, &xnonce, &test_bytes(17, 700), &plaintext);
    each(|backend| {
        let cipher = ChaCha20Poly1305::with_backend(&key, backend);
        let extended_cipher = XChaCha20Poly1305::with_backend(&key, backend);
        for length in large().chain((1300..=70_000).step_by(3331)).chain([70_000]) {
            check!(&cipher, &nonce, &oracle, length);
            check!(&extended_cipher, &xnonce, &extended, length);
        }
    });
}

#[test]
fn every_address() {
    let (key, nonce, plaintext) = (array(18), array(19), test_bytes(20, 1100));
    let oracle = AeadOracle::new(&key, &nonce, b"header", &plaintext);
    each(|backend| {
        let cipher = ChaCha20Poly1305::with_backend(&key, backend);
        for length in [0, 1, 16, 63, 64, 448, 449, 512, 1000, 1100] {
            for offset in 0..=64 {
                let mut buffer = test_bytes(21, offset + length + 65);
                let before = buffer.clone();
                buffer[offset..offset + length].copy_from_slice(&plaintext[..length]);
                let tag = cipher.seal_in_place(&nonce, b"header", &mut buffer[offset..offset + length]);
                assert_eq!(tag, oracle.tag(length), "{length} bytes at {offset} on {backend}");
                assert!(
                    buffer[offset..offset + length] == oracle.ciphertext[..length],
                    "{length} at {offset} on {backend}"
                );
                assert!(buffer[..offset] == before[..offset] && buffer[offset + length..] == before[offset + length..]);
                cipher.open_in_place(&nonce, b"header", &mut buffer[offset..offset + length], &tag).unwrap();
                assert!(buffer[offset..offset + length] == plaintext[..length], "{length} at {offset} on {backend}");
            }
        }
    });
}
