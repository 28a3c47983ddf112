// The tag stored separately from the message, and encryption from one buffer into another.
use chacha20poly1305::aead::inout::InOutBuf;
use chacha20poly1305::{AeadInOut, ChaCha20Poly1305, Key, KeyInit, Nonce, Tag};

fn run() -> Vec<u8> {
    let cipher = ChaCha20Poly1305::new(&Key::from([5; 32]));
    let nonce = Nonce::from([6; 12]);
    let mut message = *b"a message of some length, which is not a multiple of sixteen";
    let tag: Tag = cipher.encrypt_inout_detached(&nonce, b"aad", message.as_mut_slice().into()).unwrap();
    let mut opened = vec![0; message.len()];
    let buffers = InOutBuf::new(&message, &mut opened).unwrap();
    cipher.decrypt_inout_detached(&nonce, b"aad", buffers, &tag).unwrap();
    assert_eq!(&opened[..9], b"a message");

    let wrong = Tag::from([0; 16]);
    assert!(cipher.decrypt_inout_detached(&nonce, b"aad", message.as_mut_slice().into(), &wrong).is_err());
    [&message[..], &tag[..], tag.as_slice()].concat()
}
