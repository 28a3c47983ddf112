// XChaCha20-Poly1305 with the nonce before the message, and a generator that the program defines.
use chacha20poly1305::aead::rand_core::{Infallible, TryCryptoRng, TryRng};
use chacha20poly1305::aead::{Aead, Generate, KeyInit};
use chacha20poly1305::{Key, XChaCha20Poly1305, XNonce};

struct Counter(u8);

impl TryRng for Counter {
    type Error = Infallible;

    fn try_next_u32(&mut self) -> Result<u32, Infallible> {
        self.0 += 1;
        Ok(self.0.into())
    }

    fn try_next_u64(&mut self) -> Result<u64, Infallible> {
        self.try_next_u32().map(u64::from)
    }

    fn try_fill_bytes(&mut self, bytes: &mut [u8]) -> Result<(), Infallible> {
        bytes.fill(self.0);
        self.0 += 1;
        Ok(())
    }
}

impl TryCryptoRng for Counter {}

fn seal(cipher: &XChaCha20Poly1305, nonce: XNonce, message: &[u8]) -> Vec<u8> {
    [&nonce[..], &cipher.encrypt(&nonce, message).unwrap()].concat()
}

fn open(cipher: &XChaCha20Poly1305, sealed: &[u8]) -> Option<Vec<u8>> {
    let (nonce, ciphertext) = sealed.split_at_checked(size_of::<XNonce>())?;
    cipher.decrypt(&XNonce::try_from(nonce).ok()?, ciphertext).ok()
}

fn run() -> Vec<u8> {
    let mut rng = Counter(1);
    let cipher = XChaCha20Poly1305::new(&Key::generate_from_rng(&mut rng));
    let sealed = seal(&cipher, XNonce::generate_from_rng(&mut rng), b"a message");
    assert_eq!(open(&cipher, &sealed).unwrap(), b"a message");

    let cipher = XChaCha20Poly1305::new(&Key::generate());
    let random = seal(&cipher, XNonce::generate(), b"another");
    assert_eq!(open(&cipher, &random).unwrap(), b"another");
    assert!(open(&cipher, &sealed).is_none() && open(&cipher, b"short").is_none());
    sealed
}
