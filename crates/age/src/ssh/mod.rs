//! ssh keys of the crate `age` as recipients and identities, and the checks that it lacks.

mod decryption;
mod fault;
#[cfg(test)]
mod tests;
mod wire;

use age::ssh::{Identity as SshIdentity, Recipient as SshRecipient};
use base64::Engine as _;
use base64::prelude::{BASE64_STANDARD, BASE64_STANDARD_NO_PAD};
use secrecy::SecretString;
use zeroize::Zeroizing;

pub use self::fault::SshIdentityFault;
use self::fault::SshIdentityFault as Fault;
use self::wire::{Envelope, PublicKey};
use crate::adapter::{unwrap, wrap};
use crate::file_key::FileKey;
use crate::identity::{Identity, UnwrapError};
use crate::recipient::{Recipient, WrapError, Wrapped};
use crate::stanza::Stanza;
use crate::x25519;

/// The least length of an RSA key in bits.
const MIN_RSA_BITS: u64 = 2048;

impl Recipient for SshRecipient {
    fn wrap_file_key(&self, file_key: &FileKey) -> Result<Wrapped, WrapError> {
        if is_weak(self)? { Err(WrapError::WeakKey) } else { wrap(self, file_key) }
    }
}

/// Returns whether others could find the wrapped key: everyone would know the secret shared with a
/// key of low order (RFC 7748, section 6.1).
fn is_weak(recipient: &SshRecipient) -> Result<bool, WrapError> {
    let (SshRecipient::SshRsa(key, _) | SshRecipient::SshEd25519(key, _)) = recipient;
    match (recipient, PublicKey::of(key)) {
        (SshRecipient::SshEd25519(_, point), Some(PublicKey::Ed25519)) => Ok(point.is_small_order()),
        (SshRecipient::SshRsa(..), Some(PublicKey::Rsa { modulus_bits })) => Ok(modulus_bits < MIN_RSA_BITS),
        _ => Err(WrapError::other("malformed ssh public key")),
    }
}

impl Identity for SshIdentity {
    /// Tries all stanzas: different keys may have the same name of four bytes.
    fn unwrap_file_key(&self, stanzas: &[Stanza]) -> Result<Option<FileKey>, UnwrapError> {
        let mut is_named = false;
        for stanza in stanzas {
            if !has_right_form(stanza) {
                return Err(UnwrapError::InvalidStanza);
            }
            match unwrap(self, std::slice::from_ref(stanza)) {
                Ok(None) => {}
                Err(UnwrapError::Authentication) => is_named = true,
                result => return result,
            }
        }
        if is_named { Err(UnwrapError::Authentication) } else { Ok(None) }
    }
}

/// Returns `false` for a malformed stanza of an ssh type, otherwise `true`.
fn has_right_form(Stanza { tag, args, .. }: &Stanza) -> bool {
    let bytes = |text: &String| BASE64_STANDARD_NO_PAD.decode(text).unwrap_or_default();
    match (tag.as_str(), args.as_slice()) {
        ("ssh-rsa", [name]) => bytes(name).len() == 4,
        ("ssh-ed25519", [name, share]) => {
            let share = <[u8; 32]>::try_from(bytes(share));
            bytes(name).len() == 4 && share.is_ok_and(|share| !x25519::has_low_order(&share))
        }
        ("ssh-rsa" | "ssh-ed25519", _) => false,
        _ => true,
    }
}

/// Returns whether the second field of `line` is the base64 of one whole public key.
pub(crate) fn is_public_key(line: &str) -> bool {
    let key = line.split([' ', '\t']).nth(1).and_then(|key| BASE64_STANDARD.decode(key).ok());
    key.is_some_and(|key| PublicKey::of(&key).is_some())
}

