//! X-Wing (draft-connolly-cfrg-xwing-kem-10): a key encapsulation that is secure as long as
//! ML-KEM-768 (FIPS 203) or X25519 (RFC 7748) is.

use ml_kem::kem::Decapsulate as _;
use ml_kem::{B32, Encoded, EncodedSizeUser as _, KemCore, MlKem768};
use sha3::digest::ExtendableOutput as _;
use sha3::{Digest as _, Sha3_256, Shake256};
use zeroize::{Zeroize as _, Zeroizing};

use crate::keys::is_zero;
use crate::x25519::{public_key, shared_secret};

type PqPublic = <MlKem768 as KemCore>::EncapsulationKey;
type PqPrivate = <MlKem768 as KemCore>::DecapsulationKey;

/// The length of ML-KEM-768's encapsulation key, in bytes.
const PQ_PUBLIC_BYTES: usize = 1184;
const SHARE_BYTES: usize = 32;
/// The length of ML-KEM-768's ciphertext, in bytes.
const PQ_CIPHERTEXT_BYTES: usize = 1088;
/// The length of a public key, in bytes.
pub const PUBLIC_BYTES: usize = PQ_PUBLIC_BYTES + SHARE_BYTES;
/// The length of a ciphertext, in bytes.
pub(super) const CIPHERTEXT_BYTES: usize = PQ_CIPHERTEXT_BYTES + SHARE_BYTES;
/// The length of a private key, in bytes. The private key is a seed for the keys of both schemes.
pub const SEED_BYTES: usize = 32;

/// The label of section 5.3.
const LABEL: &[u8; 6] = br"\.//^\";

/// The shared secret.
pub(super) type Shared = Zeroizing<[u8; 32]>;

/// A public key.
#[derive(Clone, PartialEq)]
pub(super) struct Public {
    pq: PqPublic,
    share: [u8; SHARE_BYTES],
}

impl Eq for Public {}

impl Public {
    /// Returns `None` if the bytes are not a key: each coefficient must be less than the modulus
    /// (FIPS 203, section 7.2).
    pub(super) fn from_bytes(bytes: &[u8; PUBLIC_BYTES]) -> Option<Self> {
        let (pq, share) = bytes.split_at(PQ_PUBLIC_BYTES);
        let encoded = Encoded::<PqPublic>::try_from(pq).ok()?;
        let decoded = PqPublic::from_bytes(&encoded);
        (decoded.as_bytes() == encoded).then_some(Self { pq: decoded, share: share.try_into().ok()? })
    }

    pub(super) fn to_bytes(&self) -> [u8; PUBLIC_BYTES] {
        let mut bytes = [0; PUBLIC_BYTES];
        bytes[..PQ_PUBLIC_BYTES].copy_from_slice(&self.pq.as_bytes());
        bytes[PQ_PUBLIC_BYTES..].copy_from_slice(&self.share);
        bytes
    }

    /// Returns a shared secret, and the ciphertext from which the private key recovers it (section
    /// 5.4). `randomness` must be used only once. Returns `None` if the X25519 key has low order:
    /// only ML-KEM would protect the secret. age rejects such a key too, X-Wing does not.
    #[cfg(feature = "std")]
    pub(super) fn encapsulate(&self, randomness: &[u8; 64]) -> Option<([u8; CIPHERTEXT_BYTES], Shared)> {
        use ml_kem::EncapsulateDeterministic as _;
        let (m, ephemeral) = randomness.split_at(32);
        let ephemeral: &[u8; 32] = ephemeral.try_into().expect("the other half");
        let m: &B32 = m.try_into().expect("one half");
        let (pq, pq_shared) = self.pq.encapsulate_deterministic(m).expect("the operation has no failure");
        let pq_shared = wiped(pq_shared);
        let share = public_key(ephemeral);
        let x_shared = shared_secret(ephemeral, &self.share);
        if is_zero(&x_shared) {
            return None;
        }
        let mut ciphertext = [0; CIPHERTEXT_BYTES];
        ciphertext[..PQ_CIPHERTEXT_BYTES].copy_from_slice(&pq);
        ciphertext[PQ_CIPHERTEXT_BYTES..].copy_from_slice(&share);
        Some((ciphertext, combine(&pq_shared, &x_shared, &share, &self.share)))
    }
}

