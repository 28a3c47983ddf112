//! Share files: names, reading and writing.

mod failure;
pub(crate) mod foreign;
mod form;
pub(crate) mod identity;
mod new_files;
mod open;
mod pasted;
mod place;
pub(crate) mod release;
mod sheet;
mod split;
pub(crate) mod typed;
mod write;

pub(crate) use failure::{LeftOut, combine_error, read_error, warn_of_unchecked};
pub(crate) use form::Form;
pub(crate) use open::{NamedWords, Shares, open_lines, set_of_words};
pub(crate) use pasted::PUBLIC_KEY_NOTE;
pub(crate) use place::{Place, Unreadable};
pub(crate) use split::{Splitting, say_where};
pub(crate) use write::{NewShares, stem_of};
