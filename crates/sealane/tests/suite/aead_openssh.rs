//! The cipher of SSH packets, compared with the reference on every backend.

use sealane::{OpenError, OpenSshChaCha20Poly1305};
use sealane_spec::openssh::{decrypt_packet, encrypt_packet};

use crate::common::{array, backends, cases, combined, test_bytes};

/// The length in bytes up to which every length is tried. The packets in `LONGER` are longer than a
/// kernel's groups of blocks.
const LONGEST: usize = 1200;
const LONGER: [usize; 5] = [2048 + 4, 4097, 9000, 16_384, 35_000];

/// Returns a packet of `bytes` bytes, at least 4, that starts with its length.
fn packet(bytes: usize) -> Vec<u8> {
    let mut packet = test_bytes(bytes as u64, bytes);
    packet[..4].copy_from_slice(&(bytes as u32 - 4).to_be_bytes());
    packet
}

#[test]
fn every_length_on_every_backend() {
    let key = array::<64>(1);
    for bytes in combined(4..=LONGEST).chain(LONGER) {
        // The shortest packet has the highest sequence number.
        let sequence_number = u32::MAX - (bytes as u32 - 4) * 77_777;
        let plaintext = packet(bytes);
        let (ciphertext, tag) = encrypt_packet(&key, sequence_number, &plaintext);
        assert_eq!(decrypt_packet(&key, sequence_number, &ciphertext, &tag).as_ref(), Ok(&plaintext));
        for backend in backends() {
            let cipher = OpenSshChaCha20Poly1305::with_backend(&key, backend);
            assert_eq!(cipher.backend(), backend);
            let mut buffer = plaintext.clone();
            assert_eq!(cipher.seal_in_place(sequence_number, &mut buffer), tag, "{bytes} bytes on {backend}");
            assert!(buffer == ciphertext, "{bytes} bytes on {backend}");

            let length = cipher.open_length(sequence_number, buffer.first_chunk().unwrap());
            assert_eq!(length as usize, bytes - 4, "{bytes} bytes on {backend}");
            let content = cipher.open_in_place(sequence_number, &mut buffer, &tag).unwrap();
            assert!(content == &plaintext[4..], "{bytes} bytes on {backend}");
            assert!(buffer[..4] == ciphertext[..4], "the length stays encrypted");
        }
    }
}

#[test]
fn every_change_is_refused_and_leaves_the_packet() {
    let key = array::<64>(2);
    for backend in backends() {
        let cipher = OpenSshChaCha20Poly1305::with_backend(&key, backend);
        for bytes in [4, 5, 20, 70, 300] {
            let mut sealed = packet(bytes);
            let tag = cipher.seal_in_place(9, &mut sealed);
            let refuse = |key: &[u8; 64], sequence_number, sealed: &[u8], tag: &[u8; 16], what: &str| {
                let cipher = OpenSshChaCha20Poly1305::with_backend(key, backend);
                let mut buffer = sealed.to_vec();
                let result = cipher.open_in_place(sequence_number, &mut buffer, tag);
                assert_eq!(result, Err(OpenError), "{bytes} bytes on {backend}: {what}");
                assert!(buffer == sealed, "{bytes} bytes on {backend}: {what}");
            };
            for bit in 0..8 * 16 {
                let mut tag = tag;
                tag[bit / 8] ^= 1 << (bit % 8);
                refuse(&key, 9, &sealed, &tag, "a bit of the tag");
            }
            for bit in 0..8 * bytes {
                let mut sealed = sealed.clone();
                sealed[bit / 8] ^= 1 << (bit % 8);
                refuse(&key, 9, &sealed, &tag, "a bit of the packet");
            }
            for sequence_number in [8, 10, 9 << 8, 9 << 24] {
                refuse(&key, sequence_number, &sealed, &tag, "another sequence number");
            }
            for byte in 0..32 {
                let mut key = key;
                key[byte] ^= 0x10;
                refuse(&key, 9, &sealed, &tag, "another key of the content");
            }
            refuse(&key, 9, &sealed[..bytes - 1], &tag, "a byte less");
            refuse(&key, 9, &[&sealed[..], &[0]].concat(), &tag, "a byte more");
            refuse(&key, 9, &[], &tag, "nothing");
        }
    }
}

/// The length has a separate key, so the opening of forged lengths reveals nothing about the
/// content.
#[test]
fn length_and_content_have_separate_key_streams() {
    let (mut key, plaintext) = (array::<64>(3), packet(100));
    for backend in backends() {
        let seal = |key: &[u8; 64]| {
            let mut sealed = plaintext.clone();
            let tag = OpenSshChaCha20Poly1305::with_backend(key, backend).seal_in_place(5, &mut sealed);
            (sealed, tag)
        };
        let (sealed, _) = seal(&key);
        key[63] ^= 1;
        let (of_other_length_key, _) = seal(&key);
        key[63] ^= 1;
        key[0] ^= 1;
        let (of_other_content_key, _) = seal(&key);
        key[0] ^= 1;
        assert!(sealed[..4] != of_other_length_key[..4] && sealed[4..] == of_other_length_key[4..], "{backend}");
        assert!(sealed[..4] == of_other_content_key[..4] && sealed[4..] != of_other_content_key[4..], "{backend}");
    }
}

#[test]
#[should_panic(expected = "a packet starts with its length")]
fn a_packet_without_a_length_is_a_mistake() {
    let cipher = OpenSshChaCha20Poly1305::new(&[0; 64]);
    let _ = cipher.seal_in_place(0, &mut [0; 3]);
}

proptest::proptest! {
    #![proptest_config(cases(100))]

    #[test]
    fn random_packets(
        key in proptest::array::uniform32(0_u8..),
        other in proptest::array::uniform32(0_u8..),
        sequence_number: u32,
        plaintext in proptest::collection::vec(0_u8.., 4..5000),
    ) {
        let key: [u8; 64] = [key, other].as_flattened().try_into().unwrap();
        let expected = encrypt_packet(&key, sequence_number, &plaintext);
        for backend in backends() {
            let mut buffer = plaintext.clone();
            let tag = OpenSshChaCha20Poly1305::with_backend(&key, backend).seal_in_place(sequence_number, &mut buffer);
            assert!((buffer, tag) == expected, "{backend}");
        }
    }
}
