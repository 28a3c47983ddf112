//! Shares as words: [SLIP-39](https://github.com/satoshilabs/slips/blob/master/slip-0039.md), which
//! hardware wallets use.
//!
//! A secret is encrypted under a passphrase, which may be empty, and shared among groups. Each
//! group's share is shared among its members. Each member has a mnemonic: 20 words for a secret of
//! 16 bytes, 33 for 32 bytes. A digest of four bytes is shared with the secret, so that a wrong
//! mnemonic is noticed. A wrong passphrase is not noticed: it gives another secret. With one
//! mnemonic fewer than needed, the digest shows whether a guess at the secret and the passphrase is
//! right. So split only keys, or use a passphrase that is hard to guess.
//!
//! ```
//! use sealane_shares::slip39::{self, Mnemonic};
//!
//! let mnemonics = slip39::split(&[0x42; 32], b"", 2, 3)?;
//! let words = mnemonics[2].to_words();
//! assert_eq!(words.split(' ').count(), 33);
//!
//! let secret = slip39::combine(&[Mnemonic::parse(&words)?, mnemonics[0].clone()], b"")?.secret;
//! assert_eq!(secret[..], [0x42; 32]);
//! # Ok::<(), sealane_shares::slip39::Slip39Error>(())
//! ```
//!
//! Groups: two members of a family of three, or two of five friends and the lawyer.
//!
//! ```
//! use sealane_shares::slip39::{self, Group, Options, Recovered};
//!
//! let groups = [Group::new(2, 3), Group::new(2, 5), Group::new(1, 1)];
//! let options = Options::default().with_iteration_exponent(0);
//! let [family, friends, lawyer] = &slip39::split_groups(&[0x42; 16], b"", 1, &groups, options)?[..] else { panic!() };
//! let Recovered { secret, bad, .. } = slip39::combine(&family[1..], b"")?;
//! assert_eq!((&secret[..], bad.len()), (&[0x42; 16][..], 0));
//! assert_eq!(slip39::combine(&friends[..2], b"")?.secret, secret);
//! assert_eq!(slip39::combine(lawyer, b"")?.secret, secret);
//! # Ok::<(), sealane_shares::slip39::Slip39Error>(())
//! ```

mod cipher;
mod error;
mod mnemonic;
mod sharing;
mod words;

use std::collections::BTreeSet;
use std::fmt;

use zeroize::Zeroizing;

use self::cipher::Parameters;
pub use self::error::Slip39Error;
pub use self::mnemonic::Mnemonic;
use self::sharing::Failure;
use crate::random;

/// The largest number of groups, and of members of a group.
pub const MAX_COUNT: usize = 16;

/// The largest iteration exponent that [`combine`] accepts: 640,000 iterations, which take less
/// than a second on a CPU with SHA instructions and a few seconds on others. Wallets use 0 or 1.
pub const MAX_ITERATION_EXPONENT: u8 = 6;

/// Returns whether `text` is a word of the list, or at least the first four letters of one, in
/// upper or lower case.
#[must_use]
pub fn is_word(text: &str) -> bool {
    words::index(text).is_some()
}

/// A group of members.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Group {
    /// The number of members that are needed.
    pub threshold: usize,
    /// The number of members.
    pub count: usize,
}

impl Group {
    /// Returns a group of `count` members, `threshold` of whom are needed.
    #[must_use]
    pub fn new(threshold: usize, count: usize) -> Self {
        Self { threshold, count }
    }
}

/// Options of the encryption. Begin with [`Options::default`]: extendable, with the exponent 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Options {
    /// Whether the encryption is independent of the identifier. If it is, a secret can be split
    /// again and each passphrase still gives the same secret as before. New wallets set it.
    pub extendable: bool,
    /// The iteration exponent e, at most 15: PBKDF2 runs for 10,000 times 2^e iterations in total.
    pub iteration_exponent: u8,
}

impl Options {
    /// Sets whether the encryption is independent of the identifier.
    #[must_use]
    pub fn with_extendable(mut self, extendable: bool) -> Self {
        self.extendable = extendable;
        self
    }

    /// Sets the iteration exponent.
    #[must_use]
    pub fn with_iteration_exponent(mut self, exponent: u8) -> Self {
        self.iteration_exponent = exponent;
        self
    }
}

impl Default for Options {
    fn default() -> Self {
        Self { extendable: true, iteration_exponent: 1 }
    }
}

