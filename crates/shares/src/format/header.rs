//! The header of a share.

use std::fmt;
use std::io::Read;

use sealane::RandomError;
use subtle::ConstantTimeEq;
use zeroize::Zeroizing;

use super::checksum::Checksum;
use super::error::{ParameterError, ShareError};
use super::field::{Field, check_counts};
use super::layout::{HEADER_CHECKSUM_BYTES, MAGIC, VERSION};
use crate::random;

/// The length of the part from the version to the end of the set identifier.
const FIXED_BYTES: usize = 26;

/// The identifier of a set of shares: 16 random bytes, shown in hexadecimal. A set consists of
/// the shares from one split or refresh, and the shares that are reissued from them.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SetId(pub [u8; 16]);

impl SetId {
    /// Returns a new identifier from the system's random number generator.
    ///
    /// # Errors
    /// If the generator fails.
    pub fn random() -> Result<Self, RandomError> {
        let mut id = [0; 16];
        random::fill(&mut id)?;
        Ok(Self(id))
    }

    /// Returns the first 8 hexadecimal digits: enough for a person and for a file name.
    #[must_use]
    pub fn short(&self) -> String {
        self.to_string()[..8].to_owned()
    }
}

impl fmt::Display for SetId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for SetId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SetId({self})")
    }
}

/// The header of a share. All of it is public, and the checksums cover all of it.
///
/// A header always has valid parameters.
///
/// ```
/// use sealane_shares::{Header, SetId, split};
///
/// let shares = split(b"attack at dawn", 2, 3)?;
/// let header: &Header = shares[0].header();
/// assert_eq!((header.index(), header.threshold(), header.count()), (1, 2, 3));
/// // Shares of one set have the same identifier.
/// let set: SetId = header.set();
/// assert_eq!(shares[2].header().set(), set);
/// # Ok::<(), sealane_shares::SplitError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Header {
    set: SetId,
    field: Field,
    threshold: u16,
    count: u16,
    index: u16,
    /// The evaluation point of [`Points::Random`](super::Points::Random), otherwise empty.
    point: Vec<u8>,
}

impl Header {
    /// Returns the header of a share whose evaluation point is its index.
    ///
    /// # Errors
    /// If the parameters do not fit together: see [`ParameterError`].
    pub fn new(set: SetId, field: Field, threshold: u16, count: u16, index: u16) -> Result<Self, ParameterError> {
        Self::with_point(set, field, threshold, count, index, &[])
    }

    /// Returns the header of a share with the given evaluation point, which must be empty unless
    /// the field has [`Points::Random`](super::Points::Random).
    ///
    /// # Errors
    /// If the parameters do not fit together: see [`ParameterError`].
    pub fn with_point(
        set: SetId,
        field: Field,
        threshold: u16,
        count: u16,
        index: u16,
        point: &[u8],
    ) -> Result<Self, ParameterError> {
        field.check()?;
        check_counts(field.max_count(), threshold.into(), count.into())?;
        if index == 0 {
            return Err(ParameterError::ZeroPoint);
        }
        if index > field.max_count() {
            return Err(ParameterError::Index { index, max: field.max_count() });
        }
        if point.len() != field.point_bytes() {
            return Err(ParameterError::PointBytes(point.len()));
        }
        if !point.is_empty() && point.iter().all(|&byte| byte == 0) {
            return Err(ParameterError::ZeroPoint);
        }
        Ok(Self { set, field, threshold, count, index, point: point.to_vec() })
    }

    /// Returns the identifier of the set to which the share belongs.
    #[must_use]
    pub fn set(&self) -> SetId {
        self.set
    }

    /// Returns the field.
    #[must_use]
    pub fn field(&self) -> Field {
        self.field
    }

    /// Returns the threshold k: k shares give the secret, and fewer do not help to find it.
    #[must_use]
    pub fn threshold(&self) -> u16 {
        self.threshold
    }

    /// Returns n, the number of shares that were created by splitting. A share that was issued
    /// later may have an index above n.
    #[must_use]
    pub fn count(&self) -> u16 {
        self.count
    }

    /// Returns the index of the share, from 1.
    #[must_use]
    pub fn index(&self) -> u16 {
        self.index
    }

