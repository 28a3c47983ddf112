//! Verifies encrypted folders.

use std::fs::{self, File};
use std::io::{self, BufReader, Read};
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use super::fault::FileFault;
use super::file::{OpenFileError, open_file};
use super::input::open_regular;
use super::manifest::{Known, Manifest, ManifestError};
use super::name::{JOURNAL, MANIFEST, Name};
use super::work::for_each_file;
use crate::armor::ArmoredReader;
use crate::decryptor::Decryptor;
use crate::error::DecryptError;
use crate::identity::Identity;
use crate::parallel::Threads;
use crate::stream::StreamReader;

/// A folder cannot be verified or decrypted, because it is known to be incomplete, or because its
/// manifest cannot be opened or read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum VerifyError {
    /// The folder has a [`JOURNAL`]. The command `sealane` writes a manifest even if it could not
    /// encrypt all files, so the manifest does not tell.
    #[error("the run that encrypted the folder is still at work, was interrupted, or could not encrypt all files")]
    Incomplete,
    /// The manifest cannot be opened.
    #[error("cannot open the manifest: {0}")]
    Open(#[from] DecryptError),
    /// The manifest is encrypted with a passphrase: see [`FileFault::Passphrase`].
    #[error("the manifest is encrypted with a passphrase, which cannot be used in a folder")]
    Passphrase,
    /// The manifest cannot be read.
    #[error(transparent)]
    Manifest(#[from] ManifestError),
}

/// Decrypts the manifest of a folder. Does not look for a [`JOURNAL`].
///
/// # Errors
/// [`VerifyError`].
pub fn read_manifest<'a>(
    folder: &Path,
    identities: impl IntoIterator<Item = &'a dyn Identity>,
) -> Result<Manifest, VerifyError> {
    let file = open_regular(&folder.join(MANIFEST)).map_err(DecryptError::Io)?;
    let decryptor = Decryptor::new(ArmoredReader::new(file))?;
    if decryptor.is_scrypt() {
        return Err(VerifyError::Passphrase);
    }
    Ok(Manifest::read(BufReader::new(decryptor.decrypt(identities)?))?)
}

/// Does the same as [`read_manifest`], but refuses a folder with a journal.
pub(super) fn read_complete_manifest(
    folder: &Path,
    identities: &[&(dyn Identity + Sync)],
) -> Result<Manifest, VerifyError> {
    // If the folder cannot be looked into, the manifest cannot be opened either.
    if fs::symlink_metadata(folder.join(JOURNAL)).is_ok() {
        return Err(VerifyError::Incomplete);
    }
    read_manifest(folder, identities.iter().map(|&identity| identity as &dyn Identity))
}

/// Verifies a folder on several threads: opens each file that its manifest lists, to the end, and
/// compares its id and its length with the manifest. Nothing is written. Returns the entries with
/// faults, in the order of their names; if there are none, the folder is complete and authentic.
/// Files that are not in the manifest are not looked at, except for the [`JOURNAL`].
///
/// # Errors
/// [`VerifyError`], if the folder is known to be incomplete, or the manifest cannot be read.
pub fn verify(
    folder: &Path,
    identities: &[&(dyn Identity + Sync)],
    threads: Threads,
) -> Result<Vec<(Name, FileFault)>, VerifyError> {
    let manifest = read_complete_manifest(folder, identities)?;
    let faults = Mutex::new(manifest.unusable_faults().collect::<Vec<_>>());
    let files: Vec<_> = manifest.files.into_iter().collect();
    let one = |(name, known): &(Name, Known), threads| {
        let reader = open_sealed(&folder.join(name.sealed()), identities);
        if let Err(fault) = reader.and_then(|reader| verify_file(reader, Some(known), threads)) {
            faults.lock().unwrap_or_else(PoisonError::into_inner).push((name.clone(), fault));
        }
        ControlFlow::Continue(())
    };
    for_each_file(&files, threads, |(_, known)| known.size, one);
    let mut faults = faults.into_inner().unwrap_or_else(PoisonError::into_inner);
    faults.sort_by(|(one, _), (other, _)| one.cmp(other));
    Ok(faults)
}

/// Verifies one file to its end, and compares it with its entry in the manifest, if it has one.
/// Returns the length of the plaintext.
///
/// # Errors
/// [`FileFault`], if the file cannot be read, or is not the one in the manifest.
pub fn verify_file<R: Read>(
    reader: StreamReader<R>,
    known: Option<&Known>,
    threads: Threads,
) -> Result<u64, FileFault> {
    match open_file(reader, known, io::sink(), threads) {
        Ok((found, _)) => Ok(found),
        Err(OpenFileError::Fault(fault)) => Err(fault),
        Err(OpenFileError::Write(error)) => Err(FileFault::Read(error)),
    }
}

