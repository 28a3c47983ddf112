//! Messages in pieces: cut anywhere, they give the same result as the whole message.

use std::ops::Range;

use proptest::prelude::*;
use sealane::{Backend, ChaCha20Poly1305, MAX_MESSAGE_BYTES, OpenError, XChaCha20Poly1305};

use crate::common::{AeadOracle, array, backends, cases, combined, cpu_classes, test_bytes};

/// Cuts a buffer into pieces of these lengths, and a last piece with the remaining bytes.
fn cut<'b>(mut buffer: &'b mut [u8], lengths: &[usize]) -> Vec<&'b mut [u8]> {
    let mut pieces = Vec::new();
    for &length in lengths {
        let (piece, rest) = buffer.split_at_mut(length.min(buffer.len()));
        pieces.push(piece);
        buffer = rest;
    }
    pieces.push(buffer);
    pieces
}

/// Yields the pieces, each with its number and its position in the message.
fn positions(pieces: Vec<&mut [u8]>) -> impl Iterator<Item = (usize, Range<usize>, &mut [u8])> {
    let mut at = 0;
    pieces.into_iter().enumerate().map(move |(i, piece)| {
        let range = at..at + piece.len();
        at = range.end;
        (i, range, piece)
    })
}

macro_rules! check_pieces {
    ($cipher:expr, $nonce:expr, $oracle:expr, $seal:expr, $update:expr, $decrypt:expr) => {{
        let (cipher, nonce, oracle): (_, _, &AeadOracle) = ($cipher, $nonce, $oracle);
        let (aad, length) = (&oracle.aad[..], oracle.plaintext.len());
        let tag = oracle.tag(length);

        let mut sealer = cipher.sealer(nonce, aad);
        let mut buffer = oracle.plaintext.clone();
        cut(&mut buffer, $seal).into_iter().for_each(|piece| sealer.seal(piece).unwrap());
        assert!(buffer == oracle.ciphertext, "sealed in {:?} on {}", $seal, cipher.backend());
        assert_eq!(sealer.remaining(), MAX_MESSAGE_BYTES - length as u64);
        assert_eq!(sealer.finish(), tag, "sealed in {:?} on {}", $seal, cipher.backend());

        let mut opener = cipher.opener(nonce, aad);
        cut(&mut buffer, $update).into_iter().for_each(|piece| opener.update(piece).unwrap());
        assert!(buffer == oracle.ciphertext);
        assert_eq!(opener.remaining(), MAX_MESSAGE_BYTES - length as u64);
        let mut verified = opener.verify(&tag).unwrap();
        assert_eq!(verified.remaining(), length as u64);
        cut(&mut buffer, $decrypt).into_iter().for_each(|piece| verified.decrypt(piece).unwrap());
        assert!(buffer == oracle.plaintext, "decrypted in {:?} on {}", $decrypt, cipher.backend());
        // Not one byte more than the authenticated length.
        assert_eq!(verified.remaining(), 0);
        let mut more = [0x5a];
        assert_eq!(verified.decrypt(&mut more), Err(OpenError));
        assert_eq!(more, [0x5a]);
        verified.decrypt(&mut []).unwrap();

        let mut opener = cipher.opener(nonce, aad);
        let mut buffer = oracle.ciphertext.clone();
        cut(&mut buffer, $decrypt).into_iter().for_each(|piece| opener.decrypt_unauthenticated(piece).unwrap());
        assert!(buffer == oracle.plaintext, "decrypted unauthenticated in {:?} on {}", $decrypt, cipher.backend());
        opener.verify(&tag).unwrap();

        // Some pieces of this message are only authenticated, and the others are also decrypted: in
        // turns, or two of each.
        for run in [1, 2] {
            let mut opener = cipher.opener(nonce, aad);
            let mut buffer = oracle.ciphertext.clone();
            for (i, range, piece) in positions(cut(&mut buffer, $update)) {
                if i / run % 2 == 0 {
                    opener.update(piece).unwrap();
                    assert!(*piece == oracle.ciphertext[range]);
                } else {
                    opener.decrypt_unauthenticated(piece).unwrap();
                    assert!(*piece == oracle.plaintext[range], "mixed, in {:?} on {}", $update, cipher.backend());
                }
            }
            opener.verify(&tag).unwrap();
            // The same pieces, some of which are encrypted already.
            let mut sealer = cipher.sealer(nonce, &oracle.aad);
            let mut buffer = oracle.plaintext.clone();
            for (i, range, piece) in positions(cut(&mut buffer, $update)) {
                if i / run % 2 == 0 {
                    sealer.add_ciphertext(&oracle.ciphertext[range]).unwrap();
                } else {
                    sealer.seal(piece).unwrap();
                    assert!(*piece == oracle.ciphertext[range], "mixed, in {:?} on {}", $update, cipher.backend());
                }
            }
            assert_eq!(sealer.finish(), tag, "mixed, in {:?} on {}", $update, cipher.backend());
        }
    }};
}

