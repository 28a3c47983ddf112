//! Shares in other formats: SLIP-39 words, `ssss`, HashiCorp Vault.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use sealane_age::secrecy::ExposeSecret as _;
use sealane_shares::slip39::{self, Mnemonic, Slip39Error};
use sealane_shares::ssss::{self, SsssShare};
use sealane_shares::vault::{self, VaultShare};
use sealane_shares::{ForeignError, ParameterError};
use zeroize::Zeroizing;

use super::failure::{
    CONTRADICT, ENOUGH_ALONE, LeftOut, ONE_FILE_HINT, check_beside_unreadable, list, parameter_error, several_sets,
};
use super::open::{Named, NamedWords, Shares, set_of_words};
use super::pasted::PASSPHRASE_NOTE;
use super::place::{Place, Unreadable};
use crate::args::{CombineArgs, FormArgs};
use crate::error::{Error, Result, warn};
use crate::io::stdin::StdinUse;
use crate::keys::passphrase::{Given, Passphrases};

/// The longest secret that is split into lines, in bytes.
pub(crate) const MAX_SECRET: u64 = 64 << 10;

/// Returns advice for a file that is too long to be split into this form.
pub(super) fn advice_on_length(form: FormArgs) -> &'static str {
    match form {
        FormArgs { words: true, .. } => "--words splits a key, or at most 1,024 bytes; --binary accepts any length",
        FormArgs { ssss: true, .. } => "--ssss splits a key, or at most 128 bytes; --binary accepts any length",
        _ => "--binary accepts a file of any size",
    }
}

/// The largest number of shares that `--ssss` makes or needs. `ssss` itself has no limit, but the
/// work grows with the square of the number of shares that are needed.
const MAX_SSSS: usize = 255;

/// A share on one line.
pub(crate) struct Line {
    /// The end of the file name, after the name of the secret.
    pub(crate) ending: String,
    /// A comment line, or nothing if the format allows no comments.
    pub(crate) heading: String,
    /// Comments after the heading, the same for all shares.
    pub(crate) notes: String,
    pub(crate) text: Zeroizing<String>,
}

/// Splits `secret` into shares of another format: words, `ssss` or Vault. `comments` are added if
/// the format allows them. If `passphrases` are given, words are also encrypted with a passphrase.
pub(crate) fn split(
    form: FormArgs,
    secret: &[u8],
    (threshold, count): (usize, usize),
    comments: &[String],
    passphrases: Option<&Passphrases>,
) -> Result<Vec<Line>> {
    check_counts(form, threshold, count)?;
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
            let note = passphrases.map(|_| PASSPHRASE_NOTE);
            let comments = comments.iter().map(String::as_str).chain(note);
            let notes = comments.flat_map(|comment| ["# ", comment, "\n"]).collect();
            Line { ending: format!("{set:04x}.{}", ending(index, "words")), heading, notes, text: words.to_words() }
        };
        return Ok(words.iter().map(line).collect());
    }
    if form.ssss {
        let shares = ssss::split(secret, threshold, count, ssss::Options::default()).map_err(split_error)?;
        let line = |share: &SsssShare| {
            let ending = ending(share.index() as usize, "ssss");
            Line { ending, heading: String::new(), notes: String::new(), text: share.to_line(count) }
        };
        return Ok(shares.iter().map(line).collect());
    }
    let shares = vault::split(secret, threshold, count).map_err(split_error)?;
    let line = |(index, share): (usize, &VaultShare)| Line {
        ending: ending(index, "vault"),
        heading: String::new(),
        notes: String::new(),
        text: share.to_base64(),
    };
    Ok((1..).zip(&shares).map(line).collect())
}

