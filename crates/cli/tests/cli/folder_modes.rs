//! The modes of folders when an interrupted decryption is resumed.

use std::fs;

use crate::folder::with_photos;
use crate::folder_resume::{DECRYPT, ENCRYPT, resume};
#[cfg(target_os = "linux")]
use crate::{files::bound_by_modes, folder::assert_alike, support::finish};

/// A manifest need not list the folders above its entries. A short one can have very many.
#[test]
fn folders_that_no_manifest_lists_are_not_recorded() {
    let dir = with_photos();
    dir.run(ENCRYPT).quiet();
    let manifest = dir.run(["-d", "-i", "key.txt", "sealed/sealane-manifest.age"]).quiet().stdout;
    let manifest = String::from_utf8(manifest).unwrap();
    let others = manifest.lines().filter(|line| !line.contains("\"directory\""));
    let others: String = others.map(|line| format!("{line}\n")).collect();
    dir.encrypt(others.as_bytes(), "sealed/sealane-manifest.age");
    fs::rename(dir.path("sealed/photos/a.jpg.age"), dir.path("late")).unwrap();
    assert!(dir.run(DECRYPT).err().contains("\"sealed/photos/a.jpg.age\" is missing"));
    let journal = String::from_utf8(dir.read("open/.sealane-resume")).unwrap();
    assert!(!journal.contains("{\"folder\"") && journal.contains("photos/2020/b.jpg"), "{journal}");
    dir.set_mode("open/photos/2020", 0o750);
    fs::rename(dir.path("late"), dir.path("sealed/photos/a.jpg.age")).unwrap();
    resume(&dir, &DECRYPT).quiet();
    assert_eq!(dir.mode("open/photos/2020"), 0o750);
}

/// A manifest from Windows has times without modes, and so has decryption without a manifest.
#[test]
fn folders_without_a_mode_keep_theirs() {
    let dir = with_photos();
    dir.run(ENCRYPT).quiet();
    let decrypt = [&DECRYPT[..], &["--no-manifest"]].concat();
    let sealed = dir.path("sealed/photos/a.jpg.age");
    let whole = fs::read(&sealed).unwrap();
    fs::write(&sealed, &whole[..whole.len() - 1]).unwrap();
    assert!(dir.run(&decrypt).err().contains("1 of 8 files was not decrypted"));
    let journal = String::from_utf8(dir.read("open/.sealane-resume")).unwrap();
    assert!(journal.contains("{\"folder\""), "{journal}");
    dir.set_mode("open/photos/2020", 0o750);
    fs::write(&sealed, &whole).unwrap();
    resume(&dir, &decrypt).ok();
    assert_eq!(dir.mode("open/photos/2020"), 0o750);
}

/// The owner may use such a folder, but not list it.
#[cfg(target_os = "linux")]
#[test]
fn a_folder_that_its_owner_cannot_list_can_be_resumed() {
    let dir = with_photos();
    dir.set_mode("photos/2020", 0o311);
    dir.run(ENCRYPT).quiet();
    dir.set_mode("sealed/photos/2020", 0o755);
    let sealed = dir.path("sealed/photos/2020/b.jpg.age");
    let whole = fs::read(&sealed).unwrap();
    fs::write(&sealed, "damaged").unwrap();
    let run = finish(bound_by_modes(&dir, &DECRYPT));
    assert!(run.err().contains("1 of 8 files was not decrypted"), "{}", run.err());
    assert_eq!(dir.mode("open/photos/2020"), 0o311);
    fs::write(&sealed, whole).unwrap();
    finish(bound_by_modes(&dir, &[&DECRYPT[..], &["--resume"]].concat())).quiet();
    assert_alike(&dir, "photos", "open/photos");
}
