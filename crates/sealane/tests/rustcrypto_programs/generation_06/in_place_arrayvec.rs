// Without an allocator.
use chacha20poly1305::{
    ChaCha20Poly1305, Nonce,
    aead::{AeadInOut, KeyInit, arrayvec::ArrayVec},
};

fn run() -> Vec<u8> {
    let cipher = ChaCha20Poly1305::new_from_slice(&[3; 32]).unwrap();
    let nonce = Nonce::from([4; 12]);
    let mut buffer: ArrayVec<u8, 128> = ArrayVec::new();
    buffer.try_extend_from_slice(b"plaintext message").unwrap();
    cipher.encrypt_in_place(&nonce, b"", &mut buffer).unwrap();
    let sealed = buffer.to_vec();
    assert_ne!(&buffer[..17], b"plaintext message");
    cipher.decrypt_in_place(&nonce, b"", &mut buffer).unwrap();
    assert_eq!(buffer.as_ref(), b"plaintext message");

    // No room for the tag.
    let mut full: ArrayVec<u8, 20> = ArrayVec::new();
    full.try_extend_from_slice(b"plaintext message").unwrap();
    assert!(cipher.encrypt_in_place(&nonce, b"", &mut full).is_err());
    sealed
}
