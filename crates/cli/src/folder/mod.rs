//! Works on many files at once. A run encrypts or decrypts the files of a plan, and writes the
//! results into one folder. A run over encrypted files can also verify, describe or rekey them.
//!
//! An encrypted folder has a manifest, an encrypted list of its files. While a run is incomplete,
//! the folder for the results has a journal of the finished work, from which a later run can
//! continue. A single file can also go into a folder; it gets neither a manifest nor, as a rule, a
//! journal.
//!
//! `docs/folders.md` describes the formats of the manifest and the journal.

mod check;
mod destination;
mod encrypted;
mod existing;
#[cfg(target_os = "linux")]
mod file_systems;
mod journal;
mod place;
mod plan;
mod purpose;
mod run;
pub(crate) mod sealed;
mod target;
mod task;

pub(crate) use check::Checked;
pub(crate) use destination::Destination;
pub(crate) use encrypted::{encrypted_files, is_complete, no_encrypted_files, remove_abandoned};
pub(crate) use journal::Record;
pub(crate) use place::{mode, refuse_within, root, single};
pub(crate) use plan::{Link, Plan, Source};
pub(crate) use purpose::Purpose;
pub(crate) use run::{Failure, Failures, resumable, run};
pub(crate) use sealane_age::folder::{Attributes, Entry, Id, JOURNAL, MANIFEST, Manifest, Name, Stamp};
pub(crate) use target::Target;
pub(crate) use task::{Direction, ManifestUse};
