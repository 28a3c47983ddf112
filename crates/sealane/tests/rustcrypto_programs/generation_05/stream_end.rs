// The end of the key stream is an error.
use chacha20::cipher::{KeyIvInit, OverflowError, StreamCipher, StreamCipherError, StreamCipherSeek};
use chacha20::{ChaCha20, Key, Nonce};

fn encrypt(cipher: &mut ChaCha20, data: &mut [u8]) -> Result<(), StreamCipherError> {
    cipher.try_apply_keystream(data)
}

fn run() -> Vec<u8> {
    let mut cipher = ChaCha20::new(Key::from_slice(&[1; 32]), Nonce::from_slice(&[2; 12]));
    assert!(ChaCha20::new_from_slices(&[0; 31], &[0; 12]).is_err());
    assert!(ChaCha20::new_from_slices(&[0; 32], &[0; 8]).is_err());
    cipher.try_seek((1_u64 << 38) - 200).unwrap();
    let small: Result<u32, OverflowError> = cipher.try_current_pos();
    assert!(small.is_err());
    let mut data = [7; 300];
    encrypt(&mut cipher, &mut data).unwrap_err();
    assert_eq!(data, [7; 300]);
    encrypt(&mut cipher, &mut data[..100]).unwrap();
    data.to_vec()
}
