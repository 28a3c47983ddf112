//! Creates new shares from existing ones, without the secret: refresh and reissue.

use std::fmt;
use std::io::{Read, Write};

use super::error::CombineError;
use super::lockstep::Lockstep;
use super::positions::{check_headers, distinct_points, enough};
use super::rows::Rows;
use crate::format::error::ParameterError;
use crate::format::writer::ShareWriter;
use crate::format::{Field, Header, SetId, Share, ShareReader, WipedVec};
use sealane::RandomError;
use sealane::shamir::bytes::Refresher;

/// Creates new shares of the same secret, with other values and a new set identifier.
///
/// Old and new shares do not combine. Once the old shares are destroyed, stolen copies of them are
/// useless if they are fewer than the threshold. An old share that is not refreshed does not
/// combine with the new shares.
///
/// The secret is not computed, so its commitment is not checked. Forged old shares are noticed only
/// if at least as many intact ones as the threshold take part. Otherwise the new shares look right
/// and give no secret. So:
/// 1. Refresh, and keep the old shares.
/// 2. Combine the new shares, which checks the commitment. Where the secret must not be computed,
///    refresh at least 2k − 1 shares, where k is the threshold: k forgers could compute the secret
///    anyway, and fewer are noticed.
/// 3. Destroy the old shares.
///
/// Damaged shares, and shares beyond the threshold that contradict the others, are errors. The
/// computer that refreshes has enough shares to reach the threshold, so anyone who controls it
/// could compute the secret.
///
/// ```
/// use sealane_shares::{Refresh, Share, combine, split};
///
/// let old = split(b"attack at dawn", 2, 3)?;
/// // The first and the third take part, and get successors.
/// let refresh = Refresh::new(vec![old[0].clone().into_reader(), old[2].clone().into_reader()])?;
/// let indices: Vec<_> = refresh.headers().map(|header| header.index()).collect();
/// assert_eq!(indices, [1, 3]);
/// let new = refresh.write_to(vec![Vec::new(); 2])?;
/// let new = [Share::from_bytes(&new[0])?, Share::from_bytes(&new[1])?];
/// assert_eq!(&combine(&new)?.secret[..], b"attack at dawn");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Refresh<R> {
    readers: Vec<ShareReader<R>>,
    set: SetId,
}

impl<R: Read> Refresh<R> {
    /// Prepares to refresh these shares, whose field must be [`Field::Bytes`]. Their number must
    /// reach the threshold.
    ///
    /// # Errors
    /// If they are not different shares of one set, are too few, or are shares of a field element,
    /// or the system's generator fails.
    pub fn new(readers: Vec<ShareReader<R>>) -> Result<Self, CombineError> {
        check(&readers)?;
        let positions: Vec<usize> = (0..readers.len()).collect();
        let distinct = distinct_points(&readers, &positions);
        if let Some(&again) = positions.iter().find(|at| !distinct.contains(at)) {
            let first =
                distinct.iter().copied().find(|&at| readers[at].header().index() == readers[again].header().index());
            return Err(CombineError::Repeated { positions: [first.unwrap_or(again), again] });
        }
        Ok(Self { readers, set: SetId::random()? })
    }

    /// Returns the headers of the new shares, in the order of the old ones.
    pub fn headers(&self) -> impl Iterator<Item = Header> {
        self.readers.iter().map(|reader| reader.header().in_set(self.set))
    }

