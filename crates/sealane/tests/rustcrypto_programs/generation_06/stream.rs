// A stream cipher: keys as arrays, seeking, chunks.
use chacha20::ChaCha20;
use chacha20::cipher::{KeyIvInit, StreamCipher, StreamCipherSeek};

fn run() -> Vec<u8> {
    let key = [0x42; 32];
    let nonce = [0x24; 12];
    let plaintext: [u8; 16] = *b"0123456789abcdef";
    let mut cipher = ChaCha20::new(&key.into(), &nonce.into());
    let mut buffer = plaintext;
    cipher.apply_keystream(&mut buffer);
    let ciphertext = buffer;

    cipher.seek(0u32);
    cipher.apply_keystream(&mut buffer);
    assert_eq!(buffer, plaintext);

    cipher.seek(0u32);
    let mut pieces = ciphertext;
    for chunk in pieces.chunks_mut(3) {
        cipher.apply_keystream(chunk);
    }
    assert_eq!(pieces, plaintext);
    let position: u64 = cipher.current_pos();

    let mut long = vec![0; 10_000];
    cipher.seek(123_456_789_u64);
    cipher.apply_keystream(&mut long);
    let mut copied = vec![0; 100];
    cipher.apply_keystream_b2b(&long[..100], &mut copied);
    let mut key_stream = [1; 77];
    cipher.write_keystream(&mut key_stream);
    [&ciphertext[..], &position.to_le_bytes(), &long, &copied, &key_stream].concat()
}
