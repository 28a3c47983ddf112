//! Compares Poly1305 with the reference at every length and every address, and with messages cut at
//! any position.

use proptest::prelude::*;
use sealane::{Backend, OpenError, Poly1305};

use crate::common::{MacOracle, array, backends, cases, combined, test_bytes};

/// Returns the tag, which one call and a `Poly1305` object must both give.
fn mac(backend: Backend, key: &[u8; 32], message: &[u8]) -> [u8; 16] {
    let mut poly1305 = Poly1305::with_backend(key, backend);
    poly1305.update(message);
    let tag = poly1305.finalize();
    assert_eq!(Poly1305::mac_with_backend(key, message, backend), tag, "{} bytes on {backend}", message.len());
    tag
}

/// Messages and keys: ordinary; all ones under the largest r and s; ordinary under an r with few
/// bits.
fn inputs(length: usize) -> [([u8; 32], Vec<u8>); 3] {
    let mut few_bits = [0; 32];
    few_bits[15] = 0x08;
    few_bits[16] = 0xff;
    [(array(1), test_bytes(2, length)), ([0xff; 32], vec![0xff; length]), (few_bits, test_bytes(3, length))]
}

#[test]
fn every_length() {
    for (key, message) in inputs(3000) {
        let oracle = MacOracle::new(&key, &message);
        for length in 0..=message.len() {
            for backend in backends() {
                assert_eq!(mac(backend, &key, &message[..length]), oracle.tag(length), "{length} bytes on {backend}");
            }
        }
    }
}

#[test]
fn long_messages() {
    for (key, message) in inputs(70_000) {
        let oracle = MacOracle::new(&key, &message);
        // Around whole groups of up to 16 rows of 2, 4 and 8 blocks, with few, many, and no rows
        // after them.
        let about = (3072..=message.len()).step_by(1024).chain((8192..=12_288).step_by(256));
        for length in about.chain([65_536, 69_999, 70_000]) {
            for more in [0, 1, 15, 16, 31, 32, 33, 64, 128, 129, 255, 256, 511] {
                let length = (length + more).min(message.len());
                for backend in backends() {
                    assert_eq!(
                        mac(backend, &key, &message[..length]),
                        oracle.tag(length),
                        "{length} bytes on {backend}"
                    );
                }
            }
        }
    }
}

#[test]
fn every_address() {
    let (key, message) = (array(5), test_bytes(6, 2200));
    for length in [0, 1, 15, 16, 17, 63, 64, 65, 127, 128, 255, 256, 257, 512, 1024, 1040, 2048, 2065] {
        for offset in combined(0..=64) {
            let message = &message[offset..offset + length];
            let expected = sealane_spec::poly1305::poly1305_mac(message, &key);
            for backend in backends() {
                assert_eq!(mac(backend, &key, message), expected, "{length} bytes at {offset} on {backend}");
            }
        }
    }
}

#[test]
fn every_cut_in_two() {
    for (key, message) in inputs(700) {
        let oracle = MacOracle::new(&key, &message);
        for backend in backends() {
            for length in [1, 16, 33, 128, 257, 700] {
                for cut in 0..=length {
                    let mut poly1305 = Poly1305::with_backend(&key, backend);
                    poly1305.update(&message[..cut]);
                    poly1305.update(&message[cut..length]);
                    assert_eq!(poly1305.finalize(), oracle.tag(length), "{length} bytes cut at {cut} on {backend}");
                }
            }
        }
    }
}

#[test]
fn long_messages_in_pieces() {
    for (key, message) in inputs(9000) {
        let oracle = MacOracle::new(&key, &message);
        for backend in backends() {
            for piece in [7, 16, 31, 100, 256, 500, 1023, 1024, 1025, 2048, 4100] {
                let mut poly1305 = Poly1305::with_backend(&key, backend);
                for (i, data) in message.chunks(piece).enumerate() {
                    poly1305.update(data);
                    let (tag, length) = (poly1305.clone().finalize(), piece * i + data.len());
                    assert_eq!(tag, oracle.tag(length), "{length} bytes in pieces of {piece} on {backend}");
                }
            }
        }
    }
}

#[test]
fn every_flipped_bit_is_refused() {
    for backend in backends() {
        for length in [0, 1, 16, 40, 300, 1100] {
            let (key, message) = (array(7), test_bytes(8, length));
            let mut poly1305 = Poly1305::with_backend(&key, backend);
            poly1305.update(&message);
            let tag = sealane_spec::poly1305::poly1305_mac(&message, &key);
            assert_eq!(poly1305.clone().verify(&tag), Ok(()));
            for bit in 0..128 {
                let mut flipped = tag;
                flipped[bit / 8] ^= 1 << (bit % 8);
                assert_eq!(poly1305.clone().verify(&flipped), Err(OpenError), "bit {bit} of the tag on {backend}");
            }
        }
        // Each bit of the message, of s, and of the unclamped part of r changes the tag.
        let (key, message) = (array(9), test_bytes(10, 150));
        let tag = mac(backend, &key, &message);
        for bit in 0..8 * message.len() {
            let mut message = message.clone();
            message[bit / 8] ^= 1 << (bit % 8);
            assert_ne!(mac(backend, &key, &message), tag, "bit {bit} of the message on {backend}");
        }
        let clamp = 0x0fff_fffc_0fff_fffc_0fff_fffc_0fff_ffff_u128;
        for bit in 0..256 {
            let mut key = key;
            key[bit / 8] ^= 1 << (bit % 8);
            let counts = bit >= 128 || clamp >> bit & 1 == 1;
            assert_eq!(mac(backend, &key, &message) != tag, counts, "bit {bit} of the key on {backend}");
        }
    }
}

#[test]
fn a_clone_is_independent() {
    let (key, message) = (array(11), test_bytes(12, 5000));
    for backend in backends() {
        // Clones are taken with and without bytes in a buffer and powers of r.
        for cut in [0, 5, 16, 600, 605, 1500, 2600, 2605, 4608] {
            let mut first = Poly1305::with_backend(&key, backend);
            message[..cut].chunks(512).for_each(|piece| first.update(piece));
            let mut second = first.clone();
            first.update(&message[cut..]);
            second.update(b"other");
            assert_eq!(first.finalize(), sealane_spec::poly1305::poly1305_mac(&message, &key));
            let other = [&message[..cut], b"other"].concat();
            assert_eq!(second.finalize(), sealane_spec::poly1305::poly1305_mac(&other, &key));
        }
    }
}

proptest! {
    #![proptest_config(cases(192))]

    #[test]
    fn any_cuts(
        lengths in prop::collection::vec(prop_oneof![0..=40_usize, 0..=600_usize, (0..=70_usize).prop_map(|n| 16 * n), Just(4096)], 0..12),
        key in any::<[u8; 32]>(),
        ones in any::<bool>(),
    ) {
        let length = lengths.iter().sum();
        let message = if ones { vec![0xff; length] } else { test_bytes(length as u64, length) };
        let expected = sealane_spec::poly1305::poly1305_mac(&message, &key);
        for backend in backends() {
            let mut poly1305 = Poly1305::with_backend(&key, backend);
            let mut rest = &message[..];
            for &length in &lengths {
                let (piece, after) = rest.split_at(length);
                poly1305.update(piece);
                rest = after;
            }
            prop_assert_eq!(poly1305.finalize(), expected, "{}", backend);
        }
    }
}
