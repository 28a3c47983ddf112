//! `sealane inspect`: what a file says of itself to somebody without a key.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io;

use sealane_age::armor::ArmoredReader;
use sealane_age::header::Header;
use sealane_age::threshold::{self, ShareSetDescription};
use sealane_age::{Decryptor, stream};
use serde::Serialize;

use crate::args::InspectArgs;
use crate::error::{Error, Result, printable};
use crate::failure::{decrypt_error, payload_error, threshold_error};
use crate::old_header;
use crate::output::{json, print};
use crate::progress::{Progress, Watched};
use crate::stdin::StdinUse;

/// Everything that is shown.
#[derive(Serialize)]
struct Report {
    version: &'static str,
    armored: bool,
    /// How many stanzas there are of each type.
    recipients: BTreeMap<String, usize>,
    /// The sets of holders who open it together.
    share_sets: Vec<ShareSet>,
    /// The base-2 logarithm of scrypt's N, if a passphrase opens the file.
    scrypt_work_factor: Option<u8>,
    post_quantum: PostQuantum,
    /// Whether the length is one that a whole file can have. Only who can open the file knows more.
    whole: bool,
    sizes: Sizes,
}

/// Holders who open the file together.
#[derive(Serialize)]
struct ShareSet {
    id: String,
    label: Option<String>,
    /// How many are needed.
    needed: u8,
    /// Of how many.
    of: u8,
    /// The types of the stanzas for them.
    types: BTreeMap<String, usize>,
}

impl From<ShareSetDescription> for ShareSet {
    fn from(set: ShareSetDescription) -> Self {
        let label = set.label.map(|label| label.to_string());
        let ShareSetDescription { id, threshold: needed, count: of, types, .. } = set;
        Self { id: id.to_string(), label, needed, of, types: counted(types) }
    }
}

fn counted(types: impl IntoIterator<Item = String>) -> BTreeMap<String, usize> {
    types.into_iter().fold(BTreeMap::new(), |mut counts, name| {
        *counts.entry(name).or_default() += 1;
        counts
    })
}

/// Whether the file key is safe from who can build a quantum computer and has the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
enum PostQuantum {
    Yes,
    No,
    /// There are recipients of types that are not known here.
    Unknown,
}

impl PostQuantum {
    /// One recipient who is not safe is enough.
    fn of<'a>(types: impl IntoIterator<Item = &'a String>) -> Self {
        types.into_iter().fold(Self::Yes, |so_far, name| match (so_far, name.as_str()) {
            (Self::No, _) | (_, "X25519" | "ssh-rsa" | "ssh-ed25519" | "p256tag" | "piv-p256") => Self::No,
            (so_far, "mlkem768x25519" | "mlkem768p256tag" | "scrypt") => so_far,
            _ => Self::Unknown,
        })
    }
}

/// In bytes.
#[derive(Serialize)]
struct Sizes {
    /// Of the file, without armor.
    file: u64,
    header: u64,
    /// The nonce, and a tag for each chunk; none if the file is not whole.
    overhead: Option<u64>,
    plaintext: Option<u64>,
}

/// Shows it.
pub(crate) fn run(args: &InspectArgs) -> Result<()> {
    let stdin = StdinUse::default();
    let mut input = old_header::open_input(args.input.as_deref(), &stdin)?;
    input.refuse_mangled()?;
    let mut reader = ArmoredReader::new(input.reader);
    let read_failed = |error| payload_error(error, &input.name);
    let armored = reader.is_armored().map_err(read_failed)?;
    let decoded = Progress::default();
    let mut reader = Watched::new(reader, &decoded);
    let header = Decryptor::new(&mut reader)
        .map_err(|error| old_header::explain(decrypt_error(error), args.input.as_deref()))?
        .into_header();
    // What a file's metadata say need not be read.
    let file_len = match input.len {
        Some(len) if !armored => len,
        _ => {
            io::copy(&mut reader, &mut io::sink()).map_err(read_failed)?;
            decoded.count()
        }
    };
    let report = Report::of(&header, armored, file_len)?;
    let text = if args.json { json(&report)? } else { report.text(&input.name) };
    print(text.as_bytes())?;
    if report.whole {
        Ok(())
    } else {
        Err(Error::new(format!("{} is cut short: no whole file has this length", input.name))
            .hint("get it again from where it came from"))
    }
}

