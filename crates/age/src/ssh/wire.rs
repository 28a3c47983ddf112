//! The binary form of ssh keys (RFC 4251, section 5), as far as it must be checked before the crate
//! `age` reads it: that crate panics at a zero in a form other than the shortest, and ignores what
//! follows a public key.

use zeroize::Zeroizing;

use super::fault::SshIdentityFault as Fault;

const ED25519: &[u8] = b"ssh-ed25519";
const RSA: &[u8] = b"ssh-rsa";

/// The start of a private key in OpenSSH's form (OpenSSH's file PROTOCOL.key).
const MAGIC: &[u8] = b"openssh-key-v1\0";
/// The most bits by which the lengths of an RSA key's primes may differ. Decryption takes a step
/// for each time that one fits into the other. Those of ssh-keygen differ by at most one bit.
const MAX_PRIMES_DIFFERENCE: u64 = 8;
/// The most rounds of bcrypt: about a minute. ssh-keygen makes keys with 16 or 24.
const MAX_ROUNDS: u32 = 10_000;

/// A public key (RFC 4253, section 6.6; RFC 8709, section 4).
#[derive(Debug, PartialEq, Eq)]
pub(super) enum PublicKey {
    Ed25519,
    Rsa { modulus_bits: u64 },
}

impl PublicKey {
    /// Returns what `key` is, or `None` if it is malformed, of another type, or too long.
    pub(super) fn of(key: &[u8]) -> Option<Self> {
        let mut fields = Fields(key);
        let found = match fields.string()? {
            ED25519 => (fields.string()?.len() == 32).then_some(Self::Ed25519)?,
            RSA => {
                let (_exponent, modulus) = (fields.positive()?, fields.positive()?);
                Self::Rsa { modulus_bits: bits(modulus) }
            }
            _ => return None,
        };
        fields.0.is_empty().then_some(found)
    }
}

/// Checks the parts of a private key in OpenSSH's form that are not encrypted.
pub(super) fn check_private_key(key: &[u8]) -> Result<(), Fault> {
    let envelope = Envelope::of(key).ok_or(Fault::Malformed)?;
    match envelope.kdf {
        b"bcrypt" => envelope.bcrypt_options().map(drop),
        b"none" => {
            let is_of = is_of(envelope.private, envelope.public).ok_or(Fault::Malformed)?;
            if is_of { Ok(()) } else { Err(Fault::Mismatch) }
        }
        _ => Ok(()),
    }
}

/// The parts of a private key in OpenSSH's form.
pub(super) struct Envelope<'a> {
    pub(super) cipher: &'a [u8],
    /// The name of the key derivation function.
    kdf: &'a [u8],
    options: &'a [u8],
    public: &'a [u8],
    /// The private half. It may be encrypted.
    pub(super) private: &'a [u8],
    /// What follows: the tag of an AEAD.
    pub(super) tag: &'a [u8],
}

impl<'a> Envelope<'a> {
    /// Checks the public half, if its type is supported.
    pub(super) fn of(key: &'a [u8]) -> Option<Self> {
        let mut fields = Fields(key.strip_prefix(MAGIC)?);
        let (cipher, kdf, options) = (fields.string()?, fields.string()?, fields.string()?);
        let (1, public) = (fields.word()?, fields.string()?) else { return None };
        let private = fields.string()?;
        (!is_supported(Fields(public).string()?) || PublicKey::of(public).is_some()).then_some(Self {
            cipher,
            kdf,
            options,
            public,
            private,
            tag: fields.0,
        })
    }

    /// Returns the salt and the number of rounds of bcrypt.
    pub(super) fn bcrypt_options(&self) -> Result<(&'a [u8], u32), Fault> {
        let mut options = Fields(self.options);
        let (salt, rounds) = options.string().zip(options.word()).ok_or(Fault::Malformed)?;
        if rounds > MAX_ROUNDS { Err(Fault::Unsupported) } else { Ok((salt, rounds)) }
    }

    /// Returns the same key without encryption. `private` is the decrypted private half.
    pub(super) fn decrypted(&self, private: &[u8]) -> Zeroizing<Vec<u8>> {
        let fields = [&b"none"[..], b"none", b"", self.public, private];
        let len = MAGIC.len() + 4 + fields.iter().map(|field| 4 + field.len()).sum::<usize>();
        let mut key = Zeroizing::new(Vec::with_capacity(len));
        key.extend_from_slice(MAGIC);
        for (at, field) in fields.into_iter().enumerate() {
            // The number of keys precedes the public half.
            if at == 3 {
                key.extend_from_slice(&1_u32.to_be_bytes());
            }
            // All fields are parts of a file, or no longer than one.
            key.extend_from_slice(&(field.len() as u32).to_be_bytes());
            key.extend_from_slice(field);
        }
        key
    }
}

/// Returns whether the crate `age` has keys of this type.
fn is_supported(kind: &[u8]) -> bool {
    [ED25519, RSA].contains(&kind)
}

/// Returns the length in bits of a number in its shortest form.
fn bits(number: &[u8]) -> u64 {
    let zeros = number.first().map_or(0, |first| first.leading_zeros());
    8 * number.len() as u64 - u64::from(zeros)
}

/// Returns whether decryption with an RSA key of these primes is quick: their lengths are similar.
pub(super) fn are_similar(p: &[u8], q: &[u8]) -> bool {
    bits(p).abs_diff(bits(q)) <= MAX_PRIMES_DIFFERENCE
}

