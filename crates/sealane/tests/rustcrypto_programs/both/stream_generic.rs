// A function that is generic over the stream cipher, and all variants.
use chacha20::cipher::consts::U32;
use chacha20::cipher::{Iv, Key, KeyIvInit, KeySizeUser, StreamCipher, StreamCipherSeek};
use chacha20::{ChaCha8, ChaCha12, ChaCha20, ChaCha20Legacy, XChaCha8, XChaCha12, XChaCha20};

fn encrypt(mut cipher: impl StreamCipher, data: &mut [u8]) {
    cipher.apply_keystream(data);
}

fn file<C>(position: u64) -> Vec<u8>
where
    C: KeyIvInit + KeySizeUser<KeySize = U32> + StreamCipher + StreamCipherSeek,
{
    let key: Key<C> = [6; 32].into();
    let mut nonce = Iv::<C>::default();
    nonce.iter_mut().zip(1..).for_each(|(byte, i)| *byte = i);
    let mut cipher = C::new(&key, &nonce);
    let mut data = vec![0xaa; 1234];
    cipher.seek(position);
    encrypt(&mut cipher, &mut data);
    assert_eq!(cipher.current_pos::<u64>(), position + 1234);
    data.push(C::iv_size() as u8);
    data
}

fn run() -> Vec<u8> {
    [0, 1, 63, 64, 65, 4095, (1 << 32) - 5, (1 << 36) + 3]
        .into_iter()
        .flat_map(|at| {
            [
                file::<ChaCha8>(at),
                file::<ChaCha12>(at),
                file::<ChaCha20>(at),
                file::<XChaCha8>(at),
                file::<XChaCha12>(at),
                file::<XChaCha20>(at),
                file::<ChaCha20Legacy>(at),
            ]
        })
        .flatten()
        .collect()
}
