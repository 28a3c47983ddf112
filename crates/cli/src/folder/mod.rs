//! Many files at once: the plan of a run, the attributes to keep, and the folder for the results.
//!
//! `docs/folders.md` describes the formats of the manifest and the journal.

mod attributes;
mod destination;
mod encrypted;
mod existing;
mod external_links;
mod journal;
mod manifest;
mod name;
mod place;
mod plan;
mod run;
pub(crate) mod sealed;
mod task;

pub(crate) use attributes::{Attributes, Stamp};
pub(crate) use destination::{Destination, Purpose, Target};
pub(crate) use encrypted::{encrypted_files, no_encrypted_files};
pub(crate) use external_links::{is_among, leaves};
pub(crate) use journal::{Checked, Record};
pub(crate) use manifest::{Entry, Id, Known, Manifest};
pub(crate) use name::Name;
pub(crate) use place::{mode, refuse_within, root, single};
pub(crate) use plan::{Link, Plan, Source};
pub(crate) use run::{Failure, Failures, run};
pub(crate) use task::{Direction, Expected};
