//! Share files: names, reading and writing.

mod failure;
pub(crate) mod foreign;
pub(crate) mod identity;
mod new_files;
mod open;
mod pasted;
pub(crate) mod release;
mod split;
mod write;

pub(crate) use failure::{LeftOut, combine_error, read_error, share_error, split_error, warn_of_unchecked};
pub(crate) use new_files::NewFiles;
pub(crate) use open::{Form, NamedWords, Place, Shares, Unreadable, open_lines, set_of_words};
pub(crate) use pasted::PUBLIC_KEY_NOTE;
pub(crate) use split::{Splitting, say_where};
pub(crate) use write::{NewShares, Sink, stem_of, text_of};
