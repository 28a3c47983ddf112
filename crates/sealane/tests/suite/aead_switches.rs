//! Whole messages at every length around the changes of algorithm: the head, whose key stream is
//! computed together with the one-time key; groups that are authenticated between the rounds of the
//! cipher; and two passes over pieces. The reference is `sealane-spec`.

use std::mem::MaybeUninit;

use sealane::{ChaCha20Poly1305, Tag};

use crate::common::{AeadOracle, array, backends, combined, cpu_classes, test_bytes, while_class_changes};

/// The lengths of the head of most messages, of the shortest message in two passes with AVX2 (for
/// one class of CPUs), and of the pieces in these passes.
const HEAD: usize = 448;
/// The longest message that AVX-512 without IFMA processes on vectors of 256 bits.
const NARROWER: usize = 4352;
const TWO_PASS: usize = 16_384;
const PIECE: usize = 16_384;
/// The bytes that the kernels of the backends encrypt at once.
const GROUPS: [usize; 4] = [128, 256, 512, 1024];

/// An oracle and its cached tags, with which every backend is compared.
struct Expected {
    oracle: AeadOracle,
    tags: Vec<(usize, Tag)>,
}

impl Expected {
    fn new(key: &[u8; 32], nonce: &[u8; 12], aad: &[u8], lengths: impl IntoIterator<Item = usize>) -> Self {
        let lengths: Vec<_> = lengths.into_iter().collect();
        let longest = *lengths.iter().max().unwrap();
        let oracle = AeadOracle::new(key, nonce, aad, &test_bytes(100, longest));
        let tags = lengths.into_iter().map(|length| (length, oracle.tag(length))).collect();
        Self { oracle, tags }
    }

    /// Seals and opens every length, in place and into uninitialised memory.
    fn check(&self, cipher: &ChaCha20Poly1305, nonce: &[u8; 12]) {
        let AeadOracle { plaintext, ciphertext, aad, .. } = &self.oracle;
        for (length, tag) in &self.tags {
            let case = || format!("{length} bytes, {} of associated data, on {}", aad.len(), cipher.backend());
            let (plaintext, ciphertext) = (&plaintext[..*length], &ciphertext[..*length]);

            let mut buffer = plaintext.to_vec();
            assert_eq!(cipher.seal_in_place(nonce, aad, &mut buffer), *tag, "sealed in place: {}", case());
            assert!(buffer == ciphertext, "sealed in place: {}", case());
            assert_eq!(cipher.open_in_place(nonce, aad, &mut buffer, tag), Ok(()), "opened in place: {}", case());
            assert!(buffer == plaintext, "opened in place: {}", case());

            let mut memory = vec![MaybeUninit::uninit(); *length];
            let (sealed, sealed_tag) = cipher.seal_into(nonce, aad, plaintext, &mut memory[..]);
            assert_eq!(sealed_tag, *tag, "sealed into other memory: {}", case());
            assert!(sealed == ciphertext, "sealed into other memory: {}", case());
            let mut memory = vec![MaybeUninit::uninit(); *length];
            let opened = cipher.open_into(nonce, aad, ciphertext, tag, &mut memory[..]);
            let opened = opened.unwrap_or_else(|error| panic!("{error}: opened into other memory: {}", case()));
            assert!(opened == plaintext, "opened into other memory: {}", case());
        }
    }
}

/// Returns the lengths at which the algorithm changes for short messages, with a few lengths on
/// each side.
fn about_the_switches() -> impl Iterator<Item = usize> {
    let groups = GROUPS.into_iter().map(|group| HEAD + group);
    let switches = [16, 64, 192, HEAD].into_iter().chain(groups);
    [0].into_iter().chain(switches.flat_map(|at| [at - 1, at, at + 1, at + 17]))
}

/// Returns lengths around the changes that only long messages reach.
fn about_the_long_switches() -> impl Iterator<Item = usize> {
    [NARROWER, TWO_PASS, HEAD + PIECE, 2 * PIECE].into_iter().flat_map(|at| [at - 1, at, at + 1, at + 17])
}

#[test]
fn every_length() {
    let (key, nonce) = (array(101), array(102));
    let expected = Expected::new(&key, &nonce, &test_bytes(103, 13), 0..=5000);
    for backend in backends() {
        for _ in cpu_classes(backend) {
            expected.check(&ChaCha20Poly1305::with_backend(&key, backend), &nonce);
        }
    }
}

