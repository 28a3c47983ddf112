//! Converts private keys in PKCS #8 (RFC 5958), as OpenSSL writes them, to the forms that `age`
//! reads.

use curve25519_dalek::EdwardsPoint;
use pkcs8::der::Decode as _;
use pkcs8::der::asn1::OctetStringRef;
use pkcs8::{ObjectIdentifier, PrivateKeyInfo};
use sha2::{Digest as _, Sha512};
use zeroize::Zeroizing;

use super::pem;

/// `rsaEncryption` (RFC 8017).
const RSA: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.2.840.113549.1.1.1");
/// `id-Ed25519` (RFC 8410).
const ED25519: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.3.101.112");
/// Types of keys that cannot be used, with their names for messages.
const OTHERS: [(ObjectIdentifier, &str); 4] = [
    (ObjectIdentifier::new_unwrap("1.2.840.10045.2.1"), "ecdsa"),
    (ObjectIdentifier::new_unwrap("1.2.840.10040.4.1"), "ssh-dss"),
    (ObjectIdentifier::new_unwrap("1.3.101.110"), "X25519"),
    (ObjectIdentifier::new_unwrap("1.3.101.113"), "Ed448"),
];

/// The reason why a key cannot be used.
pub(super) enum Fault {
    Malformed,
    /// The key has this unsupported type.
    Type(String),
}

/// Converts the key in `der` to the PEM form that `age` reads.
pub(super) fn convert(der: &[u8]) -> Result<Zeroizing<String>, Fault> {
    let info = PrivateKeyInfo::try_from(der).map_err(|_| Fault::Malformed)?;
    match info.algorithm.oid {
        RSA => Ok(rsa(info.private_key)),
        ED25519 => {
            let seed = OctetStringRef::from_der(info.private_key).ok();
            let seed = seed.and_then(|seed| seed.as_bytes().try_into().ok()).ok_or(Fault::Malformed)?;
            Ok(ed25519(seed))
        }
        other => {
            let name = OTHERS.iter().find(|(oid, _)| *oid == other).map(|(_, name)| (*name).to_owned());
            Err(Fault::Type(name.unwrap_or_else(|| other.to_string())))
        }
    }
}

/// Returns the PKCS #1 key `der` (RFC 8017, A.1.2) in PEM.
pub(super) fn rsa(der: &[u8]) -> Zeroizing<String> {
    pem::encode("RSA PRIVATE KEY", der)
}

/// Returns the Ed25519 key with this seed (RFC 8032) in OpenSSH's form (PROTOCOL.key).
fn ed25519(seed: &[u8; 32]) -> Zeroizing<String> {
    let hash = Zeroizing::new(<[u8; 64]>::from(Sha512::digest(seed)));
    let mut scalar = Zeroizing::new([0; 32]);
    scalar.copy_from_slice(&hash[..32]);
    let public = EdwardsPoint::mul_base_clamped(*scalar).compress().0;

    let mut public_key = Vec::with_capacity(64);
    string(&mut public_key, b"ssh-ed25519");
    string(&mut public_key, &public);

    let pair = Zeroizing::new([&seed[..], &public].concat());
    let mut private = Zeroizing::new(Vec::with_capacity(256));
    // The check integer, twice: it shows whether a passphrase is right. Without a passphrase, any
    // value is allowed.
    private.extend_from_slice(&[0; 8]);
    private.extend_from_slice(&public_key);
    string(&mut private, &pair);
    string(&mut private, b"");
    for padding in 1.. {
        if private.len().is_multiple_of(8) {
            break;
        }
        private.push(padding);
    }

    let mut key = Zeroizing::new(Vec::with_capacity(512));
    key.extend_from_slice(b"openssh-key-v1\0");
    for none in [&b"none"[..], b"none", b""] {
        string(&mut key, none);
    }
    key.extend_from_slice(&1u32.to_be_bytes());
    string(&mut key, &public_key);
    string(&mut key, &private);
    pem::encode("OPENSSH PRIVATE KEY", &key)
}

/// Appends a `string` of ssh (RFC 4251, section 5).
fn string(out: &mut Vec<u8>, bytes: &[u8]) {
    let len = u32::try_from(bytes.len()).expect("a key is short");
    out.extend_from_slice(&len.to_be_bytes());
    out.extend_from_slice(bytes);
}
