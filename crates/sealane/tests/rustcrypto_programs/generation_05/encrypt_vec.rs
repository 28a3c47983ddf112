// A message in a Vec, with a key and a nonce from the operating system.
use chacha20poly1305::{
    ChaCha20Poly1305, Nonce,
    aead::{Aead, AeadCore, KeyInit, OsRng},
};

fn run() -> Vec<u8> {
    let key = ChaCha20Poly1305::generate_key(&mut OsRng);
    let cipher = ChaCha20Poly1305::new(&key);
    let nonce = ChaCha20Poly1305::generate_nonce(&mut OsRng);
    let ciphertext = cipher.encrypt(&nonce, b"plaintext message".as_ref()).unwrap();
    let plaintext = cipher.decrypt(&nonce, ciphertext.as_ref()).unwrap();
    assert_eq!(&plaintext, b"plaintext message");

    let cipher = ChaCha20Poly1305::new(&[7; 32].into());
    cipher.encrypt(Nonce::from_slice(&[9; 12]), &b"the same from both"[..]).unwrap()
}
