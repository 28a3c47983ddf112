//! Any k of n recipients together: the file key in shares, in the header of the file.
//!
//! The file key is split with Shamir's secret sharing over GF(2^8), byte by byte, at the points 1 to n. Each share has as many bytes as a file
//! key, and is wrapped like one, for its holder: any type of recipient will do. It has a stanza of its own:
//!
//! ```text
//! -> sealane/threshold <k> <n> <point>
//! <an age header in base64: the stanzas that wrap the share, with a MAC whose key is the share>
//! ```
//!
//! The MAC tells which share it was that an identity unwrapped, and that it is the right one. `docs/threshold.md` has all of it.

use std::collections::HashSet;
use std::io;
use std::str::FromStr;

use age::{DecryptError, EncryptError, Identity, Recipient};
use age_core::format::{FILE_KEY_BYTES, FileKey, Stanza};
use age_core::secrecy::{ExposeSecret as _, SecretString};
use bech32::Hrp;
use sealane::shamir::bytes::{Backend, Combiner, Splitter};
use sha2::{Digest as _, Sha256};
use zeroize::Zeroizing;

use crate::header::{Header, clone_stanzas};
use crate::text::{decode, encode_secret};

/// The type of the stanza.
pub const TYPE: &str = "sealane/threshold";

const PART_PREFIX: Hrp = Hrp::parse_unchecked("SEALANE-PART-");
/// How a part says which file it is of: the first bytes of a hash.
const FILE_ID_LEN: usize = 8;
const PART_LEN: usize = FILE_ID_LEN + 3 + FILE_KEY_BYTES;

/// What can be wrong with shares of a file key.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ThresholdError {
    /// No share, fewer than two are needed, or more than there are.
    #[error("{threshold} of {count} recipients is not possible: at least 2 are needed, and at most 255 can be there")]
    Numbers {
        /// How many are to be needed.
        threshold: usize,
        /// How many there are.
        count: usize,
    },
    /// Some identities have shares, but not enough.
    #[error("the file takes {needed} of {count} holders together, and {found} of them {} here", if *found == 1 { "is" } else { "are" })]
    TooFew {
        /// How many are needed.
        needed: u8,
        /// Of how many.
        count: u8,
        /// How many shares there were.
        found: usize,
    },
    /// The stanzas do not belong together.
    #[error("the shares in the header are malformed")]
    Malformed,
    /// A text is not a part.
    #[error("this is not a part, or it was not copied whole")]
    NotAPart,
    /// A part is of another file.
    #[error("a part is of another file")]
    OtherFile,
    /// A part is not what the header says.
    #[error("part {point} is wrong")]
    WrongPart {
        /// Its number.
        point: u8,
    },
}

impl ThresholdError {
    /// The error that an error of `age` wraps, if it wraps one.
    pub fn of(error: &DecryptError) -> Option<&Self> {
        let DecryptError::Io(error) = error else { return None };
        error.get_ref()?.downcast_ref()
    }
}

impl From<ThresholdError> for DecryptError {
    fn from(error: ThresholdError) -> Self {
        Self::Io(io::Error::new(io::ErrorKind::InvalidData, error))
    }
}

/// Recipients of whom so many are needed.
pub struct ThresholdRecipient<'a> {
    threshold: u8,
    recipients: Vec<&'a dyn Recipient>,
}

impl<'a> ThresholdRecipient<'a> {
    /// Any `threshold` of `recipients` together, from 2 to all of them.
    ///
    /// # Errors
    /// [`ThresholdError::Numbers`].
    pub fn new(
        threshold: usize,
        recipients: impl IntoIterator<Item = &'a dyn Recipient>,
    ) -> Result<Self, ThresholdError> {
        let recipients: Vec<_> = recipients.into_iter().collect();
        let count = recipients.len();
        match u8::try_from(threshold) {
            Ok(threshold @ 2..) if usize::from(threshold) <= count && count <= 255 => {
                Ok(Self { threshold, recipients })
            }
            _ => Err(ThresholdError::Numbers { threshold, count }),
        }
    }
}

impl Recipient for ThresholdRecipient<'_> {
    fn wrap_file_key(&self, file_key: &FileKey) -> Result<(Vec<Stanza>, HashSet<String>), EncryptError> {
        let failed = |error: String| EncryptError::Io(io::Error::other(error));
        let mut seed = Zeroizing::new([0; 32]);
        getrandom::fill(&mut *seed).map_err(|error| EncryptError::Io(error.into()))?;
        let points: Vec<u8> = (1..=255).take(self.recipients.len()).collect();
        let mut shares = Zeroizing::new(vec![[0; FILE_KEY_BYTES]; points.len()]);
        let mut buffers: Vec<&mut [u8]> = shares.iter_mut().map(|share| &mut share[..]).collect();
        Splitter::from_seed(usize::from(self.threshold), &points, &seed, Backend::detect())
            .and_then(|mut splitter| splitter.split(file_key.expose_secret(), &mut buffers))
            .map_err(|error| failed(error.to_string()))?;

        let mut stanzas = Vec::with_capacity(points.len());
        let mut labels: Option<HashSet<String>> = None;
        for ((point, share), recipient) in points.iter().zip(shares.iter()).zip(&self.recipients) {
            let share = key_of(share);
            let (inner, theirs) = recipient.wrap_file_key(&share)?;
            match &labels {
                Some(labels) if *labels != theirs => {
                    return Err(EncryptError::IncompatibleRecipients { l_labels: labels.clone(), r_labels: theirs });
                }
                _ => labels = Some(theirs),
            }
            let header = Header::new(inner, &share).map_err(|error| failed(error.to_string()))?;
            let args = [self.threshold.into(), points.len(), usize::from(*point)].map(|number| number.to_string());
            stanzas.push(Stanza { tag: TYPE.to_owned(), args: args.into(), body: header.encode() });
        }
        Ok((stanzas, labels.unwrap_or_default()))
    }
}

