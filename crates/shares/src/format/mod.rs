//! The format of one share (`docs/shares.md`): its header, its binary form and its text form.

mod checksum;
pub(crate) mod error;
pub(crate) mod field;
mod header;
pub(crate) mod layout;
mod reader;
mod share;
pub(crate) mod text;
mod wiped;
pub(crate) mod writer;

pub use field::{Field, Points};
pub use header::{Header, SetId};
pub use reader::ShareReader;
pub use share::Share;
pub use wiped::WipedVec;
