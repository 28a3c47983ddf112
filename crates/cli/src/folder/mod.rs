//! Many files at once: the plan of a run, the attributes to keep, and the folder for the results.
//!
//! `docs/folders.md` describes the formats of the manifest and the journal.

mod destination;
mod encrypted;
mod existing;
mod journal;
mod place;
mod plan;
mod run;
pub(crate) mod sealed;
mod task;

pub(crate) use destination::{Destination, Purpose, Target};
pub(crate) use encrypted::{encrypted_files, no_encrypted_files};
pub(crate) use journal::{Checked, Record};
pub(crate) use place::{mode, refuse_within, root, single};
pub(crate) use plan::{Link, Plan, Source};
pub(crate) use run::{Failure, Failures, run};
pub(crate) use sealane_age::folder::{Attributes, Entry, Id, JOURNAL, Known, MANIFEST, Manifest, Name, Stamp};
pub(crate) use task::{Direction, Expected};
