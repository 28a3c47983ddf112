//! Shares of a secret, any k of n of which give it back: a checked and authenticated format, and other people's formats.
//!
//! The format is written down in `docs/shares.md`. A share says which set it belongs to, how many are needed and which one it
//! is; a checksum finds damage, and a commitment that all shares carry finds forged shares after the secret was put together,
//! without helping anyone who holds fewer than k shares.
//!
//! - [`split()`] and [`combine()`]: secrets in memory. [`Split`], [`combine_to`] and [`combine_seek`]: secrets of any length,
//!   with memory that does not grow. [`split_element`]: a secret that is a field element, into up to 65,535 shares.
//! - [`refresh`], [`reissue`] and their streaming forms [`Refresh`] and [`reissue_to`]: new shares from shares.
//! - [`slip39`]: words for a phone call. [`ssss`] and [`vault`]: shares of other programs.
//! - [`Share`]: one share in memory, in binary form or as a line of text. [`ShareReader`]: one of any size.
//!
//! ```
//! use sealane_shares::{Share, combine, reissue, split};
//!
//! let shares = split(b"attack at dawn", 3, 5)?;
//! let line = shares[4].to_text()?;
//! assert!(line.starts_with("SEALANE-SHARE-1"));
//!
//! // Two are lost; three are left.
//! let left = [Share::from_text(&line)?, shares[0].clone(), shares[2].clone()];
//! assert_eq!(&combine(&left)?.secret[..], b"attack at dawn");
//!
//! // The second is made again, without the secret.
//! assert_eq!(reissue(&left, 2)?, shares[1]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! What is secret (payloads, and the blinding values beside them) is wiped when it is dropped, has no `Debug` output, and is
//! worked on without branches or memory addresses that depend on it. Headers, evaluation points, lengths and commitments are
//! public.
#![forbid(unsafe_code)]

mod foreign;
mod format;
mod ops;

pub use crate::foreign::{ForeignError, slip39, ssss, vault};
pub use crate::format::error::{ParameterError, ShareError, TextError};
pub use crate::format::layout::{BLINDING_BYTES, COMMITMENT_BYTES, MAGIC, VERSION};
pub use crate::format::text::{MAX_TEXT_PAYLOAD_BYTES, TEXT_PREFIX, has_prefix};
pub use crate::format::{Field, Header, Points, SetId, Share, ShareReader, WipedVec};
pub use crate::ops::{
    BadShare, CombineError, Fault, Recovered, Refresh, Report, Restart, ShareSet, Split, SplitError, SplitWriter,
    combine, combine_seek, combine_to, refresh, reissue, reissue_to, split, split_element,
};
