// A subkey, as another protocol would derive it.
use chacha20::cipher::consts::{U4, U6, U10};
use chacha20::{Key, hchacha};

fn run() -> Vec<u8> {
    let key = Key::from([0x99; 32]);
    [
        hchacha::<U10>(&key, b"context of a key".into()),
        hchacha::<U6>(&key, &[1; 16].into()),
        hchacha::<U4>(&key, &[2; 16].into()),
    ]
    .concat()
}
