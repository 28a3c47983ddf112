// Ciphers that wipe their keys.
use chacha20::cipher::KeyIvInit;
use chacha20::cipher::zeroize::{ZeroizeOnDrop, Zeroizing};
use chacha20poly1305::{ChaCha20Poly1305, KeyInit};

fn wipes<T: ZeroizeOnDrop>(value: T) -> T {
    value
}

fn run() -> Vec<u8> {
    let key = Zeroizing::new([5; 32]);
    let _ = wipes(ChaCha20Poly1305::new((&*key).into()));
    let _ = wipes(chacha20::XChaCha20::new((&*key).into(), &[0; 24].into()));
    key.to_vec()
}
