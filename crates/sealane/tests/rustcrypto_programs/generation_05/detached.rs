// The tag stored separately from the message.
use chacha20poly1305::{AeadInPlace, ChaCha20Poly1305, Key, KeyInit, Nonce, Tag};

fn run() -> Vec<u8> {
    let cipher = ChaCha20Poly1305::new(&Key::from([5; 32]));
    let nonce = Nonce::from([6; 12]);
    let mut message = *b"a message of some length, which is not a multiple of sixteen";
    let tag: Tag = cipher.encrypt_in_place_detached(&nonce, b"aad", &mut message).unwrap();
    let sealed = [&message[..], tag.as_slice()].concat();
    assert!(cipher.decrypt_in_place_detached(&nonce, b"aad", &mut message, &Tag::default()).is_err());
    assert_eq!(message, sealed[..message.len()]);
    cipher.decrypt_in_place_detached(&nonce, b"aad", &mut message, Tag::from_slice(&tag)).unwrap();
    assert_eq!(&message[..9], b"a message");
    sealed
}
