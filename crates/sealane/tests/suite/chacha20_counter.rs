//! Block counters at their carries, at a change of sign, and at their ends.

use sealane::CounterOverflow;
use sealane::chacha20::{ChaCha, Original};

use crate::common::{Reference, array, at_block, backends, for_every_variant, test_bytes, xor};

/// More blocks than four groups of the widest kernel, of 16 blocks each. From four groups on, the
/// kernel computes the groups' common part only once.
const SPAN: u64 = 72;
/// More than two groups.
const EACH: u64 = 40;

/// Tests every start in the last `SPAN` blocks before `boundary`, with every number of blocks up to
/// `EACH` and some up to `SPAN`.
fn across<const ROUNDS: usize, L: Reference>(boundary: u128) {
    let (key, nonce) = (array(30), L::nonce(31));
    let first = boundary - u128::from(SPAN);
    let blocks = u64::try_from((L::BLOCKS - first).min(2 * u128::from(SPAN))).unwrap();
    let key_stream = L::key_stream(ROUNDS, &key, &nonce, first.try_into().unwrap(), blocks);
    let plaintext = test_bytes(32, key_stream.len());
    let ciphertext = xor(&plaintext, &key_stream);
    for backend in backends() {
        for skip in 0..SPAN.min(blocks) {
            let start: ChaCha<ROUNDS, L> = at_block(&key, &nonce, backend, first + u128::from(skip));
            for count in (1..=EACH).chain([64, 65, 71, SPAN]).filter(|&count| count <= blocks - skip) {
                // Some requests end with an incomplete block.
                let range = 64 * skip as usize..64 * (skip + count) as usize - 7 * (count % 3) as usize;
                let mut buffer = plaintext[range.clone()].to_vec();
                start.clone().apply_keystream(&mut buffer).unwrap();
                assert!(
                    buffer == ciphertext[range],
                    "{} {ROUNDS}: {count} blocks from {boundary:#x} - {} on {backend}",
                    L::NAME,
                    SPAN - skip
                );
            }
        }
    }
}

#[test]
fn the_32_bit_counter_changes_sign_and_ends() {
    fn check<const ROUNDS: usize, L: Reference>() {
        across::<ROUNDS, L>(1 << 31);
        across::<ROUNDS, L>(1 << 32);
    }
    for_every_variant!(check);
}

#[test]
fn the_64_bit_counter_carries_and_ends() {
    fn check<const ROUNDS: usize>() {
        for boundary in [0x8000_0001 << 32, 0xffff_ffff << 32, 1 << 63, 1 << 64] {
            across::<ROUNDS, Original>(boundary);
        }
    }
    check::<8>();
    check::<12>();
    check::<20>();
}

fn end<const ROUNDS: usize, L: Reference>() {
    let (key, nonce) = (array(40), L::nonce(41));
    let end = L::BLOCKS * 64;
    assert_eq!(ChaCha::<ROUNDS, L>::KEY_STREAM_BYTES, end);
    let first = u64::try_from(L::BLOCKS - u128::from(SPAN)).unwrap();
    let key_stream = L::key_stream(ROUNDS, &key, &nonce, first, SPAN);
    for backend in backends() {
        for k in 1..=SPAN as usize {
            // Also starts inside a block: the cipher then keeps a block of key stream.
            for within in [0, 1, 63] {
                let left = 64 * k - within;
                let at = end - left as u128;
                let mut cipher: ChaCha<ROUNDS, L> = at_block(&key, &nonce, backend, 0);
                cipher.seek(at).unwrap();
                assert_eq!(cipher.remaining(), left as u128);

                for more in [1, 2, 64, 1024, 5000] {
                    let before = test_bytes(42, left + more);
                    let mut buffer = before.clone();
                    assert_eq!(cipher.apply_keystream(&mut buffer), Err(CounterOverflow));
                    assert!(buffer == before, "{} {ROUNDS}: {more} bytes too many were written", L::NAME);
                    assert_eq!(cipher.position(), at);
                }

                let mut buffer = vec![0; left];
                cipher.apply_keystream(&mut buffer).unwrap();
                assert!(
                    buffer == key_stream[key_stream.len() - left..],
                    "{} {ROUNDS}: last {left} on {backend}",
                    L::NAME
                );
                assert_eq!((cipher.position(), cipher.remaining()), (end, 0));

                let mut one = [0x5a];
                assert_eq!(cipher.apply_keystream(&mut one), Err(CounterOverflow));
                assert_eq!((one, cipher.position()), ([0x5a], end));
                cipher.apply_keystream(&mut []).unwrap();

                // After the end, the cipher can still seek back.
                cipher.seek(at).unwrap();
                let mut again = vec![0; left];
                cipher.apply_keystream(&mut again).unwrap();
                assert!(again == buffer, "{} {ROUNDS}: seek back from the end on {backend}", L::NAME);
            }
        }
    }
}

#[test]
fn the_last_block_can_be_used_and_nothing_after_it() {
    for_every_variant!(end);
}

#[test]
fn seek_past_the_end_is_refused_and_changes_nothing() {
    fn check<const ROUNDS: usize, L: Reference>() {
        let (key, nonce) = (array(50), L::nonce(51));
        let end = L::BLOCKS * 64;
        let key_stream = L::key_stream(ROUNDS, &key, &nonce, 2, 2);
        for backend in backends() {
            let mut cipher: ChaCha<ROUNDS, L> = at_block(&key, &nonce, backend, 2);
            cipher.apply_keystream(&mut [0; 10]).unwrap();
            for past in [end + 1, end + 64, end * 2, end * 2 + 128, u128::MAX] {
                assert_eq!(cipher.seek(past), Err(CounterOverflow));
                assert_eq!(cipher.position(), 138);
            }
            let mut buffer = [0; 100];
            cipher.apply_keystream(&mut buffer).unwrap();
            assert_eq!(buffer, key_stream[10..110]);
        }
    }
    for_every_variant!(check);
}
