// Ciphers chosen at run time.
use chacha20poly1305::aead::consts::{U12, U16};
use chacha20poly1305::aead::{AeadInOut, KeyInit, Nonce};
use chacha20poly1305::{ChaCha8Poly1305, ChaCha20Poly1305};

enum Suite {
    Standard(Box<ChaCha20Poly1305>),
    Reduced(Box<ChaCha8Poly1305>),
}

fn seal<A: AeadInOut<NonceSize = U12, TagSize = U16>>(cipher: &A, message: &mut Vec<u8>) {
    cipher.encrypt_in_place(&Nonce::<A>::from([8; 12]), &[], message).unwrap();
}

fn shared<T: Send + Sync + 'static>(value: T) -> std::sync::Arc<T> {
    std::sync::Arc::new(value)
}

fn run() -> Vec<u8> {
    let suites = [
        Suite::Standard(Box::new(ChaCha20Poly1305::new(&[1; 32].into()))),
        Suite::Reduced(Box::new(ChaCha8Poly1305::new(&[1; 32].into()))),
    ];
    let mut message = b"chosen".to_vec();
    for suite in &suites {
        match suite {
            Suite::Standard(cipher) => seal(&**cipher, &mut message),
            Suite::Reduced(cipher) => seal(&**cipher, &mut message),
        }
    }
    let cipher = shared(ChaCha20Poly1305::new(&[2; 32].into()));
    let thread = std::thread::spawn(move || {
        seal(&*cipher, &mut message);
        message
    });
    thread.join().unwrap()
}
