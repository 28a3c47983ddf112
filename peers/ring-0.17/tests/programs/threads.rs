// One key that several threads use.
use std::sync::Arc;

use ring::aead::{Aad, CHACHA20_POLY1305, LessSafeKey, Nonce, UnboundKey};

fn is_shared<T: Send + Sync + 'static>(value: T) -> T {
    value
}

fn run() -> Vec<u8> {
    let key = is_shared(Arc::new(LessSafeKey::new(is_shared(UnboundKey::new(&CHACHA20_POLY1305, &[8; 32]).unwrap()))));
    let threads: Vec<_> = (0..4_u8)
        .map(|number| {
            let key = Arc::clone(&key);
            std::thread::spawn(move || {
                let nonce = is_shared(Nonce::assume_unique_for_key([number; 12]));
                let mut message = vec![number; 100 * usize::from(number)];
                key.seal_in_place_append_tag(nonce, is_shared(Aad::empty()), &mut message).map(|()| message)
            })
        })
        .collect();
    threads.into_iter().flat_map(|thread| thread.join().unwrap().unwrap()).collect()
}
