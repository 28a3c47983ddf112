//! Finds shares in text form, whole or in pieces.

use std::ops::RangeInclusive;

use sealane_shares::{Share, ShareError, TEXT_PREFIX};
use zeroize::Zeroizing;

use super::notes::comment;

/// The longest share, in characters.
const MAX_CHARACTERS: usize = 4095;
/// The least number of characters after the prefix of a share. With fewer, the prefix is part of an
/// explanation.
const MIN_CHARACTERS: usize = 20;
/// The number of pieces at the end that may be left out, because words at the end of a mail can
/// look like pieces of a share.
const MAX_DROPPED: usize = 16;
/// A piece of this length belongs to the share even if it has a few invalid characters. These are
/// typing errors, which are reported.
const LONG_PIECE: usize = 8;
/// The characters of Bech32.
const DIGITS: &str = "qpzry9x8gf2tvdw0s3jn54khce6mua7l";

/// A share and its lines, counted from 0.
pub(super) struct Line {
    pub(super) lines: RangeInclusive<usize>,
    pub(super) result: Result<Share, ShareError>,
}

/// The characters of a text, each with the number of its line, counted from 0. A comment becomes
/// one NUL.
type Stream = Vec<(usize, char)>;

/// Finds shares in clean lines.
pub(super) fn find(lines: &[&str]) -> Vec<Line> {
    let mut stream = Zeroizing::new(Stream::with_capacity(lines.iter().map(|line| line.len() + 1).sum()));
    for (at, line) in lines.iter().enumerate() {
        if comment(line).is_some() {
            stream.push((at, '\0'));
        } else {
            stream.extend(line.chars().map(|c| (at, c)));
        }
        stream.push((at, '\n'));
    }
    let mut found = Vec::new();
    let mut at = 0;
    while at < stream.len() {
        match prefix(&stream[at..]) {
            Some(length) => {
                let (end, result) = share(&stream, at + length);
                if let Some(result) = result {
                    found.push(Line { lines: stream[at].0..=stream[end - 1].0, result });
                }
                at = end;
            }
            None => at += 1,
        }
    }
    found
}

/// Returns the length of [`TEXT_PREFIX`] if `stream` begins with it. White space may be anywhere in
/// the prefix, and instead of a hyphen.
fn prefix(stream: &[(usize, char)]) -> Option<usize> {
    let mut at = 0;
    for expected in TEXT_PREFIX.chars() {
        let spaces = stream[at..].iter().take_while(|(_, c)| at > 0 && c.is_ascii_whitespace()).count();
        let (_, c) = stream.get(at + spaces)?;
        if c.eq_ignore_ascii_case(&expected) {
            at += spaces + 1;
        } else if expected == '-' && spaces > 0 {
            at += spaces;
        } else {
            return None;
        }
    }
    Some(at)
}

/// A piece of a share, by its place in the stream.
struct Piece {
    start: usize,
    end: usize,
}

/// Reads the share whose prefix ends at `body`. Returns its end and its result, which is `None` if
/// too few characters follow.
fn share(stream: &Stream, body: usize) -> (usize, Option<Result<Share, ShareError>>) {
    let (pieces, first_paragraph) = pieces(stream, body);
    if pieces.iter().map(|piece| piece.end - piece.start).sum::<usize>() < MIN_CHARACTERS {
        return (body, None);
    }
    let mut ends = vec![first_paragraph];
    ends.extend((pieces.len().saturating_sub(MAX_DROPPED)..=pieces.len()).rev());
    let mut first_error = (body, None);
    for pieces in ends.into_iter().map(|end| &pieces[..end]) {
        let Some(last) = pieces.last() else { continue };
        match Share::from_text(&text(stream, pieces)) {
            Err(ShareError::Text(error)) if first_error.1.is_none() => {
                first_error = (last.end, Some(Err(error.into())));
            }
            Err(ShareError::Text(_)) => {}
            result => return (last.end, Some(result)),
        }
    }
    first_error
}

/// Returns the pieces that may belong to the share, and the number of them before the first empty
/// line.
fn pieces(stream: &Stream, body: usize) -> (Vec<Piece>, usize) {
    let mut pieces: Vec<Piece> = Vec::new();
    let mut first_paragraph = None;
    let (mut at, mut characters, mut line_ends) = (body, 0, 0);
    while let Some(&(_, c)) = stream.get(at) {
        if c == '\n' {
            line_ends += 1;
            at += 1;
            continue;
        }
        if c == ' ' {
            at += 1;
            continue;
        }
        if line_ends > 1 && !pieces.is_empty() {
            first_paragraph.get_or_insert(pieces.len());
        }
        line_ends = 0;
        if at > body && prefix(&stream[at..]).is_some() {
            break;
        }
        let longest = stream[at..].iter().take(MAX_CHARACTERS + 1);
        let end = at + longest.take_while(|(_, c)| !matches!(c, ' ' | '\n' | '\0')).count();
        let is_inside = |at: usize| stream[at].1.is_alphanumeric();
        let start = (at..end).find(|&at| is_inside(at)).unwrap_or(end);
        let inner_end = (start..end).rev().find(|&at| is_inside(at)).map_or(start, |at| at + 1);
        let piece = &stream[start..inner_end];
        // The piece directly after the prefix always belongs to the share.
        if at > body && !may_belong(piece) {
            break;
        }
        characters += piece.len();
        if characters > MAX_CHARACTERS || end == at {
            break;
        }
        if !piece.is_empty() {
            pieces.push(Piece { start, end: inner_end });
        }
        at = end;
    }
    let count = pieces.len();
    (pieces, first_paragraph.unwrap_or(count))
}

/// Returns whether a piece may belong to the share. A word with characters that no share contains
/// does not; punctuation, which is an empty piece, may stand between pieces.
fn may_belong(piece: &[(usize, char)]) -> bool {
    let is_digit = |c: char| DIGITS.contains(c.to_ascii_lowercase());
    let digits = piece.iter().filter(|(_, c)| is_digit(*c)).count();
    digits == piece.len() || (piece.len() >= LONG_PIECE && digits * 4 >= piece.len() * 3)
}

/// Joins the pieces. The prefix gets the case of the pieces, because some keyboards capitalise the
/// first letter.
fn text(stream: &Stream, pieces: &[Piece]) -> Zeroizing<String> {
    let mut text = Zeroizing::new(String::with_capacity(2 * MAX_CHARACTERS));
    let body = || pieces.iter().flat_map(|piece| &stream[piece.start..piece.end]).map(|(_, c)| *c);
    if body().any(|c| c.is_ascii_uppercase()) {
        text.push_str(TEXT_PREFIX);
    } else {
        text.push_str(&TEXT_PREFIX.to_ascii_lowercase());
    }
    text.extend(body());
    text
}