/// Many pieces are only authenticated. Some pieces before, between and after them are decrypted
/// before the tag is verified.
#[test]
fn authenticated_in_many_pieces_then_decrypted() {
    let (key, nonce, length) = (array(21), array(22), 6000);
    let oracle = AeadOracle::new(&key, &nonce, b"header", &test_bytes(23, length));
    let tag = oracle.tag(length);
    for backend in backends() {
        let cipher = ChaCha20Poly1305::with_backend(&key, backend);
        for (first, (piece, count)) in [0, 1100, 2050]
            .into_iter()
            .flat_map(|first| [(200, 6), (256, 9), (499, 7), (1024, 3), (13, 120)].map(|pieces| (first, pieces)))
        {
            for (decrypted, more) in [(0, 0), (1, 700), (64, 1), (530, 530)] {
                let mut buffer = oracle.ciphertext.clone();
                let mut opener = cipher.opener(&nonce, b"header");
                let mut lengths = vec![(first, true)];
                lengths.extend((0..count).map(|_| (piece, false)));
                lengths.extend([(decrypted, true), (more, false), (decrypted, true), (length, false)]);
                let mut at = 0;
                for (length, decrypts) in lengths {
                    let end = (at + length).min(buffer.len());
                    if decrypts {
                        opener.decrypt_unauthenticated(&mut buffer[at..end]).unwrap();
                        assert!(buffer[at..end] == oracle.plaintext[at..end], "{at} to {end} on {backend}");
                    } else {
                        // A clone continues independently.
                        let mut other = opener.clone();
                        opener.update(&buffer[at..end]).unwrap();
                        other.update(&oracle.ciphertext[at..]).unwrap();
                        other.verify(&tag).unwrap();
                    }
                    at = end;
                }
                let mut verified = opener.verify(&tag).unwrap();
                let mut buffer = oracle.ciphertext.clone();
                verified.decrypt(&mut buffer).unwrap();
                assert!(buffer == oracle.plaintext);
            }
        }
    }
}

/// Pieces are authenticated until any number of blocks of Poly1305 waits, and longer ones are then
/// decrypted, from the start of a block of ChaCha20 on.
#[test]
fn any_number_of_blocks_waits_before_a_piece_is_decrypted() {
    let (key, nonce, length) = (array(24), array(25), 3000);
    let oracle = AeadOracle::new(&key, &nonce, b"header", &test_bytes(26, length));
    let tag = oracle.tag(length);
    for backend in backends() {
        let cipher = ChaCha20Poly1305::with_backend(&key, backend);
        for before in (0..=1088).step_by(64) {
            for waiting in (0..=before).step_by(16).take(33) {
                for decrypted in [512, 700, 1448] {
                    let mut buffer = oracle.ciphertext.clone();
                    let mut opener = cipher.opener(&nonce, b"header");
                    opener.update(&buffer[..before - waiting]).unwrap();
                    opener.update(&buffer[before - waiting..before]).unwrap();
                    opener.decrypt_unauthenticated(&mut buffer[before..][..decrypted]).unwrap();
                    opener.update(&buffer[before + decrypted..]).unwrap();
                    let context = || format!("{waiting} of {before}, then {decrypted}, on {backend}");
                    assert!(buffer[before..][..decrypted] == oracle.plaintext[before..][..decrypted], "{}", context());
                    assert!(opener.verify(&tag).is_ok(), "{}", context());
                }
            }
        }
    }
}

#[test]
fn every_cut_in_two() {
    let (key, nonce) = (array(1), array(2));
    for length in [0, 1, 17, 64, 65, 200] {
        let oracle = AeadOracle::new(&key, &nonce, b"associated data", &test_bytes(3, length));
        for backend in backends() {
            let cipher = ChaCha20Poly1305::with_backend(&key, backend);
            for at in 0..=length {
                check_pieces!(&cipher, &nonce, &oracle, &[at], &[at], &[at]);
            }
        }
    }
}

