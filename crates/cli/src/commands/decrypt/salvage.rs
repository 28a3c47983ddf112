//! `sealane decrypt --salvage` recovers the intact parts of a damaged file.

use std::ffi::OsString;
use std::io::{self, BufReader, BufWriter, Read, Seek as _, Write as _};
use std::path::{Path, PathBuf};

use sealane_age::armor::decode_damaged;
use sealane_age::{Salvaged, Salvaging, WriteAt as _};
use serde_json::json;

use crate::args::DecryptArgs;
use crate::error::explain::{copy_error, payload_error};
use crate::error::{Error, Result, quoted};
use crate::io::input::{BINARY_START, PatchedFile};
use crate::io::old_header::{self, Repair};
use crate::io::output::Temporary;
use crate::io::progress::{Progress, Watched};
use crate::io::stdin::StdinUse;
use crate::keys::file_keys::{AllowPassphrase, Openers};
use crate::os::cleanup::FileGuard;
use crate::os::dir::sync_parent;
use crate::os::disk;
use crate::os::temp_dir::temp_dir;

/// Writes the intact plaintext to a new file, and a list of missing ranges to another one beside
/// it. Missing ranges are an error after that.
pub(super) fn run(args: &DecryptArgs) -> Result<()> {
    let path = args.opening.inputs.file();
    let stdin = StdinUse::default();
    let mut input = old_header::open_input(path, &stdin, Repair::InFile)?;
    let (Some(mut file), Some(mut len)) = (input.file.take(), input.len) else {
        return Err(if is_empty(path, &mut input.reader) {
            Error::new(format!("{} is empty: there is nothing to recover", input.name)).hint("get another copy")
        } else {
            Error::new(format!("{} is not a regular file", input.name)).hint("copy it to a regular file first")
        });
    };
    input.refuse_mangled()?;
    let mut start = [0; BINARY_START.len()];
    let is_binary = input.reader.read_exact(&mut start).is_ok() && start == *BINARY_START;
    if !is_binary && let Some(decoded) = decode(&mut file, &input.name, &input.progress)? {
        (file, len) = decoded;
    }
    let unreadable = |error: &io::Error| Error::io(format!("cannot read {}", input.name), error);
    file.rewind().map_err(|error| unreadable(&error))?;
    let from_start = file.get_ref().try_clone().map_err(|error| unreadable(&error))?;
    let reader = Watched::new(from_start, &input.progress);
    let output = args.output.path().unwrap_or(Path::new(""));
    let map = map_path(output);
    // Errors of the output should come before any question.
    for path in [output, &map] {
        Temporary::check_new(path).map_err(|error| cannot_make(path, &error))?;
    }
    let openers = Openers::load(&args.opening.keys, &stdin)?;
    let reader = openers
        .decrypt(reader, &input.name, AllowPassphrase::Yes, crate::os::backend::chosen()?)
        .map_err(|error| old_header::explain(error, path))?;

    let create = |path| Temporary::private_beside(path).map_err(|error| cannot_make(path, &error));
    let (result, list) = (create(output)?, create(&map)?);
    let cannot = Error::cannot_write;
    // Progress counts the plaintext that is found, because a search reads the same bytes many
    // times.
    let progress = Progress::default();
    let shown = progress.show(Some(len), false);
    let mut found_end = 0;
    let salvaged = reader
        .salvage(file.get_ref(), len, |event| {
            show(&progress, &event);
            let Salvaging::Found { at, plaintext } = event else { return Ok(()) };
            found_end = found_end.max(at + plaintext.len() as u64);
            result.file().write_all_at(plaintext, at).map_err(|error| cannot(output, &error).into_io())
        })
        .map_err(|error| copy_error(error, |error| payload_error(error, &input.name)));
    drop(shown);
    let salvaged = salvaged?;
    // If the end is unknown, the output ends at the last byte that is found or known to be missing.
    let missing_end = salvaged.missing.last().map_or(0, |range| range.end);
    let end = salvaged.end.unwrap_or(missing_end.max(found_end));
    result.file().set_len(end).and_then(|()| disk::sync(result.file())).map_err(|error| cannot(output, &error))?;
    let written = writeln!(list.file(), "{:#}", describe(&salvaged)).and_then(|()| disk::sync(list.file()));
    if let Err(error) = written {
        return Err(kept(cannot(&map, &error), result, output, None));
    }
    place(result, output, list, &map)?;
    verdict(&salvaged, &input.name, &map)
}

/// Gives the complete files their names. The list comes first: an output without a list would look
/// like a whole file.
fn place(mut result: Temporary, output: &Path, mut list: Temporary, map: &Path) -> Result<()> {
    let map_guard = match list.persist_guarded(map) {
        Ok(guard) => guard,
        Err(error) => {
            let list = output.with_file_name(list.keep(map));
            return Err(kept(cannot_make(map, &error), result, output, Some(&list)));
        }
    };
    match result.persist_guarded(output) {
        Ok(output_guard) => FileGuard::release(&[output_guard, map_guard]),
        Err(error) => {
            FileGuard::release(&[map_guard]);
            return Err(kept(cannot_make(output, &error), result, output, Some(map)));
        }
    }
    // Both files are in the same directory.
    sync_parent(output);
    Ok(())
}

