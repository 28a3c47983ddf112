// XChaCha20-Poly1305 with the nonce before the message, and a generator that the program defines.
use chacha20poly1305::aead::rand_core::{CryptoRng, Error, RngCore};
use chacha20poly1305::aead::{Aead, AeadCore, KeyInit, OsRng};
use chacha20poly1305::{XChaCha20Poly1305, XNonce};

struct Counter(u8);

impl RngCore for Counter {
    fn next_u32(&mut self) -> u32 {
        self.next_u64() as u32
    }

    fn next_u64(&mut self) -> u64 {
        self.0 += 1;
        self.0.into()
    }

    fn fill_bytes(&mut self, bytes: &mut [u8]) {
        bytes.fill(self.next_u32() as u8);
    }

    fn try_fill_bytes(&mut self, bytes: &mut [u8]) -> Result<(), Error> {
        self.fill_bytes(bytes);
        Ok(())
    }
}

impl CryptoRng for Counter {}

fn seal(cipher: &XChaCha20Poly1305, rng: impl CryptoRng + RngCore, message: &[u8]) -> Vec<u8> {
    let nonce = XChaCha20Poly1305::generate_nonce(rng);
    [&nonce[..], &cipher.encrypt(&nonce, message).unwrap()].concat()
}

fn open(cipher: &XChaCha20Poly1305, sealed: &[u8]) -> Option<Vec<u8>> {
    let (nonce, ciphertext) = sealed.split_at_checked(24)?;
    cipher.decrypt(XNonce::from_slice(nonce), ciphertext).ok()
}

fn run() -> Vec<u8> {
    let cipher = XChaCha20Poly1305::new(&XChaCha20Poly1305::generate_key(Counter(5)));
    let random = seal(&cipher, OsRng, b"another");
    assert_eq!(open(&cipher, &random).unwrap(), b"another");
    let sealed = seal(&cipher, &mut Counter(1), b"a message");
    assert_eq!(open(&cipher, &sealed).unwrap(), b"a message");
    assert!(open(&cipher, b"short").is_none());
    sealed
}
