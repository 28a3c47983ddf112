//! Many files at once: which they are, what is kept of them besides their content, and a folder that receives them.
//!
//! The forms of the two files that are made beside the others, the manifest and the journal, are in `docs/folders.md`.

mod attributes;
mod destination;
mod existing;
mod external_links;
mod journal;
mod manifest;
mod name;
mod place;
mod plan;
mod run;

pub(crate) use attributes::{Attributes, Stamp};
pub(crate) use destination::{Destination, Direction, Expected, Purpose, Target};
pub(crate) use external_links::{is_among, leaves};
pub(crate) use journal::{Checked, Record};
pub(crate) use manifest::{Entry, Id, Known, Manifest};
pub(crate) use name::{JOURNAL, MANIFEST, Name};
pub(crate) use place::{mode, refuse_within, root, single};
pub(crate) use plan::{Directory, Link, Plan, Source};
pub(crate) use run::{Failure, Failures, run};
