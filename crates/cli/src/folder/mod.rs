//! Many files at once: which they are, what is kept of them besides their content, and a folder that receives them.
//!
//! The forms of the two files that are made beside the others, the manifest and the journal, are in `docs/folders.md`.

mod attributes;
mod destination;
mod found;
mod journal;
mod leaving;
mod manifest;
mod name;
mod plan;
mod work;

pub(crate) use attributes::{Attributes, Stamp};
pub(crate) use destination::{Destination, Direction, Expected, Mode, Purpose, Target};
pub(crate) use journal::{Checked, Record};
pub(crate) use leaving::{is_among, leaves};
pub(crate) use manifest::{Entry, Id, Known, Manifest};
pub(crate) use name::{JOURNAL, MANIFEST, Name};
pub(crate) use plan::{Directory, Link, Plan, Source};
pub(crate) use work::{Failure, Failures, run};
