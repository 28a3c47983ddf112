//! A share in memory.

use std::fmt;
use std::io::{Cursor, Read};
use std::str::FromStr;

use subtle::ConstantTimeEq;
use zeroize::Zeroizing;

use super::error::ShareError;
use super::header::Header;
use super::layout::{COMMITMENT_BYTES, HEADER_CHECKSUM_BYTES, TRAILER_BYTES};
use super::reader::ShareReader;
use super::text;
use super::wiped::WipedVec;

/// A whole share in memory, for small secrets.
///
/// It holds the binary form, which is checked when the share is created and wiped when it is
/// dropped.
///
/// [`Display`](fmt::Display) writes the text form, which is secret: it is what a holder stores.
/// [`Debug`] shows only the header.
#[derive(Clone)]
pub struct Share {
    bytes: Zeroizing<Vec<u8>>,
    header: Header,
    commitment: [u8; COMMITMENT_BYTES],
}

impl Share {
    /// Reads the whole binary form.
    ///
    /// # Errors
    /// If it is not a complete, undamaged share.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, ShareError> {
        Self::from_vec(Zeroizing::new(bytes.to_vec()))
    }

    /// Reads the whole binary form without copying it.
    ///
    /// # Errors
    /// If it is not a complete, undamaged share.
    pub fn from_vec(bytes: Zeroizing<Vec<u8>>) -> Result<Self, ShareError> {
        let mut reader = ShareReader::new(Cursor::new(&bytes[..]))?;
        let mut discard = Zeroizing::new([0; 4096]);
        while reader.read(&mut discard[..]).map_err(ShareError::from_io)? > 0 {}
        let commitment = reader.commitment().ok_or(ShareError::Truncated)?;
        let header = reader.header().clone();
        drop(reader);
        Ok(Self { bytes, header, commitment })
    }

    /// Reads a share that this crate has just written.
    pub(crate) fn from_written(bytes: WipedVec) -> Self {
        Self::from_vec(bytes.into_inner()).expect("a share that was just made is a share")
    }

    /// Returns the binary form.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Reads the text form. White space around it is ignored.
    ///
    /// # Errors
    /// If it is not a complete, undamaged share.
    pub fn from_text(text: &str) -> Result<Self, ShareError> {
        Self::from_vec(text::decode(text)?)
    }

    /// Returns the text form: one line of upper-case letters and digits, without a line ending. It
    /// begins with [`TEXT_PREFIX`](crate::TEXT_PREFIX), which also has hyphens.
    ///
    /// # Errors
    /// If the payload is longer than [`MAX_TEXT_PAYLOAD_BYTES`](crate::MAX_TEXT_PAYLOAD_BYTES).
    pub fn to_text(&self) -> Result<Zeroizing<String>, ShareError> {
        if self.payload().len() > text::MAX_TEXT_PAYLOAD_BYTES {
            return Err(ShareError::TooLarge);
        }
        Ok(text::encode(&self.bytes))
    }

    /// Returns a reader of this share, for functions such as [`combine_to`](crate::combine_to).
    ///
    /// # Panics
    /// Never: the share was checked when it was created.
    #[must_use]
    pub fn into_reader(self) -> ShareReader<Cursor<Zeroizing<Vec<u8>>>> {
        ShareReader::new(Cursor::new(self.bytes)).expect("was read before")
    }

    pub(crate) fn reader(&self) -> ShareReader<Cursor<&[u8]>> {
        ShareReader::new(Cursor::new(&self.bytes[..])).expect("was read before")
    }

    /// Returns the header.
    #[must_use]
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// Returns the commitment to the secret.
    #[must_use]
    pub fn commitment(&self) -> &[u8; COMMITMENT_BYTES] {
        &self.commitment
    }

    /// Returns the share of the secret, which is as long as the secret.
    #[must_use]
    pub fn payload(&self) -> &[u8] {
        let start = self.header.blinding_range().end + HEADER_CHECKSUM_BYTES;
        &self.bytes[start..self.bytes.len() - TRAILER_BYTES]
    }
}

impl PartialEq for Share {
    /// Compares in constant time for shares of equal length.
    fn eq(&self, other: &Self) -> bool {
        self.bytes.ct_eq(&other.bytes).into()
    }
}

impl Eq for Share {}

impl fmt::Debug for Share {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Share").field("header", &self.header).finish_non_exhaustive()
    }
}

impl fmt::Display for Share {
    /// Writes the text form, which is secret.
    ///
    /// It fails if the payload is longer than
    /// [`MAX_TEXT_PAYLOAD_BYTES`](crate::MAX_TEXT_PAYLOAD_BYTES), because [`Share::from_text`]
    /// rejects longer text. In this case, `to_string` panics and [`Share::to_text`] returns an
    /// error.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.to_text().map_err(|_| fmt::Error)?)
    }
}

impl FromStr for Share {
    type Err = ShareError;

    /// Does the same as [`Share::from_text`].
    fn from_str(text: &str) -> Result<Self, ShareError> {
        Self::from_text(text)
    }
}

impl TryFrom<&[u8]> for Share {
    type Error = ShareError;

    /// Does the same as [`Share::from_bytes`].
    fn try_from(bytes: &[u8]) -> Result<Self, ShareError> {
        Self::from_bytes(bytes)
    }
}
