// A buffer that grows, as a trait object.
use chacha20poly1305::aead::{AeadInPlace, Buffer, KeyInit};
use chacha20poly1305::{Key, XChaCha20Poly1305, XNonce};

fn seal(cipher: &XChaCha20Poly1305, nonce: &XNonce, packet: &mut dyn Buffer) {
    cipher.encrypt_in_place(nonce, b"flow 7", packet).unwrap();
}

fn run() -> Vec<u8> {
    let cipher = XChaCha20Poly1305::new(Key::from_slice(&[3; 32]));
    let nonce = XNonce::from([4; 24]);
    let mut packet = b"a packet".to_vec();
    seal(&cipher, &nonce, &mut packet);
    let sealed = packet.clone();
    cipher.decrypt_in_place(&nonce, b"flow 7", &mut packet).unwrap();
    assert_eq!(&packet[..], b"a packet");
    let mut forged = sealed.clone();
    forged[3] ^= 4;
    assert!(cipher.decrypt_in_place(&nonce, b"flow 7", &mut forged).is_err());
    sealed
}
