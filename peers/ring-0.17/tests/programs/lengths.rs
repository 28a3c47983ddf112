//! Compares results with those of `ring`, at every length up to 600.

use ring_017::aead as theirs;
use sealane::ring::aead as ours;

const LONGEST: usize = 600;
const AADS: [usize; 6] = [0, 1, 13, 16, 31, 200];

/// Returns bytes without a short period.
fn test_bytes(seed: usize, length: usize) -> Vec<u8> {
    let mut state = (seed as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let step = |_| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 56) as u8
    };
    (0..length).map(step).collect()
}

/// Defines functions that seal and open with one of the two implementations. A macro is needed
/// because their types differ.
macro_rules! implementation {
    ($name:ident, $seal:ident, $open:ident) => {
        fn $seal(key: &[u8], nonce: [u8; 12], aad: &[u8], message: &[u8]) -> Vec<u8> {
            let key = $name::LessSafeKey::new($name::UnboundKey::new(&$name::CHACHA20_POLY1305, key).unwrap());
            let mut sealed = message.to_vec();
            let nonce = $name::Nonce::assume_unique_for_key(nonce);
            key.seal_in_place_append_tag(nonce, $name::Aad::from(aad), &mut sealed).unwrap();
            sealed
        }

        /// Returns the plaintext, and the whole buffer afterwards.
        fn $open(key: &[u8], nonce: [u8; 12], aad: &[u8], buffer: &[u8], start: usize) -> Option<(Vec<u8>, Vec<u8>)> {
            let key = $name::LessSafeKey::new($name::UnboundKey::new(&$name::CHACHA20_POLY1305, key).unwrap());
            let mut buffer = buffer.to_vec();
            let nonce = $name::Nonce::assume_unique_for_key(nonce);
            let opened = key.open_within(nonce, $name::Aad::from(aad), &mut buffer, start..).ok()?.to_vec();
            Some((opened, buffer))
        }
    };
}
implementation!(theirs, seal_theirs, open_theirs);
implementation!(ours, seal_ours, open_ours);

#[test]
fn every_length_is_sealed_and_opened_alike() {
    let (key, nonce) = (test_bytes(1, 32), test_bytes(2, 12).try_into().unwrap());
    for length in 0..=LONGEST {
        for aad in AADS {
            let (aad, message) = (test_bytes(3 + aad, aad), test_bytes(4 + length, length));
            let sealed = seal_ours(&key, nonce, &aad, &message);
            assert!(sealed == seal_theirs(&key, nonce, &aad, &message), "{length} bytes");
            let start = length % 23;
            let buffer = [&vec![0xee; start][..], &sealed].concat();
            let opened = open_ours(&key, nonce, &aad, &buffer, start).expect("authentic");
            assert!(opened.0 == message, "{length} bytes");
            assert!(Some(opened) == open_theirs(&key, nonce, &aad, &buffer, start), "{length} bytes from {start}");

            let mut forged = buffer;
            let last = forged.len() - 1;
            forged[start + (length * 7) % (last + 1 - start)] ^= 1;
            assert_eq!(open_ours(&key, nonce, &aad, &forged, start), None);
            assert_eq!(open_theirs(&key, nonce, &aad, &forged, start), None);
        }
    }
}

#[test]
fn a_forged_message_stays_as_it_is() {
    let key = ours::LessSafeKey::new(ours::UnboundKey::new(&ours::CHACHA20_POLY1305, &[1; 32]).unwrap());
    for length in 0..=LONGEST {
        let forged = test_bytes(length, length + 16);
        let mut buffer = forged.clone();
        let nonce = ours::Nonce::assume_unique_for_key([0; 12]);
        assert!(key.open_in_place(nonce, ours::Aad::empty(), &mut buffer).is_err());
        assert!(buffer == forged, "{length} bytes");
    }
}

#[test]
fn every_length_of_a_packet_of_ssh() {
    let key: [u8; 64] = test_bytes(5, 64).try_into().unwrap();
    let cipher = sealane::OpenSshChaCha20Poly1305::new(&key);
    let sealing = theirs::chacha20_poly1305_openssh::SealingKey::new(&key);
    let opening = theirs::chacha20_poly1305_openssh::OpeningKey::new(&key);
    for bytes in 4..=LONGEST {
        let sequence_number = (bytes as u32).wrapping_mul(0x9e37_79b9);
        let packet = test_bytes(6 + bytes, bytes);
        let (mut ours, mut theirs, mut their_tag) = (packet.clone(), packet.clone(), [0; 16]);
        let tag = cipher.seal_in_place(sequence_number, &mut ours);
        sealing.seal_in_place(sequence_number, &mut theirs, &mut their_tag);
        assert!(ours == theirs && tag == their_tag, "{bytes} bytes");

        let length = *ours.first_chunk().unwrap();
        let opened = cipher.open_length(sequence_number, &length).to_be_bytes();
        assert_eq!(opened, packet[..4]);
        assert_eq!(opened, opening.decrypt_packet_length(sequence_number, length));
        assert!(cipher.open_in_place(sequence_number, &mut ours, &tag).unwrap() == &packet[4..], "{bytes} bytes");
        assert!(opening.open_in_place(sequence_number, &mut theirs, &tag).unwrap() == &packet[4..], "{bytes} bytes");
        assert!(ours == theirs, "{bytes} bytes");
    }
}