/// The label of PEM for OpenSSH's form of a private key.
const BEGIN: &str = "-----BEGIN OPENSSH PRIVATE KEY-----";
const END: &str = "-----END OPENSSH PRIVATE KEY-----";
/// The label of PEM for a private key in PKCS #1, and the start of its header if it is encrypted.
const BEGIN_RSA: &str = "-----BEGIN RSA PRIVATE KEY-----";
const ENCRYPTED: &str = "Proc-Type: 4,ENCRYPTED";

/// Checks what the crate `age` does not check in a private key.
pub(crate) fn check_private_key(pem: &str) -> Result<(), Fault> {
    if pem.starts_with(BEGIN) {
        wire::check_private_key(&decode(pem, BEGIN)?)
    } else if pem.strip_prefix(BEGIN_RSA).is_some_and(|body| !body.trim_ascii_start().starts_with(ENCRYPTED)) {
        check_pkcs1(&decode(pem, BEGIN_RSA)?)
    } else {
        // The crate `age` does not support an encrypted key, and refuses other texts.
        Ok(())
    }
}

/// Checks an RSA key in PKCS #1.
fn check_pkcs1(key: &[u8]) -> Result<(), Fault> {
    let key = pkcs1::RsaPrivateKey::try_from(key).map_err(|_| Fault::Malformed)?;
    let are_similar = wire::are_similar(key.prime1.as_bytes(), key.prime2.as_bytes());
    if are_similar { Ok(()) } else { Err(Fault::Malformed) }
}

/// Decrypts a private key in OpenSSH's form. Returns the same key in this form, not encrypted. Its
/// private half has not been checked.
pub(crate) fn decrypt_private_key(pem: &str, passphrase: &SecretString) -> Result<Zeroizing<String>, Fault> {
    let key = decode(pem, BEGIN)?;
    let envelope = Envelope::of(&key).ok_or(Fault::Malformed)?;
    let key = envelope.decrypted(&decryption::decrypt(&envelope, passphrase)?);
    let mut pem = Zeroizing::new(String::with_capacity(BEGIN.len() + END.len() + 3 + 4 * key.len().div_ceil(3)));
    pem.push_str(BEGIN);
    pem.push('\n');
    BASE64_STANDARD.encode_string(&*key, &mut pem);
    pem.push('\n');
    pem.push_str(END);
    pem.push('\n');
    Ok(pem)
}

/// Returns the bytes of a private key in PEM that starts with `begin`.
fn decode(pem: &str, begin: &str) -> Result<Zeroizing<Vec<u8>>, Fault> {
    let body = pem.strip_prefix(begin).and_then(|body| body.split_once("-----END"));
    let (body, _) = body.ok_or(Fault::Malformed)?;
    let mut base64 = Zeroizing::new(Vec::with_capacity(body.len()));
    base64.extend(body.bytes().filter(|byte| !byte.is_ascii_whitespace()));
    BASE64_STANDARD.decode(&*base64).map(Zeroizing::new).map_err(|_| Fault::Malformed)
}

/// Checks that `identity`, which is not encrypted, opens what is encrypted to its public half. For
/// an RSA key, this is not tried, because it takes tens of milliseconds: [`check_private_key`] has
/// compared its halves.
pub(crate) fn check_halves(identity: &SshIdentity) -> Result<(), Fault> {
    let recipient = SshRecipient::try_from(identity.clone()).map_err(|_| Fault::Unsupported)?;
    if matches!(recipient, SshRecipient::SshRsa(..)) {
        return Ok(());
    }
    let file_key = FileKey::copy_of(&[7; 16]);
    let wrapped = match recipient.wrap_file_key(&file_key) {
        Ok(wrapped) => wrapped,
        // Such a key may still open old files.
        Err(WrapError::WeakKey) => return Ok(()),
        Err(_) => return Err(Fault::Malformed),
    };
    let opened = identity.unwrap_file_key(&wrapped.stanzas).ok().flatten();
    if opened.is_some_and(|key| key.expose_secret() == file_key.expose_secret()) {
        Ok(())
    } else {
        Err(Fault::Mismatch)
    }
}
