// Seals with a key that takes a nonce for each message. A tag is appended to its message, or
// separate.
use ring::aead::{self, Aad, LessSafeKey, Nonce, Tag, UnboundKey};

fn nonce(number: u32) -> Nonce {
    let mut nonce = [0; aead::NONCE_LEN];
    nonce[..4].copy_from_slice(&number.to_le_bytes());
    Nonce::assume_unique_for_key(nonce)
}

fn run() -> Vec<u8> {
    let bytes: Vec<u8> = (0..32).collect();
    let key = LessSafeKey::new(UnboundKey::new(&aead::CHACHA20_POLY1305, &bytes).unwrap());
    let mut results = Vec::new();
    for (number, length) in
        [0_u32, 1, 15, 16, 17, 63, 64, 65, 255, 256, 1000, 4096].into_iter().zip(0..).map(|(l, n)| (n, l))
    {
        let plaintext: Vec<u8> = (0..length).map(|i| (i * 7 + number) as u8).collect();
        let header = number.to_be_bytes();

        let mut appended = plaintext.clone();
        key.seal_in_place_append_tag(nonce(number), Aad::from(&header), &mut appended).unwrap();
        results.extend(&appended);

        let mut apart = plaintext.clone();
        let tag: Tag = key.seal_in_place_separate_tag(nonce(number), Aad::from(header.to_vec()), &mut apart).unwrap();
        assert_eq!([&apart, tag.as_ref()].concat(), appended);

        let tag = Tag::from(<[u8; 16]>::try_from(tag.as_ref()).unwrap());
        let opened = key.open_in_place_separate_tag(nonce(number), Aad::from(header), tag, &mut apart, 0..).unwrap();
        assert_eq!(opened, plaintext);
        // The caller may change the plaintext in place.
        opened.iter_mut().for_each(|byte| *byte ^= 0xff);
        results.extend(&apart);

        let wrong = Tag::from([0; 16]);
        assert!(key.open_in_place_separate_tag(nonce(number), Aad::from(header), wrong, &mut apart, 0..).is_err());
        let mut copy = appended.clone();
        assert!(key.open_in_place(nonce(number + 1), Aad::from(header), &mut copy).is_err());
        let mut copy = appended.clone();
        assert!(key.open_in_place(nonce(number), Aad::empty(), &mut copy).is_err());
        assert_eq!(key.open_in_place(nonce(number), Aad::from(header), &mut appended).unwrap(), plaintext);
    }
    results
}