    /// Writes the new shares, in the order of the old ones. **They are valid only if this returns
    /// `Ok`.**
    ///
    /// # Errors
    /// If the number of outputs is wrong, an old share is damaged, old shares contradict each
    /// other, or the system's generator or writing fails.
    pub fn write_to<W: Write>(self, outputs: Vec<W>) -> Result<Vec<W>, CombineError> {
        if outputs.len() != self.readers.len() {
            return Err(CombineError::Outputs { outputs: outputs.len(), count: self.readers.len() });
        }
        let headers: Vec<Header> = self.headers().collect();
        let points: Vec<u8> = headers.iter().map(|header| header.index() as u8).collect();
        let threshold = usize::from(headers[0].threshold());
        // The points and the threshold are those of shares, so only the generator can fail.
        let mut refresher = Refresher::with_points(threshold, &points).map_err(|_| RandomError)?;
        let mut refresh =
            |rows: &mut Rows, length: usize| refresher.refresh(&mut rows.all_mut(length)).map_err(|_| RandomError);

        let mut lockstep = Lockstep::new(self.readers);
        let length = lockstep.blinding()?;
        refresh(lockstep.rows_mut(), length)?;
        let mut writers = Vec::new();
        for (at, (output, header)) in outputs.into_iter().zip(&headers).enumerate() {
            let blinding = lockstep.rows().row(at, length);
            writers.push(ShareWriter::new(output, header, blinding).map_err(CombineError::Write)?);
        }
        while let Some(length) = lockstep.next()? {
            refresh(lockstep.rows_mut(), length)?;
            for (at, writer) in writers.iter_mut().enumerate() {
                writer.write_payload(lockstep.rows().row(at, length)).map_err(CombineError::Write)?;
            }
        }
        let commitment = lockstep.commitment()?;
        let finish = |writer: ShareWriter<W>| writer.finish(&commitment).map_err(CombineError::Write);
        writers.into_iter().map(finish).collect()
    }
}

/// Creates the share with this index from other shares, whose number must reach the threshold. The
/// result restores a lost share, or is an additional one. If the share is among the given ones, the
/// result is the same.
///
/// The new share belongs to the same set. The secret is not computed, so its commitment is not
/// checked. Damaged shares are errors, and so are shares beyond the threshold that contradict the
/// others. A forged share is noticed only as [`Refresh`] says; otherwise the new share is wrong,
/// and its holder looks like the forger. Anyone who controls the computer that reissues could
/// compute the secret. **What was written is valid only if this returns `Ok`.**
///
/// # Errors
/// If the shares are not of one set, are too few, are damaged, contradict each other or are shares
/// of a field element, the index is impossible, or writing fails.
pub fn reissue_to<R: Read, W: Write>(readers: Vec<ShareReader<R>>, index: u16, output: W) -> Result<W, CombineError> {
    check(&readers)?;
    let header = readers[0].header().at_index(index)?;
    let mut lockstep = Lockstep::new(readers);
    let target = lockstep.target(&header.point());
    let length = lockstep.blinding()?;
    let mut writer =
        ShareWriter::new(output, &header, &lockstep.interpolate(&target, length)).map_err(CombineError::Write)?;
    while let Some(length) = lockstep.next()? {
        writer.write_payload(&lockstep.interpolate(&target, length)).map_err(CombineError::Write)?;
    }
    writer.finish(&lockstep.commitment()?).map_err(CombineError::Write)
}

/// Does the same as [`Refresh`] for shares in memory. [`Refresh`] says when the old shares may be
/// destroyed.
///
/// # Errors
/// The errors of [`Refresh`].
pub fn refresh(shares: &[Share]) -> Result<Vec<Share>, CombineError> {
    let refresh = Refresh::new(shares.iter().map(Share::reader).collect())?;
    let outputs = shares.iter().map(|share| WipedVec::with_capacity(share.as_bytes().len())).collect();
    Ok(refresh.write_to(outputs)?.into_iter().map(Share::from_written).collect())
}

/// Does the same as [`reissue_to`] for shares in memory.
///
/// # Errors
/// The errors of [`reissue_to`].
pub fn reissue(shares: &[Share], index: u16) -> Result<Share, CombineError> {
    let length = shares.first().map_or(0, |share| share.as_bytes().len());
    let readers = shares.iter().map(Share::reader).collect();
    reissue_to(readers, index, WipedVec::with_capacity(length)).map(Share::from_written)
}

fn check<R>(readers: &[ShareReader<R>]) -> Result<(), CombineError> {
    check_headers(readers)?;
    if readers[0].header().field() != Field::Bytes {
        return Err(ParameterError::NotBytes.into());
    }
    let all: Vec<usize> = (0..readers.len()).collect();
    enough(readers, &all, &mut Vec::new())
}

impl<R> fmt::Debug for Refresh<R> {
    /// Shows the new set and the headers of the old shares.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Refresh").field("set", &self.set).field("readers", &self.readers).finish()
    }
}
