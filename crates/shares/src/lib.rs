//! Shares of a secret: any k of n shares restore it. This crate has its own checked and
//! authenticated format, and reads and writes the formats of other programs.
//!
//! The format is specified in `docs/shares.md`. Each share states its set, its index and the number
//! of shares needed. A checksum finds damage. All shares carry the same commitment to the secret.
//! It reveals forged shares when the secret is recovered, and does not help anyone who holds fewer
//! than k shares.
//!
//! - [`split()`] and [`combine()`]: secrets in memory. [`Split`], [`combine_to`] and
//!   [`combine_seek`]: secrets of any length, in constant memory. [`split_element`]: a secret that
//!   is a field element, into up to 65,535 shares.
//! - [`refresh`] and [`reissue`], and their streaming forms [`Refresh`] and [`reissue_to`]: new
//!   shares from shares, without the secret.
//! - [`slip39`]: shares as words. [`ssss`] and [`vault`]: shares of the programs ssss and HashiCorp
//!   Vault.
//! - [`Share`]: one share in memory, in binary form or as a line of text. [`ShareReader`]: one
//!   share of any size.
//!
//! ```
//! use sealane_shares::{Share, combine, reissue, split};
//!
//! let shares = split(b"attack at dawn", 3, 5)?;
//! let line = shares[4].to_text()?;
//! assert!(line.starts_with("SEALANE-SHARE-1"));
//!
//! // Two shares are lost, and three are left.
//! let left = [Share::from_text(&line)?, shares[0].clone(), shares[2].clone()];
//! assert_eq!(&combine(&left)?.secret[..], b"attack at dawn");
//!
//! // The second share is created again, without the secret.
//! assert_eq!(reissue(&left, 2)?, shares[1]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! With the feature `serde`, shares implement serde's traits. In human-readable formats such as
//! JSON, they are text, for payloads of up to [`MAX_TEXT_PAYLOAD_BYTES`].
//!
//! The payloads and the shares of the blinding value, which is the key of the commitment, are
//! secret. They are wiped when they are dropped, and `Debug` leaves them out. No branch or memory
//! address depends on them in arithmetic, checksums and commitments, in encoding as text and words,
//! and in encoding and decoding hexadecimal digits. Decoding text and words is not constant time,
//! nor is base64 in either direction. The lengths of words depend on the secret. Headers,
//! evaluation points, lengths and commitments are public.
#![forbid(unsafe_code)]
// Marks items that need a feature, on docs.rs.
#![cfg_attr(docsrs, feature(doc_cfg))]

mod foreign;
mod format;
mod ops;
mod random;
#[cfg(feature = "serde")]
mod serialization;

pub use crate::foreign::{ForeignError, slip39, ssss, vault};
pub use crate::format::error::{ParameterError, ShareError, TextError};
pub use crate::format::layout::{BLINDING_BYTES, COMMITMENT_BYTES, MAGIC, VERSION};
pub use crate::format::text::{MAX_TEXT_PAYLOAD_BYTES, TEXT_PREFIX, has_prefix};
pub use crate::format::{Field, Header, Points, SetId, Share, ShareReader, WipedVec};
pub use crate::ops::{
    BadShare, CombineError, Fault, Recovered, Refresh, Report, Restart, ShareSet, Split, SplitError, SplitWriter,
    combine, combine_seek, combine_to, refresh, reissue, reissue_to, split, split_element,
};

/// Runs the README's example as a doc test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