/// A recovered secret.
#[non_exhaustive]
pub struct Recovered {
    /// The secret. A wrong passphrase gives another one.
    pub secret: Zeroizing<Vec<u8>>,
    /// The positions, in the list of mnemonics, of those that contradict the others, and of their
    /// repetitions. They were left out.
    pub bad: Vec<usize>,
}

impl fmt::Debug for Recovered {
    /// Shows everything but the secret.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Recovered").field("bad", &self.bad).finish_non_exhaustive()
    }
}

/// Splits a secret among `count` members of one group. Any `threshold` of them restore it.
///
/// # Errors
/// If the secret has fewer than 16 bytes, more than 1,024 or an odd number of them, the threshold
/// and the count are impossible, the passphrase is not printable ASCII, or the system's generator
/// fails.
pub fn split(secret: &[u8], passphrase: &[u8], threshold: usize, count: usize) -> Result<Vec<Mnemonic>, Slip39Error> {
    let groups = split_groups(secret, passphrase, 1, &[Group { threshold, count }], Options::default())?;
    Ok(groups.into_iter().flatten().collect())
}

/// Splits a secret among groups. Any `group_threshold` of them restore it. Returns the mnemonics of
/// each group.
///
/// # Errors
/// The errors of [`split`], for each group and for the groups themselves. Also if the iteration
/// exponent is above 15.
pub fn split_groups(
    secret: &[u8],
    passphrase: &[u8],
    group_threshold: usize,
    groups: &[Group],
    options: Options,
) -> Result<Vec<Vec<Mnemonic>>, Slip39Error> {
    if secret.len() < 16 || !secret.len().is_multiple_of(2) || secret.len() > 1024 {
        return Err(Slip39Error::SecretBytes(secret.len()));
    }
    check_passphrase(passphrase)?;
    if options.iteration_exponent > 15 {
        return Err(Slip39Error::IterationExponent);
    }
    if group_threshold == 0 || group_threshold > groups.len() || groups.len() > MAX_COUNT {
        return Err(Slip39Error::GroupCounts { threshold: group_threshold, count: groups.len() });
    }
    for &Group { threshold, count } in groups {
        let possible = (2..=count).contains(&threshold) || (threshold == 1 && count == 1);
        if !possible || count > MAX_COUNT {
            return Err(Slip39Error::Counts { threshold, count });
        }
    }
    let mut identifier = [0; 2];
    random::fill(&mut identifier)?;
    let parameters = Parameters {
        identifier: u16::from_be_bytes(identifier) >> 1,
        extendable: options.extendable,
        iteration_exponent: options.iteration_exponent,
    };
    let mut encrypted = Zeroizing::new(secret.to_vec());
    cipher::encrypt(&mut encrypted, passphrase, parameters);
    let group_values = sharing::split(&encrypted, group_threshold, groups.len())?;
    let group = |(group_index, (group, value)): (u8, (&Group, Zeroizing<Vec<u8>>))| {
        let member = |(index, value)| Mnemonic {
            parameters,
            group_index,
            group_threshold: group_threshold as u8,
            group_count: groups.len() as u8,
            index,
            threshold: group.threshold as u8,
            value,
        };
        Ok((0u8..).zip(sharing::split(&value, group.threshold, group.count)?).map(member).collect())
    };
    (0u8..).zip(groups.iter().zip(group_values)).map(group).collect()
}

/// Combines mnemonics of one secret.
///
/// Mnemonics beyond the thresholds are checked against the others. Wrong ones are left out and
/// listed in [`Recovered::bad`] if there are enough right ones, unless these give another secret
/// with the wrong ones. If a group does not fit its digest and there are enough other groups, all
/// its members are left out and listed. Repetitions of right mnemonics are ignored, and so are
/// groups with too few members if there are enough others.
///
/// A digest is shared only among groups or members of which at least two are needed. If one group
/// is enough, groups that contradict each other are therefore an error, and so is a group that does
/// not fit its digest. A single mnemonic that states to be such a group, and to be enough alone,
/// cannot be checked against anything.
///
/// How long this takes depends on the iteration exponent in the mnemonics. An exponent above
/// [`MAX_ITERATION_EXPONENT`] is an error; [`combine_with_limit`] can accept it.
///
/// # Errors
/// If the mnemonics do not belong together, are too few, or do not fit their digests, the iteration
/// exponent is too large, or the passphrase is not printable ASCII: see [`Slip39Error`].
pub fn combine(mnemonics: &[Mnemonic], passphrase: &[u8]) -> Result<Recovered, Slip39Error> {
    combine_with_limit(mnemonics, passphrase, MAX_ITERATION_EXPONENT)
}

