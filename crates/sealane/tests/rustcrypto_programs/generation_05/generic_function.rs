// A function that is generic over the AEAD, and one that fixes the sizes of tag and key.
use chacha20poly1305::aead::generic_array::GenericArray;
use chacha20poly1305::aead::generic_array::typenum::Unsigned;
use chacha20poly1305::aead::{Aead, AeadCore, AeadInPlace, Key, KeyInit, KeySizeUser, Nonce};
use chacha20poly1305::consts::{U16, U32};
use chacha20poly1305::{
    ChaCha8Poly1305, ChaCha12Poly1305, ChaCha20Poly1305, XChaCha8Poly1305, XChaCha12Poly1305, XChaCha20Poly1305,
};

struct Channel<A: AeadInPlace> {
    cipher: A,
    counter: u64,
}

impl<A: AeadInPlace + KeyInit> Channel<A> {
    fn new(key: &[u8]) -> Self {
        Self { cipher: A::new_from_slice(key).unwrap(), counter: 0 }
    }

    fn send(&mut self, message: &[u8]) -> Vec<u8> {
        let mut nonce = Nonce::<A>::default();
        nonce[..8].copy_from_slice(&self.counter.to_be_bytes());
        self.counter += 1;
        let mut buffer = message.to_vec();
        self.cipher.encrypt_in_place(&nonce, b"channel", &mut buffer).unwrap();
        buffer
    }
}

fn sizes<A>() -> Vec<u8>
where
    A: AeadCore<TagSize = U16> + KeySizeUser<KeySize = U32>,
{
    let key: &Key<A> = GenericArray::from_slice(&[1; 32]);
    vec![A::key_size() as u8, A::NonceSize::U8, A::TagSize::U8, A::CiphertextOverhead::U8, key.len() as u8]
}

fn with<A: Aead + AeadInPlace<TagSize = U16> + KeyInit + KeySizeUser<KeySize = U32>>() -> Vec<u8> {
    let mut channel = Channel::<A>::new(&[9; 32]);
    let mut results = sizes::<A>();
    for length in [0, 1, 15, 16, 64, 65, 500, 3000, 20_000] {
        let message = vec![length as u8; length];
        results.extend(channel.send(&message));
        let sealed = channel.cipher.encrypt(&Nonce::<A>::default(), &message[..]).unwrap();
        assert_eq!(channel.cipher.decrypt(&Nonce::<A>::default(), &sealed[..]).unwrap(), message);
        let mut forged = sealed.clone();
        *forged.last_mut().unwrap() ^= 1;
        assert!(channel.cipher.decrypt(&Nonce::<A>::default(), &forged[..]).is_err());
        results.extend(sealed);
    }
    results
}

fn run() -> Vec<u8> {
    [
        with::<ChaCha20Poly1305>(),
        with::<XChaCha20Poly1305>(),
        with::<ChaCha12Poly1305>(),
        with::<XChaCha12Poly1305>(),
        with::<ChaCha8Poly1305>(),
        with::<XChaCha8Poly1305>(),
    ]
    .concat()
}