/// The shares in a header.
struct Shares {
    threshold: u8,
    count: u8,
    /// Each with its point.
    headers: Vec<(u8, Header)>,
}

impl Shares {
    /// `None` if there are none.
    fn of(stanzas: &[Stanza]) -> Result<Option<Self>, ThresholdError> {
        let mut found: Option<Self> = None;
        for stanza in stanzas.iter().filter(|stanza| stanza.tag == TYPE) {
            let [threshold, count, point] = stanza.args.as_slice() else { return Err(ThresholdError::Malformed) };
            let number = |text: &String| text.parse::<u8>().ok().filter(|number| number.to_string() == *text);
            let (Some(threshold @ 2..), Some(count), Some(point @ 1..)) =
                (number(threshold), number(count), number(point))
            else {
                return Err(ThresholdError::Malformed);
            };
            let header = match Header::parse(&stanza.body) {
                Ok((header, len)) if len == stanza.body.len() => header,
                _ => return Err(ThresholdError::Malformed),
            };
            let shares = found.get_or_insert(Self { threshold, count, headers: Vec::new() });
            let is_new = shares.headers.iter().all(|(other, _)| *other != point);
            if (shares.threshold, shares.count) != (threshold, count) || point > count || !is_new {
                return Err(ThresholdError::Malformed);
            }
            shares.headers.push((point, header));
        }
        match &found {
            Some(shares) if shares.headers.len() != usize::from(shares.count) || shares.threshold > shares.count => {
                Err(ThresholdError::Malformed)
            }
            _ => Ok(found),
        }
    }

    /// What `identities` can unwrap, up to `enough` shares, without those at the points of `known`.
    fn unwrap(
        &self,
        identities: &[&dyn Identity],
        known: &[(u8, FileKey)],
        enough: usize,
    ) -> Result<Vec<(u8, FileKey)>, DecryptError> {
        let mut left: Vec<_> = self.headers.iter().filter(|(point, _)| known.iter().all(|(k, _)| k != point)).collect();
        let mut found = Vec::new();
        for identity in identities {
            while found.len() < enough && !left.is_empty() {
                // All at once: a plugin is asked once, and the MAC says which one it was.
                let stanzas: Vec<Stanza> =
                    left.iter().flat_map(|(_, header)| clone_stanzas(header.stanzas())).collect();
                let key = match identity.unwrap_stanzas(&stanzas) {
                    Some(Ok(key)) => key,
                    None | Some(Err(DecryptError::NoMatchingKeys | DecryptError::DecryptionFailed)) => break,
                    Some(Err(error)) => return Err(error),
                };
                match left.iter().position(|(_, header)| header.verify(&key)) {
                    Some(place) => found.push((left.remove(place).0, key)),
                    None => return Err(ThresholdError::Malformed.into()),
                }
            }
        }
        Ok(found)
    }
}

fn key_of(bytes: &[u8; FILE_KEY_BYTES]) -> FileKey {
    FileKey::init_with_mut(|key| key.copy_from_slice(bytes))
}

/// Identities of several holders, and what others have contributed: together they open a file, if there are enough.
pub struct ThresholdIdentity<'a> {
    identities: Vec<&'a dyn Identity>,
    parts: &'a [Part],
}

impl<'a> ThresholdIdentity<'a> {
    /// With identities, and with parts of the file.
    pub fn new(identities: impl IntoIterator<Item = &'a dyn Identity>, parts: &'a [Part]) -> Self {
        Self { identities: identities.into_iter().collect(), parts }
    }

