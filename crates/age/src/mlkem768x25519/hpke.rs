//! HPKE (RFC 9180) in base mode for one message, with HKDF-SHA-256 and ChaCha20-Poly1305. It starts
//! from the shared secret of a key encapsulation.

use hkdf::Hkdf;
use sha2::Sha256;
use zeroize::Zeroizing;

/// The suite: X-Wing, HKDF-SHA-256 and ChaCha20-Poly1305 (draft-ietf-hpke-pq; sections 7.2 and 7.3
/// of the RFC).
const SUITE: &[u8] = b"HPKE\x64\x7a\x00\x01\x00\x03";
const BASE_MODE: u8 = 0;

/// Derives the key and the nonce for the only message (section 5.1), which has no associated data.
pub(super) fn key_schedule(shared: &[u8; 32], info: &[u8]) -> (Zeroizing<[u8; 32]>, Zeroizing<[u8; 12]>) {
    let (psk_id_hash, _) = extract(&[], b"psk_id_hash", &[]);
    let (info_hash, _) = extract(&[], b"info_hash", info);
    let context = [&[BASE_MODE][..], &*psk_id_hash, &*info_hash].concat();
    let (_, secret) = extract(shared, b"secret", &[]);
    (expand(&secret, b"key", &context), expand(&secret, b"base_nonce", &context))
}

/// Computes `LabeledExtract` (section 4).
fn extract(salt: &[u8], label: &[u8], ikm: &[u8]) -> (Zeroizing<[u8; 32]>, Hkdf<Sha256>) {
    let labeled = Zeroizing::new([b"HPKE-v1", SUITE, label, ikm].concat());
    let (bytes, hkdf) = Hkdf::<Sha256>::extract(Some(salt), &labeled);
    (Zeroizing::new(bytes.into()), hkdf)
}

/// Computes `LabeledExpand` (section 4).
fn expand<const LEN: usize>(secret: &Hkdf<Sha256>, label: &[u8], info: &[u8]) -> Zeroizing<[u8; LEN]> {
    let len = u16::try_from(LEN).expect("a key or a nonce").to_be_bytes();
    let mut out = Zeroizing::new([0; LEN]);
    secret.expand_multi_info(&[&len, b"HPKE-v1", SUITE, label, info], &mut *out).expect("short enough");
    out
}
