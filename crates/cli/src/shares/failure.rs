//! Explains errors of shares.

use std::collections::BTreeSet;
use std::fmt::Display;
use std::io;

use sealane_shares::{BadShare, CombineError, Fault, ParameterError, ShareError, SplitError, TextError};

use super::place::{Place, Unreadable};
use crate::error::{Error, Result, describe, warn};

const AGAIN: &str = "get the share again from its holder, or combine others";

/// Explains why one share cannot be read.
pub(crate) fn share_error(error: &ShareError, name: &Place) -> Error {
    let explained = match error {
        ShareError::Io(error) => return Error::new(format!("cannot read {name}: {}", describe(error))),
        error => Error::new(format!("{name}: {error}")),
    };
    match error {
        ShareError::Version(_) => explained.hint("a newer version of this program made it"),
        ShareError::Text(TextError::Character { .. }) => explained.hint(
            "after SEALANE-SHARE-1 a share has no letters B, I and O, and no digit 1; compare it with the original",
        ),
        ShareError::Text(_) => explained.hint("compare it with the original: every letter must be the same"),
        _ => explained.hint(AGAIN),
    }
}

/// Explains why a secret cannot be split.
pub(crate) fn split_error(error: SplitError) -> Error {
    match error {
        SplitError::Parameter(error) => parameter_error(&error),
        SplitError::Io(error) => Error::from_io("cannot write a share", error),
        error => Error::new(error.to_string()),
    }
}

pub(super) fn parameter_error(error: &ParameterError) -> Error {
    Error::usage(error.to_string()).hint(
        "-k is the number of shares that are needed, 2 to -n; -n is the number of shares to make, up to 255, or 16 in words",
    )
}

/// Shares that are left out, with one warning for each file.
#[derive(Default)]
pub(crate) struct LeftOut {
    /// For each file: its number, the reason for its first share, and the number of further shares.
    files: Vec<(usize, String, usize)>,
    /// Advice about the inputs that are shares with errors, if there are any.
    advice: Option<String>,
}

impl LeftOut {
    /// Adds a share. `why` names it and the reason.
    pub(crate) fn add(&mut self, place: &Place, why: impl Display) {
        match self.files.iter_mut().find(|(file, ..)| *file == place.file) {
            Some((.., more)) => *more += 1,
            None => self.files.push((place.file, why.to_string(), 0)),
        }
    }

    /// Returns a list of the shares that could not be read.
    pub(crate) fn of(unreadable: &[Unreadable]) -> Self {
        let mut left_out = Self::default();
        unreadable.iter().for_each(|bad| left_out.add(&bad.place, &bad.error));
        let mut shares = unreadable.iter().filter(|bad| bad.is_share);
        left_out.advice = match (shares.next(), shares.next()) {
            (None, _) => None,
            (Some(only), None) => Some(only.error.advice().unwrap_or(AGAIN).to_owned()),
            _ => Some("compare each share that was left out with its original, or get it again".to_owned()),
        };
        left_out
    }

    /// Adds the shares that turned out to be damaged.
    pub(crate) fn add_bad(&mut self, bad: &[BadShare], places: &[Place]) {
        for BadShare { position, fault, .. } in bad {
            let place = &places[*position];
            match fault {
                Fault::Share(ShareError::Io(error)) => {
                    self.add(place, format_args!("{place} cannot be read: {}", describe(error)));
                }
                fault => self.add(place, format_args!("{place}: {fault}")),
            }
        }
    }

    /// Prints the warnings that have not been printed.
    pub(crate) fn say(&mut self) {
        for (_, why, more) in self.files.drain(..) {
            match more {
                0 => warn(format!("left out: {why}")),
                more => warn(format!("left out: {why} (and {more} more of this file)")),
            }
        }
    }
}

/// Explains why shares do not restore a secret. `places` are the places of the shares, in order.
/// Prints the warnings about `left_out` first.
pub(crate) fn combine_error(error: CombineError, places: &[Place], left_out: &mut LeftOut) -> Error {
    let pair = |positions: [usize; 2]| format!("{} and {}", places[positions[0]], places[positions[1]]);
    if let CombineError::TooFew { bad, .. } | CombineError::Bad(bad) | CombineError::FewSources { bad, .. } = &error {
        left_out.add_bad(bad, places);
    }
    left_out.say();
    match error {
        CombineError::DifferentSets { ref sets } => {
            let names = short_names(&sets.iter().map(|set| set.set.to_string()).collect::<Vec<_>>());
            let described = sets.iter().zip(&names).map(|(set, name)| {
                let sources: Vec<_> = set.positions.iter().map(|&at| &places[at]).collect();
                format!("{name} (any {} of {}): {}", set.threshold, set.count, list(&sources))
            });
            several_sets(&described.collect::<Vec<_>>())
        }
        CombineError::DifferentParameters { ref sets } => {
            let described = sets.iter().map(|set| {
                let sources: Vec<_> = set.positions.iter().map(|&at| &places[at]).collect();
                format!("any {} of {}: {}", set.threshold, set.count, list(&sources))
            });
            let described = described.collect::<Vec<_>>().join("; ");
            Error::new(format!("{error}: {described}"))
                .hint("nothing was written; some shares were changed: ask their holders which, and leave those out")
        }
        CombineError::FewSources { ref positions, ref bad } => {
            let sources: Vec<_> = positions.iter().map(|&at| &places[at]).collect();
            let what = if bad.is_empty() { CONTRADICT } else { ENOUGH_ALONE };
            Error::new(format!("{} {what}", list(&sources))).hint(ONE_FILE_HINT)
        }
        CombineError::TwoSecrets { positions } => {
            Error::new(format!("{error}: {} are of different secrets, but claim to be of one set", pair(positions)))
                .hint("nothing was written; ask the holders of the shares which of them were changed")
        }
        CombineError::TooFew { needed, usable, .. } => {
            let missing = needed - usable;
            let noun = if missing == 1 { "share is" } else { "shares are" };
            Error::new(error.to_string()).hint(format!("{missing} more {noun} needed; nothing was written"))
        }
        CombineError::Bad(_) => Error::new(error.to_string()).hint("leave it out, if there are enough others"),
        CombineError::Conflict { positions } => Error::new(format!("{}: {error}", pair(positions)))
            .hint("one of them is damaged or forged: give only the one that you trust, or more of the others"),
        CombineError::Repeated { positions } => {
            Error::new(format!("{}: {error}", pair(positions))).hint("give each share once")
        }
        CombineError::Inconsistent | CombineError::NotAuthentic => {
            // No more shares are asked for than are needed.
            let more = if places.first().is_some_and(Place::is_typed) {
                "give these shares and one more in files"
            } else {
                "give more shares"
            };
            Error::new(error.to_string()).hint(format!("nothing was written; to find the bad share, {more}"))
        }
        CombineError::GaveUp => {
            Error::new(error.to_string()).hint("nothing was written; give fewer shares, and only those that you trust")
        }
        CombineError::NoShares => match left_out.advice.take() {
            Some(advice) => Error::new("none of the shares can be read").hint(advice),
            None => Error::new(error.to_string()).hint("for lines of ssss and keys of Vault, give --ssss or --vault"),
        },
        CombineError::Parameter(ref parameter) => Error::usage(parameter.to_string()),
        CombineError::Write(error) => Error::from_io("cannot write", error),
        error => Error::new(error.to_string()),
    }
}