/// Seals and opens the first `length` bytes of the oracle's message in pieces, whose lengths
/// repeat `lengths`. The last piece may be shorter.
fn check_repeated(cipher: &ChaCha20Poly1305, nonce: &[u8; 12], oracle: &AeadOracle, length: usize, lengths: &[usize]) {
    let pieces = |buffer: &mut [u8], each: &mut dyn FnMut(&mut [u8])| {
        let mut rest = buffer;
        for &length in lengths.iter().cycle() {
            if rest.is_empty() {
                return;
            }
            let (piece, after) = rest.split_at_mut(length.min(rest.len()));
            each(piece);
            rest = after;
        }
    };
    let context = || format!("{length} in {lengths:?} on {}", cipher.backend());
    let tag = oracle.tag(length);
    let mut buffer = oracle.plaintext[..length].to_vec();
    let mut sealer = cipher.sealer(nonce, &oracle.aad);
    pieces(&mut buffer, &mut |piece| sealer.seal(piece).unwrap());
    assert!(buffer == oracle.ciphertext[..length], "sealed: {}", context());
    assert_eq!(sealer.finish(), tag, "sealed: {}", context());

    let mut opener = cipher.opener(nonce, &oracle.aad);
    pieces(&mut buffer, &mut |piece| opener.update(piece).unwrap());
    let mut verified = opener.verify(&tag).expect("the right tag");
    let mut opener = cipher.opener(nonce, &oracle.aad);
    let mut other = buffer.clone();
    pieces(&mut other, &mut |piece| opener.decrypt_unauthenticated(piece).unwrap());
    assert!(other == oracle.plaintext[..length], "decrypted unauthenticated: {}", context());
    opener.verify(&tag).expect("the right tag");
    pieces(&mut buffer, &mut |piece| verified.decrypt(piece).unwrap());
    assert!(buffer == other, "decrypted: {}", context());
}

/// Messages of every length up to several windows of key stream: in equal pieces, in pieces that
/// end near the end of a block or window, and in long pieces after short ones.
#[test]
fn every_length_in_repeated_pieces() {
    let (key, nonce) = (array(20), array(21));
    let oracle = AeadOracle::new(&key, &nonce, b"associated data", &test_bytes(22, 2100));
    let repeated: &[&[usize]] = &[
        &[3000],
        &[1],
        &[16],
        &[64],
        &[100],
        &[256],
        &[448, 512],
        &[449, 511, 513],
        &[960, 1024],
        &[961, 63],
        &[1, 1030, 15, 600],
        &[65, 1300],
    ];
    for backend in backends() {
        let cipher = ChaCha20Poly1305::with_backend(&key, backend);
        for length in combined(0..=2100) {
            let lengths = repeated[length % repeated.len()];
            check_repeated(&cipher, &nonce, &oracle, length, lengths);
        }
        for lengths in repeated {
            for length in [0, 63, 448, 449, 512, 960, 1024, 1025, 1472, 2048, 2100] {
                check_repeated(&cipher, &nonce, &oracle, length, lengths);
            }
        }
    }
}

/// Pieces around the length from which wider vectors take over, with and without whole groups only,
/// in turns with short pieces.
#[test]
fn long_and_short_pieces_in_turns() {
    let (key, nonce) = (array(27), array(28));
    let oracle = AeadOracle::new(&key, &nonce, b"associated data", &test_bytes(29, 20_000));
    let repeated: &[&[usize]] = &[
        &[2047, 2048, 2049],
        &[3071, 3072, 3073],
        &[3136, 64, 3073, 448],
        &[700, 3100, 13],
        &[512, 4096, 600, 1536],
        &[1, 63, 9000],
        &[1350, 5000],
    ];
    for backend in backends() {
        let cipher = ChaCha20Poly1305::with_backend(&key, backend);
        for lengths in repeated {
            for length in [9000, 12_345, 20_000] {
                check_repeated(&cipher, &nonce, &oracle, length, lengths);
            }
        }
    }
}

/// Pieces that are long enough to be authenticated beside pairs of groups: with any number of whole
/// blocks behind the pairs, with a rest, and behind blocks that wait.
#[test]
fn long_pieces_of_every_number_of_blocks() {
    let (key, nonce) = (array(30), array(31));
    let oracle = AeadOracle::new(&key, &nonce, b"associated data", &test_bytes(32, 11_000));
    for backend in backends() {
        for _ in cpu_classes(backend) {
            let cipher = ChaCha20Poly1305::with_backend(&key, backend);
            for blocks in 94..=162 {
                let waiting = [0, 1, 64, 100][blocks % 4];
                let length = waiting + 64 * blocks + [0, 1, 16, 63][blocks / 4 % 4];
                check_repeated(&cipher, &nonce, &oracle, length, &[waiting, length]);
            }
        }
    }
}

