//! Encrypted folders (feature `folders`): a folder of encrypted files with an encrypted manifest,
//! which lists them.
//!
//! `docs/folders.md` describes the format. [`seal`], [`open`] and [`verify`] do all the work.
//! Programs that find, place and name files in their own way, as the command `sealane` does, use
//! [`seal_file`], [`open_file`], [`verify_file`], [`Manifest`] and [`folders`], and check names
//! with [`collision`] and links with [`leads_out`]. They refuse files that are encrypted with a
//! passphrase ([`Decryptor::is_scrypt`](crate::Decryptor::is_scrypt)) before they try an identity.
//!
//! ```
//! use std::fs;
//! use std::path::Path;
//!
//! use sealane_age::folder::{
//!     Attributes, Entry, FileFault, Id, Known, Manifest, ManifestError, Name, OpenError, OpenFileError, SealError, Stamp,
//!     VerifyError, open, open_file, seal, verify,
//! };
//! use sealane_age::{Identity, Recipient, Threads, x25519};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let temporary = tempfile::tempdir()?;
//! # let (folder, sealed) = (temporary.path().join("folder"), temporary.path().join("sealed"));
//! # let identity = x25519::Identity::generate()?;
//! # let recipient = identity.to_public();
//! # let recipients = [&recipient as &(dyn Recipient + Sync)];
//! # let identities = [&identity as &(dyn Identity + Sync)];
//! fs::create_dir(&folder)?;
//! fs::write(folder.join("note"), "attack at dawn")?;
//! let metadata = fs::metadata(folder.join("note"))?;
//! let unchanged = Stamp::of(&metadata);
//!
//! let manifest: Manifest = seal(&folder, &sealed, &recipients, Threads::ONE)?;
//! let name = Name::new(Path::new("note")).unwrap();
//! let Known { size, id: Id(_), attributes, .. } = manifest.files[&name];
//! assert_eq!((size, attributes), (14, Attributes::of(&metadata)));
//! assert!(matches!(manifest.entries().next(), Some(Entry::File { .. })));
//! assert_eq!(Stamp::of(&fs::metadata(folder.join("note"))?), unchanged);
//!
//! // A file is exchanged for another one with the same recipient.
//! fs::write(sealed.join("note.age"), sealane_age::encrypt([&recipient as &dyn Recipient], b"retreat")?)?;
//! let faults = verify(&sealed, &identities, Threads::ONE)?;
//! assert!(matches!(&faults[..], [(at, FileFault::Exchanged)] if *at == name));
//!
//! // The same, for a program that does the rest itself.
//! let other = sealane_age::Decryptor::new(fs::File::open(sealed.join("note.age"))?)?;
//! let reader = other.decrypt([&identity as &dyn Identity])?;
//! let error = open_file(reader, manifest.files.get(&name), Vec::new(), Threads::ONE).unwrap_err();
//! assert!(matches!(error, OpenFileError::Fault(FileFault::Exchanged)));
//!
//! // Nothing is replaced, and an unknown manifest is not read.
//! let again = seal(&folder, &sealed, &recipients, Threads::ONE);
//! assert!(matches!(again, Err(SealError::Io { path, .. }) if path == sealed));
//! let opened = open(&sealed, &folder, &identities, Threads::ONE);
//! assert!(matches!(opened, Err(OpenError::Io { path, .. }) if path == folder));
//! fs::remove_file(sealed.join("sealane-manifest.age"))?;
//! assert!(matches!(verify(&sealed, &identities, Threads::ONE), Err(VerifyError::Open(_))));
//! let later = Manifest::read(&b"{\"sealane-manifest\":2}\n"[..]);
//! assert!(matches!(later, Err(ManifestError::UnknownVersion(2))));
//! # Ok(())
//! # }
//! ```

mod attributes;
mod close;
mod fault;
mod file;
mod folders;
mod input;
mod link;
mod manifest;
mod name;
mod open;
mod path_form;
mod seal;
#[cfg(test)]
mod tests;
mod usable;
mod verify;
mod work;

pub use self::attributes::{Attributes, Stamp};
pub use self::fault::FileFault;
pub use self::file::{OpenFileError, open_file, seal_file};
pub use self::folders::folders;
pub use self::link::leads_out;
pub use self::manifest::{Entry, Id, Known, Manifest, ManifestError};
pub use self::name::{JOURNAL, MANIFEST, Name};
pub use self::open::{OpenError, open};
pub use self::seal::{SealError, collision, seal};
pub use self::usable::refuses_name;
pub use self::verify::{VerifyError, read_manifest, verify, verify_file};
pub use self::work::for_each_file;
