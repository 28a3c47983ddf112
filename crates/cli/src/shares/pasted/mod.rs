//! Finds shares in text that a person typed, wrapped, quoted or copied from a mail.
//!
//! A share in text form may be broken into lines and groups anywhere. Words may be one per line,
//! numbered, or on several lines. Nothing marks the end of a share: it ends where its checksum is
//! right.

mod clean;
mod line;
mod notes;
mod words;

use sealane_shares::slip39::{Mnemonic, Slip39Error};
use sealane_shares::{Share, ShareError};
use zeroize::Zeroizing;

pub(crate) use clean::clean;
use notes::comment;
pub(crate) use notes::{Notes, PASSPHRASE_NOTE, PUBLIC_KEY_NOTE};

/// The contents of a text. Lines are counted from 1.
#[derive(Default)]
pub(crate) struct Found {
    /// Shares in Sealane's own format, with their first lines.
    pub(crate) shares: Vec<(usize, Result<Share, ShareError>)>,
    /// Shares in words, with their first lines.
    pub(crate) words: Vec<(usize, Result<Mnemonic, Slip39Error>)>,
    /// Lines that are neither shares nor comments.
    pub(crate) other: Vec<usize>,
    pub(crate) notes: Notes,
}

impl Found {
    /// Returns whether the text has several shares or other lines, so that messages need the line.
    pub(crate) fn is_several(&self) -> bool {
        self.shares.len() + self.words.len() + self.other.len() > 1
    }
}

/// Finds the shares in `text`.
pub(crate) fn find(text: &str) -> Found {
    let text = clean(text);
    let mut found = Found::default();
    let lines: Vec<&str> = text.lines().collect();
    for comment in lines.iter().filter_map(|line| comment(line)) {
        found.notes.add(comment);
    }
    let shares = line::find(&lines);
    let is_comment = |line: &&str| comment(line).is_some();
    let rest = |line| if is_comment(line) { words::Line::Break } else { words::Line::Text(line) };
    let mut rest: Vec<_> = lines.iter().map(rest).collect();
    for share in &shares {
        rest[share.lines.clone()].fill(words::Line::Break);
    }
    found.shares = shares.into_iter().map(|share| (share.lines.start() + 1, share.result)).collect();
    let (mnemonics, other) = words::find(&rest);
    found.words = mnemonics.into_iter().map(|(at, text)| (at + 1, Mnemonic::parse(&text))).collect();
    found.other = other.into_iter().map(|at| at + 1).collect();
    found
}

/// The length at which a share of another program is no longer continued. The longest shares of
/// `ssss` have about 400 characters.
const MAX_JOINED: usize = 4096;

/// Finds shares of other programs, one per line, with line numbers from 1. Spaces in them are
/// removed. With `ssss`, a line of only hexadecimal digits continues the line before: shares of
/// `ssss` are long, and each has a hyphen. Their tokens may begin with `#`, as comments do.
pub(crate) fn plain_lines(text: &str, ssss: bool) -> Vec<(usize, Zeroizing<String>)> {
    let text = clean(text);
    let mut lines: Vec<(usize, Zeroizing<String>)> = Vec::new();
    for (at, line) in text.lines().enumerate().filter(|(_, line)| comment(line).is_none() || ssss && is_ssss(line)) {
        let characters = || line.chars().filter(|c| !c.is_whitespace());
        match lines.last_mut() {
            _ if characters().next().is_none() => {}
            Some((_, last)) if ssss && last.len() < MAX_JOINED && characters().all(|c| c.is_ascii_hexdigit()) => {
                let mut longer = Zeroizing::new(String::with_capacity(last.len() + line.len()));
                longer.push_str(last);
                longer.extend(characters());
                *last = longer;
            }
            _ => {
                let mut text = Zeroizing::new(String::with_capacity(line.len()));
                text.extend(characters());
                lines.push((at + 1, text));
            }
        }
    }
    lines
}

/// Returns whether a line is a share of `ssss`, or the beginning of one: `[token-]index-value`.
/// There is no white space before the value.
fn is_ssss(line: &str) -> bool {
    let Some((head, value)) = line.trim().rsplit_once('-') else { return false };
    let index = head.rsplit_once('-').map_or(head, |(_, index)| index);
    let is_digits = !index.is_empty() && index.bytes().all(|byte| byte.is_ascii_digit());
    is_digits && !head.contains(' ') && value.chars().all(|c| c == ' ' || c.is_ascii_hexdigit())
}

#[cfg(test)]
mod tests;