/// A private key.
#[derive(Clone)]
pub(super) struct Private {
    seed: Zeroizing<[u8; SEED_BYTES]>,
    pq: PqPrivate,
    x: Zeroizing<[u8; 32]>,
    public: Public,
}

impl Private {
    /// Expands a private key (section 5.2).
    pub(super) fn from_seed(seed: &[u8; SEED_BYTES]) -> Self {
        let mut expanded = Zeroizing::new([0; 96]);
        Shake256::digest_xof(seed, &mut *expanded);
        let part = |i: usize| <&B32>::try_from(&expanded[32 * i..][..32]).expect("32 bytes");
        let (pq, pq_public) = MlKem768::generate_deterministic(part(0), part(1));
        let x = Zeroizing::new(part(2).0);
        let public = Public { pq: pq_public, share: public_key(&x) };
        Self { seed: Zeroizing::new(*seed), pq, x, public }
    }

    pub(super) fn seed(&self) -> &[u8; SEED_BYTES] {
        &self.seed
    }

    pub(super) fn public(&self) -> &Public {
        &self.public
    }

    /// Recovers the shared secret (section 5.5). A changed ciphertext gives another secret. Returns
    /// `None` if the X25519 share gives the same result with every private key: age rejects such a
    /// share, X-Wing does not.
    pub(super) fn decapsulate(&self, ciphertext: &[u8; CIPHERTEXT_BYTES]) -> Option<Shared> {
        let (pq, share) = ciphertext.split_at(PQ_CIPHERTEXT_BYTES);
        let share: [u8; SHARE_BYTES] = share.try_into().ok()?;
        let x_shared = shared_secret(&self.x, &share);
        if is_zero(&x_shared) {
            return None;
        }
        let pq_shared = wiped(self.pq.decapsulate(pq.try_into().ok()?).ok()?);
        Some(combine(&pq_shared, &x_shared, &share, &self.public.share))
    }
}

/// Copies the shared key into memory that is wiped, and wipes the original.
fn wiped(mut shared: ml_kem::SharedKey<MlKem768>) -> Shared {
    let wiped = Zeroizing::new(shared.0);
    shared.0.zeroize();
    wiped
}

/// Combines the secrets (section 5.3).
fn combine(pq_shared: &[u8; 32], x_shared: &[u8; 32], share: &[u8; 32], public_share: &[u8; 32]) -> Shared {
    let mut hash = Sha3_256::new();
    for part in [&pq_shared[..], x_shared, share, public_share, LABEL] {
        hash.update(part);
    }
    Zeroizing::new(hash.finalize().into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_sides_share_the_same() {
        let private = Private::from_seed(&[1; 32]);
        let public = Public::from_bytes(&private.public().to_bytes()).unwrap();
        let (mut ciphertext, shared) = public.encapsulate(&[2; 64]).unwrap();
        assert_eq!(private.decapsulate(&ciphertext).unwrap(), shared);
        for place in [0, PQ_CIPHERTEXT_BYTES - 1, PQ_CIPHERTEXT_BYTES] {
            ciphertext[place] ^= 1;
            assert_ne!(private.decapsulate(&ciphertext).unwrap(), shared);
            ciphertext[place] ^= 1;
        }
        assert_ne!(Private::from_seed(&[3; 32]).decapsulate(&ciphertext).unwrap(), shared);
    }

    #[test]
    fn a_share_that_gives_the_same_to_everybody_is_refused() {
        let private = Private::from_seed(&[1; 32]);
        let (mut ciphertext, _) = private.public().encapsulate(&[2; 64]).unwrap();
        for point in [[0; 32], {
            let mut one = [0; 32];
            one[0] = 1;
            one
        }] {
            ciphertext[PQ_CIPHERTEXT_BYTES..].copy_from_slice(&point);
            assert!(private.decapsulate(&ciphertext).is_none());
        }
    }

    #[test]
    fn coefficients_are_less_than_the_modulus() {
        let mut bytes = Private::from_seed(&[1; 32]).public().to_bytes();
        assert!(Public::from_bytes(&bytes).is_some());
        // Sets the first coefficient of 12 bits to the modulus, 3329.
        (bytes[0], bytes[1]) = (0x01, bytes[1] & 0xf0 | 0x0d);
        assert!(Public::from_bytes(&bytes).is_none());
    }
}