/// Lengths around whole pairs of AVX-512 groups, with every number of blocks and every last row
/// before and after the pairs. The ciphertext of a forged message of each length is restored.
#[test]
fn lengths_about_pairs() {
    let (key, nonce, aad) = (array(121), array(122), test_bytes(123, 13));
    let lengths = [6144, 8192].into_iter().flat_map(|pairs| combined(pairs - 260..=pairs + 260));
    let expected = Expected::new(&key, &nonce, &aad, lengths.chain((9216..=9300).step_by(7)));
    for backend in backends() {
        for class in cpu_classes(backend) {
            let cipher = ChaCha20Poly1305::with_backend(&key, backend);
            expected.check(&cipher, &nonce);
            for (length, tag) in &expected.tags {
                let mut forged = *tag;
                forged[length % 16] ^= 1 << (length % 8);
                let mut buffer = expected.oracle.ciphertext[..*length].to_vec();
                assert!(cipher.open_in_place(&nonce, &aad, &mut buffer, &forged).is_err(), "{length} on {backend}");
                assert!(buffer == expected.oracle.ciphertext[..*length], "{length} on {backend}, {}", class.name());
            }
        }
    }
}

/// The class of CPUs chooses between plans for messages of up to 32 blocks, and between kernels for
/// longer ones and for long pieces. What is chosen for one class and computed for another would
/// leave the end of the message alone.
#[test]
fn the_class_may_change_during_a_message() {
    let (key, nonce) = (array(124), array(125));
    let long = [2300, 3776, 3777, 4096, 4300, 5000, 6500, 8192 + 100];
    let expected = Expected::new(&key, &nonce, &test_bytes(126, 13), combined(0..=33 * 64).chain(long));
    let AeadOracle { plaintext, aad, .. } = &expected.oracle;
    for backend in backends() {
        let cipher = ChaCha20Poly1305::with_backend(&key, backend);
        while_class_changes(backend, || {
            expected.check(&cipher, &nonce);
            for _ in 0..20 {
                check_cuts(&cipher, &nonce, aad, plaintext, &[0, 1, 64, plaintext.len()]);
            }
        });
    }
}

#[test]
fn lengths_about_two_passes_and_pieces() {
    let (key, nonce) = (array(104), array(105));
    // Around the last whole group before two passes, and around the first pieces.
    let last_groups = GROUPS.map(|group| HEAD + (TWO_PASS - HEAD) / group * group);
    let near = [NARROWER, TWO_PASS, PIECE, 2 * PIECE].into_iter().chain(last_groups);
    let lengths = near.flat_map(|at| at - 20..=at + 20).chain((5000..=40_000).step_by(1237)).chain([40_000]);
    let expected = Expected::new(&key, &nonce, &test_bytes(106, 13), lengths);
    for backend in backends() {
        for _ in cpu_classes(backend) {
            expected.check(&ChaCha20Poly1305::with_backend(&key, backend), &nonce);
        }
    }
}

#[test]
fn every_length_of_associated_data() {
    let (key, nonce, aad) = (array(107), array(108), test_bytes(109, 80));
    for length in combined(0..=aad.len()) {
        // Long messages take time, so they are tried with every number of blocks of associated
        // data, but with every remainder only once.
        let long = length < 18 || length % 16 < 2 || length % 16 == 15;
        let lengths = about_the_switches().chain(about_the_long_switches().filter(|_| long));
        let expected = Expected::new(&key, &nonce, &aad[..length], lengths);
        for backend in backends() {
            expected.check(&ChaCha20Poly1305::with_backend(&key, backend), &nonce);
        }
    }
}

#[test]
fn every_split_into_associated_data_and_message() {
    let (key, nonce, all) = (array(110), array(111), test_bytes(112, 1100));
    for split in combined(0..=all.len()) {
        let (aad, plaintext) = all.split_at(split);
        let (ciphertext, tag) = sealane_spec::aead::chacha20_aead_encrypt(aad, &key, &nonce, plaintext);
        for backend in backends() {
            let cipher = ChaCha20Poly1305::with_backend(&key, backend);
            let mut buffer = all.clone();
            let (aad, message) = buffer.split_at_mut(split);
            assert_eq!(cipher.seal_in_place(&nonce, aad, message), tag, "split at {split} on {backend}");
            assert!(message == ciphertext, "split at {split} on {backend}");
            assert_eq!(cipher.open_in_place(&nonce, aad, message, &tag), Ok(()), "split at {split} on {backend}");
            assert!(buffer == all, "split at {split} on {backend}");
        }
    }
}

