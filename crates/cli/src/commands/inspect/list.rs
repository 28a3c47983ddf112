//! The report about many files: a line for each, and a summary.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::Serialize;

use super::report::{Opens, Report, cut_short, examine_source};
use crate::error::{Error, Result, of_plaintext, printable};
use crate::folder::{Failures, encrypted_files};
use crate::io::output::{self, json};
use crate::keys::file_keys::Openers;

/// The report about one of many files.
#[derive(Serialize)]
struct Entry {
    /// The path of the file. A file or folder that could not be listed has only an error, whose
    /// text names it.
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<String>,
    #[serde(flatten)]
    report: Option<Report>,
    error: Option<String>,
}

/// The sums over all files that could be read and are not cut short.
#[derive(Default, Serialize)]
struct Summary {
    /// The files that could be read and are not cut short.
    files: usize,
    /// The files that could not be read, or are cut short.
    failed: usize,
    /// The number of stanzas of each type.
    recipients: BTreeMap<String, usize>,
    /// The bytes of all plaintexts.
    plaintext: u64,
    /// The number of files that the identities of the command line open.
    #[serde(skip_serializing_if = "Option::is_none")]
    opens: Option<usize>,
}

#[derive(Serialize)]
struct List {
    files: Vec<Entry>,
    summary: Summary,
}

/// Prints the report about the files `inputs`, and all encrypted files in the folders among them.
pub(super) fn print(inputs: &[PathBuf], as_json: bool, openers: Option<&Openers>) -> Result<()> {
    let plan = encrypted_files(inputs);
    let failures = Failures::default();
    let mut list = List { files: Vec::new(), summary: Summary { opens: openers.map(|_| 0), ..Summary::default() } };
    for error in &plan.failures {
        failures.add(error);
        list.add(Entry { file: None, report: None, error: Some(error.to_string()) });
    }
    for source in &plan.files {
        let file = source.path.display().to_string();
        let (report, error) = match examine_source(source, openers) {
            Ok((report, name)) => {
                let error = if report.length_plausible { None } else { Some(cut_short(&name)) };
                (Some(report), error)
            }
            Err(error) => (None, Some(error.in_context(&crate::error::quoted(&source.path)))),
        };
        if let Some(error) = &error {
            failures.add(error);
        }
        list.add(Entry { file: Some(file), report, error: error.map(|error| error.to_string()) });
    }
    list.summary.failed = failures.count();
    let text = if as_json { json(&list)? } else { list.text() };
    output::print(text.as_bytes())?;
    match list.summary.failed {
        0 => Ok(()),
        failed => Err(Error::new(format!("{failed} of {} files could not be inspected", failed + list.summary.files))),
    }
}

impl List {
    fn add(&mut self, entry: Entry) {
        if let (Some(report), None) = (&entry.report, &entry.error) {
            let summary = &mut self.summary;
            summary.files += 1;
            summary.plaintext += report.sizes.plaintext.unwrap_or_default();
            for (name, count) in &report.recipients {
                *summary.recipients.entry(name.clone()).or_default() += count;
            }
            if report.opens == Some(Opens::Yes) {
                summary.opens = summary.opens.map(|count| count + 1);
            }
        }
        self.files.push(entry);
    }

    fn text(&self) -> String {
        let files = self.files.iter().filter(|entry| entry.error.is_none());
        let lines = files.filter_map(|entry| {
            let report = entry.report.as_ref()?;
            let opens = report.opens.map_or(String::new(), |opens| format!("; {}", opens.text()));
            let (file, bytes) = (entry.file.as_ref()?, report.sizes.plaintext.unwrap_or_default());
            Some(printable(&format!("{file}: {}; {}{opens}", types(&report.recipients), of_plaintext(bytes))) + "\n")
        });
        let Summary { files, plaintext, opens, .. } = &self.summary;
        let noun = if *files == 1 { "file" } else { "files" };
        let opens = opens.map_or(String::new(), |count| format!("; these identities open {count} of them"));
        let types = if *files == 0 { "no recipients".to_owned() } else { types(&self.summary.recipients) };
        lines.collect::<String>() + &format!("{files} {noun}: {types}; {}{opens}\n", of_plaintext(*plaintext))
    }
}

/// Lists the numbers of stanzas of each type.
fn types(recipients: &BTreeMap<String, usize>) -> String {
    let types: Vec<_> = recipients.iter().map(|(name, count)| printable(&format!("{count} {name}"))).collect();
    types.join(", ")
}
