//! Passphrases from the pinentry program that `PINENTRY_PROGRAM` names.

use std::borrow::Cow;
use std::env;
use std::ffi::{OsStr, OsString};

use pinentry::PassphraseInput;
use sealane_age::secrecy::SecretString;

use crate::error::{Error, Result, quoted};
use crate::os::memory;

/// The bytes of a question that one line of the Assuan protocol holds: a line has at most 1000 with
/// its end, and the crate `pinentry` panics at a longer one.
const MAX_QUESTION_BYTES: usize = 1000 - "SETDESC \n".len();

/// Returns the pinentry program to ask through, if there is one.
pub(super) fn program() -> Option<OsString> {
    env::var_os("PINENTRY_PROGRAM").filter(|program| !program.is_empty())
}

/// Asks once through `program`. If `required` is set, the program asks again after an empty answer.
pub(super) fn ask(program: &OsStr, question: &str, required: bool) -> Result<SecretString> {
    const HINT: &str = "PINENTRY_PROGRAM must name a pinentry program; unset it to be asked at the terminal";
    let question = shortened(question);
    let Some(mut input) = PassphraseInput::with_binary(program) else {
        return Err(Error::new(format!("the pinentry program {} was not found", quoted(program))).hint(HINT));
    };
    input.with_description(&question).with_prompt("Passphrase").with_timeout(30);
    if required {
        input.required("An answer is needed");
    }
    input.interact().inspect(|_| memory::lock()).map_err(|error| {
        let why = error.to_string();
        // The crate's parser shows its input with Rust's names.
        let is_dump = why.starts_with("Parsing ");
        Error::new(format!(
            "no passphrase from pinentry: {}",
            if is_dump { "it ended, or its answer is malformed" } else { &why }
        ))
        .hint(HINT)
    })
}

/// Leaves out the middle of a question that is too long. A file name is at the end.
fn shortened(question: &str) -> Cow<'_, str> {
    const GAP: &str = " … ";
    if question.chars().map(escaped_len).sum::<usize>() <= MAX_QUESTION_BYTES {
        return question.into();
    }
    let half = (MAX_QUESTION_BYTES - GAP.len()) / 2;
    let fits = |len: &mut usize, c: char| {
        *len += escaped_len(c);
        (*len <= half).then_some(c)
    };
    let start: String = question.chars().scan(0, fits).collect();
    let end: Vec<char> = question.chars().rev().scan(0, fits).collect();
    let end: String = end.into_iter().rev().collect();
    [&start, GAP, &end].concat().into()
}

/// Returns the most bytes that the protocol needs for a character.
fn escaped_len(c: char) -> usize {
    if matches!(c, '\n' | '\r' | '%' | '\\') { 3 } else { c.len_utf8() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_question_loses_its_middle() {
        let fits = "x".repeat(MAX_QUESTION_BYTES);
        assert_eq!(shortened(&fits), fits);
        for middle in ["x", "é", "漢", "%", "\n", "\\"] {
            let question = format!("Passphrase for \"/{}/name\"", middle.repeat(MAX_QUESTION_BYTES));
            let short = shortened(&question);
            let len: usize = short.chars().map(escaped_len).sum();
            assert!((MAX_QUESTION_BYTES - 8..=MAX_QUESTION_BYTES).contains(&len), "{len}: {short}");
            assert!(short.starts_with("Passphrase for \"/") && short.ends_with("/name\""), "{short}");
        }
    }
}
