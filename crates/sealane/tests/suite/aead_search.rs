//! Finds messages in longer data.

use sealane::ChaCha20Poly1305;

use crate::common::{array, test_bytes};

const NONCE: [u8; 12] = [3; 12];

/// Returns a message of `len` bytes with its tag.
fn sealed(cipher: &ChaCha20Poly1305, len: usize) -> Vec<u8> {
    let mut message = test_bytes(len as u64, len);
    let tag = cipher.seal_in_place(&NONCE, &[], &mut message);
    message.extend_from_slice(&tag);
    message
}

fn cipher(seed: usize) -> ChaCha20Poly1305 {
    ChaCha20Poly1305::new(&array(seed as u64))
}

#[test]
fn the_end_of_every_length() {
    for len in 0..150 {
        let cipher = cipher(len);
        let message = sealed(&cipher, len);
        for junk in [0, 1, 15, 16, 17, 100] {
            let data = [&message[..], &test_bytes(7, junk)].concat();
            assert_eq!(cipher.find_end(&NONCE, &data), Some(len), "{len} {junk}");
        }
        for cut in 1..=message.len().min(20) {
            assert_eq!(cipher.find_end(&NONCE, &message[..message.len() - cut]), None, "{len} {cut}");
        }
        assert_eq!(cipher.find_end(&[4; 12], &message), None);
    }
}

#[test]
fn the_start_of_every_length() {
    for len in 0..150 {
        let cipher = cipher(len);
        let message = sealed(&cipher, len);
        for junk in [0, 1, 15, 16, 17, 100] {
            let data = [&test_bytes(7, junk), &message[..]].concat();
            assert_eq!(cipher.find_start(&NONCE, &data), Some(junk), "{len} {junk}");
        }
        assert_eq!(cipher.find_start(&NONCE, &[&message[..], b"x"].concat()), None, "{len}");
        assert_eq!(cipher.find_start(&[4; 12], &message), None);
    }
}

#[test]
fn a_length_at_every_place() {
    for before in 0..70 {
        let cipher = cipher(before);
        for len in [16, 32, 48, 256, 4096] {
            let message = sealed(&cipher, len);
            for after in [0, 1, 15, 16, 17, 33] {
                let data = [&test_bytes(8, before), &message[..], &test_bytes(9, after)].concat();
                assert_eq!(cipher.find(&NONCE, &data, len), Some(before), "{before} {len} {after}");
                assert_eq!(cipher.find(&NONCE, &data, len + 16), None, "{before} {len} {after}");
                assert_eq!(cipher.find(&NONCE, &data[..before + len + 15], len), None, "{before} {len} {after}");
            }
        }
    }
}

#[test]
fn lengths_beyond_the_data() {
    for len in [64, 1 << 20, usize::MAX - 31, usize::MAX - 15] {
        assert_eq!(cipher(0).find(&NONCE, &[0; 64], len), None, "{len}");
    }
}

/// Blocks of ones are the largest numbers, and blocks of zeros the smallest: carries and reductions
/// reach their limits.
#[test]
fn extreme_blocks() {
    for cipher in (0..100).map(cipher) {
        for byte in [0, 0xff] {
            let message = sealed(&cipher, 1024);
            let data = [&vec![byte; 2000][..], &message, &vec![byte; 2000]].concat();
            assert_eq!(cipher.find(&NONCE, &data, 1024), Some(2000));
            assert_eq!(cipher.find_start(&NONCE, &data[..data.len() - 2000]), Some(2000));
            assert_eq!(cipher.find_end(&NONCE, &data[2000..]), Some(1024));
        }
    }
}