/// Checks that the shares at `agreeing` come from `needed` files if another share could not be
/// read. That share may be a damaged one of another secret, and one file with many shares must not
/// replace it. Text beside shares that could be read, such as the rest of a mail, does not count.
pub(crate) fn check_beside_unreadable(agreeing: &[&Place], needed: usize, unreadable: &[Unreadable]) -> Result<()> {
    let files: BTreeSet<usize> = agreeing.iter().map(|place| place.file).collect();
    let mut other = unreadable.iter().filter(|bad| !bad.beside && !files.contains(&bad.place.file));
    if files.len() >= needed || other.next().is_none() {
        return Ok(());
    }
    Err(Error::new(format!("{} {ENOUGH_ALONE}", list(agreeing))).hint(ONE_FILE_HINT))
}

/// Describes shares of too few files that agree, and contradict others.
pub(super) const CONTRADICT: &str = "agree with one another, and contradict the other shares";

/// Describes shares of too few files that agree, beside others that cannot be compared with them.
pub(super) const ENOUGH_ALONE: &str =
    "are enough by themselves, and nothing shows that the other shares agree with them";

/// Advice for shares of one file that contradict shares of other files.
pub(super) const ONE_FILE_HINT: &str = "nothing was written: shares from one file never outvote others. Leave out the file that \
    you trust less, or give each share in a file of its own";

/// Explains that the shares belong to several sets, which `sets` describe.
pub(super) fn several_sets(sets: &[String]) -> Error {
    Error::new(format!("the shares are of {} different sets: {}", sets.len(), sets.join("; "))).hint(
        "nothing was written; choose a set with --set ID, and if you do not know it, ask the holders of the shares",
    )
}

/// Returns the first digits of each identifier: eight, or more if they are needed to tell them
/// apart.
fn short_names(sets: &[String]) -> Vec<String> {
    let is_distinct = |length: usize| {
        let mut short: Vec<_> = sets.iter().map(|set| &set[..length]).collect();
        short.sort_unstable();
        short.dedup();
        let mut whole = sets.to_vec();
        whole.sort_unstable();
        whole.dedup();
        short.len() == whole.len()
    };
    let length = [8, 16].into_iter().find(|&length| is_distinct(length)).unwrap_or(32);
    sets.iter().map(|set| set[..length].to_owned()).collect()
}

/// Lists places. If there are many, lists the first ones and the number of the others.
pub(super) fn list(places: &[&Place]) -> String {
    const SHOWN: usize = 4;
    let shown: Vec<_> = places.iter().take(SHOWN).map(ToString::to_string).collect();
    match places.len().saturating_sub(SHOWN) {
        0 => shown.join(", "),
        more => format!("{} and {more} more", shown.join(", ")),
    }
}

/// Warns if forged shares could agree with the intact ones, which then cannot check them.
/// `distinct` is the number of shares without repetitions.
///
/// The differences of the forged shares from the true ones are values of a polynomial of a degree
/// below `needed`, with a zero at each intact share. It is 0 everywhere if at least `needed` shares
/// are intact. As many forgers as `needed` could compute the secret anyway.
pub(crate) fn warn_of_unchecked(distinct: usize, needed: u16) {
    let needed = usize::from(needed);
    match distinct + 1 - needed {
        1 => warn("there were no more shares than needed, so a forged one could not be noticed"),
        forged if forged < needed => warn(format!(
            "{forged} forged shares that agree with each other could not be noticed: with {} shares, they could be",
            2 * needed - 1
        )),
        _ => {}
    }
}

/// Explains an I/O error of reading a share, which may contain a [`ShareError`].
pub(crate) fn read_error(error: io::Error, name: &Place) -> Error {
    match ShareError::of(&error) {
        Some(error) => share_error(error, name),
        None => Error::from_io(format!("cannot read {name}"), error),
    }
}
