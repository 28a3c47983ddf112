//! The commitment, which shows that a recovered secret is the one that was split.

use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;

use crate::format::Field;
use crate::format::layout::{BLINDING_BYTES, COMMITMENT_BYTES};

const DOMAIN: &[u8] = b"sealane.share.v1.commitment";

/// Computes HMAC-SHA-256 (RFC 2104), with the blinding value as the key, of the domain, the field,
/// the threshold and the secret.
///
/// The set is not included, because a refresh creates a new set of the same secret, and could not
/// compute a new commitment without the secret.
pub(crate) struct Committer(Hmac<Sha256>);

impl Committer {
    pub(crate) fn new(blinding: &[u8; BLINDING_BYTES], field: Field, threshold: u16) -> Self {
        let mut hmac = Hmac::<Sha256>::new_from_slice(blinding).expect("HMAC takes keys of any length");
        // All parts before the secret have fixed lengths, so different secrets give different
        // messages.
        hmac.update(DOMAIN);
        hmac.update(&[field.scheme()]);
        hmac.update(&field.bits().to_be_bytes());
        hmac.update(&threshold.to_be_bytes());
        Self(hmac)
    }

    pub(crate) fn update(&mut self, secret: &[u8]) {
        self.0.update(secret);
    }

    pub(crate) fn finalize(self) -> [u8; COMMITMENT_BYTES] {
        self.0.finalize().into_bytes().into()
    }
}
