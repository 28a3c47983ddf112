//! Combining shares: what is common to shares of one set, and the ways in.

mod decode;
mod evidence;
mod interpolate;
mod one_set;
mod pass;
mod search;

use std::collections::HashSet;
use std::fs::File;
use std::io::{self, Read, Seek, Write};

use zeroize::Zeroizing;

use crate::error::{BadShare, CombineError, Fault};
use crate::reader::ShareReader;
use crate::share::Share;
use crate::wiped::WipedVec;

pub(crate) use interpolate::{Interpolation, element_field};
pub(crate) use one_set::check_headers;
use pass::Pass;
pub(crate) use pass::read_full;
pub(crate) use search::next_combination;

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

/// Combines shares in memory.
///
/// Shares beyond the threshold are checked against the others. A bad share is left out and named in the report if there are
/// enough without it. Shares that are there twice are ignored.
///
/// # Errors
/// If the shares are of more than one set, or do not give a secret that is authentic: see [`CombineError`].
pub fn combine(shares: &[Share]) -> Result<Recovered, CombineError> {
    let readers = shares.iter().map(Share::reader).collect();
    let length = shares.iter().map(|share| share.payload().len()).max().unwrap_or(0);
    let mut output = WipedVec::with_capacity(length);
    let report = combine_seek(readers, &mut output)?;
    Ok(Recovered { secret: output.0, report })
}

/// Combines shares that can be read only once (pipes), and writes the secret to `output`.
///
/// **What was written is authentic only when this returns `Ok`.** Write to a temporary file, and make it the result then.
/// Memory does not grow with the shares.
///
/// # Errors
/// If the shares are of more than one set, one is bad, or they do not give a secret that is authentic: see [`CombineError`].
/// A share is named if it is damaged, or if enough others contradict it; it is not left out: combine the others again.
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

/// An output that can be started over.
pub trait Restart {
    /// Forgets what was written.
    ///
    /// # Errors
    /// If that fails.
    fn restart(&mut self) -> io::Result<()>;
}

impl Restart for File {
    fn restart(&mut self) -> io::Result<()> {
        self.set_len(0)?;
        self.rewind()
    }
}

impl Restart for &File {
    fn restart(&mut self) -> io::Result<()> {
        self.set_len(0)?;
        self.rewind()
    }
}

impl Restart for Vec<u8> {
    fn restart(&mut self) -> io::Result<()> {
        zeroize::Zeroize::zeroize(self);
        Ok(())
    }
}

impl Restart for WipedVec {
    fn restart(&mut self) -> io::Result<()> {
        self.0.restart()
    }
}

impl<T: Restart + ?Sized> Restart for &mut T {
    fn restart(&mut self) -> io::Result<()> {
        (**self).restart()
    }
}

/// Combines shares that can be read again (files), and writes the secret to `output`.
///
/// **What was written is authentic only when this returns `Ok`.** Write to a temporary file, and make it the result then.
/// Memory does not grow with the shares. Usually each share is read once; when some are bad, the others are read again, and
/// the output is started over. A share that was read before must not change meanwhile.
///
/// # Errors
/// If the shares are of more than one set, or do not give a secret that is authentic: see [`CombineError`].
pub fn combine_seek<R: Read + Seek, W: Write + Restart>(
    mut readers: Vec<ShareReader<R>>,
    mut output: W,
) -> Result<Report, CombineError> {
    check_headers(&readers)?;
    let mut alive: Vec<usize> = (0..readers.len()).collect();
    let mut bad = Vec::new();
    loop {
        enough(&readers, &alive, &mut bad)?;
        let mut outcome = Pass::over(&alive, &alive).run(&mut readers, &mut output)?;
        if outcome.is_authentic() {
            bad.sort_by_key(|share| share.position);
            return Ok(outcome.into_report(&readers, bad));
        }
        let damaged = std::mem::take(&mut outcome.faults);
        if damaged.is_empty() {
            return search::search(&mut readers, &alive, outcome, bad, &mut output);
        }
        alive.retain(|&position| damaged.iter().all(|share| share.position != position));
        bad.extend(damaged);
        start_over(&mut readers, &mut alive, &mut bad);
        output.restart().map_err(CombineError::Write)?;
    }
}

/// Rewinds the readers; one that cannot be read again is bad.
fn start_over<R: Read + Seek>(readers: &mut [ShareReader<R>], alive: &mut Vec<usize>, bad: &mut Vec<BadShare>) {
    alive.retain(|&position| match readers[position].rewind() {
        Ok(()) => true,
        Err(error) => {
            bad.push(BadShare { position, fault: Fault::Share(error) });
            false
        }
    });
}

/// That there are as many different shares as the threshold says.
pub(crate) fn enough<R>(
    readers: &[ShareReader<R>],
    alive: &[usize],
    bad: &mut Vec<BadShare>,
) -> Result<(), CombineError> {
    let needed = usize::from(readers[0].header().threshold());
    let usable = distinct_points(readers, alive).len();
    if usable < needed {
        return Err(CombineError::TooFew { needed, usable, bad: std::mem::take(bad) });
    }
    Ok(())
}

/// The first share at each evaluation point.
pub(crate) fn distinct_points<R>(readers: &[ShareReader<R>], positions: &[usize]) -> Vec<usize> {
    let mut points = HashSet::new();
    positions.iter().copied().filter(|&at| points.insert(readers[at].header().point())).collect()
}

/// How many places these shares come from.
pub(crate) fn sources<R>(readers: &[ShareReader<R>], positions: &[usize]) -> usize {
    let shared = positions.iter().filter_map(|&at| readers[at].shared_source());
    let alone = positions.iter().filter(|&&at| readers[at].shared_source().is_none()).count();
    shared.collect::<HashSet<_>>().len() + alone
}

pub(crate) fn same_point<R>(readers: &[ShareReader<R>], a: usize, b: usize) -> bool {
    readers[a].header().point() == readers[b].header().point()
}