/// Opens an encrypted file, binary or armored. Returns a reader for its plaintext.
pub(super) fn open_sealed(
    path: &Path,
    identities: &[&(dyn Identity + Sync)],
) -> Result<StreamReader<ArmoredReader<File>>, FileFault> {
    let file = open_regular(path).map_err(FileFault::Read)?;
    let decryptor = Decryptor::new(ArmoredReader::new(file)).map_err(FileFault::Open)?;
    if decryptor.is_scrypt() {
        return Err(FileFault::Passphrase);
    }
    decryptor.decrypt(identities.iter().map(|&identity| identity as &dyn Identity)).map_err(FileFault::Open)
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::super::{OpenError, SealError, open, seal};
    use super::*;
    use crate::encryptor::Encryptor;
    use crate::file_key::FileKey;
    use crate::identity::UnwrapError;
    use crate::recipient::Recipient;
    use crate::stanza::Stanza;
    use crate::{scrypt, x25519};

    /// A passphrase that counts the files that it is tried on.
    struct Counted(scrypt::Identity, AtomicUsize);

    impl Identity for Counted {
        fn unwrap_file_key(&self, stanzas: &[Stanza]) -> Result<Option<FileKey>, UnwrapError> {
            self.1.fetch_add(1, Ordering::Relaxed);
            self.0.unwrap_file_key(stanzas)
        }
    }

    #[test]
    fn a_folder_that_is_known_to_be_incomplete_is_an_error() {
        let place = tempfile::tempdir().unwrap();
        let [source, sealed, opened] = ["source", "sealed", "opened"].map(|name| place.path().join(name));
        fs::create_dir(&source).unwrap();
        fs::write(source.join("a"), "a").unwrap();
        let key = x25519::Identity::generate().unwrap();
        seal(&source, &sealed, &[&key.to_public() as &(dyn Recipient + Sync)], Threads::ONE).unwrap();
        let identities = [&key as &(dyn Identity + Sync)];
        assert!(verify(&sealed, &identities, Threads::ONE).unwrap().is_empty());

        fs::write(sealed.join(JOURNAL), "").unwrap();
        // An interrupted run has not written the manifest yet.
        for remove_manifest in [false, true] {
            if remove_manifest {
                fs::remove_file(sealed.join(MANIFEST)).unwrap();
            }
            let refused = verify(&sealed, &identities, Threads::ONE);
            assert!(matches!(refused, Err(VerifyError::Incomplete)), "{refused:?}");
            let refused = open(&sealed, &opened, &identities, Threads::ONE);
            assert!(matches!(refused, Err(OpenError::Manifest(VerifyError::Incomplete))), "{refused:?}");
            assert!(!opened.exists());
        }
    }

    #[test]
    fn a_passphrase_is_tried_on_no_file_of_a_folder() {
        let place = tempfile::tempdir().unwrap();
        let [source, sealed, opened] = ["source", "sealed", "opened"].map(|name| place.path().join(name));
        fs::create_dir(&source).unwrap();
        for name in ["a", "b"] {
            fs::write(source.join(name), name).unwrap();
        }
        let passphrase = scrypt::Recipient::new("correct horse".into()).with_work_factor(1).unwrap();
        let refused = seal(&source, &sealed, &[&passphrase as &(dyn Recipient + Sync)], Threads::ONE);
        assert!(matches!(refused, Err(SealError::Passphrase)) && !sealed.exists(), "{refused:?}");

        let key = x25519::Identity::generate().unwrap();
        seal(&source, &sealed, &[&key.to_public() as &(dyn Recipient + Sync)], Threads::ONE).unwrap();
        let encryptor = Encryptor::with_recipients([&passphrase as &dyn Recipient]).unwrap();
        let file = encryptor.encrypt_to_vec(b"b").unwrap();
        fs::write(sealed.join("b.age"), &file).unwrap();
        // The key opens the other files, so the passphrase is not tried on them.
        let counted = Counted(scrypt::Identity::new("correct horse".into()), AtomicUsize::new(0));
        let identities = [&key as &(dyn Identity + Sync), &counted];
        let is_refused = |faults: &[(Name, FileFault)]| matches!(faults, [(name, FileFault::Passphrase)] if name.as_path() == Path::new("b"));
        let faults = verify(&sealed, &identities, Threads::ONE).unwrap();
        assert!(is_refused(&faults), "{faults:?}");
        let faults = open(&sealed, &opened, &identities, Threads::ONE).unwrap();
        assert!(is_refused(&faults), "{faults:?}");
        assert!(opened.join("a").exists() && !opened.join("b").exists());

        fs::write(sealed.join(MANIFEST), &file).unwrap();
        let refused = verify(&sealed, &identities, Threads::ONE);
        assert!(matches!(refused, Err(VerifyError::Passphrase)), "{refused:?}");
        let refused = open(&sealed, &place.path().join("none"), &identities, Threads::ONE);
        assert!(matches!(refused, Err(OpenError::Manifest(VerifyError::Passphrase))), "{refused:?}");
        assert_eq!(counted.1.into_inner(), 0);
    }
}
