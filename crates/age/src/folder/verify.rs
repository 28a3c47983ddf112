//! Verifies encrypted folders.

use std::fs::File;
use std::io::{self, BufReader};
use std::path::Path;

use super::{Id, Known, MANIFEST, Manifest, ManifestError, Name};
use crate::armor::ArmoredReader;
use crate::{DecryptError, Decryptor, Identity};

/// A folder cannot be verified.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum VerifyError {
    /// The manifest cannot be opened.
    #[error("cannot open the manifest: {0}")]
    Open(#[from] DecryptError),
    /// The manifest cannot be read.
    #[error(transparent)]
    Manifest(#[from] ManifestError),
}

/// The fault of a file in a folder.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FileFault {
    /// It is missing, cannot be read or is damaged. In the last case the error wraps a
    /// [`StreamError`](crate::StreamError).
    #[error("{0}")]
    Read(#[source] io::Error),
    /// It cannot be opened.
    #[error(transparent)]
    Open(DecryptError),
    /// It is another file than the one in the manifest.
    #[error("it is not the file in the manifest")]
    Exchanged,
}

/// Decrypts the manifest of a folder.
///
/// # Errors
/// [`VerifyError`].
pub fn read_manifest(folder: &Path, identities: &[&dyn Identity]) -> Result<Manifest, VerifyError> {
    let file = File::open(folder.join(MANIFEST)).map_err(DecryptError::Io)?;
    let reader = Decryptor::new(ArmoredReader::new(file))?.decrypt(identities.iter().copied())?;
    Ok(Manifest::read(BufReader::new(reader))?)
}

/// Verifies a folder: opens each file that its manifest lists, to the end, and compares its id and
/// its length with the manifest. Nothing is written. Returns the files with faults; if there are
/// none, the folder is complete and authentic. Files that are not in the manifest are not looked
/// at.
///
/// # Errors
/// [`VerifyError`], if the manifest cannot be read.
pub fn verify(folder: &Path, identities: &[&dyn Identity]) -> Result<Vec<(Name, FileFault)>, VerifyError> {
    let manifest = read_manifest(folder, identities)?;
    let check = |(name, known): (Name, Known)| {
        let fault = verify_file(&folder.join(name.sealed()), &known, identities).err()?;
        Some((name, fault))
    };
    Ok(manifest.files.into_iter().filter_map(check).collect())
}

fn verify_file(path: &Path, known: &Known, identities: &[&dyn Identity]) -> Result<(), FileFault> {
    let file = File::open(path).map_err(FileFault::Read)?;
    let open = |file| Decryptor::new(ArmoredReader::new(file))?.decrypt(identities.iter().copied());
    let mut reader = open(file).map_err(FileFault::Open)?;
    if Id(reader.file_id()) != known.id {
        return Err(FileFault::Exchanged);
    }
    let len = reader.verify().map_err(FileFault::Read)?;
    if len == known.size { Ok(()) } else { Err(FileFault::Exchanged) }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::folder::{Attributes, Entry};
    use crate::{Encryptor, Recipient, StreamError, x25519};

    #[test]
    fn every_fault_is_found() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path();
        let identity = x25519::Identity::generate().unwrap();
        let encryptor = || Encryptor::with_recipients([&identity.to_public() as &dyn Recipient]).unwrap();
        let verify_with = |key: &x25519::Identity| verify(folder, &[key as &dyn Identity]);
        let mut entries = Vec::new();
        for (name, armored) in [("a", false), ("b", true), ("c", false), ("d", false)] {
            let encryptor = encryptor();
            let id = Id(encryptor.file_id());
            let name = Name::new(Path::new(name)).unwrap();
            let file = if armored {
                encryptor.encrypt_to_armor(b"text").unwrap().into_bytes()
            } else {
                encryptor.encrypt_to_vec(b"text").unwrap()
            };
            fs::write(folder.join(name.sealed()), file).unwrap();
            entries.push(Entry::File { name, size: 4, id, attributes: Attributes::default() });
        }
        assert!(matches!(verify_with(&identity), Err(VerifyError::Open(DecryptError::Io(_)))));
        let mut manifest = Vec::new();
        Manifest::write(&mut manifest, entries).unwrap();
        fs::write(folder.join(MANIFEST), encryptor().encrypt_to_vec(&manifest).unwrap()).unwrap();
        assert!(verify_with(&identity).unwrap().is_empty());
        let stranger = x25519::Identity::generate().unwrap();
        assert!(matches!(verify_with(&stranger), Err(VerifyError::Open(DecryptError::NoMatch))));

        fs::remove_file(folder.join("a.age")).unwrap();
        fs::copy(folder.join("d.age"), folder.join("b.age")).unwrap();
        let mut damaged = fs::read(folder.join("c.age")).unwrap();
        *damaged.last_mut().unwrap() ^= 1;
        fs::write(folder.join("c.age"), damaged).unwrap();
        let faults = verify_with(&identity).unwrap();
        let [(a, FileFault::Read(missing)), (b, FileFault::Exchanged), (c, FileFault::Read(damage))] = &faults[..]
        else {
            panic!("{faults:?}")
        };
        assert_eq!([a, b, c].map(|name| name.as_path().to_str().unwrap()), ["a", "b", "c"]);
        assert_eq!(missing.kind(), io::ErrorKind::NotFound);
        assert!(StreamError::of(damage).is_some());
    }
}