/// Many pieces, after which the authenticator keeps its sum between them where it takes turns with
/// the cipher. Then pieces that are only authenticated, and pieces that are long enough for other
/// plans.
#[test]
fn other_pieces_after_many() {
    let (key, nonce) = (array(33), array(34));
    let oracle = AeadOracle::new(&key, &nonce, b"associated data", &test_bytes(35, 40_000));
    for backend in backends() {
        for _ in cpu_classes(backend) {
            let cipher = ChaCha20Poly1305::with_backend(&key, backend);
            for first in [256, 1000, 1024, 1350] {
                let mut lengths = vec![first; 9000 / first];
                lengths.extend([1, 63, 4096, 6272, 700, 16, 1024, 48, 9000]);
                check_pieces!(&cipher, &nonce, &oracle, &lengths, &lengths, &lengths);
            }
        }
    }
}

/// Associated data of every length, below and above the longest that waits for the first piece.
#[test]
fn every_length_of_associated_data() {
    let (key, nonce) = (array(23), array(24));
    for aad in 0..=150 {
        let oracle = AeadOracle::new(&key, &nonce, &test_bytes(25, aad), &test_bytes(26, 70));
        for backend in backends() {
            let cipher = ChaCha20Poly1305::with_backend(&key, backend);
            for lengths in [&[100][..], &[33]] {
                check_repeated(&cipher, &nonce, &oracle, 0, lengths);
                check_repeated(&cipher, &nonce, &oracle, 70, lengths);
            }
        }
    }
}

#[test]
fn byte_by_byte() {
    let (key, nonce) = (array(4), array(5));
    let oracle = AeadOracle::extended(&key, &nonce, b"", &test_bytes(6, 300));
    for backend in backends() {
        let cipher = XChaCha20Poly1305::with_backend(&key, backend);
        check_pieces!(&cipher, &nonce, &oracle, &[1; 300], &[1; 300], &[1; 300]);
    }
}

#[test]
fn a_request_beyond_the_end_writes_nothing_and_can_be_repeated() {
    let (key, nonce) = (array(7), array(8));
    let oracle = AeadOracle::new(&key, &nonce, b"", &test_bytes(9, 200));
    for backend in backends() {
        let mut opener = ChaCha20Poly1305::with_backend(&key, backend).opener(&nonce, b"");
        opener.update(&oracle.ciphertext).unwrap();
        let mut verified = opener.verify(&oracle.tag(200)).unwrap();
        let mut buffer = [&oracle.ciphertext[..], &[0xee; 10]].concat();
        assert_eq!(verified.decrypt(&mut buffer), Err(OpenError));
        assert_eq!(buffer, [&oracle.ciphertext[..], &[0xee; 10]].concat());
        assert_eq!(verified.remaining(), 200);
        verified.decrypt(&mut buffer[..200]).unwrap();
        assert_eq!(buffer, [&oracle.plaintext[..], &[0xee; 10]].concat());
    }
}

fn pieces() -> impl Strategy<Value = Vec<usize>> {
    let length = prop_oneof![
        3 => 0..=20_usize,
        3 => 0..=200_usize,
        2 => (0..=80_usize).prop_map(|n| 16 * n),
        2 => (0..=40_usize).prop_map(|n| 64 * n),
        1 => Just(8192),
    ];
    prop::collection::vec(length, 0..12)
}

fn any_pieces(backend: Backend, aad: usize, length: usize, cuts: &[Vec<usize>; 3]) {
    let (key, nonce, xnonce) = (array(10), array(11), array(12));
    let (aad, plaintext) = (test_bytes(13, aad), test_bytes(14, length));
    let cipher = ChaCha20Poly1305::with_backend(&key, backend);
    let oracle = AeadOracle::new(&key, &nonce, &aad, &plaintext);
    check_pieces!(&cipher, &nonce, &oracle, &cuts[0], &cuts[1], &cuts[2]);
    let cipher = XChaCha20Poly1305::with_backend(&key, backend);
    let oracle = AeadOracle::extended(&key, &xnonce, &aad, &plaintext);
    check_pieces!(&cipher, &xnonce, &oracle, &cuts[0], &cuts[1], &cuts[2]);
}

proptest! {
    #![proptest_config(cases(96))]

    #[test]
    fn any_cuts(aad in 0..=300_usize, length in 0..=3000_usize, cuts in [pieces(), pieces(), pieces()]) {
        for backend in backends() {
            any_pieces(backend, aad, length, &cuts);
        }
    }
}

#[test]
fn no_message_is_longer_than_the_longest() {
    sealane::Sealer::check_the_longest_message();
}