/// Checks the limits before a passphrase is asked for. Some are those of the command, not of the
/// formats: SLIP-39 allows a single share, for a group of one member.
fn check_counts(form: FormArgs, threshold: usize, count: usize) -> Result<()> {
    let max = match form {
        FormArgs { words: true, .. } => slip39::MAX_COUNT,
        FormArgs { ssss: true, .. } => MAX_SSSS,
        _ => return Ok(()),
    };
    let error = match (threshold, count) {
        _ if count > max => ParameterError::Count { count, max: max as u16 },
        _ if threshold > count => ParameterError::ThresholdOverCount { threshold, count },
        (0, _) => ParameterError::ThresholdZero,
        (1, _) => ParameterError::ThresholdOne,
        _ => return Ok(()),
    };
    Err(parameter_error(&error))
}

/// Restores a secret from mnemonics (SLIP-39), and adds those that do not fit to `left_out`.
pub(crate) fn combine_words(
    shares: &Shares,
    args: &CombineArgs,
    left_out: &mut LeftOut,
    stdin: &StdinUse,
) -> Result<Zeroizing<Vec<u8>>> {
    let words = shares.words.as_slice();
    let made_with = words.iter().find(|words| words.notes.passphrase);
    if let Some(NamedWords { place, .. }) = made_with.filter(|_| !args.passphrase) {
        return Err(Error::usage(format!(
            "according to {place}, the words were made with a passphrase, but -p is missing"
        ))
        .hint("-p takes it from AGE_PASSPHRASE, or asks for it; without it, the result would be another secret"));
    }
    check_one_set(words)?;
    let passphrase =
        if args.passphrase { Some(Passphrases::new(stdin).to_open("the shares in words")?.secret()) } else { None };
    let passphrase = passphrase.as_ref().map_or("", |passphrase| passphrase.expose_secret());
    let limit = args.iteration_limit.unwrap_or(slip39::MAX_ITERATION_EXPONENT);
    let mnemonics: Vec<Mnemonic> = words.iter().map(|words| words.mnemonic.clone()).collect();
    let recovered = slip39::combine_with_limit(&mnemonics, passphrase.as_bytes(), limit);
    let recovered = recovered.map_err(|error| match error {
        Slip39Error::DifferentSets { positions: [a, b] } | Slip39Error::Conflict { positions: [a, b] } => {
            Error::new(format!("{} and {}: {error}", words[a].place, words[b].place))
        }
        Slip39Error::TwoSecrets { positions: [a, b] } => {
            let (a, b) = (&words[a].place, &words[b].place);
            Error::new(format!("{error}: {a} and {b} are of different secrets, but claim to be of one set"))
                .hint("nothing was written; ask the holders which shares were changed, and leave those out")
        }
        error => words_error(error),
    })?;
    check_sources(words, &recovered.bad, &shares.unreadable)?;
    for &at in &recovered.bad {
        left_out.add(&words[at].place, format_args!("{}: it does not fit the others", words[at].place));
    }
    check_key(words, &recovered.secret, args.passphrase)?;
    if recovered.secret.len() == super::identity::KEY_BYTES && !args.identity {
        // If there is a public key beside the words, the result belongs to it.
        let is_key = words.iter().any(|words| !words.notes.public_keys.is_empty());
        warn(if is_key {
            "the secret is the key of an identity, 32 bytes; --identity writes it as an identity"
        } else {
            "the secret has 32 bytes; if they are the key of an identity, --identity writes it as an identity"
        });
    }
    Ok(recovered.secret)
}

/// Checks that the words belong to one set. If not, the user must choose.
fn check_one_set(words: &[NamedWords]) -> Result<()> {
    let mut sets: BTreeMap<String, Vec<&Place>> = BTreeMap::new();
    for words in words {
        sets.entry(set_of_words(&words.mnemonic)).or_default().push(&words.place);
    }
    if sets.len() < 2 {
        return Ok(());
    }
    let described: Vec<_> = sets.iter().map(|(set, places)| format!("{set}: {}", list(places))).collect();
    Err(several_sets(&described))
}

