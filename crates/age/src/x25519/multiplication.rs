//! Scalar multiplication on Curve25519 (RFC 7748), with the crate `graviola` (feature `graviola`)
//! where it supports the CPU, and with `x25519-dalek` elsewhere.

use x25519_dalek::{PublicKey, SharedSecret, StaticSecret};
use zeroize::Zeroizing;

use super::KEY_BYTES;

/// Returns the public key of a private key (section 6.1). This takes a third of the time of
/// [`shared_secret`] with the base point, because multiples of that point are in a table.
pub(crate) fn public_key(secret: &[u8; KEY_BYTES]) -> [u8; KEY_BYTES] {
    (Implementation::for_cpu().public_key)(secret)
}

/// Returns the secret that the owner of `secret` shares with the owner of `public` (section 6.1).
/// It is zero if `public` has low order.
pub(crate) fn shared_secret(secret: &[u8; KEY_BYTES], public: &[u8; KEY_BYTES]) -> Zeroizing<[u8; KEY_BYTES]> {
    (Implementation::for_cpu().shared_secret)(secret, public)
}

/// Without its feature `zeroize`, `x25519-dalek` does not wipe secrets.
const _: () = assert!(core::mem::needs_drop::<StaticSecret>() && core::mem::needs_drop::<SharedSecret>());

struct Implementation {
    public_key: fn(&[u8; KEY_BYTES]) -> [u8; KEY_BYTES],
    shared_secret: fn(&[u8; KEY_BYTES], &[u8; KEY_BYTES]) -> Zeroizing<[u8; KEY_BYTES]>,
}

impl Implementation {
    const DALEK: Self = Self {
        public_key: |secret| PublicKey::from(&StaticSecret::from(*secret)).to_bytes(),
        shared_secret: |secret, public| {
            Zeroizing::new(StaticSecret::from(*secret).diffie_hellman(&PublicKey::from(*public)).to_bytes())
        },
    };

    /// Returns the fastest implementation for this CPU.
    fn for_cpu() -> Self {
        #[cfg(all(
            feature = "graviola",
            any(target_arch = "x86_64", target_arch = "aarch64"),
            target_pointer_width = "64",
            target_endian = "little",
            not(miri)
        ))]
        {
            use graviola::Error;
            use graviola::key_agreement::x25519::{PublicKey, StaticPrivateKey};

            // graviola uses BMI2 without checking for it. Every CPU with the features that it does
            // check has BMI2, but a virtual machine can hide it.
            #[cfg(target_arch = "x86_64")]
            let has_all = std::arch::is_x86_feature_detected!("bmi2");
            #[cfg(target_arch = "aarch64")]
            let has_all = true;
            // graviola panics on a CPU without the features that it checks.
            if has_all && graviola::util::is_cpu_supported() {
                return Self {
                    public_key: |secret| StaticPrivateKey::from_array(secret).public_key().as_bytes(),
                    shared_secret: |secret, public| {
                        let public = PublicKey::from_array(public);
                        match StaticPrivateKey::from_array(secret).diffie_hellman(&public) {
                            Ok(shared) => Zeroizing::new(shared.0),
                            Err(Error::NotOnCurve) => Zeroizing::new([0; KEY_BYTES]),
                            Err(error) => unreachable!("a key of low order is the only failure, not {error:?}"),
                        }
                    },
                };
            }
        }
        Self::DALEK
    }
}

#[cfg(test)]
mod tests {
    use x25519_dalek::x25519;

    use super::*;

    fn bytes(text: &str) -> [u8; KEY_BYTES] {
        assert_eq!(text.len(), 2 * KEY_BYTES);
        std::array::from_fn(|i| u8::from_str_radix(&text[2 * i..][..2], 16).unwrap())
    }

    /// RFC 7748, section 5.2.
    #[test]
    fn the_vectors_of_the_rfc() {
        let scalar = bytes("a546e36bf0527c9d3b16154b82465edd62144c0ac1fc5a18506a2244ba449ac4");
        let point = bytes("e6db6867583030db3594c1a424b15f7c726624ec26b3353b10a903a6d0ab1c4c");
        let product = bytes("c3da55379de9c6908e94ea4df28d084f32eccf03491c71f754b4075577a28552");
        assert_eq!(*shared_secret(&scalar, &point), product);
        // The highest bit of a point does not count.
        let scalar = bytes("4b66e9d4d1b4673c5ad22691957d6af5c11b6421e0ea01d42ca4169e7918ba0d");
        let point = bytes("e5210f12786811d3f4b7959d0538ae2c31dbe7106fc03c3efc4cd549c715a493");
        let product = bytes("95cbde9476e8907d7aade45cb4b873f88b595a68799fa152e6f8f7647aac7957");
        assert_eq!(*shared_secret(&scalar, &point), product);
        let (mut k, mut u) = ([0; KEY_BYTES], [0; KEY_BYTES]);
        (k[0], u[0]) = (9, 9);
        for _ in 0..1000 {
            (k, u) = (*shared_secret(&k, &u), k);
        }
        assert_eq!(k, bytes("684cf59ba83309552800ef566f2f4d3c1c3887c49360e3875f2eb94d99532c51"));
    }

    /// RFC 7748, section 6.1.
    #[test]
    fn both_sides_share_a_secret() {
        let alice = bytes("77076d0a7318a57d3c16c17251b26645df4c2f87ebc0992ab177fba51db92c2a");
        let bob = bytes("5dab087e624a8a4b79e17f8b83800ee66f3bb1292618b6fd1c2f8b27ff88e0eb");
        let shared = bytes("4a5d9d5ba4ce2de1728e3bf480350f25e07e21c947d19e3376f09b3c1e161742");
        let (of_alice, of_bob) = (public_key(&alice), public_key(&bob));
        assert_eq!(of_alice, bytes("8520f0098930a754748b7ddcb43ef75a0dbf3a0d26381af4eba4a98eaa9b4e6a"));
        assert_eq!(of_bob, bytes("de9edb7d7b7dc1b4d35b61c2ece435373f8343c85b78674dadfc7e146f882b4f"));
        assert_eq!(*shared_secret(&alice, &of_bob), shared);
        assert_eq!(*shared_secret(&bob, &of_alice), shared);
    }

    /// All points of low order, reduced modulo the prime or not.
    #[test]
    fn points_of_low_order_give_zero() {
        for point in [
            "0000000000000000000000000000000000000000000000000000000000000000",
            "0100000000000000000000000000000000000000000000000000000000000000",
            "e0eb7a7c3b41b8ae1656e3faf19fc46ada098deb9c32b1fd866205165f49b800",
            "5f9c95bca3508c24b1d0b1559c83ef5b04445cc4581c8e86d8224eddd09f1157",
            "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
            "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
            "eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
        ] {
            assert_eq!(*shared_secret(&[7; KEY_BYTES], &bytes(point)), [0; KEY_BYTES], "{point}");
        }
    }

    #[test]
    fn both_implementations_agree() {
        for n in 0..=255 {
            let secret: [u8; KEY_BYTES] = std::array::from_fn(|i| n ^ (i as u8).wrapping_mul(n | 1));
            let public = PublicKey::from(&StaticSecret::from(secret)).to_bytes();
            assert_eq!(public_key(&secret), public, "{n}");
            // About half of these values are on the twist, and some are not reduced.
            let point: [u8; KEY_BYTES] = std::array::from_fn(|i| if i < 16 { secret[i] } else { n });
            assert_eq!(*shared_secret(&secret, &point), x25519(secret, point), "{n}");
        }
    }
}
