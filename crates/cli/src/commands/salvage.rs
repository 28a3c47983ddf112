//! `sealane decrypt --salvage`: what a damaged file still has.

use std::ffi::OsString;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use sealane_age::armor::ArmoredReader;
use sealane_age::{Salvaged, WriteAt as _};
use serde_json::json;

use super::openers::Openers;
use crate::args::FileArgs;
use crate::cleanup::FileGuard;
use crate::error::{Error, Result, quoted};
use crate::failure::{copy_error, payload_error};
use crate::old_header;
use crate::passphrase::Passphrases;
use crate::stdin::StdinUse;

/// Writes it to a new file, and what is missing to another one beside it.
pub(super) fn run(args: &FileArgs) -> Result<()> {
    let stdin = StdinUse::default();
    let mut input = old_header::open_input(args.input.as_deref(), &stdin)?;
    let (Some(file), Some(len)) = (input.file.take(), input.len) else {
        return Err(Error::new(format!("{} is not a regular file", input.name)).hint("copy it to one first"));
    };
    input.refuse_mangled()?;
    let mut reader = ArmoredReader::new(&mut input.reader);
    if reader.is_armored().is_ok_and(|armored| armored) {
        return Err(Error::new(format!("{} is armored, and only binary files can be salvaged", input.name))
            .hint("without --salvage, what comes before the damage goes to standard output"));
    }
    let output = args.output.as_deref().unwrap_or(Path::new(""));
    let map = map_path(output);
    let openers = Openers::load(args, &stdin, Passphrases::new(&stdin))?;
    let reader = openers
        .decrypt(reader, &input.name, crate::backend()?)
        .map_err(|error| old_header::explain(error, args.input.as_deref()))?;

    let (result, output_guard) = create(output)?;
    // What was made just now must not stay alone.
    let (mut list, map_guard) = create(&map).inspect_err(|_| drop(std::fs::remove_file(output)))?;
    let cannot = Error::cannot_write;
    input.progress.reset();
    let progress = input.progress.show(Some(len), false);
    let salvaged = reader
        .salvage(&file, len, |at, plaintext| {
            result.write_all_at(plaintext, at).map_err(|error| cannot(output, &error).into_io())
        })
        .map_err(|error| copy_error(error, |error| payload_error(error, &input.name)));
    drop(progress);
    let done = salvaged.and_then(|salvaged| {
        // What is missing at the end has its place too, as far as it is known.
        let end = salvaged.end.or(salvaged.missing.last().map(|range| range.end)).unwrap_or(salvaged.found);
        result.set_len(end).and_then(|()| result.sync_all()).map_err(|error| cannot(output, &error))?;
        let written = writeln!(list, "{:#}", describe(&salvaged)).and_then(|()| list.sync_all());
        written.map_err(|error| cannot(&map, &error))?;
        Ok(salvaged)
    });
    match done {
        Ok(salvaged) => {
            FileGuard::release(&[output_guard, map_guard]);
            verdict(&salvaged, &input.name, &map)
        }
        Err(error) => {
            for path in [output, &map] {
                let _ = std::fs::remove_file(path);
            }
            Err(error)
        }
    }
}

fn map_path(output: &Path) -> PathBuf {
    let mut name = OsString::from(output);
    name.push(".missing.json");
    name.into()
}

fn create(path: &Path) -> Result<(std::fs::File, FileGuard)> {
    FileGuard::make_private(path).map_err(|error| {
        let cannot = Error::io(format!("cannot make {}", quoted(path)), &error);
        if error.kind() == io::ErrorKind::AlreadyExists {
            cannot.hint("give -o the name of a new file")
        } else {
            cannot
        }
    })
}

fn describe(salvaged: &Salvaged) -> serde_json::Value {
    let missing: Vec<_> =
        salvaged.missing.iter().map(|range| json!({ "start": range.start, "end": range.end })).collect();
    json!({
        "found": salvaged.found,
        "missing": missing,
        "plaintext_len": salvaged.end,
        "trailing": salvaged.trailing,
    })
}

fn verdict(salvaged: &Salvaged, name: &str, map: &Path) -> Result<()> {
    if salvaged.is_whole() {
        return Ok(());
    }
    let missing: u64 = salvaged.missing.iter().map(|range| range.end - range.start).sum();
    let end = if salvaged.end.is_some() { "" } else { ", and nobody knows how much after them" };
    Err(Error::new(format!("{name} is damaged: {} bytes were saved, {missing} are missing{end}", salvaged.found))
        .hint(format!("{} lists what is missing; it is zero in the output", quoted(map))))
}