/// If some mnemonics do not count, checks that the others come from as many files as shares are
/// needed, so that one file with many shares never outvotes other files. Mnemonics do not count if
/// they were found to be wrong, if their group has too few of them, or if they cannot be read.
fn check_sources(words: &[NamedWords], bad: &[usize], unreadable: &[Unreadable]) -> Result<()> {
    let mut members: BTreeMap<u8, BTreeSet<u8>> = BTreeMap::new();
    for NamedWords { mnemonic, .. } in words {
        members.entry(mnemonic.group_index()).or_default().insert(mnemonic.index());
    }
    let is_complete =
        |words: &NamedWords| members[&words.mnemonic.group_index()].len() >= usize::from(words.mnemonic.threshold());
    let counts = |(at, words): &(usize, &NamedWords)| !bad.contains(at) && is_complete(words);
    let used: Vec<&NamedWords> = words.iter().enumerate().filter(counts).map(|(_, words)| words).collect();
    let files: BTreeSet<usize> = used.iter().map(|words| words.place.file).collect();
    let is_ignored = |words: &NamedWords| !is_complete(words) && !files.contains(&words.place.file);
    let thresholds: BTreeMap<u8, usize> =
        used.iter().map(|words| (words.mnemonic.group_index(), words.mnemonic.threshold().into())).collect();
    let mut thresholds: Vec<usize> = thresholds.into_values().collect();
    thresholds.sort_unstable();
    let groups = used.first().map_or(0, |words| words.mnemonic.group_threshold().into());
    let needed: usize = thresholds.iter().take(groups).sum();
    let places: Vec<_> = used.iter().map(|words| &words.place).collect();
    if files.len() >= needed {
        return Ok(());
    }
    let what = match (bad, words.iter().any(is_ignored)) {
        ([], false) => return check_beside_unreadable(&places, needed, unreadable),
        ([], true) => ENOUGH_ALONE,
        _ => CONTRADICT,
    };
    Err(Error::new(format!("{} {what}", list(&places))).hint(ONE_FILE_HINT))
}

/// Checks the secret against the public keys beside the words, if there are any: SLIP-39 itself
/// gives another secret for a wrong passphrase, and no error. Anyone can write a public key, so
/// none is preferred to another, and it is an error if the files disagree.
fn check_key(words: &[NamedWords], secret: &[u8], passphrase: bool) -> Result<()> {
    let mut stated = words.iter().filter(|words| !words.notes.public_keys.is_empty()).peekable();
    let Some(&first) = stated.peek() else { return Ok(()) };
    let public = super::identity::public_of(secret);
    let fits = |words: &&NamedWords| public.as_ref().is_some_and(|public| words.notes.public_keys.contains(public));
    let (right, wrong): (Vec<_>, Vec<_>) = stated.partition(fits);
    let places = |words: &[&NamedWords]| list(&words.iter().map(|words| &words.place).collect::<Vec<_>>());
    if right.is_empty() {
        let error = Error::new(format!("the result does not belong to the public key in {}", first.place));
        return Err(error.hint(if passphrase {
            "the passphrase is wrong, or the words were made without one; nothing was written"
        } else {
            "were the words made with a passphrase? -p asks for it; nothing was written"
        }));
    }
    if wrong.is_empty() {
        return Ok(());
    }
    Err(Error::new(format!(
        "the result belongs to the public key in {}, but not to the one in {}",
        places(&right),
        places(&wrong)
    ))
    .hint("nothing was written; find out which public key is right, and delete the lines with the others"))
}

