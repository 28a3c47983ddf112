// A key for each direction, with a counter as its sequence of nonces.
use ring::aead::{
    Aad, Algorithm, BoundKey, CHACHA20_POLY1305, NONCE_LEN, Nonce, NonceSequence, OpeningKey, SealingKey, UnboundKey,
};
use ring::error::Unspecified;

struct Counter {
    next: u64,
    end: u64,
}

impl NonceSequence for Counter {
    fn advance(&mut self) -> Result<Nonce, Unspecified> {
        if self.next == self.end {
            return Err(Unspecified);
        }
        let mut nonce = [0; NONCE_LEN];
        nonce[4..].copy_from_slice(&self.next.to_be_bytes());
        self.next += 1;
        Nonce::try_assume_unique_for_key(&nonce)
    }
}

fn bound<K: BoundKey<Counter>>(algorithm: &'static Algorithm, end: u64) -> K {
    let key = K::new(UnboundKey::new(algorithm, &[0x17; 32]).unwrap(), Counter { next: 0, end });
    assert_eq!(key.algorithm(), algorithm);
    key
}

fn run() -> Vec<u8> {
    let mut sealing: SealingKey<Counter> = bound(&CHACHA20_POLY1305, 4);
    let mut opening: OpeningKey<Counter> = bound(&CHACHA20_POLY1305, 5);
    let mut results = format!("{sealing:?} {opening:?}").into_bytes();

    let mut record = b"first".to_vec();
    sealing.seal_in_place_append_tag(Aad::from(b"header"), &mut record).unwrap();
    results.extend(&record);
    assert_eq!(opening.open_in_place(Aad::from(b"header"), &mut record).unwrap(), b"first");

    let mut record = *b"second";
    let tag = sealing.seal_in_place_separate_tag(Aad::empty(), &mut record).unwrap();
    let mut received = [&b"prefix"[..], &record, tag.as_ref()].concat();
    results.extend(&received);
    assert_eq!(opening.open_within(Aad::empty(), &mut received, 6..).unwrap(), b"second");

    // A forged record uses up a nonce, so the next genuine record does not open.
    let mut record = b"third".to_vec();
    sealing.seal_in_place_append_tag(Aad::empty(), &mut record).unwrap();
    let mut forged = record.clone();
    forged[0] ^= 1;
    assert_eq!(opening.open_in_place(Aad::empty(), &mut forged), Err(Unspecified));
    assert_eq!(opening.open_in_place(Aad::empty(), &mut record), Err(Unspecified));

    // A record that is too short also uses up a nonce.
    let mut record = b"fourth".to_vec();
    sealing.seal_in_place_append_tag(Aad::empty(), &mut record).unwrap();
    results.extend(&record);
    assert_eq!(opening.open_in_place(Aad::empty(), &mut [0; 15]), Err(Unspecified));
    assert_eq!(opening.open_in_place(Aad::empty(), &mut record), Err(Unspecified));

    // Both sequences have ended. A message that is not sealed stays as it is.
    let mut record = b"fifth".to_vec();
    assert_eq!(sealing.seal_in_place_append_tag(Aad::empty(), &mut record), Err(Unspecified));
    assert!(sealing.seal_in_place_separate_tag(Aad::empty(), &mut record).is_err());
    results.extend(&record);
    results
}
