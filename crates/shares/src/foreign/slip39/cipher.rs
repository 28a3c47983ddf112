//! The encryption of the master secret: a Feistel network of four rounds with PBKDF2 (RFC 8018) and
//! HMAC-SHA-256.

use hmac::digest::FixedOutput;
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;
use zeroize::Zeroizing;

const ROUNDS: [u8; 4] = [0, 1, 2, 3];
const BASE_ITERATIONS: u32 = 10_000;

/// The parameters of the encryption, apart from the passphrase.
#[derive(Clone, Copy)]
pub(crate) struct Parameters {
    pub(crate) identifier: u16,
    pub(crate) extendable: bool,
    pub(crate) iteration_exponent: u8,
}

/// Encrypts in place. The length must be even.
pub(crate) fn encrypt(secret: &mut [u8], passphrase: &[u8], parameters: Parameters) {
    feistel(secret, passphrase, parameters, ROUNDS.into_iter());
}

/// Decrypts in place.
pub(crate) fn decrypt(secret: &mut [u8], passphrase: &[u8], parameters: Parameters) {
    feistel(secret, passphrase, parameters, ROUNDS.into_iter().rev());
}

fn feistel(secret: &mut [u8], passphrase: &[u8], parameters: Parameters, rounds: impl Iterator<Item = u8>) {
    let half = secret.len() / 2;
    let (left, right) = secret.split_at_mut(half);
    let mut salt = Zeroizing::new(Vec::with_capacity(8 + half));
    if !parameters.extendable {
        salt.extend_from_slice(b"shamir");
        salt.extend_from_slice(&parameters.identifier.to_be_bytes());
    }
    let fixed = salt.len();
    let iterations = (BASE_ITERATIONS << parameters.iteration_exponent) / ROUNDS.len() as u32;
    let mut password = Zeroizing::new(Vec::with_capacity(1 + passphrase.len()));
    password.push(0);
    password.extend_from_slice(passphrase);
    let mut output = Zeroizing::new(vec![0; half]);
    for round in rounds {
        password[0] = round;
        salt.truncate(fixed);
        salt.extend_from_slice(right);
        pbkdf2(&password, &salt, iterations, &mut output);
        for (l, f) in left.iter_mut().zip(output.iter()) {
            *l ^= f;
        }
        left.swap_with_slice(right);
    }
    // The last round does not swap the halves.
    left.swap_with_slice(right);
}

fn pbkdf2(password: &[u8], salt: &[u8], iterations: u32, output: &mut [u8]) {
    let keyed = Hmac::<Sha256>::new_from_slice(password).expect("HMAC takes keys of any length");
    for (number, block) in (1u32..).zip(output.chunks_mut(32)) {
        let mut first = keyed.clone();
        first.update(salt);
        first.update(&number.to_be_bytes());
        // Results go directly to memory that is wiped.
        let mut u = Zeroizing::new([0; 32]);
        first.finalize_into((&mut *u).into());
        block.copy_from_slice(&u[..block.len()]);
        for _ in 1..iterations {
            let mut next = keyed.clone();
            next.update(&u[..]);
            next.finalize_into((&mut *u).into());
            for (to, from) in block.iter_mut().zip(u.iter()) {
                *to ^= from;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn pbkdf2_of_rfc_7914() {
        // RFC 7914, section 11.
        let mut output = [0; 64];
        super::pbkdf2(b"passwd", b"salt", 1, &mut output);
        assert_eq!(output[..8], [0x55, 0xac, 0x04, 0x6e, 0x56, 0xe3, 0x08, 0x9f]);
        assert_eq!(output[56..], [0x09, 0x11, 0x20, 0x41, 0xd3, 0xa1, 0x97, 0x83]);
        super::pbkdf2(b"Password", b"NaCl", 80_000, &mut output);
        assert_eq!(output[..8], [0x4d, 0xdc, 0xd8, 0xf6, 0x0b, 0x98, 0xbe, 0x21]);
        assert_eq!(output[56..], [0x47, 0x8f, 0x62, 0xb3, 0x97, 0xf3, 0x3c, 0x8d]);
    }
}
