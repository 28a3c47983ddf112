//! Seals the objects of any store of the crate [`object_store`](https://docs.rs/object_store) as
//! age files (age-encryption.org/v1). A `SealedStore` wraps an inner store, in memory, on disk or
//! in a cloud, which keeps the sealed objects.
//!
//! It implements `ObjectStore`, so that DataFusion, Delta and other engines read and write sealed
//! objects in place. The objects are plain age files: `age -d` opens them.
//!
//! - **Ranges.** Reading a range fetches only the chunks of 64 KiB that it touches: at most two for
//!   1,000 bytes. The header is fetched once for each version of an object, and cached. The ranges
//!   of one `get_ranges` whose chunks touch are fetched together.
//! - **Sizes.** All headers have the same length ([`Keys::with_header_len`]), so that a listing can
//!   compute the length of each plaintext without reading the object: see [`ListedSize`].
//! - **Writing.** Multipart writes are sealed part by part, and become no more parts than they had.
//!   The latest part is held back until more data follows, because the last chunk of a file is
//!   marked as the last. Conditional writes, copies and renames are passed on to the inner store.
//! - **Other recipients.** `SealedStore::rekey` replaces the header, and copies the chunks
//!   unchanged.
//!
//! `object_store_013` and `object_store_014` have the same items for two versions of the crate
//! `object_store`. A feature of the same name enables each.
//!
//! ```
//! # #[cfg(feature = "object_store_014")]
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! use std::sync::Arc;
//!
//! use sealane_age::x25519::Identity;
//! use sealane_object_store::Keys;
//! use sealane_object_store::object_store_014::SealedStore;
//! use sealane_object_store::object_store_014::object_store::memory::InMemory;
//! use sealane_object_store::object_store_014::object_store::path::Path;
//! use sealane_object_store::object_store_014::object_store::ObjectStoreExt as _;
//!
//! let identity = Identity::generate()?;
//! let keys = Keys::new().with_recipient(identity.to_public()).with_identity(identity);
//! let inner = Arc::new(InMemory::new());
//! let store = SealedStore::new(inner.clone(), keys)?;
//!
//! # tokio::runtime::Builder::new_current_thread().build()?.block_on(async {
//! let path = Path::from("plans/monday");
//! store.put(&path, "attack at dawn".into()).await?;
//! assert_eq!(store.get_range(&path, 10..14).await?, "dawn");
//! assert_eq!(store.head(&path).await?.size, 14);
//! // The inner store holds the age file.
//! let sealed = inner.get(&path).await?.bytes().await?;
//! assert!(sealed.starts_with(b"age-encryption.org/v1\n"));
//! # Ok(())
//! # })
//! # }
//! # #[cfg(not(feature = "object_store_014"))]
//! # fn main() {}
//! ```
//!
//! # Limits
//! Anyone who can write to the inner store can replace an object with an older version of it, with
//! another object that is sealed for the same recipients, or with one of their own. Paths, sizes,
//! times, tags and attributes are neither secret nor authentic. `docs/objects.md` has the whole
//! list.
//!
//! Sealing and opening run in the task that polls the future: about a millisecond for a few MiB.
//! The exception is `get_ranges` of local files, with the feature `fs` and in a tokio runtime: it
//! opens chunks on tokio's threads for blocking work.
#![forbid(unsafe_code)]
// Marks items that need a feature, on docs.rs.
#![cfg_attr(docsrs, feature(doc_cfg))]
#![allow(clippy::duplicate_mod, reason = "the store is compiled once for each version of object_store")]

mod chunks;
mod error;
mod groups;
mod keys;
#[cfg(feature = "object_store_013")]
pub mod object_store_013;
#[cfg(feature = "object_store_014")]
pub mod object_store_014;
mod parts;
mod sizes;
mod unlocked;

pub use sealane_age;

pub use crate::error::SealedError;
pub use crate::keys::{DEFAULT_HEADER_BYTES, Keys};
pub use crate::sizes::ListedSize;

/// Runs the README's example as a doc test.
#[cfg(all(doctest, feature = "object_store_014"))]
#[doc = include_str!("../README.md")]
struct Readme;

/// Runs the guide's code blocks as doc tests.
#[cfg(all(doctest, feature = "object_store_014"))]
#[doc = include_str!("../../../docs/objects.md")]
struct Guide;
