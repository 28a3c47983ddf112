//! The report about one file.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::{self, Read};
use std::path::Path;

use sealane_age::armor::ArmoredReader;
use sealane_age::header::{Header, is_padding};
use sealane_age::threshold::{self, ShareSetDescription, ThresholdError};
use sealane_age::{DecryptError, Decryptor, stream};
use serde::Serialize;

use crate::error::explain::{decrypt_error, payload_error, threshold_error};
use crate::error::{Error, Result, printable, quoted};
use crate::folder::Source;
use crate::io::input::Input;
use crate::io::old_header::{self, Repair};
use crate::io::progress::{Progress, Watched};
use crate::io::stdin::StdinUse;
use crate::keys::file_keys::{AllowPassphrase, Openers};
use crate::keys::post_quantum::PostQuantum;

/// The report.
#[derive(Serialize)]
pub(crate) struct Report {
    pub(crate) version: &'static str,
    pub(crate) armored: bool,
    /// The types of all stanzas, in the order of the header.
    #[serde(skip)]
    pub(crate) stanza_types: Vec<String>,
    /// The number of stanzas of each type, without the padding of `sealane rekey`.
    pub(super) recipients: BTreeMap<String, usize>,
    /// The sets of holders who can open the file together.
    share_sets: Vec<ShareSet>,
    /// The base-2 logarithm of scrypt's N, if a passphrase opens the file.
    scrypt_work_factor: Option<u8>,
    pub(crate) post_quantum: PostQuantum,
    /// Whether a complete file can have this length. A file that is cut between two chunks, or
    /// inside the last one, also has a plausible length. Only decryption finds such a cut.
    pub(super) length_plausible: bool,
    pub(crate) sizes: Sizes,
    /// Whether the identities of the command line open the file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) opens: Option<Opens>,
}

/// Whether identities open a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Opens {
    Yes,
    No,
    /// The identities are of holders, and other holders are needed too.
    WithOthers,
}

impl Opens {
    /// Returns the sentence for the report.
    pub(super) fn text(self) -> &'static str {
        match self {
            Self::Yes => "these identities open it",
            Self::No => "these identities do not open it",
            Self::WithOthers => "these identities open it together with other holders",
        }
    }
}

