// A message in a Vec, with a key and a nonce from the operating system.
use chacha20poly1305::{
    ChaCha20Poly1305, Nonce,
    aead::{Aead, Generate, Key, KeyInit},
};

fn run() -> Vec<u8> {
    let key = Key::<ChaCha20Poly1305>::generate();
    let cipher = ChaCha20Poly1305::new(&key);
    let nonce = Nonce::generate();
    let ciphertext = cipher.encrypt(&nonce, b"plaintext message".as_ref()).unwrap();
    let plaintext = cipher.decrypt(&nonce, ciphertext.as_ref()).unwrap();
    assert_eq!(&plaintext, b"plaintext message");

    let cipher = ChaCha20Poly1305::new(&[7; 32].into());
    cipher.encrypt(&[9; 12].into(), &b"the same from both"[..]).unwrap()
}
