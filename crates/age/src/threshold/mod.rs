//! Encrypts to n recipients. Any k of them can open the file together, because the header has
//! shares of the file key.
//!
//! The file key is split with Shamir's secret sharing over GF(2^8), byte by byte, at the points 1
//! to n. Each share has a separate stanza:
//!
//! ```text
//! -> sealane/threshold v1 <k> <n> <point> <share set id> [<label>]
//! <the sealed share, its commitment, and stanzas that wrap a one-time key, in base64>
//! ```
//!
//! The holder's recipient wraps a fresh one-time key, never the share. The share is sealed with
//! ChaCha20-Poly1305 under a key that HKDF derives from the one-time key, and the first line of the
//! stanza is its associated data. This has two consequences:
//!
//! - If a stanza of another file is put inside a body, the key that its holder unwraps opens no
//!   share, and never leaves this module. [`Part::of`] is not a decryption oracle.
//! - The [`ShareDescription`] of a [`Part`] is always what the maker of the file wrote.
//!
//! `docs/threshold.md` specifies the format, and lists what each party can see and do.

mod description;
mod identity;
mod known_shares;
mod part;
#[cfg(feature = "std")]
mod recipient;
mod set;
mod share;

pub use self::description::{Label, MAX_LABEL_BYTES, SHARE_SET_ID_BYTES, ShareDescription, ShareSetId};
pub use self::identity::ThresholdIdentity;
pub use self::part::{PART_BYTES, Part};
#[cfg(feature = "std")]
pub use self::recipient::ThresholdRecipient;
pub use self::set::{ShareSetDescription, describe};
pub use crate::threshold_error::ThresholdError;

/// The type of the stanza.
pub const TYPE: &str = crate::header::nested::THRESHOLD;
