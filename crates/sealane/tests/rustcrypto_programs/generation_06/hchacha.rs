// A subkey, as another protocol would derive it.
use chacha20::{Key, R8, R12, R20, Rounds, hchacha};

fn derive<R: Rounds>(key: &Key, context: &[u8; 16]) -> Key {
    hchacha::<R>(key, context.into())
}

fn run() -> Vec<u8> {
    let key = Key::from([0x99; 32]);
    [derive::<R20>(&key, b"context of a key"), derive::<R12>(&key, &[1; 16]), derive::<R8>(&key, &[2; 16])].concat()
}
