// The deprecated names of key generation.
use chacha20::rand_core::SeedableRng;
use chacha20poly1305::{KeyInit, XChaCha20Poly1305};

#[allow(deprecated)]
fn run() -> Vec<u8> {
    let mut rng = chacha20::ChaCha20Rng::from_seed([1; 32]);
    let key = XChaCha20Poly1305::generate_key(&mut rng);
    let stream_key = <chacha20::ChaCha20 as chacha20::KeyIvInit>::generate_key(&mut rng);
    let (_, nonce) = <chacha20::XChaCha12 as chacha20::KeyIvInit>::generate_key_iv(&mut rng);
    [&key[..], &stream_key[..], &nonce[..]].concat()
}