    /// Returns the evaluation point, a big-endian field element.
    #[must_use]
    pub fn point(&self) -> Vec<u8> {
        if self.point.is_empty() {
            let mut point = vec![0; self.field.element_len()];
            for (to, from) in point.iter_mut().rev().zip(self.index.to_le_bytes()) {
                *to = from;
            }
            point
        } else {
            self.point.clone()
        }
    }

    /// Returns the header of the same share in another set.
    pub(crate) fn in_set(&self, set: SetId) -> Self {
        Self { set, ..self.clone() }
    }

    /// Returns the header of another share of the same set. The field must be one whose evaluation
    /// points are the indices.
    pub(crate) fn at_index(&self, index: u16) -> Result<Self, ParameterError> {
        Self::new(self.set, self.field, self.threshold, self.count, index)
    }

    /// Encodes everything from the magic to the header's checksum. `blinding` is the share of the
    /// blinding value.
    pub(crate) fn encode(&self, blinding: &[u8]) -> Zeroizing<Vec<u8>> {
        let mut bytes = Zeroizing::new(Vec::with_capacity(1024));
        bytes.extend_from_slice(&MAGIC);
        bytes.push(VERSION);
        bytes.push(self.field.scheme());
        for number in [self.field.bits(), self.threshold, self.count, self.index] {
            bytes.extend_from_slice(&number.to_be_bytes());
        }
        bytes.extend_from_slice(&self.set.0);
        bytes.extend_from_slice(&self.point);
        bytes.extend_from_slice(blinding);
        let checksum = Checksum::of_header(&bytes);
        bytes.extend_from_slice(&checksum);
        bytes
    }

    /// Reads what [`encode`](Self::encode) writes: at most a few hundred bytes. Also returns the
    /// bytes, for the checksum of the share.
    pub(crate) fn read(source: &mut impl Read) -> Result<(Self, Zeroizing<Vec<u8>>), ShareError> {
        let mut bytes = Zeroizing::new(Vec::with_capacity(1024));
        read_more(source, &mut bytes, MAGIC.len()).map_err(|error| match error {
            ShareError::Truncated => ShareError::NotAShare,
            other => other,
        })?;
        if bytes[..] != MAGIC {
            return Err(ShareError::NotAShare);
        }
        read_more(source, &mut bytes, 1)?;
        if bytes[8] != VERSION {
            return Err(ShareError::Version(bytes[8]));
        }
        read_more(source, &mut bytes, FIXED_BYTES - 1)?;
        let number = |at: usize| u16::from_be_bytes([bytes[at], bytes[at + 1]]);
        let (scheme, bits, threshold, count, index) = (bytes[9], number(10), number(12), number(14), number(16));
        let mut set = [0; 16];
        set.copy_from_slice(&bytes[18..34]);
        // A damaged header should be reported as damaged rather than as invalid. The scheme and the
        // degree give the header's length, so they are checked first. Everything else is checked
        // after the checksum.
        let field = Field::from_wire(scheme, bits)?;
        read_more(source, &mut bytes, field.point_bytes() + field.blinding_share_bytes() + HEADER_CHECKSUM_BYTES)?;
        let (covered, checksum) = bytes.split_at(bytes.len() - HEADER_CHECKSUM_BYTES);
        if !bool::from(Checksum::of_header(covered).ct_eq(checksum)) {
            return Err(ShareError::HeaderChecksum);
        }
        let point = &covered[34..34 + field.point_bytes()];
        let header = Self::with_point(SetId(set), field, threshold, count, index, point)?;
        Ok((header, bytes))
    }

    /// Returns the range of the encoded header that holds the share of the blinding value.
    pub(crate) fn blinding_range(&self) -> std::ops::Range<usize> {
        let start = MAGIC.len() + FIXED_BYTES + self.field.point_bytes();
        start..start + self.field.blinding_share_bytes()
    }
}

fn read_more(source: &mut impl Read, bytes: &mut Vec<u8>, count: usize) -> Result<(), ShareError> {
    let start = bytes.len();
    bytes.resize(start + count, 0);
    source.read_exact(&mut bytes[start..]).map_err(ShareError::from_io)
}
