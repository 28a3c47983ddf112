// Keys that are wiped, and ciphers that wipe their keys.
use chacha20poly1305::{ChaCha20Poly1305, Key, KeyInit};
use zeroize::{ZeroizeOnDrop, Zeroizing};

fn wipes<T: ZeroizeOnDrop>(value: T) -> T {
    value
}

fn run() -> Vec<u8> {
    let key = Zeroizing::new([5; 32]);
    let cipher = wipes(ChaCha20Poly1305::new((&*key).into()));
    use chacha20::KeyIvInit;
    let _ = wipes(chacha20::XChaCha20::new(&Key::from(*key), &[0; 24].into()));
    format!("{cipher:?}").into_bytes()
}
