//! `sealane share inspect`.

use std::fmt::Write as _;
use std::io::Read as _;

use sealane_shares::{Field, Points};
use serde::Serialize;
use zeroize::Zeroizing;

use crate::args::ShareInspectArgs;
use crate::error::{Error, Result, warn};
use crate::output::{json, print};
use crate::shares::{Form, Shares, read_error};
use crate::stdin::StdinUse;

/// What a share says of itself: nothing of it is secret.
#[derive(Serialize)]
struct Report {
    /// What it was called on the command line.
    name: String,
    form: &'static str,
    /// 32 hexadecimal digits.
    set: String,
    index: u16,
    threshold: u16,
    count: u16,
    field: String,
    /// Of the secret, in bytes.
    length: u64,
    /// Hexadecimal; none if the share is damaged.
    commitment: Option<String>,
    /// What is wrong with it.
    damage: Option<String>,
}

/// What is printed of an input.
#[derive(Serialize)]
#[serde(untagged)]
enum Entry<'a> {
    Share(&'a Report),
    /// It is not known which share it is, if it is one.
    Unreadable {
        damage: String,
    },
}

/// Shows the shares; fails if one of them is not whole.
pub(super) fn run(args: &ShareInspectArgs) -> Result<()> {
    let mut shares = Shares::open(&args.shares, &StdinUse::default())?;
    if let Some((name, _)) = shares.words.first() {
        return Err(Error::new(format!("{name} is a share in words (SLIP-39), which says little of itself"))
            .hint("sealane combine takes it"));
    }
    let reports = inspect(&mut shares)?;
    let text = if args.json {
        let unreadable = shares.unreadable.iter().map(|error| Entry::Unreadable { damage: error.to_string() });
        let all: Vec<_> = reports.iter().map(Entry::Share).chain(unreadable).collect();
        json(&all)?
    } else {
        plain(&reports)
    };
    print(text.as_bytes())?;
    let mut unreadable = shares.unreadable.drain(..);
    if let Some(error) = unreadable.next() {
        unreadable.for_each(|error| warn(error.to_string()));
        return Err(error);
    }
    match reports.iter().find_map(|report| report.damage.as_ref()) {
        Some(damage) => Err(Error::new(damage.clone()).hint("get the share again from whoever keeps it")),
        None => Ok(()),
    }
}

fn inspect(shares: &mut Shares) -> Result<Vec<Report>> {
    let described: Vec<_> = shares.own.iter().map(|share| (share.name.clone(), share.form)).collect();
    let _shown = shares.show_progress();
    let mut buffer = Zeroizing::new(vec![0; 64 << 10]);
    let mut reports = Vec::new();
    for (mut reader, (name, form)) in shares.readers()?.into_iter().zip(described) {
        let damage = loop {
            match reader.read(&mut buffer) {
                Ok(0) => break None,
                Ok(_) => {}
                Err(error) => break Some(read_error(error, &name).to_string()),
            }
        };
        let header = reader.header();
        reports.push(Report {
            form: match form {
                Form::Binary => "binary",
                Form::Text => "text",
            },
            set: header.set().to_string(),
            index: header.index(),
            threshold: header.threshold(),
            count: header.count(),
            field: field(header.field()),
            length: reader.payload_bytes(),
            commitment: reader.commitment().map(|bytes| bytes.iter().map(|byte| format!("{byte:02x}")).collect()),
            damage,
            name,
        });
    }
    Ok(reports)
}

fn field(field: Field) -> String {
    match field {
        Field::Bytes => "GF(2^8), byte by byte".to_owned(),
        Field::Element { bits, points: Points::Compact } => format!("GF(2^{bits}), the index is the point"),
        Field::Element { bits, points: Points::Random } => format!("GF(2^{bits}), a random point"),
    }
}

fn plain(reports: &[Report]) -> String {
    let mut out = String::new();
    for report in reports {
        // Writing to a String cannot fail.
        let _ = writeln!(out, "{}", crate::error::printable(&report.name));
        let _ = writeln!(
            out,
            "  share      {} of {}, any {} restore the secret",
            report.index, report.count, report.threshold
        );
        let _ = writeln!(out, "  set        {}", report.set);
        let _ = writeln!(out, "  field      {}", report.field);
        let _ = writeln!(out, "  secret     {} bytes", report.length);
        let _ = writeln!(out, "  form       {}", report.form);
        let _ = writeln!(out, "  checksum   {}", if report.damage.is_none() { "right" } else { "WRONG: damaged" });
    }
    out
}