/// Combines lines of `ssss` or Vault.
pub(crate) fn combine_lines(lines: &[Named], args: &CombineArgs) -> Result<Zeroizing<Vec<u8>>> {
    let names: Vec<_> = lines.iter().map(|(place, _)| place).collect();
    let secret = if args.ssss {
        let Some(threshold) = args.threshold else {
            return Err(Error::usage(
                "--ssss needs -k, the number of shares that are needed, because the shares do not contain it",
            )
            .hint("with a wrong number, the result is a wrong secret, and nothing can detect that"));
        };
        if threshold > MAX_SSSS {
            return Err(Error::usage(format!("-k is at most {MAX_SSSS}, not {threshold}"))
                .hint("-k is the number of shares that are needed, as ssss-split got it with -t"));
        }
        let shares = parsed(lines, "a line of ssss-split, such as 1-0a1b2c", |line| SsssShare::parse(line).ok())?;
        if let Some(at) = shares.iter().position(|share| share.token() != shares[0].token()) {
            let token =
                |at: usize| shares[at].token().map_or("no token".to_owned(), |token| format!("token {token:?}"));
            return Err(Error::new(format!(
                "{} and {} are shares of different secrets: {} and {}",
                names[0],
                names[at],
                token(0),
                token(at)
            ))
            .hint("nothing was written; give the shares of one secret"));
        }
        let secret = ssss::combine(&shares, threshold, !args.no_diffusion);
        let secret = secret.map_err(|error| combine_error(error, &names))?;
        warn_of_zeros(&secret);
        secret
    } else {
        let texts: Vec<&str> = lines.iter().map(|(_, line)| line.as_str()).collect();
        let shares = vault::parse_all(&texts).map_err(|(at, _)| {
            Error::new(format!("{} is not an unseal key in hexadecimal digits or base64", names[at]))
        })?;
        vault::combine(&shares, args.threshold).map_err(|error| combine_error(error, &names))?
    };
    warn(
        "the result cannot be checked, because these shares contain no checksum: if one is wrong, the secret is wrong",
    );
    Ok(secret)
}

/// Warns of zero bytes before a secret: ssss-split fills a secret up to its security level. They
/// may also belong to the secret, so they are not removed.
fn warn_of_zeros(secret: &[u8]) {
    let zeros = secret.iter().take_while(|byte| **byte == 0).count();
    let bytes = if zeros == 1 { "byte" } else { "bytes" };
    if zeros > 0 {
        warn(format!(
            "the secret begins with {zeros} zero {bytes}, which ssss-split -s adds before a shorter secret: if they \
             are not part of it, remove them"
        ));
    }
}

fn parsed<S>(lines: &[Named], what: &str, parse: impl Fn(&str) -> Option<S>) -> Result<Vec<S>> {
    let share = |(place, line): &Named| parse(line).ok_or_else(|| Error::new(format!("{place} is not {what}")));
    lines.iter().map(share).collect()
}

fn words_error(error: Slip39Error) -> Error {
    match error {
        Slip39Error::SecretBytes(_) => Error::new(error.to_string())
            .hint("--words accepts a key, or an identity file with one key; --text and --binary accept every secret"),
        Slip39Error::Counts { .. } | Slip39Error::GroupCounts { .. } => Error::usage(error.to_string()),
        Slip39Error::TooExpensive { exponent, .. } => {
            Error::new(error.to_string()).hint(format!("--iteration-limit {exponent} accepts that much work"))
        }
        error => Error::new(error.to_string()),
    }
}

fn split_error(error: ForeignError) -> Error {
    match error {
        ForeignError::Parameter(error @ ParameterError::SecretBytes(_)) => {
            Error::new(error.to_string()).hint("--text and --binary accept every secret")
        }
        ForeignError::Parameter(error) => parameter_error(&error),
        error => Error::new(error.to_string()),
    }
}

fn combine_error(error: ForeignError, names: &[&Place]) -> Error {
    match error {
        ForeignError::DifferentLengths { positions: [a, b] } | ForeignError::Conflict { positions: [a, b] } => {
            Error::new(format!("{} and {}: {error}", names[a], names[b]))
        }
        ForeignError::Inconsistent => {
            Error::new(error.to_string()).hint("-k gives the number of shares that are needed")
        }
        error => Error::new(error.to_string()),
    }
}

/// Returns the name of a share's file.
pub(crate) fn file_name(stem: &str, line: &Line) -> String {
    // The stem is a file name without a folder.
    format!("{}.{}", Path::new(stem).display(), line.ending)
}
