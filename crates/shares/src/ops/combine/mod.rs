//! Combines shares.

mod budget;
mod decode;
mod evidence;
mod pass;
mod report;
mod restart;
mod search;

use std::io::{Read, Seek, Write};

use self::pass::Pass;
pub use self::report::{Recovered, Report};
pub use self::restart::Restart;
use super::error::{BadShare, CombineError, Fault};
use super::positions::{check_headers, enough, has_enough_sources};
use crate::format::{Share, ShareReader, WipedVec};

/// Combines shares that are in memory.
///
/// Shares beyond the threshold are checked against the others. A bad share is left out and named in
/// the report if there are enough others. Repeated shares are ignored.
///
/// Each share counts as the share of another holder. Take one from each holder: a person who gives
/// as many as the threshold can choose the secret.
///
/// For n shares with a threshold of k, the time grows with n·k as long as no share is forged. If
/// shares of an element are forged, the time grows with n², up to a limit: with too many shares,
/// the result may be [`CombineError::GaveUp`].
///
/// # Errors
/// If the shares are of more than one set, or do not give an authentic secret: see
/// [`CombineError`].
pub fn combine(shares: &[Share]) -> Result<Recovered, CombineError> {
    let readers = shares.iter().map(Share::reader).collect();
    let length = shares.iter().map(|share| share.payload().len()).max().unwrap_or(0);
    let mut output = WipedVec::with_capacity(length);
    let report = combine_seek(readers, &mut output)?;
    Ok(Recovered { secret: output.0, report })
}

/// Combines shares that can be read only once, such as pipes, and writes the secret to `output`.
///
/// **What was written is authentic only if this returns `Ok`.** Write to a temporary file first.
/// Memory does not grow with the shares.
///
/// # Errors
/// If the shares are of more than one set, one is bad, or they do not give an authentic secret: see
/// [`CombineError`]. A share that is damaged, or that enough others contradict, is named but not
/// left out: combine the others again.
pub fn combine_to<R: Read, W: Write>(mut readers: Vec<ShareReader<R>>, mut output: W) -> Result<Report, CombineError> {
    check_headers(&readers)?;
    let all: Vec<usize> = (0..readers.len()).collect();
    enough(&readers, &all, &mut Vec::new())?;
    let outcome = Pass::over(&all, &all).run(&mut readers, &mut output)?;
    if outcome.is_authentic() {
        return Ok(outcome.into_report(&readers, Vec::new()));
    }
    Err(search::explain(&readers, &all, outcome))
}

/// Combines shares that can be read again, such as files, and writes the secret to `output`.
///
/// **What was written is authentic only if this returns `Ok`.** Write to a temporary file first.
/// Memory does not grow with the shares. Usually each share is read once. If some are bad, the
/// others are read again and the output is [started over](Restart). Shares must not change between
/// readings. Any error starts the output over too, so that nothing is left in it, nor what was in
/// it before.
///
/// # Errors
/// If the shares are of more than one set, or do not give an authentic secret: see
/// [`CombineError`].
pub fn combine_seek<R: Read + Seek, W: Write + Restart>(
    mut readers: Vec<ShareReader<R>>,
    mut output: W,
) -> Result<Report, CombineError> {
    let result = combine_rereading(&mut readers, &mut output);
    if result.is_err() {
        // It is not authentic. The first error is the one to report.
        let _ = output.restart();
    }
    result
}

/// Combines shares, and reads them again without the bad ones if there are any.
fn combine_rereading<R: Read + Seek, W: Write + Restart>(
    readers: &mut [ShareReader<R>],
    output: &mut W,
) -> Result<Report, CombineError> {
    check_headers(readers)?;
    let mut remaining: Vec<usize> = (0..readers.len()).collect();
    let mut bad = Vec::new();
    loop {
        enough(readers, &remaining, &mut bad)?;
        let mut outcome = Pass::over(&remaining, &remaining).run(readers, output)?;
        if outcome.is_authentic() {
            bad.sort_by_key(|share| share.position);
            if !has_enough_sources(readers, &remaining, &bad) {
                return Err(CombineError::FewSources { positions: remaining, bad });
            }
            return Ok(outcome.into_report(readers, bad));
        }
        let damaged = std::mem::take(&mut outcome.faults);
        if damaged.is_empty() {
            return search::search(readers, &remaining, outcome, bad, output);
        }
        remaining.retain(|&position| damaged.iter().all(|share| share.position != position));
        bad.extend(damaged);
        rewind_readers(readers, &mut remaining, &mut bad);
        output.restart().map_err(CombineError::Write)?;
    }
}

/// Rewinds the readers. A share that cannot be rewound becomes bad.
fn rewind_readers<R: Read + Seek>(readers: &mut [ShareReader<R>], remaining: &mut Vec<usize>, bad: &mut Vec<BadShare>) {
    remaining.retain(|&position| match readers[position].rewind() {
        Ok(()) => true,
        Err(error) => {
            bad.push(BadShare { position, fault: Fault::Share(error) });
            false
        }
    });
}
