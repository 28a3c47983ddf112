//! The program `age-inspect`.

use std::ffi::OsString;
use std::fmt::Write as _;
use std::path::Path;

use serde::Serialize;
use serde_json::Serializer;
use serde_json::ser::PrettyFormatter;

use super::flags::{Flag, switch};
use super::{Stop, parse};
use crate::commands::inspect::{Report, cut_short, read};
use crate::error::{Error, Result, printable};
use crate::io::output::print;
use crate::keys::post_quantum::PostQuantum;

const USAGE: &str = "\
Usage:
    age-inspect [--json] [INPUT]

Options:
    --json                      Print JSON.
    --version                   Print the version.

INPUT is standard input if it is left out or \"-\".
This is sealane under the name of age-inspect; sealane inspect shows more.
";

const FLAGS: &[Flag] = &[switch(&["version"]), switch(&["json"])];

/// The fields of age-inspect's JSON, in its order.
#[derive(Serialize)]
struct Metadata<'a> {
    version: &'a str,
    postquantum: PostQuantum,
    armor: bool,
    stanza_types: &'a [String],
    sizes: Sizes,
}

/// Sizes in bytes. The format has no padding today, so both payload sizes are the same.
#[derive(Serialize)]
struct Sizes {
    header: u64,
    armor: u64,
    overhead: u64,
    min_payload: u64,
    max_payload: u64,
    min_padding: u64,
    max_padding: u64,
}

/// Runs `age-inspect`.
pub(super) fn run(args: Vec<OsString>) -> Result<(), Stop> {
    let flags = parse(args, FLAGS, USAGE)?;
    if flags.rest.len() > 1 {
        return Err(Stop::Usage { fault: None, usage: USAGE, status: 1 });
    }
    let input = flags.rest.first().filter(|input| !input.is_empty()).map(Path::new);
    let (report, name) = read(input)?;
    let (Some(overhead), Some(payload)) = (report.sizes.overhead, report.sizes.plaintext) else {
        return Err(cut_short(&name).into());
    };
    let metadata = Metadata::of(&report, overhead, payload);
    let text = if flags.is_set("json") {
        metadata.json()?
    } else {
        metadata.text(&input.map_or("<stdin>".to_owned(), |input| input.display().to_string()))
    };
    Ok(print(text.as_bytes())?)
}

impl<'a> Metadata<'a> {
    fn of(report: &'a Report, overhead: u64, payload: u64) -> Self {
        Self {
            version: report.version,
            // age-inspect knows neither the padding nor the holders of Sealane.
            postquantum: PostQuantum::of(&report.stanza_types),
            armor: report.armored,
            stanza_types: &report.stanza_types,
            sizes: Sizes {
                header: report.sizes.header,
                armor: report.sizes.armor,
                overhead,
                min_payload: payload,
                max_payload: payload,
                min_padding: 0,
                max_padding: 0,
            },
        }
    }

    /// Formats JSON with the indentation of age-inspect.
    fn json(&self) -> Result<String> {
        let mut out = Vec::new();
        let written = self.serialize(&mut Serializer::with_formatter(&mut out, PrettyFormatter::with_indent(b"    ")));
        written.map_err(|error| Error::new(format!("cannot write JSON: {error}")))?;
        // Stanza types are printable ASCII. Go escapes these three characters.
        let text = String::from_utf8_lossy(&out);
        Ok(text.replace('<', "\\u003c").replace('>', "\\u003e").replace('&', "\\u0026") + "\n")
    }

    fn text(&self, name: &str) -> String {
        let mut text = String::new();
        let mut line = |what: std::fmt::Arguments<'_>| {
            // Writing to a string does not fail.
            let _ = writeln!(text, "{}", printable(&what.to_string()));
        };
        line(format_args!("{name} is an age file, version {:?}.", self.version));
        line(format_args!(""));
        if self.armor {
            line(format_args!("This file is ASCII-armored."));
            line(format_args!(""));
        }
        line(format_args!("This file is encrypted to the following recipient types:"));
        for name in self.stanza_types {
            line(format_args!("  - {name:?}"));
        }
        line(format_args!(""));
        match self.postquantum {
            PostQuantum::Yes => line(format_args!("This file uses post-quantum encryption.")),
            PostQuantum::No => line(format_args!("This file does NOT use post-quantum encryption.")),
            PostQuantum::Unknown => line(format_args!("It is unknown whether this file uses post-quantum encryption.")),
        }
        line(format_args!(""));
        line(format_args!("Size breakdown (assuming it decrypts successfully):"));
        line(format_args!(""));
        let Sizes { header, armor, overhead, min_payload, .. } = self.sizes;
        line(format_args!("    Header              {header:>12} bytes"));
        if self.armor {
            line(format_args!("    Armor overhead      {armor:>12} bytes"));
        }
        line(format_args!("    Encryption overhead {overhead:>12} bytes"));
        line(format_args!("    Payload             {min_payload:>12} bytes"));
        line(format_args!("                        -------------------"));
        line(format_args!("    Total               {:>12} bytes", header + armor + overhead + min_payload));
        line(format_args!(""));
        line(format_args!("Tip: for machine-readable output, use --json."));
        text
    }
}
