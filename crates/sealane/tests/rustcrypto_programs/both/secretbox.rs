// The cipher and the authenticator in a construction older than RFC 8439: the first 32 bytes of the
// key stream are the Poly1305 key, and the next bytes encrypt the message.
use chacha20::XChaCha20;
use chacha20::cipher::{KeyIvInit, StreamCipher};
use poly1305::Poly1305;
use poly1305::universal_hash::KeyInit;

fn seal(key: &[u8; 32], nonce: &[u8; 24], message: &[u8]) -> Vec<u8> {
    let mut cipher = XChaCha20::new(key.into(), nonce.into());
    let mut mac_key = poly1305::Key::default();
    cipher.apply_keystream(&mut mac_key);
    let mut sealed = message.to_vec();
    cipher.apply_keystream(&mut sealed);
    let tag = Poly1305::new(&mac_key).compute_unpadded(&sealed);
    sealed.extend_from_slice(&tag);
    sealed
}

fn run() -> Vec<u8> {
    [0, 1, 31, 32, 33, 100, 5000].into_iter().flat_map(|length| seal(&[1; 32], &[2; 24], &vec![3; length])).collect()
}
