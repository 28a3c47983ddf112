//! `sealane keygen`, which has the flags of age-keygen and additional ones.

use std::fmt::Display;
use std::fs;
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use sealane_age::secrecy::ExposeSecret as _;
use sealane_age::{mlkem768x25519, x25519};
use zeroize::Zeroizing;

use crate::args::KeygenArgs;
use crate::error::{Error, Result};
use crate::io::input::Input;
use crate::io::secret_file;
use crate::io::stdin::StdinUse;
use crate::keys::holders;
use crate::keys::identities::{ParsedIdentity, PlainIdentity, load_file};
use crate::keys::passphrase::Passphrases;
use crate::shares::{PUBLIC_KEY_NOTE, Splitting};

/// Generates a key, or converts identities to recipients or to an identity of age-plugin-sealane.
pub(crate) fn run(args: &KeygenArgs) -> Result<()> {
    if args.pq && args.convert {
        return Err(
            Error::usage("--pq can't be used with -y").hint("leave --pq out: -y does not change the type of the key")
        );
    }
    if args.convert && args.split.is_some() {
        return Err(Error::usage("--split can't be used with -y").hint("sealane split splits an existing key"));
    }
    if args.convert && args.inputs.len() > 1 {
        return Err(Error::usage("-y takes one INPUT").hint("call it for each of the files"));
    }
    if args.split.is_none() && args.form.is_given() {
        return Err(Error::usage("the form of shares is only for --split").hint("--split 3/5 makes shares of the key"));
    }
    if !args.inputs.is_empty() && !args.convert && !args.plugin {
        return Err(Error::usage("INPUT is only for -y and --plugin").hint("-o OUTPUT names the file for the new key"));
    }
    if let Some((threshold, count)) = args.split {
        return split_new(args, threshold, count);
    }
    let output = args.output.as_deref().filter(|path| *path != Path::new("-"));
    // This check comes before any question, whose answer would be useless.
    if let Some(path) = output.filter(|path| fs::symlink_metadata(path).is_ok()) {
        return Err(secret_file::exists(path, !args.convert));
    }
    if args.convert {
        let recipients = recipients(args.inputs.first().map(PathBuf::as_path))?;
        return secret_file::write(output, recipients.as_bytes(), false, None);
    }
    if args.plugin {
        return secret_file::write(output, plugin_identity(&args.inputs)?.as_bytes(), true, None);
    }
    let (text, public) = generate(args.pq)?;
    secret_file::write(output, text.as_bytes(), true, Some(&public))
}

/// Generates an identity. Returns the text of its identity file, and the public key.
fn generate(post_quantum: bool) -> Result<(Zeroizing<String>, String)> {
    let (secret, public) = if post_quantum {
        let identity = mlkem768x25519::Identity::generate().map_err(no_random_numbers)?;
        (identity.to_text(), identity.to_public().to_string())
    } else {
        let identity = x25519::Identity::generate().map_err(no_random_numbers)?;
        (identity.to_text(), identity.to_public().to_string())
    };
    let created = humantime::format_rfc3339_seconds(SystemTime::now());
    let mut text = Zeroizing::new(format!("# created: {created}\n# public key: {public}\n"));
    // The text must not grow once it holds the secret: growing leaves a copy behind that is not
    // wiped.
    text.reserve(secret.expose_secret().len() + 1);
    text.push_str(secret.expose_secret());
    text.push('\n');
    Ok((text, public))
}

fn no_random_numbers(error: impl Display) -> Error {
    Error::new(format!("cannot get random numbers from the system: {error}"))
}

/// Generates an identity that exists only as shares.
fn split_new(args: &KeygenArgs, threshold: usize, count: usize) -> Result<()> {
    let (mut text, public) = generate(args.pq)?;
    if args.pq {
        // The public key in the comment has 2 KB. Shares of the whole file would be too long to
        // print.
        text = secret_line(&text);
    }
    Splitting {
        threshold,
        count,
        output: args.output.as_deref(),
        sheet: None,
        form: args.form,
        passphrase: false,
        stem: "key.txt".to_owned(),
        comments: vec![format!("{PUBLIC_KEY_NOTE}{public}")],
    }
    .run(Input::of_bytes(text, "the new key"), &StdinUse::default())?;
    let _ = writeln!(io::stderr().lock(), "Public key: {public}");
    Ok(())
}

/// Returns the line of an identity file that is not a comment.
fn secret_line(file: &str) -> Zeroizing<String> {
    let mut line = Zeroizing::new(String::with_capacity(file.len()));
    line.extend(file.lines().filter(|line| !line.starts_with('#')).flat_map(|text| [text, "\n"]));
    line
}

/// Returns the contents of files as one identity of age-plugin-sealane, on a line.
fn plugin_identity(inputs: &[PathBuf]) -> Result<Zeroizing<String>> {
    let stdin = StdinUse::default();
    let standard_input = [PathBuf::from("-")];
    let mut files = Vec::new();
    for path in if inputs.is_empty() { &standard_input } else { inputs } {
        let mut input = Input::open(Some(path), &stdin)?;
        let mut contents = Zeroizing::new(Vec::with_capacity(holders::FILE_LIMIT + 1));
        let read = (&mut input.reader).take(holders::FILE_LIMIT as u64 + 1).read_to_end(&mut contents);
        read.map_err(|error| Error::io(format!("cannot read {}", input.name), &error))?;
        if contents.len() > holders::FILE_LIMIT {
            return Err(Error::new(format!("{} is longer than 64 KiB", input.name))
                .hint("give the key file or the part of one holder"));
        }
        let name = if path == Path::new("-") { "standard input".to_owned() } else { path.display().to_string() };
        files.push((name, contents));
    }
    holders::identity_line(&files)
}

/// Returns the recipients of the identity file `input`, one per line.
fn recipients(input: Option<&Path>) -> Result<String> {
    let stdin = StdinUse::default();
    let passphrases = Passphrases::new(&stdin);
    let identities = load_file(input.unwrap_or(Path::new("-")), &stdin, &passphrases)?;
    let mut lines = String::new();
    for identity in identities {
        add_recipient(&identity, &mut lines)?;
    }
    Ok(lines)
}

fn add_recipient(identity: &ParsedIdentity, lines: &mut String) -> Result<()> {
    match identity {
        ParsedIdentity::Plain(identity) => add_line(&recipient(identity)?, lines),
        ParsedIdentity::Ssh(key) => add_line(&key.to_recipient()?.to_string(), lines),
        ParsedIdentity::Encrypted(file) => {
            for identity in &file.decrypt()? {
                add_line(&recipient(identity)?, lines);
            }
        }
    }
    Ok(())
}

fn recipient(identity: &PlainIdentity) -> Result<String> {
    match identity {
        PlainIdentity::X25519(identity) => Ok(identity.to_public().to_string()),
        PlainIdentity::PostQuantum(identity) => Ok(identity.to_public().to_string()),
        PlainIdentity::Plugin(identity) => {
            let name = identity.plugin();
            Err(Error::new(format!("only age-plugin-{name} knows the recipient of its identity"))
                .hint(format!("see what age-plugin-{name} offers; -e -i encrypts to the identity as it is")))
        }
    }
}

fn add_line(recipient: &str, lines: &mut String) {
    lines.push_str(recipient);
    lines.push('\n');
}
