use std::panic::{AssertUnwindSafe, catch_unwind};

use std::fs::{self, TryLockError};

use sealane_age::WriteAt;
use sealane_age::header::Header;
use sealane_age::stream::NONCE_BYTES;

use super::kept::Kept;
use super::*;

/// Returns two headers of the same length, and the rest of the file.
fn headers() -> (Vec<u8>, Vec<u8>, Vec<u8>) {
    let header = |letter: &str| {
        let body = letter.repeat(42) + "A";
        format!("age-encryption.org/v1\n-> {letter} {letter}{letter}\n{body}\n--- {body}\n").into_bytes()
    };
    let (old, new) = (header("a"), header("b"));
    let old = Header::parse(&old).unwrap().0.encode();
    let new = Header::parse(&new).unwrap().0.encode();
    assert_eq!(old.len(), new.len());
    (old, new, vec![7; 100])
}

fn write(path: &Path, parts: &[&[u8]]) {
    fs::write(path, parts.concat()).unwrap();
}

fn nonce(payload: &[u8]) -> [u8; NONCE_BYTES] {
    payload[..NONCE_BYTES].try_into().unwrap()
}

/// A file that panics after this many bytes, as if the process were killed.
struct Mortal<'a> {
    file: &'a File,
    left: usize,
}

impl WriteAt for Mortal<'_> {
    fn write_all_at(&self, data: &[u8], offset: u64) -> io::Result<()> {
        let len = self.left.min(data.len());
        self.file.write_all_at(&data[..len], offset)?;
        // This panics, because the code under test would continue after an error.
        std::panic::resume_unwind(Box::new("killed"));
    }

    fn set_len(&self, _: u64) -> io::Result<()> {
        unreachable!("the length stays")
    }
}

#[test]
fn a_crash_at_any_byte_is_put_right() {
    let dir = tempfile::tempdir().unwrap();
    let (path, kept_path) = (dir.path().join("x"), dir.path().join(".x.sealane-old-header"));
    let (old, new, payload) = headers();
    for len in 0..=old.len() {
        write(&path, &[&old, &payload]);
        let target = Target::open(&path).unwrap();
        let mortal = Mortal { file: &target.file, left: len };
        let replace = || target.replace_through(&mortal, &old, &new, &nonce(&payload));
        assert!(catch_unwind(AssertUnwindSafe(replace)).is_err());
        drop(target);
        assert!(kept_path.exists(), "{len}");
        // A user who can only read the file gets one of the two headers.
        let place = Place::of(&path).unwrap();
        let instead = header_to_read(&place, &File::open(&path).unwrap());
        let found = fs::read(&path).unwrap();
        let found = instead.as_deref().unwrap_or(&found[..old.len()]);
        assert!(found == old || found == new, "{len}");
        // A user with write access restores the old header, or finds that the new one is complete.
        // The file is then read from its start.
        let target = Target::open(&path).unwrap();
        let mut read = Vec::new();
        target.input().unwrap().reader.read_to_end(&mut read).unwrap();
        drop(target);
        let found = fs::read(&path).unwrap();
        assert_eq!(read, found, "{len}");
        let is_complete = new[len..] == old[len..];
        let expected = if is_complete { &new } else { &old };
        assert_eq!(found, [&expected[..], &payload].concat(), "{len}");
        assert!(!kept_path.exists(), "{len}");
    }
    let target = Target::open(&path).unwrap();
    target.replace(&new, &old, &nonce(&payload)).unwrap();
    assert_eq!(fs::read(&path).unwrap(), [&old[..], &payload].concat());
    assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1, "nothing is left behind");
}

/// Some file systems give a file its name in two steps, and a run can be killed between them.
#[test]
fn a_kept_file_with_its_first_name_is_used() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("x");
    let (old, new, payload) = headers();
    write(&path, &[&old, &payload]);
    let target = Target::open(&path).unwrap();
    let mortal = Mortal { file: &target.file, left: 60 };
    let replace = || target.replace_through(&mortal, &old, &new, &nonce(&payload));
    assert!(catch_unwind(AssertUnwindSafe(replace)).is_err());
    drop(target);
    let first = dir.path().join(".sealane-0123456789abcdef.tmp");
    fs::hard_link(dir.path().join(".x.sealane-old-header"), first).unwrap();
    Target::open(&path).unwrap();
    assert_eq!(fs::read(&path).unwrap(), [&old[..], &payload].concat());
    assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1, "nothing is left behind");
}

