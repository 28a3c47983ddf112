// The trait of the previous generation, which the new one still has.
#[allow(deprecated)]
use chacha20poly1305::aead::AeadInPlace;
use chacha20poly1305::{ChaCha20Poly1305, KeyInit};

#[allow(deprecated)]
fn run() -> Vec<u8> {
    let cipher = ChaCha20Poly1305::new(&[5; 32].into());
    let mut message = vec![1; 100];
    let tag = cipher.encrypt_in_place_detached(&[6; 12].into(), b"", &mut message).unwrap();
    let sealed = [&message[..], &tag[..]].concat();
    cipher.decrypt_in_place_detached(&[6; 12].into(), b"", &mut message, &tag).unwrap();
    assert_eq!(message, [1; 100]);
    sealed
}