#[test]
fn every_offset() {
    let (key, nonce, aad) = (array(113), array(114), test_bytes(115, 13));
    let lengths = about_the_switches().chain([960, 1350, 4096]).chain(about_the_long_switches());
    let expected = Expected::new(&key, &nonce, &aad, lengths);
    let AeadOracle { plaintext, ciphertext, .. } = &expected.oracle;
    for backend in backends() {
        let cipher = ChaCha20Poly1305::with_backend(&key, backend);
        for (length, tag) in &expected.tags {
            let (plaintext, ciphertext) = (&plaintext[..*length], &ciphertext[..*length]);
            // Bytes before and after the message must not change. The input of the same call has a
            // different offset.
            let mut memory = vec![0xc3; *length + 96];
            let mut input = vec![0; *length + 64];
            for offset in 0..32 {
                let case = || format!("{length} bytes at {offset} on {backend}");
                let untouched =
                    |memory: &[u8]| memory[..offset].iter().chain(&memory[offset + length..]).all(|&byte| byte == 0xc3);
                let input_range = 31 - offset..31 - offset + length;

                let buffer = &mut memory[offset..][..*length];
                buffer.copy_from_slice(plaintext);
                assert_eq!(cipher.seal_in_place(&nonce, &aad, buffer), *tag, "sealed in place: {}", case());
                assert!(buffer == ciphertext, "sealed in place: {}", case());
                assert_eq!(cipher.open_in_place(&nonce, &aad, buffer, tag), Ok(()), "opened in place: {}", case());
                assert!(buffer == plaintext, "opened in place: {}", case());
                assert!(untouched(&memory), "in place, beside the message: {}", case());

                input[input_range.clone()].copy_from_slice(plaintext);
                let output = &mut memory[offset..][..*length];
                output.fill(0xc3);
                let (sealed, sealed_tag) = cipher.seal_into(&nonce, &aad, &input[input_range.clone()], output);
                assert_eq!(sealed_tag, *tag, "sealed into other memory: {}", case());
                assert!(sealed == ciphertext, "sealed into other memory: {}", case());
                assert!(untouched(&memory), "sealed beside the output: {}", case());

                input[input_range.clone()].copy_from_slice(ciphertext);
                let output = &mut memory[offset..][..*length];
                output.fill(0xc3);
                let opened = cipher.open_into(&nonce, &aad, &input[input_range.clone()], tag, output);
                assert!(opened.is_ok_and(|opened| opened == plaintext), "opened into other memory: {}", case());
                assert!(input[input_range] == *ciphertext, "the input was changed: {}", case());
                assert!(untouched(&memory), "opened beside the output: {}", case());
                memory[offset..][..*length].fill(0xc3);
            }
        }
    }
}

/// Checks that two pieces give the same tag, ciphertext and plaintext as the whole message, for
/// each of `cuts`.
fn check_cuts(cipher: &ChaCha20Poly1305, nonce: &[u8; 12], aad: &[u8], plaintext: &[u8], cuts: &[usize]) {
    let mut ciphertext = plaintext.to_vec();
    let tag = cipher.seal_in_place(nonce, aad, &mut ciphertext);
    for &cut in cuts {
        let case = format!("{} bytes cut at {cut} on {}", plaintext.len(), cipher.backend());
        let mut buffer = plaintext.to_vec();
        let (first, second) = buffer.split_at_mut(cut);
        let mut sealer = cipher.sealer(nonce, aad);
        sealer.seal(first).unwrap();
        sealer.seal(second).unwrap();
        assert_eq!(sealer.finish(), tag, "{case}");
        assert!(buffer == ciphertext, "sealed: {case}");

        let (first, second) = buffer.split_at_mut(cut);
        let mut opener = cipher.opener(nonce, aad);
        opener.update(first).unwrap();
        opener.update(second).unwrap();
        let mut verified = opener.verify(&tag).unwrap_or_else(|error| panic!("{error}: {case}"));
        verified.decrypt(first).unwrap();
        verified.decrypt(second).unwrap();
        assert!(buffer == plaintext, "verified, then decrypted: {case}");

        buffer.copy_from_slice(&ciphertext);
        let (first, second) = buffer.split_at_mut(cut);
        let mut opener = cipher.opener(nonce, aad);
        opener.decrypt_unauthenticated(first).unwrap();
        opener.decrypt_unauthenticated(second).unwrap();
        assert!(buffer == plaintext, "decrypted, then verified: {case}");
        assert!(opener.verify(&tag).is_ok(), "decrypted, then verified: {case}");
    }
}

#[test]
fn every_cut_in_two_is_the_whole_message() {
    let (key, nonce, aad, plaintext) = (array(116), array(117), test_bytes(118, 21), test_bytes(119, 40_000));
    for backend in backends() {
        let cipher = ChaCha20Poly1305::with_backend(&key, backend);
        for length in [449, 961, 1350] {
            check_cuts(&cipher, &nonce, &aad, &plaintext[..length], &(0..=length).collect::<Vec<_>>());
        }
        for length in [5000, TWO_PASS - 1, TWO_PASS, HEAD + PIECE + 1, 40_000] {
            let from_the_end = [0, 1, 15, 16, 17, 64, 448].map(|rest| length - rest);
            let cuts: Vec<_> = about_the_switches().chain(from_the_end).chain([2049, length / 2]).collect();
            check_cuts(&cipher, &nonce, &aad, &plaintext[..length], &cuts);
        }
    }
}
