// Without an allocator.
use chacha20poly1305::{
    ChaCha20Poly1305, Nonce,
    aead::{AeadInPlace, KeyInit, heapless::Vec as HeaplessVec},
};

fn run() -> Vec<u8> {
    let cipher = ChaCha20Poly1305::new_from_slice(&[3; 32]).unwrap();
    let nonce = Nonce::default();
    let mut buffer: HeaplessVec<u8, 128> = HeaplessVec::new();
    buffer.extend_from_slice(b"plaintext message").unwrap();
    cipher.encrypt_in_place(&nonce, b"", &mut buffer).unwrap();
    let sealed = buffer.to_vec();
    assert_ne!(&buffer[..17], b"plaintext message");
    cipher.decrypt_in_place(&nonce, b"", &mut buffer).unwrap();
    assert_eq!(&buffer, b"plaintext message");

    // No room for the tag.
    let mut full: HeaplessVec<u8, 20> = HeaplessVec::from_slice(b"plaintext message").unwrap();
    assert!(cipher.encrypt_in_place(&nonce, b"", &mut full).is_err());
    sealed
}