/// Returns whether the private half has the type of the public half and, if that is RSA, its
/// modulus and exponent. A public half of another type is left to the crate `age`, which names the
/// type. Returns `None` if an RSA key has a number that is not positive, or primes of very
/// different lengths.
fn is_of(private: &[u8], public: &[u8]) -> Option<bool> {
    let (mut private, mut public) = (Fields(private), Fields(public));
    let _check = (private.word()?, private.word()?);
    let (kind, public_kind) = (private.string()?, public.string()?);
    let mut numbers = [&[][..]; 6];
    if kind == RSA {
        for number in &mut numbers {
            *number = private.positive()?;
        }
    }
    let [modulus, exponent, _, _, p, q] = numbers;
    if !are_similar(p, q) {
        return None;
    }
    if !is_supported(public_kind) {
        return Some(true);
    }
    Some(match kind {
        _ if kind != public_kind => false,
        RSA => (exponent, modulus) == (public.positive()?, public.positive()?),
        _ => true,
    })
}

/// The fields that have not been read yet.
struct Fields<'a>(&'a [u8]);

impl<'a> Fields<'a> {
    fn word(&mut self) -> Option<u32> {
        let (word, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(u32::from_be_bytes(*word))
    }

    fn string(&mut self) -> Option<&'a [u8]> {
        let len = usize::try_from(self.word()?).ok()?;
        let (string, rest) = self.0.split_at_checked(len)?;
        self.0 = rest;
        Some(string)
    }

    /// Returns a positive number in its shortest form, without the zero byte that may begin it.
    fn positive(&mut self) -> Option<&'a [u8]> {
        match self.string()? {
            [0, number @ ..] if *number.first()? >= 0x80 => Some(number),
            number if matches!(number.first()?, 1..0x80) => Some(number),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn strings(strings: &[&[u8]]) -> Vec<u8> {
        strings.iter().flat_map(|s| [&u32::try_from(s.len()).unwrap().to_be_bytes()[..], s].concat()).collect()
    }

    fn rsa(exponent: &[u8], modulus: &[u8]) -> Vec<u8> {
        strings(&[RSA, exponent, modulus])
    }

    #[test]
    fn public_keys_are_complete_and_in_their_only_form() {
        let ed25519 = strings(&[ED25519, &[7; 32]]);
        assert_eq!(PublicKey::of(&ed25519), Some(PublicKey::Ed25519));
        let modulus = [&[0, 0x80][..], &[3; 255]].concat();
        assert_eq!(PublicKey::of(&rsa(&[1, 0, 1], &modulus)), Some(PublicKey::Rsa { modulus_bits: 2048 }));
        assert_eq!(PublicKey::of(&rsa(&[3], &modulus[2..])), Some(PublicKey::Rsa { modulus_bits: 255 * 8 - 6 }));
        for key in [ed25519, rsa(&[3], &modulus)] {
            assert_eq!(PublicKey::of(&[&key[..], b"x"].concat()), None);
            for len in 0..key.len() {
                assert_eq!(PublicKey::of(&key[..len]), None, "{len} bytes");
            }
        }
        // Zero, zero in a longer form, a negative number, and a number with too many zero bytes.
        for number in [&[][..], &[0], &[0, 0], &[0x80], &[0, 1], &[0, 0, 0x80]] {
            assert_eq!(PublicKey::of(&rsa(number, &modulus)), None, "{number:?}");
            assert_eq!(PublicKey::of(&rsa(&[3], number)), None, "{number:?}");
        }
        assert_eq!(PublicKey::of(&strings(&[ED25519, &[7; 31]])), None);
        assert_eq!(PublicKey::of(&strings(&[b"ssh-dss", &[7; 32]])), None);
    }

    fn private_key(kdf: &[u8], options: &[u8], public: &[u8], private: &[u8]) -> Vec<u8> {
        let key = strings(&[b"none", kdf, options]);
        [MAGIC, &key, &1_u32.to_be_bytes(), &strings(&[public, private])].concat()
    }

    #[test]
    fn private_keys_that_would_panic_or_take_long_are_refused() {
        let public = rsa(&[3], &[5; 256]);
        let private =
            |iqmp: &[u8]| [&[9; 8][..], &strings(&[RSA, &[5; 256], &[3], &[7], iqmp, &[2], &[2], b""])].concat();
        assert_eq!(check_private_key(&private_key(b"none", b"", &public, &private(&[4]))), Ok(()));
        let zero = private_key(b"none", b"", &public, &private(&[0]));
        assert_eq!(check_private_key(&zero), Err(Fault::Malformed));
        let zero = private_key(b"none", b"", &rsa(&[0], &[5; 256]), &private(&[4]));
        assert_eq!(check_private_key(&zero), Err(Fault::Malformed));
        let rounds = |rounds: u32| {
            let options = [strings(&[b"salt"]), rounds.to_be_bytes().to_vec()].concat();
            check_private_key(&private_key(b"bcrypt", &options, &public, b"secret"))
        };
        assert_eq!((rounds(16), rounds(MAX_ROUNDS)), (Ok(()), Ok(())));
        assert_eq!((rounds(MAX_ROUNDS + 1), rounds(u32::MAX)), (Err(Fault::Unsupported), Err(Fault::Unsupported)));
        // Keys of other types are left to the crate `age`, which names them.
        assert_eq!(check_private_key(&private_key(b"none", b"", &strings(&[b"ssh-dss"]), &private(&[4]))), Ok(()));
        let key = private_key(b"none", b"", &public, &private(&[4]));
        for len in 0..key.len() {
            assert_eq!(check_private_key(&key[..len]), Err(Fault::Malformed), "{len} bytes");
        }
    }
}
