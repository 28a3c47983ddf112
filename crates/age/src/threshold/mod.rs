//! Encrypts to n recipients, any k of whom can open the file together: the header contains shares
//! of the file key.
//!
//! The file key is split with Shamir's secret sharing over GF(2^8), byte by byte, at the points 1
//! to n. The n shares from one split are a share set, with a random id. A header may have several
//! sets. Each share has a separate stanza:
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
//! - If a stanza of another file is put inside the body of such a stanza, the key that a holder
//!   unwraps from it opens no share, and never leaves this module. [`Part::of`] is therefore not a
//!   decryption oracle.
//! - The [`ShareDescription`] of a [`Part`] is always what the maker of the file wrote.
//!
//! `docs/threshold.md` specifies the format, and lists what each party can see and do.
//!
//! ```
//! use sealane_age::threshold::{
//!     Label, Part, ShareDescription, ShareSetDescription, ShareSetId, ThresholdError, ThresholdIdentity,
//!     ThresholdRecipient, describe,
//! };
//! use sealane_age::{DecryptError, Decryptor, Identity, Recipient, decrypt, encrypt, x25519};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let holders = [x25519::Identity::generate()?, x25519::Identity::generate()?];
//! let [first, second] = holders.each_ref().map(x25519::Identity::to_public);
//! let label: Label = "budget 2027".parse()?;
//! let both = ThresholdRecipient::new(2, [&first as &dyn Recipient, &second])?.with_label(Some(label));
//! let file = encrypt([&both as &dyn Recipient], b"attack at dawn")?;
//!
//! // Anyone can read who must cooperate. Nothing proves it yet.
//! let header = Decryptor::read_header(&file[..])?;
//! let sets: Vec<ShareSetDescription> = describe(&header)?;
//! assert_eq!((sets[0].threshold, sets[0].count), (2, 2));
//!
//! // A holder checks the description, and contributes a part.
//! let (description, part): (ShareDescription, Part) =
//!     Part::of(&header, [&holders[1] as &dyn Identity])?.swap_remove(0);
//! assert_eq!(description.label.as_ref().map(Label::as_str), Some("budget 2027"));
//! let set: ShareSetId = part.set();
//! assert_eq!(set, sets[0].id);
//! let parts = [part.to_string().parse()?];
//!
//! // Another one opens the file with it, but not without it.
//! let own = ThresholdIdentity::new([&holders[0] as &dyn Identity], &parts);
//! assert_eq!(decrypt([&own as &dyn Identity], &file)?, b"attack at dawn");
//! let alone = ThresholdIdentity::new([&holders[0] as &dyn Identity], &[]);
//! let error = decrypt([&alone as &dyn Identity], &file).unwrap_err();
//! assert!(matches!(error, DecryptError::Threshold(ThresholdError::TooFew { needed: 2, found: 1, .. })));
//! # Ok(())
//! # }
//! ```

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

/// The type of the stanzas.
pub const TYPE: &str = crate::header::nested::THRESHOLD;
