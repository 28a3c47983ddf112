// Decrypts each packet to the position at which the previous plaintext ends. Tests ranges of all
// kinds.
use ring::aead::{Aad, BoundKey, CHACHA20_POLY1305, LessSafeKey, Nonce, NonceSequence, OpeningKey, Tag, UnboundKey};

struct Numbers(u8);

impl NonceSequence for Numbers {
    fn advance(&mut self) -> Result<Nonce, ring::error::Unspecified> {
        self.0 += 1;
        Ok(Nonce::assume_unique_for_key([self.0; 12]))
    }
}

fn key() -> UnboundKey {
    UnboundKey::new(&CHACHA20_POLY1305, &[0x61; 32]).unwrap()
}

fn run() -> Vec<u8> {
    let sealing = LessSafeKey::new(key());
    let mut stream = Vec::new();
    for (number, part) in (1..).zip(["Split stream ", "reassembled ", "in place"]) {
        let mut packet = part.as_bytes().to_vec();
        sealing
            .seal_in_place_append_tag(Nonce::assume_unique_for_key([number; 12]), Aad::empty(), &mut packet)
            .unwrap();
        stream.push([&[packet.len() as u8; 5][..], &packet].concat());
    }
    let mut results = stream.concat();
    let mut opening = OpeningKey::new(key(), Numbers(0));
    let (mut start, mut end) = (0, 0);
    let mut whole = stream.concat();
    for packet in &stream {
        let to = start + packet.len();
        let plaintext = opening.open_within(Aad::empty(), &mut whole[end..to], start + 5 - end..).unwrap();
        end += plaintext.len();
        start = to;
    }
    assert_eq!(&whole[..end], b"Split stream reassembled in place");
    // Remains of the packets follow the plaintext.
    results.extend(&whole);

    // Tests each start of the ciphertext, and starts beyond the message.
    for start in 0..60 {
        let mut packet = vec![0x55; 30];
        let tag = sealing
            .seal_in_place_separate_tag(Nonce::assume_unique_for_key([9; 12]), Aad::empty(), &mut packet)
            .unwrap();
        let mut within = [&vec![1; start][..], &packet, tag.as_ref()].concat();
        let nonce = || Nonce::assume_unique_for_key([9; 12]);
        let opened = sealing.open_within(nonce(), Aad::empty(), &mut within, start..).unwrap();
        assert_eq!(opened, [0x55; 30]);
        results.extend(&within);

        let mut apart = [&vec![1; start][..], &packet].concat();
        let tag = Tag::try_from(tag.as_ref()).unwrap();
        let opened = sealing.open_in_place_separate_tag(nonce(), Aad::empty(), tag, &mut apart, start..).unwrap();
        assert_eq!(opened, [0x55; 30]);
        results.extend(&apart);
        // The contents of the buffer after a failure are unspecified, so each call has a copy.
        let within = sealing.open_within(nonce(), Aad::empty(), &mut packet.clone(), start..).is_ok();
        let apart =
            sealing.open_in_place_separate_tag(nonce(), Aad::empty(), tag, &mut packet.clone(), start..).is_ok();
        results.extend([u8::from(within), u8::from(apart)]);
        assert!(sealing.open_within(nonce(), Aad::empty(), &mut packet, usize::MAX - start..).is_err());
    }
    results
}
