// The original layout, with a position past 2^32 blocks.
use chacha20::cipher::{KeyIvInit, StreamCipher, StreamCipherSeek};
use chacha20::{ChaCha20Legacy, Key, LegacyNonce};

fn run() -> Vec<u8> {
    let mut cipher = ChaCha20Legacy::new(&Key::from([0x77; 32]), &LegacyNonce::from([0x88; 8]));
    let mut data = vec![0; 2000];
    cipher.apply_keystream(&mut data[..1000]);
    cipher.seek((1_u64 << 38) - 100);
    cipher.apply_keystream(&mut data[1000..]);
    data
}
