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
    cipher.apply_keystream_b2b(&long[..100], &mut copied).unwrap();
    assert!(cipher.apply_keystream_b2b(&long[..100], &mut copied[..99]).is_err());
    let mut other = vec![0; 1000];
    let buffers = chacha20::cipher::inout::InOutBuf::new(&long[..1000], &mut other).unwrap();
    cipher.apply_keystream_inout(buffers);
    [&ciphertext[..], &position.to_le_bytes(), &long, &copied, &other].concat()
}
