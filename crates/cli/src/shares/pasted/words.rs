//! Finds mnemonics in a text: on one line, on several, with one word per line, or with numbers.

use sealane_shares::slip39::{Mnemonic, is_word};
use zeroize::Zeroizing;

/// The number of words of the shortest mnemonic.
const MIN_WORDS: usize = 20;
/// The least number of words that count as an incomplete mnemonic.
const MIN_FOUND: usize = 10;
/// The longest word of the list has eight letters; a misspelt one may be longer.
const MAX_LETTERS: usize = 10;

/// The largest number of words that are divided into several mnemonics by length alone.
const MAX_WORDS: usize = 2048;

/// The largest number of words of a text that are parsed to find out how they are divided: enough
/// for many people's shares, and soon done.
const MAX_TRIED: usize = 1 << 16;

/// A line of a text.
#[derive(Clone, Copy)]
pub(super) enum Line<'t> {
    Text(&'t str),
    /// A line that ends a mnemonic.
    Break,
}

/// A word, and its number if it has one.
#[derive(Clone, Copy)]
struct Word<'t> {
    number: Option<u32>,
    text: &'t str,
}

/// A line of words.
struct Row<'t> {
    at: usize,
    words: Vec<Word<'t>>,
    /// Whether an empty line precedes it.
    after_gap: bool,
}

/// Returns mnemonics with their first lines, and the lines that belong to no mnemonic. Lines are
/// counted from 0.
pub(super) fn find(lines: &[Line<'_>]) -> (Vec<(usize, Zeroizing<String>)>, Vec<usize>) {
    let mut sections: Vec<Vec<Row<'_>>> = Vec::new();
    let mut other = Vec::new();
    let (mut open, mut gap, mut number) = (false, false, None);
    for (at, line) in lines.iter().enumerate() {
        let Line::Text(text) = line else {
            (open, number) = (false, None);
            continue;
        };
        let words = read(text, &mut number);
        let known = words.iter().filter(|word| is_word(word.text)).count();
        let is_misspelt = open && matches!(words[..], [Word { text, .. }] if text.len() <= MAX_LETTERS);
        if words.is_empty() {
            let is_gap = text.trim().is_empty();
            gap |= is_gap;
            let is_text = |c: char| c.is_alphanumeric() || c == char::REPLACEMENT_CHARACTER;
            if number.is_none() && text.contains(is_text) {
                other.push(at);
            }
        } else if known * 2 >= words.len() && known > 0 || is_misspelt {
            let row = Row { at, after_gap: std::mem::take(&mut gap), words };
            match sections.last_mut() {
                Some(section) if open && row.words[0].number != Some(1) => section.push(row),
                _ => sections.push(vec![row]),
            }
            open = true;
        } else {
            other.push(at);
            (open, number) = (false, None);
        }
    }
    let mut found = Vec::new();
    let mut left = MAX_TRIED;
    for mut section in sections {
        let is_known = |row: &Row<'_>| row.words.iter().any(|word| is_word(word.text));
        while section.last().is_some_and(|row| !is_known(row)) {
            other.extend(section.pop().map(|row| row.at));
        }
        if count(&section) < MIN_FOUND {
            other.extend(section.iter().map(|row| row.at));
        } else {
            split(&section, &mut left, &mut found);
        }
    }
    other.sort_unstable();
    (found, other)
}

/// Splits a line into words. A number stands before its word, which may be on the next line.
fn read<'t>(line: &'t str, number: &mut Option<u32>) -> Vec<Word<'t>> {
    let mut words = Vec::new();
    for token in line.split(|c: char| !c.is_alphanumeric()) {
        let text = token.trim_start_matches(|c: char| !c.is_alphabetic());
        if let Ok(read) = token[..token.len() - text.len()].parse() {
            *number = Some(read);
        }
        if !text.is_empty() {
            words.push(Word { number: number.take(), text });
        }
    }
    words
}

fn count(rows: &[Row<'_>]) -> usize {
    rows.iter().map(|row| row.words.len()).sum()
}

/// Splits words into mnemonics: all are one, or there is one per paragraph or line, or all have the
/// same length. Long mnemonics are wrapped into lines that are long enough to be mnemonics, so all
/// words together are tried first. Words that are numbered through are one mnemonic, unless a part
/// of them is right. `left` is the number of words that may still be tried.
fn split(rows: &[Row<'_>], left: &mut usize, found: &mut Vec<(usize, Zeroizing<String>)>) {
    let words: Vec<(usize, Word<'_>)> =
        rows.iter().flat_map(|row| row.words.iter().map(|word| (row.at, *word))).collect();
    let first_and_joined = |words: &[(usize, Word<'_>)]| (words[0].0, join(words));
    let is_short = words.len() <= MAX_WORDS;
    let is_numbered = is_numbered(&words);
    if is_short && is_right(&words, left) {
        return found.push(first_and_joined(&words));
    }
    let paragraphs: Vec<&[Row<'_>]> = rows.chunk_by(|_, next| !next.after_gap).collect();
    if paragraphs.len() > 1 && paragraphs.iter().all(|rows| count(rows) >= MIN_WORDS) {
        let mut parts = Vec::new();
        paragraphs.into_iter().for_each(|rows| split(rows, left, &mut parts));
        if !is_numbered || parts.iter().any(|(_, text)| Mnemonic::parse(text).is_ok()) {
            return found.append(&mut parts);
        }
    }
    let lines = || words.chunk_by(|(a, _), (b, _)| a == b);
    let are_long_lines = lines().all(|line| line.len() >= MIN_WORDS);
    let are_right_lines = are_long_lines && lines().any(|line| is_right(line, left));
    if is_short && !are_right_lines {
        // Several mnemonics may be in the same columns.
        let mut words = words.clone();
        if is_numbered {
            words.sort_by_key(|(_, word)| word.number);
        }
        let mut lengths = (MIN_WORDS..=words.len() / 2).filter(|length| words.len().is_multiple_of(*length));
        if let Some(length) = lengths.find(|&length| words.chunks(length).any(|words| is_right(words, left))) {
            return found.extend(words.chunks(length).map(first_and_joined));
        }
    }
    if are_right_lines || are_long_lines && !is_numbered {
        found.extend(lines().map(first_and_joined));
    } else {
        found.push(first_and_joined(&words));
    }
}

/// Returns whether the words are a mnemonic. Subtracts their number from `left`; if nothing is
/// left, the answer is no.
fn is_right(words: &[(usize, Word<'_>)], left: &mut usize) -> bool {
    *left = left.saturating_sub(words.len());
    *left > 0 && Mnemonic::parse(&join(words)).is_ok()
}

/// Returns whether all words have numbers, which follow each other in some order.
fn is_numbered(words: &[(usize, Word<'_>)]) -> bool {
    let mut numbers: Vec<_> = words.iter().filter_map(|(_, word)| word.number).collect();
    numbers.sort_unstable();
    numbers.len() == words.len() && numbers.windows(2).all(|pair| pair[1] - pair[0] == 1)
}

/// Joins the words, in the order of their numbers if they [are numbered](is_numbered).
fn join(words: &[(usize, Word<'_>)]) -> Zeroizing<String> {
    let mut ordered: Vec<Word<'_>> = words.iter().map(|(_, word)| *word).collect();
    if is_numbered(words) {
        ordered.sort_by_key(|word| word.number);
    }
    let mut text = Zeroizing::new(String::with_capacity(ordered.iter().map(|word| word.text.len() + 1).sum()));
    for word in ordered {
        if !text.is_empty() {
            text.push(' ');
        }
        text.push_str(word.text);
    }
    text
}