    fn unwrap(&self, stanzas: &[Stanza]) -> Result<Option<FileKey>, DecryptError> {
        let Some(shares) = Shares::of(stanzas)? else { return Ok(None) };
        let mut found = Vec::new();
        for part in self.parts {
            let key = part.check(&shares)?;
            if found.iter().all(|(point, _)| *point != part.point) {
                found.push((part.point, key));
            }
        }
        let needed = usize::from(shares.threshold);
        found.extend(shares.unwrap(&self.identities, &found, needed.saturating_sub(found.len()))?);
        if found.is_empty() {
            return Ok(None);
        }
        if found.len() < needed {
            let (needed, count) = (shares.threshold, shares.count);
            return Err(ThresholdError::TooFew { needed, count, found: found.len() }.into());
        }
        found.truncate(needed);
        let points: Vec<u8> = found.iter().map(|(point, _)| *point).collect();
        let values: Vec<&[u8]> = found.iter().map(|(_, key)| &key.expose_secret()[..]).collect();
        let mut secret = Zeroizing::new([0; FILE_KEY_BYTES]);
        Combiner::new(&points)
            .and_then(|combiner| combiner.combine(&values, &mut *secret))
            .map_err(|_| ThresholdError::Malformed)?;
        Ok(Some(key_of(&secret)))
    }
}

impl Identity for ThresholdIdentity<'_> {
    fn unwrap_stanza(&self, _: &Stanza) -> Option<Result<FileKey, DecryptError>> {
        // One is never enough.
        None
    }

    fn unwrap_stanzas(&self, stanzas: &[Stanza]) -> Option<Result<FileKey, DecryptError>> {
        self.unwrap(stanzas).transpose()
    }
}

/// How many of how many recipients a file takes, and the types of the stanzas that wrap their shares; `None` if it has no shares.
///
/// # Errors
/// [`ThresholdError::Malformed`].
pub fn describe(header: &Header) -> Result<Option<(u8, u8, Vec<String>)>, ThresholdError> {
    let types = |shares: &Shares| {
        shares.headers.iter().flat_map(|(_, header)| header.stanzas()).map(|stanza| stanza.tag.clone()).collect()
    };
    Ok(Shares::of(header.stanzas())?.map(|shares| (shares.threshold, shares.count, types(&shares))))
}

/// A share of a file key, unwrapped by its holder for those who are to open the file. It is a secret.
pub struct Part {
    file: [u8; FILE_ID_LEN],
    threshold: u8,
    count: u8,
    point: u8,
    key: FileKey,
}

impl Part {
    /// The shares of the file with that header that `identities` have.
    ///
    /// # Errors
    /// Those of identities, and [`ThresholdError::Malformed`]. None at all is not an error.
    pub fn of<'a>(
        header: &Header,
        identities: impl IntoIterator<Item = &'a dyn Identity>,
    ) -> Result<Vec<Self>, DecryptError> {
        let Some(shares) = Shares::of(header.stanzas())? else { return Ok(Vec::new()) };
        let identities: Vec<_> = identities.into_iter().collect();
        let found = shares.unwrap(&identities, &[], usize::MAX)?;
        let (file, threshold, count) = (file_id(&shares), shares.threshold, shares.count);
        Ok(found.into_iter().map(|(point, key)| Self { file, threshold, count, point, key }).collect())
    }

    /// Its number, and how many are needed, of how many.
    pub fn numbers(&self) -> (u8, u8, u8) {
        (self.point, self.threshold, self.count)
    }

    /// The text: `SEALANE-PART-1…`.
    pub fn to_text(&self) -> SecretString {
        let mut bytes = Zeroizing::new([0; PART_LEN]);
        bytes[..FILE_ID_LEN].copy_from_slice(&self.file);
        bytes[FILE_ID_LEN..FILE_ID_LEN + 3].copy_from_slice(&[self.threshold, self.count, self.point]);
        bytes[FILE_ID_LEN + 3..].copy_from_slice(self.key.expose_secret());
        encode_secret(PART_PREFIX, &*bytes)
    }

    fn check(&self, shares: &Shares) -> Result<FileKey, ThresholdError> {
        if self.file != file_id(shares) {
            return Err(ThresholdError::OtherFile);
        }
        let header = shares.headers.iter().find(|(point, _)| *point == self.point);
        match header {
            Some((_, header)) if header.verify(&self.key) => Ok(key_of(self.key.expose_secret())),
            _ => Err(ThresholdError::WrongPart { point: self.point }),
        }
    }
}

impl FromStr for Part {
    type Err = ThresholdError;

    fn from_str(text: &str) -> Result<Self, ThresholdError> {
        let bytes = decode(text, PART_PREFIX).ok_or(ThresholdError::NotAPart)?;
        let bytes: &[u8; PART_LEN] = bytes.as_slice().try_into().map_err(|_| ThresholdError::NotAPart)?;
        let (file, rest) = bytes.split_first_chunk().expect("it is longer");
        let ([threshold, count, point], key) = rest.split_first_chunk().expect("it is longer");
        let key = key_of(key.try_into().map_err(|_| ThresholdError::NotAPart)?);
        Ok(Self { file: *file, threshold: *threshold, count: *count, point: *point, key })
    }
}

/// What tells this set of shares from others: it stays when a file gets other recipients beside them.
fn file_id(shares: &Shares) -> [u8; FILE_ID_LEN] {
    let mut hash = Sha256::new();
    for (point, header) in &shares.headers {
        hash.update([*point]);
        hash.update(header.mac());
    }
    *hash.finalize().first_chunk().expect("a hash is longer")
}