/// A set of holders who can open the file together.
#[derive(Serialize)]
struct ShareSet {
    id: String,
    label: Option<String>,
    /// The number of holders that are needed.
    needed: u8,
    /// The number of holders.
    of: u8,
    /// The stanza types of the holders.
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

/// Sizes in bytes.
#[derive(Serialize)]
pub(crate) struct Sizes {
    /// The file without armor.
    file: u64,
    pub(crate) header: u64,
    /// The bytes that the armor adds.
    pub(crate) armor: u64,
    /// The nonce and the tags of the chunks. `None` if the length shows that the file is cut.
    pub(crate) overhead: Option<u64>,
    /// The plaintext, if the file is complete.
    pub(crate) plaintext: Option<u64>,
}

/// Returns the error for a file that is cut short.
pub(crate) fn cut_short(name: &str) -> Error {
    Error::new(format!("{name} is cut short: no complete file has this length")).hint("get another copy")
}

/// Reads the file `path`, or standard input. Returns the report, and the name for messages.
pub(crate) fn read(path: Option<&Path>) -> Result<(Report, String)> {
    examine_path(path, None, &StdinUse::default())
}

/// Reads the file `path`, or standard input, and tries to open it if `openers` are given.
pub(super) fn examine_path(
    path: Option<&Path>,
    openers: Option<&Openers>,
    stdin: &StdinUse,
) -> Result<(Report, String)> {
    examine(old_header::open_input(path, stdin, Repair::InMemory)?, openers, |error| old_header::explain(error, path))
}

/// Reads the file `source`, and tries to open it if `openers` are given.
pub(super) fn examine_source(source: &Source, openers: Option<&Openers>) -> Result<(Report, String)> {
    let cannot = |error| Error::io(format!("cannot open {}", quoted(&source.path)), &error);
    let place = source.place().map_err(cannot)?;
    let input = old_header::open_input_at(&place, &source.path, Repair::InMemory)?;
    examine(input, openers, |error| old_header::explain_at(error, &place))
}

/// Reads an input, and tries to open it if `openers` are given. `explain` adds a hint to the error
/// of a file that cannot be opened.
fn examine(mut input: Input, openers: Option<&Openers>, explain: impl Fn(Error) -> Error) -> Result<(Report, String)> {
    input.refuse_mangled()?;
    let mut reader = ArmoredReader::new(input.reader);
    let read_failed = |error| payload_error(error, &input.name);
    let armored = reader.is_armored().map_err(read_failed)?;
    let decoded = Progress::default();
    let mut reader = Watched::new(reader, &decoded);
    let (header, opens) = match openers {
        None => (Decryptor::new(&mut reader).map_err(|error| explain(decrypt_error(error)))?.into_header(), None),
        Some(openers) => opens(openers, &mut reader, &input.name).map_err(explain)?,
    };
    // The length of a regular file is known without reading it.
    let file_len = match input.len {
        Some(len) if !armored => len,
        _ => {
            io::copy(&mut reader, &mut io::sink()).map_err(read_failed)?;
            decoded.count()
        }
    };
    let armor = if armored { input.progress.count().saturating_sub(file_len) } else { 0 };
    Ok((Report { opens, ..Report::of(&header, armored, file_len, armor)? }, input.name))
}

/// Reads the header of `file`, and tries to open it.
fn opens(openers: &Openers, file: &mut impl Read, name: &str) -> Result<(Header, Option<Opens>)> {
    // The file may be in a folder. Identities were given, so its passphrase is never asked for.
    openers.open(file, name, AllowPassphrase::No, |decryptor, identities| {
        let encoded = decryptor.header().encode();
        let opens = match decryptor.decrypt(identities.iter().copied()) {
            Ok(_) => Opens::Yes,
            Err(DecryptError::NoMatch) => Opens::No,
            Err(DecryptError::Threshold(ThresholdError::TooFew { .. })) => Opens::WithOthers,
            Err(error) => return Err(error),
        };
        let (header, _) = Header::parse(&encoded).map_err(DecryptError::Header)?;
        Ok((header, Some(opens)))
    })
}

impl Report {
    fn of(header: &Header, armored: bool, file: u64, armor: u64) -> Result<Self> {
        let stanza_types: Vec<_> = header.stanzas().iter().map(|stanza| stanza.tag.clone()).collect();
        let recipients = header.stanzas().iter().filter(|stanza| !is_padding(stanza));
        let recipients = counted(recipients.map(|stanza| stanza.tag.clone()));
        let sets = threshold::describe(header).map_err(|error| threshold_error(&error))?;
        let header_len = header.encode().len() as u64;
        let payload = file.saturating_sub(header_len + stream::NONCE_BYTES as u64);
        let plaintext = stream::plaintext_len(payload);
        Ok(Self {
            version: "age-encryption.org/v1",
            armored,
            scrypt_work_factor: header.scrypt_work_factor(),
            post_quantum: PostQuantum::of_header(header, &sets),
            recipients,
            stanza_types,
            share_sets: sets.into_iter().map(ShareSet::from).collect(),
            length_plausible: plaintext.is_some(),
            sizes: Sizes {
                file,
                header: header_len,
                armor,
                overhead: plaintext.map(|len| file - header_len - len),
                plaintext,
            },
            opens: None,
        })
    }

    /// Returns the report as text for people.
    pub(super) fn text(&self, name: &str) -> String {
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
                PostQuantum::Unknown => "unknown for these types",
            }
        ));
        line(format_args!("bytes:"));
        line(format_args!("  {:>15}  header", self.sizes.header));
        if let (Some(overhead), Some(plaintext)) = (self.sizes.overhead, self.sizes.plaintext) {
            line(format_args!("  {overhead:>15}  nonce and tags"));
            line(format_args!("  {plaintext:>15}  plaintext"));
        }
        line(format_args!("  {:>15}  in all{}", self.sizes.file, if self.armored { ", without armor" } else { "" }));
        if let Some(opens) = self.opens {
            line(format_args!("{}", opens.text()));
        }
        if self.length_plausible {
            line(format_args!("a complete file can have this length; only decryption tells whether it is complete"));
        }
        text
    }
}
