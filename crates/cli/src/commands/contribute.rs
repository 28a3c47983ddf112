//! `sealane contribute`: what one holder has of a file's key, for those who open it.

use std::fs::File;
use std::io::{self, Read, Write as _};
use std::path::{Path, PathBuf};

use age::secrecy::ExposeSecret as _;
use sealane_age::Decryptor;
use sealane_age::armor::ArmoredReader;
use sealane_age::threshold::Part;
use zeroize::Zeroizing;

use crate::args::FileArgs;
use crate::error::{Error, Result, quoted};
use crate::failure::{decrypt_error, threshold_error};
use crate::identities::Identities;
use crate::old_header;
use crate::output::{Content, Output};
use crate::passphrase::Passphrases;
use crate::stdin::StdinUse;

/// More is no file of parts.
const FILE_LIMIT: u64 = 1 << 20;

/// Unwraps what the identities hold.
pub(crate) fn run(args: &FileArgs) -> Result<()> {
    let stdin = StdinUse::default();
    let mut input = old_header::open_input(args.input.as_deref(), &stdin)?;
    let mut output = Output::prepare(args.output.as_deref(), Content::Secret, false)?;
    super::check_same(args, &input, &output)?;
    let passphrases = Passphrases::new(&stdin);
    let identities = Identities::load(&args.identities, &stdin, &passphrases)?.into_openable();
    input.refuse_mangled()?;
    let header = Decryptor::new(ArmoredReader::new(input.reader)).map_err(decrypt_error)?.into_header();
    let parts = Part::of(&header, identities.for_file(false))
        .map_err(|error| decrypt_error(sealane_age::DecryptError::Identity(error)))?;
    if parts.is_empty() {
        return Err(Error::new(format!("no identity holds a part of the key of {}", input.name))
            .hint("sealane inspect shows whether the file is for several holders together"));
    }
    let name = crate::error::printable(&input.name);
    for part in &parts {
        let (number, needed, count) = part.numbers();
        let comment = format!("# part {number} of {count} of the key of {name}; {needed} open the file: a secret");
        writeln!(output, "{comment}\n{}", part.to_text().expose_secret())
            .map_err(|error| Error::from_io("cannot write", error))?;
    }
    output.finish()
}

/// Reads the parts in `paths`; "-" is standard input.
pub(super) fn read_parts(paths: &[PathBuf], stdin: &StdinUse) -> Result<Vec<Part>> {
    let mut parts = Vec::new();
    for path in paths {
        let name = quoted(path);
        if path == Path::new("-") {
            stdin.claim("parts")?;
            read(io::stdin().lock(), &name, &mut parts)?;
        } else {
            let file = File::open(path).map_err(|error| Error::io(format!("cannot open {name}"), &error))?;
            read(file, &name, &mut parts)?;
        }
    }
    Ok(parts)
}

fn read(source: impl Read, name: &str, parts: &mut Vec<Part>) -> Result<()> {
    let mut text = Zeroizing::new(String::with_capacity(4096));
    let read = source.take(FILE_LIMIT).read_to_string(&mut text);
    read.map_err(|error| Error::io(format!("cannot read the part {name}"), &error))?;
    let found = read_part_lines(text.as_bytes()).map_err(|error| error.in_context(name))?;
    parts.extend(found.ok_or_else(|| {
        Error::new(format!("there is no part in {name}"))
            .hint("a part is a line that begins with SEALANE-PART-1, from sealane contribute")
    })?);
    Ok(())
}

/// The parts in a text that has some: one a line, and comments after #.
pub(crate) fn read_part_lines(text: &[u8]) -> Result<Option<Vec<Part>>> {
    let text = std::str::from_utf8(text).unwrap_or_default();
    let lines: Vec<_> = text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#')).collect();
    if !lines.iter().any(|line| line.starts_with("SEALANE-PART-")) {
        return Ok(None);
    }
    lines.iter().map(|line| line.parse().map_err(|error| threshold_error(&error))).collect::<Result<_>>().map(Some)
}