/// Keeps the complete result under another name, because a failing disk may not return the data
/// again. Returns `error`, which says where the result and its list are.
fn kept(error: Error, result: Temporary, output: &Path, list: Option<&Path>) -> Error {
    let result = quoted(output.with_file_name(result.keep(output)));
    let list = list.map_or("without its list".to_owned(), |list| format!("and its list in {}", quoted(list)));
    error.hint(format!("the result is complete: it is in {result}, {list}"))
}

/// Counts the plaintext that was found, and shows the progress of a search.
fn show(progress: &Progress, event: &Salvaging<'_>) {
    match event {
        Salvaging::Found { plaintext, .. } => {
            progress.add(plaintext.len() as u64);
            progress.set_message("");
        }
        Salvaging::Searching { tried, of } => {
            progress.set_message(&format!("looking for the next chunk: {} %", 100 * tried / of.max(&1)));
        }
        _ => {}
    }
}

/// Returns whether the input is a regular file without content. Files in /proc have content
/// although their length is given as 0.
fn is_empty(path: Option<&Path>, reader: &mut impl Read) -> bool {
    path.is_some_and(Path::is_file) && reader.read(&mut [0]).is_ok_and(|len| len == 0)
}

/// Decodes the armor of `file`, as far as it is intact, into a temporary file without a name. The
/// content of this file is still encrypted. Returns `None` if there is no armor.
fn decode(
    file: &mut Watched<PatchedFile>,
    name: &str,
    progress: &Progress,
) -> Result<Option<(Watched<PatchedFile>, u64)>> {
    let cannot = |error: &io::Error| {
        Error::io(format!("cannot decode the armor of {name} to a temporary file"), error)
            .hint("TMPDIR names the folder for temporary files")
    };
    let mut decoded = tempfile::tempfile_in(temp_dir()).map_err(|error| cannot(&error))?;
    file.rewind().map_err(|error| cannot(&error))?;
    decode_damaged(BufReader::new(file), BufWriter::new(&mut decoded)).map_err(|error| cannot(&error))?;
    let len = decoded.metadata().map_err(|error| cannot(&error))?.len();
    Ok((len > 0).then(|| (Watched::new(decoded.into(), progress), len)))
}

fn map_path(output: &Path) -> PathBuf {
    let mut name = OsString::from(output);
    name.push(".missing.json");
    name.into()
}

fn cannot_make(path: &Path, error: &io::Error) -> Error {
    match error.kind() {
        io::ErrorKind::AlreadyExists => {
            Error::new(format!("cannot make {}: it exists", quoted(path))).hint("give -o the name of a new file")
        }
        _ => Error::io(format!("cannot make {}", quoted(path)), error),
    }
}

fn describe(salvaged: &Salvaged) -> serde_json::Value {
    let missing: Vec<_> =
        salvaged.missing.iter().map(|range| json!({ "start": range.start, "end": range.end })).collect();
    let moved: Vec<_> = salvaged.moved.iter().map(|moved| json!({ "start": moved.start, "by": moved.by })).collect();
    json!({
        "found": salvaged.found,
        "missing": missing,
        "moved": moved,
        "plaintext_len": salvaged.end,
        "trailing": salvaged.trailing,
        "search_limited": salvaged.limited,
    })
}

fn verdict(salvaged: &Salvaged, name: &str, map: &Path) -> Result<()> {
    if salvaged.is_whole() {
        return Ok(());
    }
    let missing: u64 = salvaged.missing.iter().map(|range| range.end - range.start).sum();
    let end = if salvaged.end.is_some() { "" } else { ", and an unknown number after them" };
    let limited = if salvaged.limited { "; the search for more reached its limit" } else { "" };
    Err(Error::new(format!(
        "{name} is damaged: {} bytes were saved, {missing} are missing{end}{limited}",
        salvaged.found
    ))
    .hint(format!("{} lists the missing ranges, which are zeros in the output", quoted(map))))
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use super::*;

    #[test]
    fn a_search_is_shown_until_it_has_ended() {
        let progress = Progress::default();
        progress.start_in_test(Instant::now(), Some(1000));
        for (event, shown, count) in [
            (Salvaging::Found { at: 0, plaintext: &[0; 100] }, "", 100),
            (Salvaging::Searching { tried: 0, of: 0 }, "looking for the next chunk: 0 %", 100),
            (Salvaging::Searching { tried: 1, of: 4 }, "looking for the next chunk: 25 %", 100),
            (Salvaging::Searching { tried: 4, of: 4 }, "looking for the next chunk: 100 %", 100),
            (Salvaging::Found { at: 500, plaintext: &[0; 50] }, "", 150),
        ] {
            show(&progress, &event);
            assert_eq!((progress.text().as_str(), progress.count()), (shown, count));
        }
    }
}