/// Does the same as [`combine`], but accepts iteration exponents up to `max_iteration_exponent`. No
/// mnemonic has an exponent above 15.
///
/// # Errors
/// The errors of [`combine`].
pub fn combine_with_limit(
    mnemonics: &[Mnemonic],
    passphrase: &[u8],
    max_iteration_exponent: u8,
) -> Result<Recovered, Slip39Error> {
    check_passphrase(passphrase)?;
    let first = mnemonics.first().ok_or(Slip39Error::NoMnemonics)?;
    let exponent = first.parameters.iteration_exponent;
    if exponent > max_iteration_exponent {
        return Err(Slip39Error::TooExpensive { exponent, max: max_iteration_exponent });
    }
    // The members of each group, without repetitions.
    let mut groups: Vec<Vec<usize>> = vec![Vec::new(); MAX_COUNT];
    for (at, mnemonic) in mnemonics.iter().enumerate() {
        if mnemonic.common() != first.common() {
            return Err(Slip39Error::DifferentSets { positions: [0, at] });
        }
        let group = &mut groups[usize::from(mnemonic.group_index)];
        if let Some(&other) = group.first()
            && mnemonics[other].threshold != mnemonic.threshold
        {
            return Err(Slip39Error::DifferentSets { positions: [other, at] });
        }
        match group.iter().find(|&&other| mnemonics[other].index == mnemonic.index) {
            None => group.push(at),
            Some(&other) if sharing::equal(&mnemonics[other].value, &mnemonic.value) => {}
            Some(&other) => return Err(Slip39Error::Conflict { positions: [other, at] }),
        }
    }
    let mut bad = Vec::new();
    let mut wrong_digest = false;
    let mut group_values = Vec::new();
    for (index, members) in (0u8..).zip(&groups) {
        let Some(&one) = members.first() else { continue };
        let threshold = usize::from(mnemonics[one].threshold);
        if members.len() < threshold {
            if first.group_count == 1 {
                return Err(Slip39Error::TooFew { needed: mnemonics[one].threshold, usable: members.len() });
            }
            continue;
        }
        let shares: Vec<(u8, &[u8])> =
            members.iter().map(|&at| (mnemonics[at].index, &mnemonics[at].value[..])).collect();
        match sharing::combine(&shares, threshold) {
            Ok((value, wrong)) => {
                bad.extend(wrong.into_iter().map(|at| members[at]));
                group_values.push((index, value));
            }
            Err(Failure::TwoValues(two)) => {
                return Err(Slip39Error::TwoSecrets { positions: two.map(|at| members[at]) });
            }
            Err(Failure::Digest) => {
                bad.extend(members);
                wrong_digest = true;
            }
        }
    }
    // If one group is enough, no digest shows that the other groups are right.
    if wrong_digest && (first.group_threshold == 1 || group_values.len() < usize::from(first.group_threshold)) {
        return Err(Slip39Error::Digest);
    }
    if group_values.len() < usize::from(first.group_threshold) {
        let complete = group_values.len() as u8;
        return Err(Slip39Error::TooFewGroups { needed: first.group_threshold, complete });
    }
    let shares: Vec<(u8, &[u8])> = group_values.iter().map(|(index, value)| (*index, &value[..])).collect();
    let members = |at: usize| &groups[usize::from(group_values[at].0)];
    let combined = sharing::combine(&shares, first.group_threshold.into());
    let (mut secret, wrong) = combined.map_err(|failure| match failure {
        Failure::Digest => Slip39Error::Digest,
        Failure::TwoValues(two) => Slip39Error::TwoSecrets { positions: two.map(|at| members(at)[0]) },
    })?;
    bad.extend(wrong.into_iter().flat_map(|at| members(at).iter().copied()));
    // A repetition of a wrong mnemonic is wrong too.
    let member = |at: usize| (mnemonics[at].group_index, mnemonics[at].index);
    let wrong: BTreeSet<(u8, u8)> = bad.into_iter().map(member).collect();
    let bad = (0..mnemonics.len()).filter(|&at| wrong.contains(&member(at))).collect();
    cipher::decrypt(&mut secret, passphrase, first.parameters);
    Ok(Recovered { secret, bad })
}

fn check_passphrase(passphrase: &[u8]) -> Result<(), Slip39Error> {
    if passphrase.iter().all(|byte| (32..=126).contains(byte)) { Ok(()) } else { Err(Slip39Error::Passphrase) }
}
