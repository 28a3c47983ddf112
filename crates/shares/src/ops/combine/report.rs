//! The result of combining.

use std::fmt;

use zeroize::Zeroizing;

use crate::ops::error::BadShare;

/// The findings about the shares that were combined. Positions are indices in the list that was
/// given, from 0.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct Report {
    /// The length of the secret in bytes.
    pub length: u64,
    /// The shares that agree with the secret, without repetitions.
    pub used: Vec<usize>,
    /// Shares that repeat a share in `used`, with the same content. Each pair is the repetition and
    /// that share.
    pub repeated: Vec<[usize; 2]>,
    /// Shares that were left out, with the reason for each. There were enough others.
    pub bad: Vec<BadShare>,
}

/// A recovered secret that is authentic.
///
/// ```
/// use sealane_shares::{Recovered, Report, combine, split};
///
/// let shares = split(b"attack at dawn", 2, 3)?;
/// let Recovered { secret, report, .. } = combine(&shares)?;
/// assert_eq!(secret[..], *b"attack at dawn");
/// let Report { used, bad, length, .. } = report;
/// assert!(used.len() >= 2 && bad.is_empty() && length == 14);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[non_exhaustive]
pub struct Recovered {
    /// The secret.
    pub secret: Zeroizing<Vec<u8>>,
    /// The findings about the shares.
    pub report: Report,
}

impl fmt::Debug for Recovered {
    /// Shows the report only.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Recovered").field("report", &self.report).finish_non_exhaustive()
    }
}
