//! The result of combining.

use zeroize::Zeroizing;

use crate::ops::error::BadShare;

/// What was found out about the shares that were combined. Positions are places in the list that was given, from 0.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct Report {
    /// The length of the secret in bytes.
    pub length: u64,
    /// The shares that agree with the secret.
    pub used: Vec<usize>,
    /// Shares that are there a second time with the same content: the second, and the first.
    pub repeated: Vec<[usize; 2]>,
    /// Shares that were left out, and why. There were enough others.
    pub bad: Vec<BadShare>,
}

/// A secret that was put together and found authentic.
pub struct Recovered {
    /// The secret.
    pub secret: Zeroizing<Vec<u8>>,
    /// What was found out about the shares.
    pub report: Report,
}
