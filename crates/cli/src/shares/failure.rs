//! What is wrong with shares, in the words of the command.

use std::io;

use sealane_shares::{BadShare, CombineError, Fault, ParameterError, ShareError, SplitError};

use crate::error::{Error, describe, warn};

const AGAIN: &str = "get the share again from whoever keeps it, or combine others";

/// One share cannot be read; `name` is quoted.
pub(crate) fn share_error(error: &ShareError, name: &str) -> Error {
    let what = match error {
        ShareError::Io(error) => return Error::new(format!("cannot read {name}: {}", describe(error))),
        error => Error::new(format!("{name}: {error}")),
    };
    match error {
        ShareError::Version(_) => what.hint("a newer version of this program made it"),
        ShareError::Text(_) => {
            what.hint("compare it with the original; it is one line, and no letter of it may differ")
        }
        _ => what.hint(AGAIN),
    }
}

/// A secret cannot be split.
pub(crate) fn split_error(error: SplitError) -> Error {
    match error {
        SplitError::Parameter(error) => parameter_error(&error),
        SplitError::Io(error) => Error::from_io("cannot write a share", error),
        error => Error::new(error.to_string()),
    }
}

pub(super) fn parameter_error(error: &ParameterError) -> Error {
    Error::usage(error.to_string())
        .hint("-k says how many shares are needed, -n how many are made: 2 to 255, -k up to -n")
}

/// Shares do not give a secret. `names` are those of the shares, in their order.
pub(crate) fn combine_error(error: CombineError, names: &[String]) -> Error {
    let pair = |positions: [usize; 2]| format!("{} and {}", names[positions[0]], names[positions[1]]);
    match error {
        CombineError::DifferentSets { positions, sets } => Error::new(format!(
            "{} are shares of different secrets, or of different splittings of one: sets {} and {}",
            pair(positions),
            sets[0].short(),
            sets[1].short()
        ))
        .hint("give shares of one set; `sealane share inspect` shows which is of which"),
        CombineError::DifferentParameters { positions } => Error::new(format!("{}: {error}", pair(positions)))
            .hint("one of them was changed; `sealane share inspect` shows what each says"),
        CombineError::TooFew { ref bad, needed, usable } => {
            warn_of_bad(bad, names);
            let missing = needed - usable;
            let noun = if missing == 1 { "share is" } else { "shares are" };
            Error::new(error.to_string()).hint(format!("{missing} more {noun} needed; nothing was written"))
        }
        CombineError::Bad(ref bad) => {
            warn_of_bad(bad, names);
            Error::new(error.to_string()).hint("leave it out, if there are enough others")
        }
        CombineError::Conflict { positions } => Error::new(format!("{}: {error}", pair(positions)))
            .hint("one of them is damaged or forged: give only the one that you trust, or more of the others"),
        CombineError::Repeated { positions } => {
            Error::new(format!("{}: {error}", pair(positions))).hint("give each share once")
        }
        CombineError::Inconsistent | CombineError::NotAuthentic => {
            Error::new(error.to_string()).hint("nothing was written; with more shares the bad one can be named")
        }
        CombineError::GaveUp => {
            Error::new(error.to_string()).hint("nothing was written; give fewer shares: those that you trust")
        }
        CombineError::Parameter(ref parameter) => Error::usage(parameter.to_string()),
        CombineError::Write(error) => Error::from_io("cannot write", error),
        error => Error::new(error.to_string()),
    }
}

/// Names the shares that were left out.
pub(crate) fn warn_of_bad(bad: &[BadShare], names: &[String]) {
    for BadShare { position, fault } in bad {
        let name = &names[*position];
        match fault {
            Fault::Share(ShareError::Io(error)) => {
                warn(format!("left out: {name} cannot be read: {}", describe(error)))
            }
            fault => warn(format!("left out: {name}: {fault}")),
        }
    }
}

/// Says that shares without any to spare cannot contradict each other: `given` of them, `needed` to restore the secret.
pub(crate) fn warn_of_unchecked(given: usize, needed: u16) {
    if given == usize::from(needed) {
        warn("these were as many shares as are needed, and no more: whether one of them was forged could not be seen");
    }
}

/// Reading a share failed.
pub(crate) fn read_error(error: io::Error, name: &str) -> Error {
    match ShareError::of(&error) {
        Some(error) => share_error(error, name),
        None => Error::from_io(format!("cannot read {name}"), error),
    }
}