impl Report {
    fn of(header: &Header, armored: bool, file: u64) -> Result<Self> {
        let recipients = counted(header.stanzas().iter().map(|stanza| stanza.tag.clone()));
        let sets = threshold::describe(header).map_err(|error| threshold_error(&error))?;
        let share_sets: Vec<_> = sets.into_iter().map(ShareSet::from).collect();
        let inner = share_sets.iter().flat_map(|set| set.types.keys());
        let header_len = header.encode().len() as u64;
        let payload = file.saturating_sub(header_len + stream::NONCE_LEN as u64);
        let plaintext = stream::plaintext_len(payload);
        Ok(Self {
            version: "age-encryption.org/v1",
            armored,
            scrypt_work_factor: header.scrypt_work_factor(),
            post_quantum: PostQuantum::of(recipients.keys().filter(|name| *name != threshold::TYPE).chain(inner)),
            recipients,
            share_sets,
            whole: plaintext.is_some(),
            sizes: Sizes {
                file,
                header: header_len,
                overhead: plaintext.map(|len| file - header_len - len),
                plaintext,
            },
        })
    }

    fn text(&self, name: &str) -> String {
        let mut text = String::new();
        let mut line = |what: std::fmt::Arguments<'_>| {
            // Writing to a string does not fail.
            let _ = writeln!(text, "{}", printable(&what.to_string()));
        };
        let armor = if self.armored { ", armored" } else { "" };
        line(format_args!("{name}: {}{armor}", self.version));
        line(format_args!("recipients:"));
        for (name, count) in &self.recipients {
            match self.scrypt_work_factor {
                Some(factor) => line(format_args!("  {count:>5}  {name} (a passphrase; work factor {factor})")),
                None => line(format_args!("  {count:>5}  {name}")),
            }
        }
        for ShareSet { id, label, needed, of, types } in &self.share_sets {
            let types: Vec<_> = types.iter().map(|(name, count)| format!("{count} {name}")).collect();
            line(format_args!("holders: any {needed} of {of} together ({})", types.join(", ")));
            line(format_args!(
                "  share set {id}, {}",
                label.as_ref().map_or("no label".into(), |label| format!("label {label:?}"))
            ));
        }
        line(format_args!(
            "post-quantum: {}",
            match self.post_quantum {
                PostQuantum::Yes => "yes",
                PostQuantum::No => "no",
                PostQuantum::Unknown => "not known for these types",
            }
        ));
        line(format_args!("bytes:"));
        line(format_args!("  {:>15}  header", self.sizes.header));
        if let (Some(overhead), Some(plaintext)) = (self.sizes.overhead, self.sizes.plaintext) {
            line(format_args!("  {overhead:>15}  nonce and tags"));
            line(format_args!("  {plaintext:>15}  plaintext"));
        }
        line(format_args!("  {:>15}  in all{}", self.sizes.file, if self.armored { ", without armor" } else { "" }));
        if self.whole {
            line(format_args!("the length is that of a whole file; only decrypting shows more"));
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_weak_recipient_is_enough() {
        let of = |types: &[&str]| PostQuantum::of(&types.iter().map(|&name| name.to_owned()).collect::<Vec<_>>());
        assert_eq!(of(&["X25519"]), PostQuantum::No);
        assert_eq!(of(&["mlkem768x25519"]), PostQuantum::Yes);
        assert_eq!(of(&["scrypt"]), PostQuantum::Yes);
        assert_eq!(of(&["new"]), PostQuantum::Unknown);
        assert_eq!(of(&["mlkem768x25519", "new"]), PostQuantum::Unknown);
        assert_eq!(of(&["new", "mlkem768x25519"]), PostQuantum::Unknown);
        assert_eq!(of(&["new", "ssh-rsa", "mlkem768x25519"]), PostQuantum::No);
    }
}
