// The packets of OpenSSH.
use ring::aead::chacha20_poly1305_openssh::{KEY_LEN, OpeningKey, PACKET_LENGTH_LEN, SealingKey, TAG_LEN};

fn run() -> Vec<u8> {
    let key: [u8; KEY_LEN] = std::array::from_fn(|i| i as u8);
    let (sealing, opening) = (SealingKey::new(&key), OpeningKey::new(&key));
    let mut results = Vec::new();
    for sequence_number in [0, 1, 255, 256, 70_000, u32::MAX] {
        for length in [0_u32, 1, 8, 60, 61, 124, 300, 1500, 9000] {
            let mut packet = length.to_be_bytes().to_vec();
            packet.resize(PACKET_LENGTH_LEN + length as usize, 0x3a);
            let mut tag = [0; TAG_LEN];
            sealing.seal_in_place(sequence_number, &mut packet, &mut tag);
            results.extend(&packet);
            results.extend(tag);

            let encrypted_length = packet[..PACKET_LENGTH_LEN].try_into().unwrap();
            let opened = opening.decrypt_packet_length(sequence_number, encrypted_length);
            assert_eq!(u32::from_be_bytes(opened), length);
            let forged = [0; TAG_LEN];
            assert!(opening.open_in_place(sequence_number, &mut packet.clone(), &forged).is_err());
            assert!(opening.open_in_place(sequence_number.wrapping_add(1), &mut packet.clone(), &tag).is_err());
            let plaintext = opening.open_in_place(sequence_number, &mut packet, &tag).unwrap();
            assert!(plaintext.iter().all(|byte| *byte == 0x3a));
            results.extend(&packet);
        }
    }
    assert!(opening.open_in_place(0, &mut [0; 3], &[0; TAG_LEN]).is_err());
    results
}