#[cfg(unix)]
#[test]
fn readers_of_a_file_can_read_its_kept_headers() {
    use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, chown};

    let dir = tempfile::tempdir().unwrap();
    let (path, kept_path) = (dir.path().join("x"), dir.path().join(".x.sealane-old-header"));
    let (old, new, payload) = headers();
    for mode in [0o644, 0o640, 0o600] {
        write(&path, &[&old, &payload]);
        if rustix::process::geteuid().is_root() {
            chown(&path, Some(12345), Some(23456)).unwrap();
        }
        fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
        let target = Target::open(&path).unwrap();
        let mortal = Mortal { file: &target.file, left: 60 };
        let replace = || target.replace_through(&mortal, &old, &new, &nonce(&payload));
        assert!(catch_unwind(AssertUnwindSafe(replace)).is_err());
        let rights = |path: &Path| {
            let metadata = path.metadata().unwrap();
            (metadata.mode() & 0o777, metadata.uid(), metadata.gid())
        };
        assert_eq!(rights(&kept_path), rights(&path));
        drop(target);
        Target::open(&path).unwrap();
        assert!(!kept_path.exists());
    }
}

#[cfg(unix)]
#[test]
fn a_new_file_has_the_mode_that_the_old_one_has_at_the_end() {
    use std::os::unix::fs::PermissionsExt as _;

    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("x");
    write(&path, &[b"old"]);
    let set_mode = |mode| fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
    set_mode(0o644);
    let target = Target::open(&path).unwrap();
    let new = NewFile::create(&target).unwrap();
    set_mode(0o600);
    new.finish(|| Ok(())).unwrap();
    assert_eq!(fs::read(&path).unwrap(), b"");
    assert_eq!(path.metadata().unwrap().permissions().mode() & 0o777, 0o600);
}

#[test]
fn a_kept_file_is_used_only_if_it_is_complete() {
    let (old, new, payload) = headers();
    let kept = Kept { old, new, nonce: nonce(&payload) };
    let bytes = kept.encode();
    assert_eq!(Kept::decode(&bytes), Some(kept));
    for at in 0..bytes.len() {
        assert_eq!(Kept::decode(&bytes[..at]), None, "{at}");
        let mut changed = bytes.clone();
        changed[at] ^= 1;
        assert_eq!(Kept::decode(&changed), None, "{at}");
    }
}

#[cfg(unix)]
#[test]
fn a_kept_file_is_recognised_under_any_name() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt as _;

    let dir = tempfile::tempdir().unwrap();
    for name in [&b"x"[..], b"\xff.age", "ü".as_bytes()] {
        let path = dir.path().join(OsStr::from_bytes(name));
        fs::write(&path, "content").unwrap();
        let place = Place::of(&path).unwrap();
        assert!(is_name(&place.kept()) && !is_name(OsStr::from_bytes(name)), "{path:?}");
    }
}

#[test]
fn a_file_under_the_name_of_what_is_kept_stays_as_it_was() {
    let dir = tempfile::tempdir().unwrap();
    let (path, kept_path) = (dir.path().join("x"), dir.path().join(".x.sealane-old-header"));
    let (old, new, payload) = headers();
    write(&path, &[&old, &payload]);
    // Another file gets the name of the kept file after the target was opened.
    let target = Target::open(&path).unwrap();
    fs::write(&kept_path, "of another run").unwrap();
    assert!(target.replace(&old, &new, &nonce(&payload)).is_err());
    assert_eq!(fs::read(&kept_path).unwrap(), b"of another run");
    assert_eq!(fs::read(&path).unwrap(), [&old[..], &payload].concat());
    drop(target);
    // The kept file is damaged, belongs to another file, is a link, or has another hard link.
    let whole = Kept { old: old.clone(), new: new.clone(), nonce: nonce(&payload) }.encode();
    let other = Kept { old: old.clone(), new: new.clone(), nonce: [8; NONCE_BYTES] }.encode();
    for bytes in [&whole[..whole.len() - 1], b"", &other] {
        fs::write(&kept_path, bytes).unwrap();
        assert!(Target::open(&path).is_err());
        assert_eq!(fs::read(&kept_path).unwrap(), bytes);
    }
    fs::remove_file(&kept_path).unwrap();
    let elsewhere = dir.path().join("elsewhere");
    fs::write(&elsewhere, &whole).unwrap();
    let mut torn = old.clone();
    torn[30..].copy_from_slice(&new[30..]);
    write(&path, &[&torn, &payload]);
    #[cfg(unix)]
    for link in [|a: &Path, b: &Path| std::os::unix::fs::symlink(a, b), |a: &Path, b: &Path| fs::hard_link(a, b)] {
        link(&elsewhere, &kept_path).unwrap();
        assert!(Target::open(&path).err().unwrap().to_string().contains("is in the way"));
        assert_eq!(fs::read(&path).unwrap(), [&torn[..], &payload].concat());
        fs::remove_file(&kept_path).unwrap();
    }
    // A header that is neither of the two was written by another program, even if the payload is
    // the same.
    fs::write(&kept_path, &whole).unwrap();
    let third = String::from_utf8(old.clone()).unwrap().replace('a', "c");
    let third = third.replace("cge-encryption", "age-encryption").into_bytes();
    assert!(Header::parse(&third).is_ok());
    write(&path, &[&third, &payload]);
    assert!(Target::open(&path).err().unwrap().to_string().contains("is the header of another file"));
    assert_eq!(fs::read(&path).unwrap(), [&third[..], &payload].concat());
}

