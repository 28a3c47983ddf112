//! Decrypts private keys in OpenSSH's form (OpenSSH's files PROTOCOL.key and cipher.c).

use aes::cipher::block_padding::NoPadding;
use aes::cipher::{BlockDecryptMut as _, KeyIvInit, StreamCipher};
use aes::{Aes128, Aes192, Aes256};
use aes_gcm::aead::AeadInPlace as _;
use aes_gcm::{Aes256Gcm, KeyInit as _};
use ctr::Ctr128BE;
use secrecy::{ExposeSecret as _, SecretString};
use zeroize::Zeroizing;

use super::fault::SshIdentityFault as Fault;
use super::wire::Envelope;

/// Decrypts data in place with a key and an IV of the right lengths. The last argument begins with
/// the tag, if the cipher has one.
type Decrypt = fn(&[u8], &[u8], &mut [u8], &[u8]) -> Result<(), Fault>;

/// Decrypts the private half of a key. Only `aes256-gcm@openssh.com` authenticates it.
pub(super) fn decrypt(key: &Envelope<'_>, passphrase: &SecretString) -> Result<Zeroizing<Vec<u8>>, Fault> {
    let (key_len, iv_len, decrypt): (_, _, Decrypt) = match key.cipher {
        b"aes128-ctr" => (16, 16, ctr::<Ctr128BE<Aes128>>),
        b"aes192-ctr" => (24, 16, ctr::<Ctr128BE<Aes192>>),
        b"aes256-ctr" => (32, 16, ctr::<Ctr128BE<Aes256>>),
        b"aes256-cbc" => (32, 16, cbc),
        b"aes256-gcm@openssh.com" => (32, 12, gcm),
        _ => return Err(Fault::Unsupported),
    };
    let (salt, rounds) = key.bcrypt_options()?;
    let mut derived = Zeroizing::new([0; 48]);
    let derived = &mut derived[..key_len + iv_len];
    // An empty passphrase is an error.
    bcrypt_pbkdf::bcrypt_pbkdf(passphrase.expose_secret(), salt, rounds, derived)
        .map_err(|_| Fault::WrongPassphrase)?;
    let (secret, iv) = derived.split_at(key_len);
    let mut private = Zeroizing::new(key.private.to_vec());
    decrypt(secret, iv, &mut private, key.tag)?;
    // The private half begins with the same four bytes twice.
    if private.get(..4) == private.get(4..8) { Ok(private) } else { Err(Fault::WrongPassphrase) }
}

fn ctr<C: KeyIvInit + StreamCipher>(key: &[u8], iv: &[u8], data: &mut [u8], _: &[u8]) -> Result<(), Fault> {
    C::new_from_slices(key, iv).map_err(|_| Fault::Malformed)?.apply_keystream(data);
    Ok(())
}

fn cbc(key: &[u8], iv: &[u8], data: &mut [u8], _: &[u8]) -> Result<(), Fault> {
    let cipher = cbc::Decryptor::<Aes256>::new_from_slices(key, iv).map_err(|_| Fault::Malformed)?;
    // The data must be whole blocks.
    cipher.decrypt_padded_mut::<NoPadding>(data).map(drop).map_err(|_| Fault::Malformed)
}

fn gcm(key: &[u8], nonce: &[u8], data: &mut [u8], tag: &[u8]) -> Result<(), Fault> {
    let cipher = Aes256Gcm::new_from_slice(key).map_err(|_| Fault::Malformed)?;
    let tag = tag.first_chunk::<16>().ok_or(Fault::Malformed)?;
    cipher.decrypt_in_place_detached(nonce.into(), b"", data, tag.into()).map_err(|_| Fault::WrongPassphrase)
}
