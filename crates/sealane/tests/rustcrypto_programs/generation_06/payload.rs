// Associated data, and an error that is propagated with `?`.
use chacha20poly1305::aead::{self, Aead, KeyInit, Payload};
use chacha20poly1305::{ChaCha20Poly1305, Key, Nonce};

fn seal(key: &Key, nonce: &Nonce, header: &[u8], body: &[u8]) -> Result<Vec<u8>, aead::Error> {
    ChaCha20Poly1305::new(key).encrypt(nonce, Payload { msg: body, aad: header })
}

fn open(key: &Key, nonce: &Nonce, header: &[u8], sealed: &[u8]) -> aead::Result<Vec<u8>> {
    ChaCha20Poly1305::new(key).decrypt(nonce, Payload { msg: sealed, aad: header })
}

fn program() -> Result<Vec<u8>, Box<dyn std::error::Error>> {
    let (key, nonce) = (Key::from([1; 32]), Nonce::try_from(&[2; 12][..])?);
    let sealed = seal(&key, &nonce, b"header", b"body")?;
    assert_eq!(open(&key, &nonce, b"header", &sealed)?, b"body");
    let error = open(&key, &nonce, b"other header", &sealed).unwrap_err();
    assert_eq!(error, chacha20poly1305::Error);
    Ok([sealed, error.to_string().into_bytes(), format!("{error:?}").into_bytes()].concat())
}

fn run() -> Vec<u8> {
    program().unwrap()
}
