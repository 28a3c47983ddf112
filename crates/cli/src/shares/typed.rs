//! Shares that the user types at the terminal, one on each line. Each is checked at once.

use std::collections::{BTreeMap, BTreeSet};
use std::io;

use sealane_shares::{Field, Header};

use super::open::{NamedWords, Shares};
use crate::error::{Error, Result, describe};
use crate::os::tty::{self, Secrets};

/// The answer that drops the shares before it.
const BEGIN_AGAIN: &str = "new";

/// Asks for shares until there are enough of them, or the user gives an empty line.
pub(crate) fn ask() -> Result<Shares> {
    let mut terminal = Secrets::open(true).map_err(|error| {
        Error::usage(format!("no share given, and there is no terminal: {}", describe(&error)))
            .hint("name the files with the shares, or give - for standard input")
    })?;
    let mut shares = Shares::default();
    loop {
        let question = format!("Share {} (not shown; an empty line ends)", shares.own.len() + shares.words.len() + 1);
        let added = match terminal.ask(&question) {
            Ok(line) if line.trim().is_empty() => return ended(shares),
            Ok(line) if line.trim() == BEGIN_AGAIN => {
                shares = Shares::default();
                say("the shares before are dropped")?;
                continue;
            }
            Ok(line) => shares.add_typed(&line).and_then(|()| check_last(&mut shares)),
            Err(error) => match error.kind() {
                io::ErrorKind::UnexpectedEof => return ended(shares),
                io::ErrorKind::Interrupted => return Err(Error::interrupted()),
                io::ErrorKind::InvalidData => Err(Error::new(describe(&error))),
                _ => return Err(Error::io("cannot read from the terminal", &error)),
            },
        };
        match added {
            Ok(0) => {
                say("these shares are enough")?;
                return Ok(shares);
            }
            Ok(missing) => say(&format!("this share is intact; {missing} more needed"))?,
            Err(error) => {
                let is_first = shares.own.is_empty() && shares.words.is_empty();
                let again = if is_first { "" } else { ", or type \"new\" to drop the shares before it" };
                say(&format!("{error}; type it again, or type another share{again}"))?;
            }
        }
    }
}

/// Returns the shares after the user has ended the input, or an error if there are none.
fn ended(shares: Shares) -> Result<Shares> {
    if shares.own.is_empty() && shares.words.is_empty() {
        return Err(
            Error::new("no share was typed").hint("name the files with the shares, or type one share on each line")
        );
    }
    Ok(shares)
}

/// Shows a line at the terminal.
fn say(line: &str) -> Result<()> {
    tty::show(line).map_err(|error| Error::io("cannot write to the terminal", &error))
}

/// Compares the last typed share with the others, and drops it if it does not fit. Returns the
/// number of missing shares.
fn check_last(shares: &mut Shares) -> Result<usize> {
    let fault = match (shares.own.as_slice(), shares.words.as_slice()) {
        ([.., own], [.., words]) => {
            let last_is_own = own.place.file > words.place.file;
            let fault = "it is of a different kind from the shares before it";
            if last_is_own {
                shares.own.pop().map(drop)
            } else {
                shares.words.pop().map(drop)
            };
            return Err(Error::new(fault));
        }
        ([first, .., last], []) if first.header.set() != last.header.set() => Some(format!(
            "it is of set {}, but the shares before it are of set {}",
            last.header.set().short(),
            first.header.set().short()
        )),
        ([first, .., last], []) if parameters(&first.header) != parameters(&last.header) => Some(format!(
            "it says that any {} of {} shares are needed, but the first share says any {} of {}: one of them was changed",
            last.header.threshold(),
            last.header.count(),
            first.header.threshold(),
            first.header.count()
        )),
        ([before @ .., last], []) if before.iter().any(|share| share.header.index() == last.header.index()) => {
            Some(format!("share {} was typed before", last.header.index()))
        }
        ([], [first, .., last]) if first.mnemonic.identifier() != last.mnemonic.identifier() => {
            Some("it is of a different set from the shares before it".to_owned())
        }
        ([], [before @ .., last]) if before.iter().any(|words| member(words) == member(last)) => {
            Some("these words were typed before".to_owned())
        }
        _ => None,
    };
    if let Some(fault) = fault {
        if shares.own.is_empty() {
            shares.words.pop().map(drop)
        } else {
            shares.own.pop().map(drop)
        };
        return Err(Error::new(fault));
    }
    Ok(missing(shares))
}

/// Returns what all headers of a set have in common.
fn parameters(header: &Header) -> (u16, u16, Field) {
    (header.threshold(), header.count(), header.field())
}

/// Returns the group of a mnemonic, and its index there.
fn member(words: &NamedWords) -> (u8, u8) {
    (words.mnemonic.group_index(), words.mnemonic.index())
}

/// Returns the number of shares that are still missing.
fn missing(shares: &Shares) -> usize {
    if let Some(first) = shares.own.first() {
        return usize::from(first.header.threshold()).saturating_sub(shares.own.len());
    }
    let Some(first) = shares.words.first() else { return 1 };
    let mut groups = BTreeMap::<_, (usize, BTreeSet<_>)>::new();
    for words in &shares.words {
        let (group, index) = member(words);
        let needed = usize::from(words.mnemonic.threshold());
        groups.entry(group).or_insert_with(|| (needed, BTreeSet::new())).1.insert(index);
    }
    // Groups without typed shares need at least one member. The groups that miss the fewest members
    // are counted.
    let mut open: Vec<_> = groups.values().map(|(needed, members)| needed.saturating_sub(members.len())).collect();
    open.resize(usize::from(first.mnemonic.group_count()).max(open.len()), 1);
    open.sort_unstable();
    open.iter().take(usize::from(first.mnemonic.group_threshold())).sum()
}
