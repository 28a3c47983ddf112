// STREAM: a file in segments.
use chacha20poly1305::aead::KeyInit;
use chacha20poly1305::aead::stream::{DecryptorBE32, EncryptorBE32, NewStream, StreamBE32, StreamPrimitive};
use chacha20poly1305::{ChaCha20Poly1305, XChaCha20Poly1305};

fn run() -> Vec<u8> {
    let (key, nonce) = ([1; 32], [2; 19]);
    let file = vec![3; 2500];
    let cipher = XChaCha20Poly1305::new(&key.into());
    let mut encryptor = EncryptorBE32::from_aead(cipher.clone(), nonce.as_ref().into());
    let mut sealed: Vec<Vec<u8>> =
        file[..2000].chunks(1000).map(|piece| encryptor.encrypt_next(piece).unwrap()).collect();
    sealed.push(encryptor.encrypt_last(&file[2000..]).unwrap());

    let mut decryptor = DecryptorBE32::from_aead(cipher, nonce.as_ref().into());
    let mut opened = Vec::new();
    opened.extend(decryptor.decrypt_next(&sealed[0][..]).unwrap());
    opened.extend(decryptor.decrypt_next(&sealed[1][..]).unwrap());
    opened.extend(decryptor.decrypt_last(&sealed[2][..]).unwrap());
    assert_eq!(opened, file);

    let stream = StreamBE32::<ChaCha20Poly1305>::new(&key.into(), [4; 7].as_ref().into());
    sealed.push(stream.encrypt(7, true, &b"one segment"[..]).unwrap());
    sealed.concat()
}
