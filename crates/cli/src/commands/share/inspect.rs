//! `sealane share inspect` shows the public values of shares, and whether they are intact.

use std::fmt::Write as _;
use std::io::{self, Read as _};

use sealane_shares::{Field, Points};
use serde::Serialize;
use zeroize::Zeroizing;

use crate::args::ShareInspectArgs;
use crate::error::{Error, Result, printable, warn, without_secrets};
use crate::io::output::{json, print};
use crate::io::stdin::StdinUse;
use crate::shares::{Form, NamedWords, Place, Shares, Unreadable, read_error, set_of_words};

/// The public values of a share.
#[derive(Serialize)]
struct Report {
    /// The name on the command line.
    name: String,
    /// The first line of the share, if the file has more than the share and comments.
    line: Option<usize>,
    form: &'static str,
    /// The set: 32 hexadecimal digits, or four for words.
    set: String,
    index: u16,
    threshold: u16,
    /// The number of shares, which is unknown for words.
    count: Option<u16>,
    /// For words only.
    group: Option<Group>,
    /// `None` for words, which have only one field.
    field: Option<String>,
    /// The length of the secret in bytes.
    length: u64,
    /// Hexadecimal digits. `None` for words and damaged shares.
    commitment: Option<String>,
    /// Public keys in comments.
    public_keys: Vec<String>,
    /// Whether a comment says that the words were made with a passphrase.
    passphrase: Option<bool>,
    /// The error of a damaged share.
    damage: Option<String>,
}

/// The group of a share in words.
#[derive(Serialize)]
struct Group {
    index: u8,
    threshold: u8,
    count: u8,
}

/// The report about one input.
#[derive(Serialize)]
#[serde(untagged)]
enum Entry {
    Share(Box<Report>),
    /// An input that cannot be read, is not a share, or is too damaged to identify.
    Unreadable {
        name: String,
        line: Option<usize>,
        damage: String,
    },
}

/// Shows all shares, and fails at the end if one is damaged or unreadable.
pub(super) fn run(args: &ShareInspectArgs) -> Result<()> {
    let mut shares = Shares::open(&args.shares, &StdinUse::default());
    let mut errors = Vec::new();
    let mut entries = inspect(&mut shares, &mut errors);
    entries.extend(shares.words.iter().map(|words| (words.place.clone(), of_words(words))));
    for Unreadable { place, beside, error, .. } in shares.unreadable.drain(..) {
        if beside {
            warn(error.to_string());
            continue;
        }
        entries.push((place.clone(), unreadable(&place, &error)));
        errors.push((place, error));
    }
    entries.sort_by_key(|(place, _)| (place.file, place.line));
    errors.sort_by_key(|(place, _)| (place.file, place.line));
    let text = if args.json {
        json(&entries.iter().map(|(_, entry)| entry).collect::<Vec<_>>())?
    } else {
        entries.iter().map(|(place, entry)| plain(place, entry)).collect()
    };
    print(text.as_bytes())?;
    let mut errors = errors.into_iter().map(|(_, error)| error);
    match errors.next() {
        Some(error) => {
            errors.for_each(|error| warn(error.to_string()));
            Err(error)
        }
        None => Ok(()),
    }
}

/// Returns the error without the place, which is shown beside it.
fn damage(place: &Place, error: &Error) -> String {
    let (text, place) = (error.to_string(), place.to_string());
    text.strip_prefix(&*without_secrets(&place))
        .map_or(text.as_str(), |rest| rest.trim_start_matches([':', ' ']))
        .to_owned()
}

/// Reports an unreadable input. Its name may be a share that was given in place of a file.
fn unreadable(place: &Place, error: &Error) -> Entry {
    Entry::Unreadable {
        name: without_secrets(&place.name).into_owned(),
        line: place.line,
        damage: damage(place, error),
    }
}

