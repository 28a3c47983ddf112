// Errors, their conversions, and inputs of wrong lengths.
use ring::aead::{Aad, CHACHA20_POLY1305, LessSafeKey, Nonce, Tag, UnboundKey};
use ring::error;

#[derive(Debug, PartialEq)]
enum Failure {
    Crypto,
}

impl From<error::Unspecified> for Failure {
    fn from(_: error::Unspecified) -> Self {
        Self::Crypto
    }
}

fn open(key: &LessSafeKey, sealed: &mut [u8]) -> Result<usize, Failure> {
    let nonce = Nonce::try_assume_unique_for_key(&[0; 12])?;
    Ok(key.open_in_place(nonce, Aad::empty(), sealed)?.len())
}

fn half(bytes: &[u8]) -> Result<[u8; 4], error::Unspecified> {
    Ok(bytes.try_into()?)
}

fn boxed() -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
    Err(error::Unspecified)?
}

fn run() -> Vec<u8> {
    let mut results = Vec::new();
    for length in 0..70 {
        results.push(u8::from(UnboundKey::new(&CHACHA20_POLY1305, &vec![0; length]).is_ok()));
        results.push(u8::from(Nonce::try_assume_unique_for_key(&vec![0; length]).is_ok()));
        results.push(u8::from(Tag::try_from(vec![0; length].as_slice()).is_ok()));
    }
    let key = LessSafeKey::new(UnboundKey::new(&CHACHA20_POLY1305, &[0; 32]).unwrap());
    for length in 0..40 {
        assert_eq!(open(&key, &mut vec![0; length]), Err(Failure::Crypto));
    }
    let mut sealed = b"message".to_vec();
    key.seal_in_place_append_tag(Nonce::assume_unique_for_key([0; 12]), Aad::empty(), &mut sealed).unwrap();
    results.extend(&sealed);
    assert_eq!(open(&key, &mut sealed), Ok(7));

    assert_eq!(half(&[1, 2, 3, 4]), Ok([1, 2, 3, 4]));
    assert_eq!(half(&[1, 2, 3]), Err(error::Unspecified));
    let unspecified = error::Unspecified;
    let copy = unspecified;
    assert_eq!(unspecified, copy);
    results.extend(format!("{copy:?}").bytes());
    assert!(boxed().unwrap_err().is::<error::Unspecified>());
    results
}