/// A user who can write to the folder, and not to the file, puts a header there that they can open.
/// Only root can make files of other users, so other users check nothing here.
#[cfg(unix)]
#[test]
fn a_kept_file_of_another_user_is_not_used() {
    use std::os::unix::fs::chown;

    const OTHER: Option<u32> = Some(12345);
    if !rustix::process::geteuid().is_root() {
        assert!(std::env::var_os("SEALANE_ALL_CHECKS").is_none(), "only root can make files of other users");
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    let (path, kept_path) = (dir.path().join("x"), dir.path().join(".x.sealane-old-header"));
    let (old, new, payload) = headers();
    let torn = [&new[..40], &old[40..], &payload].concat();
    write(&path, &[&torn]);
    let read = || header_to_read(&Place::of(&path).unwrap(), &File::open(&path).unwrap());
    fs::write(&kept_path, Kept { old: old.clone(), new, nonce: nonce(&payload) }.encode()).unwrap();
    assert_eq!(read(), Some(old));
    chown(&kept_path, OTHER, OTHER).unwrap();
    assert_eq!(read(), None);
    let kept = fs::read(&kept_path).unwrap();
    assert!(Target::open(&path).err().unwrap().to_string().contains("is in the way: it belongs to another user"));
    assert_eq!((fs::read(&path).unwrap(), fs::read(&kept_path).unwrap()), (torn, kept));
    // The owner of the file can change it in any case.
    chown(&path, OTHER, OTHER).unwrap();
    assert!(read().is_some());
}

#[test]
fn only_the_file_that_was_opened_is_changed() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("x");
    let (old, new, payload) = headers();
    let nonce = nonce(&payload);
    write(&path, &[&old, &payload]);
    let target = Target::open(&path).unwrap();
    // No other run gets the lock meanwhile.
    assert!(Target::open(&path).err().unwrap().to_string().contains("another run"));
    // Another file with the same content.
    write(&dir.path().join("y"), &[&old, &payload]);
    fs::rename(dir.path().join("y"), &path).unwrap();
    assert!(target.replace(&old, &new, &nonce).unwrap_err().to_string().contains("replaced by another file"));
    assert!(target.refuse_if_modified().is_err());
    assert_eq!(fs::read(&path).unwrap(), [&old[..], &payload].concat());
    drop(target);
    // The same file with another header, or another payload.
    let target = Target::open(&path).unwrap();
    for changed in [[&new[..], &payload], [&old[..], &[8; 100]]] {
        write(&path, &changed);
        assert!(target.replace(&old, &new, &nonce).unwrap_err().to_string().contains("was changed while"));
        assert_eq!(fs::read(&path).unwrap(), changed.concat());
    }
    assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1, "nothing is left behind");
}

#[test]
fn without_a_lock_nothing_is_restored() {
    let dir = tempfile::tempdir().unwrap();
    let (path, kept_path) = (dir.path().join("x"), dir.path().join(".x.sealane-old-header"));
    let (old, new, payload) = headers();
    let no_locks: Lock = |_| Err(TryLockError::Error(io::ErrorKind::Unsupported.into()));
    let kept = Kept { old: old.clone(), new: new.clone(), nonce: nonce(&payload) }.encode();
    let place = || Place::of(&path).unwrap();
    for written in [0, 30, old.len()] {
        let found = [&new[..written], &old[written..], &payload].concat();
        write(&path, &[&found]);
        fs::write(&kept_path, &kept).unwrap();
        let error = Target::at(place(), &path, no_locks).err().expect("another run may be at work");
        assert!(error.to_string().contains("another run is changing"), "{error}");
        // A reader still gets a complete header.
        let instead = settle(&place(), Repair::InFile, no_locks);
        assert_eq!(instead, (written == 30).then(|| old.clone()), "{written}");
        assert_eq!((fs::read(&path).unwrap(), fs::read(&kept_path).unwrap()), (found, kept.clone()), "{written}");
    }
    // If no file is kept, a change needs no lock.
    fs::remove_file(&kept_path).unwrap();
    write(&path, &[&old, &payload]);
    Target::at(place(), &path, no_locks).unwrap().replace(&old, &new, &nonce(&payload)).unwrap();
    assert_eq!(fs::read(&path).unwrap(), [&new[..], &payload].concat());
}
