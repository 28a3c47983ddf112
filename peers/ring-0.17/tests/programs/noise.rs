// The CipherState of the Noise protocol framework, section 5.1, with ChaChaPoly of section 12.3 and
// REKEY of section 4.2.
use ring::aead::{Aad, CHACHA20_POLY1305, LessSafeKey, Nonce, UnboundKey};

struct CipherState {
    k: LessSafeKey,
    n: u64,
}

impl CipherState {
    fn initialize_key(key: &[u8; 32]) -> Self {
        Self { k: LessSafeKey::new(UnboundKey::new(&CHACHA20_POLY1305, key).expect("32 bytes")), n: 0 }
    }

    fn nonce(n: u64) -> Nonce {
        let mut nonce = [0; 12];
        nonce[4..].copy_from_slice(&n.to_le_bytes());
        Nonce::assume_unique_for_key(nonce)
    }

    fn encrypt_with_ad(&mut self, ad: &[u8], plaintext: &[u8], out: &mut [u8]) -> usize {
        let (ciphertext, rest) = out.split_at_mut(plaintext.len());
        ciphertext.copy_from_slice(plaintext);
        let tag = self.k.seal_in_place_separate_tag(Self::nonce(self.n), Aad::from(ad), ciphertext).expect("short");
        rest[..tag.as_ref().len()].copy_from_slice(tag.as_ref());
        self.n += 1;
        plaintext.len() + tag.as_ref().len()
    }

    fn decrypt_with_ad(&mut self, ad: &[u8], message: &mut [u8]) -> Option<usize> {
        let length = self.k.open_in_place(Self::nonce(self.n), Aad::from(ad), message).ok()?.len();
        self.n += 1;
        Some(length)
    }

    fn rekey(&mut self) {
        let mut key = [0; 32];
        let nonce = Self::nonce(u64::MAX);
        let _tag = self.k.seal_in_place_separate_tag(nonce, Aad::empty(), &mut key).expect("short");
        self.k = Self::initialize_key(&key).k;
    }
}

fn run() -> Vec<u8> {
    let (mut sender, mut receiver) = (CipherState::initialize_key(&[5; 32]), CipherState::initialize_key(&[5; 32]));
    let mut results = Vec::new();
    for number in 0..20 {
        if number % 7 == 6 {
            sender.rekey();
            receiver.rekey();
        }
        let plaintext = vec![number as u8; 13 * number];
        let mut message = vec![0; plaintext.len() + 16];
        assert_eq!(sender.encrypt_with_ad(b"ad", &plaintext, &mut message), message.len());
        results.extend(&message);
        let mut tampered = message.clone();
        tampered[number / 2] ^= 4;
        assert_eq!(receiver.decrypt_with_ad(b"ad", &mut tampered), None);
        let length = receiver.decrypt_with_ad(b"ad", &mut message).expect("authentic");
        assert_eq!(message[..length], plaintext);
    }
    results
}
