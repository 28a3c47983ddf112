// Ciphers as trait objects, chosen at run time and used by threads.
use chacha20poly1305::aead::{AeadInPlace, KeyInit};
use chacha20poly1305::consts::{U12, U16};
use chacha20poly1305::{ChaCha8Poly1305, ChaCha20Poly1305, Nonce};
use std::sync::Arc;

trait Seal: Send + Sync {
    fn seal(&self, message: &[u8]) -> Vec<u8>;
}

impl<A: AeadInPlace<NonceSize = U12, TagSize = U16> + Send + Sync> Seal for A {
    fn seal(&self, message: &[u8]) -> Vec<u8> {
        let mut buffer = message.to_vec();
        self.encrypt_in_place(&Nonce::from([8; 12]), b"", &mut buffer).unwrap();
        buffer
    }
}

fn ciphers() -> Vec<Arc<dyn Seal>> {
    let key = [0x21; 32].into();
    vec![Arc::new(ChaCha20Poly1305::new(&key)), Arc::new(ChaCha8Poly1305::new(&key))]
}

fn run() -> Vec<u8> {
    let threads = ciphers().into_iter().map(|cipher| std::thread::spawn(move || cipher.seal(b"chosen")));
    threads.flat_map(|thread| thread.join().unwrap()).collect()
}
