// `BytesMut`, a buffer for network programs.
use chacha20poly1305::aead::{AeadInOut, Buffer, KeyInit, bytes::BytesMut};
use chacha20poly1305::{XChaCha20Poly1305, XNonce};

fn seal<B: Buffer>(cipher: &XChaCha20Poly1305, nonce: &XNonce, packet: &mut B) {
    cipher.encrypt_in_place(nonce, b"flow 7", packet).unwrap();
}

fn run() -> Vec<u8> {
    let cipher = XChaCha20Poly1305::new(&[3; 32].into());
    let nonce = XNonce::from([4; 24]);
    let mut packet = BytesMut::from(&b"a packet"[..]);
    seal(&cipher, &nonce, &mut packet);
    let sealed = packet.to_vec();
    cipher.decrypt_in_place(&nonce, b"flow 7", &mut packet).unwrap();
    assert_eq!(&packet[..], b"a packet");
    let mut forged = BytesMut::from(&sealed[..]);
    forged[3] ^= 4;
    assert!(cipher.decrypt_in_place(&nonce, b"flow 7", &mut forged).is_err());
    sealed
}
