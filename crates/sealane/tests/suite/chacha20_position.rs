//! The key stream does not depend on the order of seeks and reads.

use proptest::prelude::*;
use sealane::Backend;
use sealane::chacha20::{ChaCha, Ietf, Original};

use crate::common::{Reference, array, at_block, backends, cases, for_every_variant, test_bytes, xor};

const BLOCKS: u64 = 48;
const BYTES: usize = BLOCKS as usize * 64;

/// Takes the next `length` bytes of key stream, and compares them with the reference's.
fn take<const ROUNDS: usize, L: Reference>(cipher: &mut ChaCha<ROUNDS, L>, key_stream: &[u8], length: usize) {
    let position = usize::try_from(cipher.position()).unwrap();
    let plaintext = test_bytes(position as u64, length);
    let mut buffer = plaintext.clone();
    cipher.apply_keystream(&mut buffer).unwrap();
    let expected = xor(&plaintext, &key_stream[position..position + length]);
    assert!(buffer == expected, "{} {ROUNDS}: {length} bytes at {position} on {}", L::NAME, cipher.backend());
    assert_eq!(cipher.position(), (position + length) as u128);
}

/// Reads to the end of a block, then seeks within the next block and reads there.
#[test]
fn seek_into_the_block_after_a_finished_one() {
    fn check<const ROUNDS: usize, L: Reference>() {
        let (key, nonce) = (array(60), L::nonce(61));
        let key_stream = L::key_stream(ROUNDS, &key, &nonce, 0, BLOCKS);
        for backend in backends() {
            for start in [1, 10, 63, 64 + 1] {
                for within in [1, 6, 63] {
                    let mut cipher: ChaCha<ROUNDS, L> = at_block(&key, &nonce, backend, 0);
                    cipher.seek(start as u128).unwrap();
                    take(&mut cipher, &key_stream, 64 - start % 64);
                    let next_block = cipher.position();
                    cipher.seek(next_block + within).unwrap();
                    take(&mut cipher, &key_stream, 5);
                }
            }
        }
    }
    for_every_variant!(check);
}

#[test]
fn every_pair_of_short_requests() {
    let (key, nonce) = (array(70), Ietf::nonce(71));
    let key_stream = Ietf::key_stream(20, &key, &nonce, 0, BLOCKS);
    for backend in backends() {
        for first in 0..=130 {
            for second in 0..=130 {
                let mut cipher: ChaCha<20, Ietf> = at_block(&key, &nonce, backend, 0);
                let mut buffer = [0; 270];
                cipher.apply_keystream(&mut buffer[..first]).unwrap();
                cipher.apply_keystream(&mut buffer[first..first + second]).unwrap();
                cipher.apply_keystream(&mut buffer[first + second..]).unwrap();
                assert!(buffer == key_stream[..270], "{first}, then {second} on {backend}");
            }
        }
    }
}

#[derive(Clone, Debug)]
enum Step {
    Take(usize),
    Seek(usize),
    Clone,
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let length =
        prop_oneof![4 => 0..=130_usize, 2 => 0..=1200_usize, 1 => (0..=18_usize).prop_map(|blocks| 64 * blocks)];
    let position =
        prop_oneof![2 => 0..=BYTES, 2 => 0..=200_usize, 1 => (0..=BLOCKS as usize).prop_map(|block| 64 * block)];
    // Requests to the end of the block are frequent, so that the next step often starts a new
    // block.
    let step = prop_oneof![
        4 => length.prop_map(Step::Take),
        2 => Just(Step::Take(usize::MAX)),
        3 => position.prop_map(Step::Seek),
        1 => Just(Step::Clone),
    ];
    prop::collection::vec(step, 1..40)
}

fn walk<const ROUNDS: usize, L: Reference>(backend: Backend, steps: &[Step]) {
    let (key, nonce) = (array(80), L::nonce(81));
    let key_stream = L::key_stream(ROUNDS, &key, &nonce, 0, BLOCKS);
    let mut cipher: ChaCha<ROUNDS, L> = at_block(&key, &nonce, backend, 0);
    for step in steps {
        let position = usize::try_from(cipher.position()).unwrap();
        match *step {
            Step::Take(usize::MAX) => take(&mut cipher, &key_stream, (64 - position % 64).min(BYTES - position)),
            Step::Take(length) => take(&mut cipher, &key_stream, length.min(BYTES - position)),
            Step::Seek(to) => {
                cipher.seek(to as u128).unwrap();
                assert_eq!(cipher.position(), to as u128);
            }
            Step::Clone => {
                let mut clone = cipher.clone();
                take(&mut clone, &key_stream, 3.min(BYTES - position));
            }
        }
    }
}

proptest! {
    #![proptest_config(cases(96))]

    #[test]
    fn any_walk(steps in steps()) {
        for backend in backends() {
            walk::<20, Ietf>(backend, &steps);
            walk::<8, Original>(backend, &steps);
        }
    }
}
