// Lengths, comparison and debug output of algorithms, keys and associated data.
use ring::aead;

fn describe(algorithm: &'static aead::Algorithm) -> String {
    assert_eq!(algorithm, &aead::CHACHA20_POLY1305);
    assert!(algorithm.tag_len() <= aead::MAX_TAG_LEN);
    format!("{} {} {} {algorithm:?}", algorithm.key_len(), algorithm.tag_len(), algorithm.nonce_len())
}

fn run() -> Vec<u8> {
    static ALGORITHM: &aead::Algorithm = &aead::CHACHA20_POLY1305;
    let unbound = aead::UnboundKey::new(ALGORITHM, &[1; 32]).unwrap();
    let mut lines = vec![describe(unbound.algorithm()), format!("{unbound:?}")];
    let key = aead::LessSafeKey::new(unbound);
    lines.extend([describe(key.algorithm()), format!("{key:?}"), format!("{:?}", key.clone())]);

    let aad = aead::Aad::from(b"abc");
    let same = aad;
    assert!(aad == same && aad != aead::Aad::from(b"abd"));
    lines.push(format!("{aad:?} {:?} {:?}", aead::Aad::empty(), aead::Aad::from(vec![1, 2])));
    assert_eq!(aead::Aad::from(String::from("abc")).as_ref(), aad.as_ref());

    let nonce = aead::Nonce::assume_unique_for_key([3; aead::NONCE_LEN]);
    let bytes: &[u8; 12] = nonce.as_ref();
    lines.push(format!("{bytes:?}"));
    lines.join("\n").into_bytes()
}
