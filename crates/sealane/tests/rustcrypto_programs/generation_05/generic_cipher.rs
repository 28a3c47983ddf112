// AEADs with stream ciphers that the program chooses.
use chacha20::{ChaCha12, ChaCha20Legacy, XChaCha8};
use chacha20poly1305::aead::{AeadInPlace, KeyInit};
use chacha20poly1305::consts::{U8, U24};
use chacha20poly1305::{ChaChaPoly1305, Key};

type Fast = ChaChaPoly1305<ChaCha12>;
type FastExtended = ChaChaPoly1305<XChaCha8, U24>;
type Original = ChaChaPoly1305<ChaCha20Legacy, U8>;

#[derive(Clone)]
struct Keys {
    fast: Fast,
    original: Original,
}

fn run() -> Vec<u8> {
    let key = Key::from([0x11; 32]);
    let keys = Keys { fast: Fast::new(&key), original: Original::new(&key) }.clone();
    let mut buffer = vec![3; 777];
    keys.fast.encrypt_in_place(&[1; 12].into(), b"a", &mut buffer).unwrap();
    FastExtended::new(&key).encrypt_in_place(&[2; 24].into(), b"b", &mut buffer).unwrap();
    keys.original.encrypt_in_place(&[3; 8].into(), b"c", &mut buffer).unwrap();
    buffer
}
