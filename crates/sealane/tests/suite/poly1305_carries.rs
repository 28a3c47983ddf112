//! Poly1305 with the longest carries: the largest multipliers, blocks of ones, accumulators near
//! multiples of 2^130 - 5; in one piece, in pieces, and block by block after a long piece.

use sealane::{Backend, Poly1305};
use sealane_spec::num::Num;
use sealane_spec::poly1305::{accumulate, r_and_s};

use crate::common::{MacOracle, array, backends, test_bytes};

/// The key with the largest r that the clamp allows, and the largest s.
const LARGEST: [u8; 32] = [0xff; 32];

/// Returns the key with r = `r` and s = 0.
fn key_of(r: u128) -> [u8; 32] {
    let mut key = [0; 32];
    key[..16].copy_from_slice(&r.to_le_bytes());
    key
}

/// Returns keys whose r has the largest number of bits, few bits, and bits in one half only.
fn keys() -> [[u8; 32]; 6] {
    [
        LARGEST,
        array(300),
        key_of(1),
        key_of(0x0fff_fffc_0fff_fffc << 64),
        key_of(0x0fff_fffc_0fff_ffff),
        key_of(0x0800_0000_0000_0004_0800_0000_0000_0001),
    ]
}

/// Returns ones, then ones with zeros in every third block, so that carries start and stop, and
/// arbitrary blocks.
fn messages(length: usize) -> [Vec<u8>; 3] {
    let gaps = (0..length).map(|i| if i / 16 % 3 == 2 { 0 } else { 0xff }).collect();
    [vec![0xff; length], gaps, test_bytes(301, length)]
}

fn mac<'m>(backend: Backend, key: &[u8; 32], pieces: impl IntoIterator<Item = &'m [u8]>) -> [u8; 16] {
    let mut poly1305 = Poly1305::with_backend(key, backend);
    pieces.into_iter().for_each(|piece| poly1305.update(piece));
    poly1305.finalize()
}

#[test]
fn every_length_in_one_piece_and_in_pieces() {
    /// Below, at and above the lengths from which calls, two chains and vectors are faster, and
    /// lengths that leave bytes in the buffer.
    const PIECES: [usize; 8] = [16, 17, 255, 256, 768, 784, 1024, 1551];
    for key in keys() {
        for message in messages(3000) {
            let oracle = MacOracle::new(&key, &message);
            for length in 0..=message.len() {
                let (message, tag) = (&message[..length], oracle.tag(length));
                let piece = PIECES[length % PIECES.len()];
                for backend in backends() {
                    assert_eq!(mac(backend, &key, [message]), tag, "{length} bytes under {key:x?} on {backend}");
                    let in_pieces = mac(backend, &key, message.chunks(piece));
                    assert_eq!(in_pieces, tag, "{length} bytes by {piece} under {key:x?} on {backend}");
                }
            }
        }
    }
}

#[test]
fn blocks_of_ones_behind_one_piece() {
    for key in keys() {
        let (r, s) = r_and_s(&key);
        for body in messages(1600) {
            let mut accumulator = Num::ZERO;
            for (i, block) in body.as_chunks::<16>().0.iter().enumerate() {
                accumulator = accumulate(accumulator, r, block);
                let length = 16 * (i + 1);
                // From lengths that use one chain to lengths that use two chains or vectors.
                if length < 720 {
                    continue;
                }
                let mut expected = vec![accumulator];
                for blocks in 0..6 {
                    expected.push(accumulate(expected[blocks], r, &[0xff; 16]));
                }
                for backend in backends() {
                    let mut poly1305 = Poly1305::with_backend(&key, backend);
                    poly1305.update(&body[..length]);
                    for (blocks, &accumulator) in expected.iter().enumerate() {
                        assert_eq!(
                            poly1305.clone().finalize(),
                            (accumulator + s).num_to_16_le_bytes(),
                            "{blocks} blocks behind {length} bytes under {key:x?} on {backend}"
                        );
                        poly1305.update(&[0xff; 16]);
                    }
                }
            }
        }
    }
}

fn power_of_two(exponent: usize) -> Num {
    let mut bytes = [0; 17];
    bytes[exponent / 8] = 1 << (exponent % 8);
    Num::le_bytes_to_num(&bytes)
}

/// Returns numbers modulo p at the borders of p itself, and of the limbs of 64, 52, 44 and 26 bits.
fn edges() -> Vec<Num> {
    let (p, one) = (Num::p(), power_of_two(0));
    let borders = [26, 44, 52, 64, 78, 88, 104, 128, 129].map(power_of_two);
    let mut edges = vec![Num::ZERO, p - one];
    for border in borders.into_iter().chain([power_of_two(128) + power_of_two(129)]) {
        edges.extend([border - one, border, border + one, p - border]);
    }
    // Numbers slightly above p, where 2^130 = 5, and slightly below.
    let mut small = one;
    for _ in 0..8 {
        edges.extend([small, p - small]);
        small = small + one;
    }
    edges
}

/// Returns 1 / r modulo the prime p: r^(p - 2).
fn inverse(r: Num) -> Num {
    let p = Num::p();
    // p - 2 = 2^130 - 7: the 127 highest of 130 bits are ones, and the lowest are 001.
    let mut power = r;
    for bit in (0..129).rev() {
        power = (power * power) % p;
        if bit >= 3 || bit == 0 {
            power = (power * r) % p;
        }
    }
    assert_eq!((power * r) % p, power_of_two(0));
    power
}

#[test]
fn accumulators_at_the_borders() {
    let p = Num::p();
    let body = test_bytes(302, 130 * 16);
    for key in keys() {
        let (r, s) = r_and_s(&key);
        let inverse = inverse(r);
        let mut reached = 0;
        let mut before = Num::ZERO;
        for (blocks, block) in body.as_chunks::<16>().0.iter().enumerate() {
            // These numbers, with the last block added, are one block alone, and the numbers around
            // those from which two chains and vectors of each width are used.
            if [0, 1, 15, 16, 46, 47, 48, 63, 64, 94, 95, 96, 99, 127, 128].contains(&blocks) {
                for (edge, after) in edges().into_iter().flat_map(|edge| [(edge, false), (edge, true)]) {
                    // The block that gives the accumulator the value `edge`, after the
                    // multiplication by r or before it.
                    let sum = if after { (edge * inverse) % p } else { edge };
                    let last = (sum + p + p - before - power_of_two(128)) % p;
                    if last >= power_of_two(128) {
                        continue;
                    }
                    reached += 1;
                    let last = last.num_to_16_le_bytes();
                    let message = [&body[..16 * blocks], &last].concat();
                    let accumulator = accumulate(before, r, &last);
                    assert_eq!(accumulator, if after { edge } else { (edge * r) % p });
                    let next = accumulate(accumulator, r, &[0xff; 16]);
                    for backend in backends() {
                        let mut poly1305 = Poly1305::with_backend(&key, backend);
                        poly1305.update(&message);
                        let case = || format!("{edge:x?} from {} blocks under {key:x?} on {backend}", blocks + 1);
                        let tag = (accumulator + s).num_to_16_le_bytes();
                        assert_eq!(poly1305.clone().finalize(), tag, "{}", case());
                        poly1305.update(&[0xff; 16]);
                        let tag = (next + s).num_to_16_le_bytes();
                        assert_eq!(poly1305.finalize(), tag, "a block later: {}", case());
                    }
                }
            }
            before = accumulate(before, r, block);
        }
        // A block has 128 of 130 bits, so one number in four can be reached.
        assert!(reached > 200, "only {reached} cases under {key:x?}");
    }
}
