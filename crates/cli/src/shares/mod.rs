//! Finds shares in files, in pasted text and at the terminal, and writes new ones.
//!
//! A set is all the shares of one splitting of a secret. Shares in Sealane's own format are in
//! binary or in text form. Other formats are words (SLIP-39), and the lines of `ssss` and HashiCorp
//! Vault. The stem is the name of the secret, with which the names of share files begin.

mod failure;
pub(crate) mod foreign;
mod form;
pub(crate) mod identity;
mod named_share;
mod new_files;
mod open;
mod pasted;
mod place;
pub(crate) mod release;
mod sheet;
mod split;
pub(crate) mod typed;
mod write;

pub(crate) use failure::{LeftOut, check_beside_unreadable, combine_error, read_error, warn_of_unchecked};
pub(crate) use form::Form;
pub(crate) use open::{NamedWords, Shares, open_lines, set_of_words};
pub(crate) use pasted::PUBLIC_KEY_NOTE;
pub(crate) use place::{Place, Unreadable};
pub(crate) use split::{Splitting, say_where};
pub(crate) use write::{NewShares, stem_of};
