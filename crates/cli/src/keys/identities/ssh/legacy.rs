//! Private keys that are encrypted as a whole in PEM, as OpenSSL and OpenSSH before 7.8 wrote them
//! (RFC 1421, with OpenSSL's key derivation). The format prescribes MD5 and one round, so its
//! protection is weak.

use aes::{Aes128, Aes192, Aes256};
use cbc::Decryptor;
use cbc::cipher::block_padding::Pkcs7;
use cbc::cipher::{BlockCipher, BlockDecryptMut, KeyInit, KeyIvInit};
use des::{Des, TdesEde3};
use md5::{Digest as _, Md5};
use zeroize::Zeroizing;

use super::pem::Pem;

/// The cipher that encrypts the body of a PEM block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Cipher {
    Des,
    TripleDes,
    Aes128,
    Aes192,
    Aes256,
}

/// An encrypted body.
pub(super) struct Encrypted {
    cipher: Cipher,
    iv: Vec<u8>,
    body: Zeroizing<Vec<u8>>,
}

impl Encrypted {
    /// Returns the encrypted body of a block. If the cipher is unknown, the error is the value of
    /// `DEK-Info`.
    pub(super) fn new(pem: Pem) -> Result<Self, String> {
        let info = pem.header("DEK-Info").unwrap_or_default();
        match parse(info) {
            Some((cipher, iv)) => Ok(Self { cipher, iv, body: pem.body }),
            None => Err(info.to_owned()),
        }
    }

    /// Decrypts the body. The padding reveals most wrong passphrases, but not all.
    pub(super) fn decrypt(&self, passphrase: &[u8]) -> Option<Zeroizing<Vec<u8>>> {
        match self.cipher {
            Cipher::Des => self.decrypt_with::<Des>(passphrase),
            Cipher::TripleDes => self.decrypt_with::<TdesEde3>(passphrase),
            Cipher::Aes128 => self.decrypt_with::<Aes128>(passphrase),
            Cipher::Aes192 => self.decrypt_with::<Aes192>(passphrase),
            Cipher::Aes256 => self.decrypt_with::<Aes256>(passphrase),
        }
    }

    fn decrypt_with<C>(&self, passphrase: &[u8]) -> Option<Zeroizing<Vec<u8>>>
    where
        C: BlockCipher + BlockDecryptMut + KeyInit,
    {
        let key = derive(passphrase, self.iv.first_chunk()?, C::key_size());
        let mut body = self.body.clone();
        let len =
            Decryptor::<C>::new_from_slices(&key, &self.iv).ok()?.decrypt_padded_mut::<Pkcs7>(&mut body).ok()?.len();
        body.truncate(len);
        Some(body)
    }
}

/// Parses `DEK-Info`: a cipher, and its initialization vector in hexadecimal digits.
fn parse(info: &str) -> Option<(Cipher, Vec<u8>)> {
    let (name, digits) = info.split_once(',')?;
    let cipher = match name {
        "DES-CBC" => Cipher::Des,
        "DES-EDE3-CBC" => Cipher::TripleDes,
        "AES-128-CBC" => Cipher::Aes128,
        "AES-192-CBC" => Cipher::Aes192,
        "AES-256-CBC" => Cipher::Aes256,
        _ => return None,
    };
    let block = if matches!(cipher, Cipher::Des | Cipher::TripleDes) { 8 } else { 16 };
    if digits.len() != 2 * block || !digits.bytes().all(|digit| digit.is_ascii_hexdigit()) {
        return None;
    }
    let byte = |at| u8::from_str_radix(&digits[at..at + 2], 16).ok();
    let iv: Option<Vec<u8>> = (0..digits.len()).step_by(2).map(byte).collect();
    Some((cipher, iv?))
}

/// Derives a key as OpenSSL's `EVP_BytesToKey` does with MD5 and one round: the concatenation of
/// D(i) = MD5(D(i-1) || passphrase || salt).
fn derive(passphrase: &[u8], salt: &[u8; 8], len: usize) -> Zeroizing<Vec<u8>> {
    let mut key = Zeroizing::new(Vec::with_capacity(len.next_multiple_of(16)));
    let mut previous = Zeroizing::new(Vec::with_capacity(16));
    while key.len() < len {
        let digest = Md5::new().chain_update(&*previous).chain_update(passphrase).chain_update(salt).finalize();
        let digest = Zeroizing::new(<[u8; 16]>::from(digest));
        previous.clear();
        previous.extend_from_slice(&*digest);
        key.extend_from_slice(&*digest);
    }
    key.truncate(len);
    key
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dek_info() {
        assert_eq!(parse("DES-CBC,0001020304050607"), Some((Cipher::Des, (0..8).collect())));
        assert_eq!(parse("AES-256-CBC,000102030405060708090a0B0C0D0E0F"), Some((Cipher::Aes256, (0..16).collect())));
        for bad in [
            "",
            "AES-256-CBC",
            "AES-256-CBC,",
            "AES-256-CBC,0001020304050607",
            "DES-CBC,000102030405060x",
            "RC2,00",
            "DES-CBC,é01020304050607",
        ] {
            assert_eq!(parse(bad), None, "{bad}");
        }
    }

    /// `openssl enc -aes-256-cbc -md md5 -S 0001020304050607 -k secret -P`
    #[test]
    fn openssl_derives_the_same_key() {
        let key = derive(b"secret", &[0, 1, 2, 3, 4, 5, 6, 7], 32);
        let digits: String = key.iter().map(|byte| format!("{byte:02X}")).collect();
        assert_eq!(digits, "035FB8145B73CF111570DC936112BE9C375A5D3D8B915BC213BDBEF9DBFB7851");
    }
}
