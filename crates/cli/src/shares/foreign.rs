//! Shares in the formats of others: SLIP-39 words, `ssss`, HashiCorp Vault.

use std::path::Path;

use age::secrecy::ExposeSecret as _;
use sealane_shares::slip39::{self, Mnemonic, Slip39Error};
use sealane_shares::ssss::{self, SsssShare};
use sealane_shares::vault::{self, VaultShare};
use sealane_shares::{ForeignError, ParameterError};
use zeroize::Zeroizing;

use super::open::Named;
use crate::args::{CombineArgs, FormArgs};
use crate::error::{Error, Result, warn};
use crate::passphrase::{Given, Passphrases};
use crate::stdin::StdinUse;

/// The longest secret in bytes that is split into lines.
pub(crate) const MAX_SECRET: u64 = 64 << 10;

/// A share that is a line.
pub(crate) struct Line {
    /// What the file is called after the name of the secret.
    pub(crate) ending: String,
    /// For people, where the format allows it: with a line end, or empty.
    pub(crate) heading: String,
    pub(crate) text: Zeroizing<String>,
}

/// Splits `secret` in the form that is not ours.
pub(crate) fn split(
    form: FormArgs,
    secret: &[u8],
    (threshold, count): (usize, usize),
    passphrases: Option<&Passphrases>,
) -> Result<Vec<Line>> {
    let width = count.to_string().len();
    let ending = |index: usize, what: &str| format!("{index:0width$}of{count}-need{threshold}.{what}.txt");
    if form.words {
        let passphrase = passphrases.map(Passphrases::to_encrypt).transpose()?.map(Given::secret);
        let passphrase = passphrase.as_ref().map_or("", |passphrase| passphrase.expose_secret());
        let words = slip39::split(secret, passphrase.as_bytes(), threshold, count).map_err(words_error)?;
        let line = |words: &Mnemonic| {
            let (index, set) = (usize::from(words.index()) + 1, words.identifier());
            let heading = format!(
                "# share {index} of {count}, set {set:04x}: any {threshold} of them restore the secret (SLIP-39)\n"
            );
            Line { ending: format!("{set:04x}.{}", ending(index, "words")), heading, text: words.to_words() }
        };
        return Ok(words.iter().map(line).collect());
    }
    if form.ssss {
        let shares = ssss::split(secret, threshold, count, ssss::Options::default()).map_err(split_error)?;
        let line = |share: &SsssShare| {
            let ending = ending(share.index() as usize, "ssss");
            Line { ending, heading: String::new(), text: share.to_line(count) }
        };
        return Ok(shares.iter().map(line).collect());
    }
    let shares = vault::split(secret, threshold, count).map_err(split_error)?;
    let line = |(index, share): (usize, &VaultShare)| Line {
        ending: ending(index, "vault"),
        heading: String::new(),
        text: share.to_base64(),
    };
    Ok((1..).zip(&shares).map(line).collect())
}

/// Combines mnemonics.
pub(crate) fn combine_words(words: &[Named], args: &CombineArgs, stdin: &StdinUse) -> Result<Zeroizing<Vec<u8>>> {
    let mut good = Vec::new();
    for (name, line) in words {
        match Mnemonic::parse(line) {
            Ok(mnemonic) => good.push((name, mnemonic)),
            Err(error) => warn(format!("left out: {name}: {error}")),
        }
    }
    let (names, mnemonics): (Vec<_>, Vec<_>) = good.into_iter().unzip();
    let passphrase =
        if args.passphrase { Some(Passphrases::new(stdin).to_open("the shares in words")?.secret()) } else { None };
    let passphrase = passphrase.as_ref().map_or("", |passphrase| passphrase.expose_secret());
    let limit = args.iteration_limit.unwrap_or(slip39::MAX_ITERATION_EXPONENT);
    let recovered = slip39::combine_with_limit(&mnemonics, passphrase.as_bytes(), limit);
    let recovered = recovered.map_err(|error| match error {
        Slip39Error::DifferentSets { positions: [a, b] } | Slip39Error::Conflict { positions: [a, b] } => {
            Error::new(format!("{} and {}: {error}", names[a], names[b]))
        }
        error => words_error(error),
    })?;
    for at in recovered.bad {
        warn(format!("left out: {}: it does not fit the others", names[at]));
    }
    if recovered.secret.len() == super::identity::KEY_BYTES && !args.identity {
        warn("the secret is 32 bytes; if they are the key of an identity, --identity writes it as one");
    }
    Ok(recovered.secret)
}

/// Combines lines of `ssss` or Vault.
pub(crate) fn combine_lines(lines: &[Named], args: &CombineArgs) -> Result<Zeroizing<Vec<u8>>> {
    let names: Vec<_> = lines.iter().map(|(name, _)| name.as_str()).collect();
    let secret = if args.ssss {
        let shares = parsed(lines, "a line of ssss-split, such as 1-0a1b2c", |line| SsssShare::parse(line).ok())?;
        let threshold = args.threshold.unwrap_or_else(|| {
            let mut points: Vec<_> = shares.iter().map(SsssShare::index).collect();
            points.sort_unstable();
            points.dedup();
            points.len()
        });
        let secret = ssss::combine(&shares, threshold, !args.no_diffusion);
        secret.map_err(|error| combine_error(error, &names))?
    } else {
        let texts: Vec<&str> = lines.iter().map(|(_, line)| line.as_str()).collect();
        let shares = vault::parse_all(&texts).map_err(|(at, _)| {
            Error::new(format!("{} is not an unseal key in hexadecimal digits or base64", names[at]))
        })?;
        vault::combine(&shares, args.threshold).map_err(|error| combine_error(error, &names))?
    };
    warn("these shares have nothing by which the result could be checked: if one is wrong, so is the secret");
    Ok(secret)
}

fn parsed<S>(lines: &[Named], what: &str, parse: impl Fn(&str) -> Option<S>) -> Result<Vec<S>> {
    let share = |(name, line): &Named| parse(line).ok_or_else(|| Error::new(format!("{name} is not {what}")));
    lines.iter().map(share).collect()
}

fn words_error(error: Slip39Error) -> Error {
    match error {
        Slip39Error::SecretBytes(_) => Error::new(error.to_string())
            .hint("--words takes a key, or an identity file with one key; --text and --binary take everything"),
        Slip39Error::Counts { .. } => Error::usage(error.to_string()),
        Slip39Error::TooExpensive { exponent, .. } => {
            Error::new(error.to_string()).hint(format!("--iteration-limit {exponent} takes the time"))
        }
        error => Error::new(error.to_string()),
    }
}

fn split_error(error: ForeignError) -> Error {
    match error {
        ForeignError::Parameter(error @ ParameterError::SecretBytes(_)) => {
            Error::new(error.to_string()).hint("--text and --binary take every secret")
        }
        ForeignError::Parameter(error) => super::failure::parameter_error(&error),
        error => Error::new(error.to_string()),
    }
}

fn combine_error(error: ForeignError, names: &[&str]) -> Error {
    match error {
        ForeignError::DifferentLengths { positions: [a, b] } | ForeignError::Conflict { positions: [a, b] } => {
            Error::new(format!("{} and {}: {error}", names[a], names[b]))
        }
        ForeignError::Inconsistent => Error::new(error.to_string()).hint("-k says how many of them are needed"),
        error => Error::new(error.to_string()),
    }
}

/// The name of a file with a line.
pub(crate) fn file_name(stem: &str, line: &Line) -> String {
    // The stem is a file's name, never a path.
    format!("{}.{}", Path::new(stem).display(), line.ending)
}