/// Reads the shares in Sealane's own format to their ends.
fn inspect(shares: &mut Shares, errors: &mut Vec<(Place, Error)>) -> Vec<(Place, Entry)> {
    let _shown = shares.show_progress();
    let mut buffer = Zeroizing::new(vec![0; 64 << 10]);
    let mut entries = Vec::new();
    for share in &mut shares.own {
        let (place, form, public_keys) = (share.place.clone(), share.form, share.notes.public_keys.clone());
        let mut reader = match share.reader() {
            Ok(reader) => reader,
            Err(error) => {
                entries.push((place.clone(), unreadable(&place, &error)));
                errors.push((place, error));
                continue;
            }
        };
        let wrong = loop {
            match reader.read(&mut buffer) {
                Ok(0) => break None,
                Ok(_) => {}
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => break Some(read_error(error, &place)),
            }
        };
        let header = reader.header();
        let report = Report {
            name: place.name.clone(),
            line: place.line,
            form: match form {
                Form::Binary => "binary",
                Form::Text => "text",
            },
            set: header.set().to_string(),
            index: header.index(),
            threshold: header.threshold(),
            count: Some(header.count()),
            group: None,
            field: Some(field(header.field())),
            length: reader.payload_len(),
            commitment: reader.commitment().map(|bytes| bytes.iter().map(|byte| format!("{byte:02x}")).collect()),
            public_keys,
            passphrase: None,
            damage: wrong.as_ref().map(|error| damage(&place, error)),
        };
        entries.push((place.clone(), Entry::Share(Box::new(report))));
        errors.extend(wrong.map(|error| (place, error)));
    }
    entries
}

/// Reports a mnemonic with a correct checksum.
fn of_words(words: &NamedWords) -> Entry {
    let NamedWords { place, mnemonic, notes } = words;
    Entry::Share(Box::new(Report {
        name: place.name.clone(),
        line: place.line,
        form: "words",
        set: set_of_words(mnemonic),
        index: u16::from(mnemonic.index()) + 1,
        threshold: mnemonic.threshold().into(),
        count: None,
        group: Some(Group {
            index: mnemonic.group_index() + 1,
            threshold: mnemonic.group_threshold(),
            count: mnemonic.group_count(),
        }),
        field: None,
        length: mnemonic.secret_len() as u64,
        commitment: None,
        public_keys: notes.public_keys.clone(),
        passphrase: Some(notes.passphrase),
        damage: None,
    }))
}

fn field(field: Field) -> String {
    match field {
        Field::Bytes => "GF(2^8), byte by byte".to_owned(),
        Field::Element { bits, points: Points::Compact } => format!("GF(2^{bits}), the index is the point"),
        Field::Element { bits, points: Points::Random } => format!("GF(2^{bits}), a random point"),
        other => format!("GF(2^{})", other.bits()),
    }
}

fn plain(place: &Place, entry: &Entry) -> String {
    let mut out = String::new();
    let mut line = |what: std::fmt::Arguments<'_>| {
        // Writing to a String cannot fail.
        let _ = writeln!(out, "{}", printable(&what.to_string()));
    };
    line(format_args!("{}", without_secrets(&place.to_string())));
    let report = match entry {
        Entry::Share(report) => report,
        Entry::Unreadable { damage, .. } => {
            line(format_args!("  UNREADABLE {damage}"));
            return out;
        }
    };
    let (index, threshold) = (report.index, report.threshold);
    match (report.count, &report.group) {
        (Some(count), _) => line(format_args!("  share      {index} of {count}, any {threshold} restore the secret")),
        (None, Some(group)) if group.count > 1 => {
            line(format_args!("  share      {index}, any {threshold} of its group are needed"));
            line(format_args!("  group      {} of {}, any {} are needed", group.index, group.count, group.threshold));
        }
        (None, _) => line(format_args!("  share      {index}, any {threshold} restore the secret")),
    }
    line(format_args!("  set        {}", report.set));
    if let Some(field) = &report.field {
        line(format_args!("  field      {field}"));
    }
    line(format_args!("  secret     {} bytes", report.length));
    line(format_args!("  form       {}", report.form));
    if report.passphrase == Some(true) {
        line(format_args!("  passphrase yes, according to its file"));
    }
    line(format_args!("  checksum   {}", if report.damage.is_none() { "right" } else { "WRONG: damaged" }));
    out
}
