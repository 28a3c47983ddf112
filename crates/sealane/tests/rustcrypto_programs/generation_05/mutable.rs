// The traits for ciphers with mutable state.
use chacha20poly1305::ChaCha20Poly1305;
use chacha20poly1305::aead::{AeadMut, AeadMutInPlace, KeyInit};

fn seal<A: AeadMut>(cipher: &mut A, message: &[u8]) -> Vec<u8> {
    cipher.encrypt(&Default::default(), message).unwrap()
}

fn run() -> Vec<u8> {
    let mut cipher = ChaCha20Poly1305::new(&[1; 32].into());
    let sealed = seal(&mut cipher, b"a message");
    let mut opened = sealed.clone();
    AeadMutInPlace::decrypt_in_place(&mut cipher, &Default::default(), b"", &mut opened).unwrap();
    assert_eq!(opened, b"a message");
    sealed
}
