//! Interrupted runs, and runs that continue them.

use std::fs::{self, File, FileTimes};
use std::os::unix::fs::{MetadataExt as _, symlink};
use std::process::Stdio;
use std::time::{Duration, Instant, UNIX_EPOCH};

use crate::folder::{assert_alike, listing, with_photos};
use crate::support::{Dir, Run, bytes, finish};

pub(crate) const ENCRYPT: [&str; 6] = ["encrypt", "-R", "key.pub", "-o", "sealed", "photos"];
pub(crate) const WITH_LATE: [&str; 7] = ["encrypt", "-R", "key.pub", "-o", "sealed", "photos", "late"];
pub(crate) const DECRYPT: [&str; 6] = ["decrypt", "-i", "key.txt", "-o", "open", "sealed"];

pub(crate) fn resume(dir: &Dir, args: &[&str]) -> Run {
    dir.run(args.iter().copied().chain(["--resume"]))
}

/// Runs an encryption that fails for one file, and then makes that file readable.
pub(crate) fn interrupted() -> Dir {
    let dir = with_photos();
    symlink("/proc/self/mem", dir.path("late")).unwrap();
    assert!(dir.run(WITH_LATE).err().contains("1 of 9 files was not encrypted"));
    assert!(dir.exists("sealed/.sealane-resume"));
    assert_eq!(dir.mode("sealed/.sealane-resume"), 0o600);
    fs::remove_file(dir.path("late")).unwrap();
    dir.write("late", "better");
    dir
}

fn inode(dir: &Dir, name: &str) -> u64 {
    dir.path(name).metadata().unwrap().ino()
}

#[test]
fn complete_and_authentic_files_are_left_unchanged() {
    let dir = interrupted();
    let (same, damaged, changed, longer) =
        ("photos/2020/may/large.age", "photos/a.jpg.age", "photos/2020/b.jpg.age", "photos/.hidden.age");
    let before = [same, damaged, changed, longer].map(|name| inode(&dir, &format!("sealed/{name}")));
    let mut photo = dir.read("sealed/photos/a.jpg.age");
    *photo.last_mut().unwrap() ^= 1;
    dir.write("sealed/photos/a.jpg.age", &photo);
    // Changes the content and keeps the length.
    dir.write("photos/2020/b.jpg", vec![7; 65_536]);
    dir.write("photos/.hidden", "hidden, and more");
    dir.write("photos/new", "new");
    // Files that a killed run leaves behind.
    let halves = ["photos/.sealane-0123456789abcdef.tmp", ".sealane-fedcba9876543210.tmp"];
    for half in halves {
        dir.write(&format!("sealed/{half}"), "half");
    }
    resume(&dir, &WITH_LATE).quiet();
    let after = [same, damaged, changed, longer].map(|name| inode(&dir, &format!("sealed/{name}")));
    assert_eq!(before[0], after[0], "a complete file is not written again");
    assert!((1..4).all(|i| before[i] != after[i]), "{before:?} {after:?}");
    for leftover in halves.into_iter().chain([".sealane-resume"]) {
        assert!(!dir.exists(&format!("sealed/{leftover}")), "{leftover}");
    }
    dir.run(DECRYPT).quiet();
    assert_alike(&dir, "photos", "open/photos");
    assert_eq!(dir.read("open/late"), b"better");
}

#[test]
fn a_run_that_is_complete_has_nothing_left_to_do() {
    let dir = with_photos();
    for args in [&ENCRYPT[..], &DECRYPT] {
        resume(&dir, args).quiet();
        let folder = args[4];
        let before = listing(&dir.path(folder));
        for _ in 0..2 {
            let run = resume(&dir, args);
            // The files do not show whether these recipients can open them.
            assert_eq!(run.err().contains("nothing was done; its recipients were not checked"), args == ENCRYPT);
            run.ok();
        }
        assert!(listing(&dir.path(folder)) == before);
    }
    // The same without a manifest, and with a single file.
    for args in [
        &["encrypt", "--no-manifest", "-R", "key.pub", "-o", "bare", "photos"][..],
        &["encrypt", "-a", "-R", "key.pub", "-o", "text", "photos"],
        &["decrypt", "--no-manifest", "-i", "key.txt", "-o", "bare.open", "bare"],
        &["encrypt", "-R", "key.pub", "-o", "one/", "photos/a.jpg"],
        &["decrypt", "-i", "key.txt", "-o", "one.open/", "one/a.jpg.age"],
    ] {
        resume(&dir, args).ok();
        let before = listing(&dir.path(args[args.len() - 2]));
        resume(&dir, args).ok();
        assert!(listing(&dir.path(args[args.len() - 2])) == before);
    }
    // A file that changed after the run does not count as the run's file.
    dir.write("open/photos/a.jpg", "edited");
    resume(&dir, &DECRYPT).fails("\" exists already");
    assert_eq!(dir.read("open/photos/a.jpg"), b"edited");
    dir.write("photos/a.jpg", "edited");
    resume(&dir, &ENCRYPT).fails("its inputs or results have changed since");
    dir.write("photos/new", "new");
    resume(&dir, &ENCRYPT).fails("its inputs or results have changed since");
    dir.run(ENCRYPT).fails("is not empty");
}

#[test]
fn only_the_same_command_resumes_a_run() {
    let dir = interrupted();
    dir.run(WITH_LATE).fails("was interrupted");
    let other = dir.keygen("other");
    for flags in [&["-r", &other][..], &["-a"], &["-k", "2", "-r", &other], &["--no-manifest"], &["key.pub"]] {
        let args: Vec<_> = WITH_LATE.iter().chain(flags).copied().collect();
        resume(&dir, &args).fails("was a different one");
    }
    dir.write("sealed/photos/stray.age", "somebody's");
    resume(&dir, &WITH_LATE).fails("stray.age\" is not the result of any input");
    assert_eq!(dir.read("sealed/photos/stray.age"), b"somebody's");
    fs::remove_file(dir.path("sealed/photos/stray.age")).unwrap();
    // A file is not removed if its source is missing, because it may be the last copy.
    fs::rename(dir.path("photos/c.age"), dir.path("c.age")).unwrap();
    resume(&dir, &WITH_LATE).fails("c.age.age\" is not the result of any input");
    assert!(dir.exists("sealed/photos/c.age.age"));
    fs::rename(dir.path("c.age"), dir.path("photos/c.age")).unwrap();
    // The same recipients, given in another way.
    let recipient = String::from_utf8(dir.read("key.pub")).unwrap();
    dir.run(["encrypt", "--resume", "-r", recipient.trim(), "-o", "sealed", "photos", "late"]).quiet();
    // With nothing to resume, the run succeeds: a script may always pass --resume.
    dir.run(["encrypt", "--resume", "-R", "key.pub", "-o", "fresh", "photos"]).quiet();
}

#[test]
fn the_same_names_in_another_folder_do_not_resume_a_run() {
    let dir = interrupted();
    // Another folder with the same names.
    fs::create_dir(dir.path("elsewhere")).unwrap();
    let copied = dir.sh("cp -a photos late key.pub elsewhere");
    copied.quiet();
    let out = dir.path("sealed").display().to_string();
    let in_folder = |folder: &str, input: &str| {
        let mut command = dir.command(["encrypt", "--resume", "-R", "key.pub", "-o", &out, input, "late"]);
        command.current_dir(dir.path(folder));
        finish(command)
    };
    in_folder("elsewhere", "photos").fails("was a different one");
    in_folder(".", "elsewhere/../photos").quiet();
}

#[test]
fn a_run_with_a_manifest_is_not_resumed_without_one_or_the_other_way_round() {
    let without_manifest: Vec<_> = DECRYPT.into_iter().chain(["--no-manifest"]).collect();
    for (first, other) in [(&DECRYPT[..], &without_manifest[..]), (&without_manifest, &DECRYPT)] {
        let dir = with_photos();
        dir.run(ENCRYPT).quiet();
        let whole = dir.read("sealed/photos/a.jpg.age");
        dir.write("sealed/photos/a.jpg.age", "damaged");
        assert!(dir.run(first).err().contains("files was not decrypted"));
        dir.write("sealed/photos/a.jpg.age", whole);
        resume(&dir, other).fails("was a different one");
        resume(&dir, first).quiet();
        assert_eq!(dir.read("open/photos/a.jpg"), dir.read("photos/a.jpg"));
    }
}

#[test]
fn a_run_without_a_manifest_can_be_resumed() {
    let dir = with_photos();
    symlink("/proc/self/mem", dir.path("late")).unwrap();
    let args = ["encrypt", "--no-manifest", "-R", "key.pub", "-o", ".", "photos/a.jpg", "photos/.hidden", "late"];
    assert!(dir.run(args).err().contains("1 of 3 files was not encrypted"));
    fs::remove_file(dir.path("late")).unwrap();
    dir.write("late", "better");
    dir.write("photos/a.jpg", "changed");
    dir.write(".hidden.age", "damaged");
    resume(&dir, &args).quiet();
    assert_eq!(dir.run(["-d", "-i", "key.txt", "a.jpg.age"]).quiet().stdout, b"changed");
    assert_eq!(dir.run(["-d", "-i", "key.txt", ".hidden.age"]).quiet().stdout, b"hidden");
}

#[test]
fn simultaneous_runs_do_not_mix() {
    let dir = interrupted();
    // The journal is locked, as during a run.
    let journal = File::open(dir.path("sealed/.sealane-resume")).unwrap();
    journal.lock().unwrap();
    resume(&dir, &WITH_LATE).fails("another run is at work in \"sealed\"");
    drop(journal);
    resume(&dir, &WITH_LATE).quiet();
}

#[test]
fn decryption_can_be_resumed() {
    let dir = with_photos();
    dir.run(ENCRYPT).quiet();
    let hidden = dir.read("sealed/photos/.hidden.age");
    fs::remove_file(dir.path("sealed/photos/.hidden.age")).unwrap();
    assert!(dir.run(DECRYPT).err().contains("is missing"));
    dir.write("sealed/photos/.hidden.age", hidden);
    dir.run(DECRYPT).fails("was interrupted");
    let (same, edited) = (inode(&dir, "open/photos/2020/may/large"), inode(&dir, "open/photos/a.jpg"));
    // The file may contain the user's work.
    dir.write("open/photos/a.jpg", "edited");
    let run = resume(&dir, &DECRYPT);
    assert!(run.err().contains("\"open/photos/a.jpg\" exists with another content"), "{}", run.err());
    assert!(run.err().contains("1 of 8 files was not decrypted"), "{}", run.err());
    assert_eq!((dir.read("open/photos/a.jpg").as_slice(), inode(&dir, "open/photos/a.jpg")), (&b"edited"[..], edited));
    fs::remove_file(dir.path("open/photos/a.jpg")).unwrap();
    resume(&dir, &DECRYPT).quiet();
    assert_eq!(inode(&dir, "open/photos/2020/may/large"), same);
    assert_alike(&dir, "photos", "open/photos");
    assert!(!dir.exists("open/.sealane-resume"));
}

/// Removes from the journal in `folder` the records of all files except `kept`.
fn forget_files(dir: &Dir, folder: &str, kept: &str) {
    let name = format!("{folder}/.sealane-resume");
    let journal = String::from_utf8(dir.read(&name)).unwrap();
    let all = ["\"sealane-resume\"", "{\"boot\"", "{\"folder\"", kept];
    let stays = |line: &&str| all.iter().any(|text| line.contains(text));
    dir.write(&name, journal.lines().filter(stays).map(|line| format!("{line}\n")).collect::<String>());
}

/// Changes the journal in `folder` so that its run was in an earlier boot of the machine.
fn restart(dir: &Dir, folder: &str) {
    let name = format!("{folder}/.sealane-resume");
    let boot = fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap();
    let journal = String::from_utf8(dir.read(&name)).unwrap();
    let earlier = journal.replace(boot.trim_end(), "earlier");
    assert_ne!(earlier, journal);
    dir.write(&name, earlier);
}

/// Empties a file, and keeps its time.
fn empty(dir: &Dir, name: &str) {
    let file = fs::OpenOptions::new().write(true).open(dir.path(name)).unwrap();
    let times = FileTimes::new().set_modified(file.metadata().unwrap().modified().unwrap());
    file.set_len(0).unwrap();
    file.set_times(times).unwrap();
}

/// After a crash of the machine, a name can be on the disk without its record, and without the
/// content. Only Linux tells that the machine was restarted.
#[cfg(target_os = "linux")]
#[test]
fn after_a_crash_of_the_machine_all_files_are_repeated() {
    let dir = interrupted();
    forget_files(&dir, "sealed", "/c.age\"");
    empty(&dir, "sealed/photos/a.jpg.age");
    empty(&dir, "sealed/photos/c.age.age");
    restart(&dir, "sealed");
    resume(&dir, &WITH_LATE).quiet();
    let late = dir.read("sealed/late.age");
    fs::remove_file(dir.path("sealed/late.age")).unwrap();
    assert!(dir.run(DECRYPT).err().contains("is missing"));
    dir.write("sealed/late.age", late);
    forget_files(&dir, "open", "/c.age\"");
    empty(&dir, "open/photos/2020/b.jpg");
    empty(&dir, "open/photos/c.age");
    // Without a restart, only the user can have changed them.
    let run = resume(&dir, &DECRYPT);
    assert!(run.err().contains("\"open/photos/c.age\" exists with another content"), "{}", run.err());
    assert_eq!(dir.read("open/photos/c.age"), b"");
    restart(&dir, "open");
    // The time shows that this is the user's work.
    dir.write("open/photos/a.jpg", "edited");
    let run = resume(&dir, &DECRYPT);
    assert!(run.err().contains("\"open/photos/a.jpg\" exists with another content"), "{}", run.err());
    assert!(run.err().contains("1 of 9 files was not decrypted"), "{}", run.err());
    assert_eq!(dir.read("open/photos/a.jpg"), b"edited");
    fs::remove_file(dir.path("open/photos/a.jpg")).unwrap();
    resume(&dir, &DECRYPT).quiet();
    assert_alike(&dir, "photos", "open/photos");
    assert_eq!(dir.read("open/late"), b"better");
}

/// The run that continues after the crash can be interrupted too.
#[cfg(target_os = "linux")]
#[test]
fn a_crash_of_the_machine_is_not_forgotten() {
    let dir = with_photos();
    dir.run(ENCRYPT).quiet();
    let sealed = [".hidden", "2020/b.jpg"].map(|name| format!("sealed/photos/{name}.age"));
    let whole = sealed.each_ref().map(|name| dir.read(name));
    sealed.iter().for_each(|name| dir.write(name, "damaged"));
    assert!(dir.run(DECRYPT).err().contains("2 of 8 files were not decrypted"));
    restart(&dir, "open");
    // Another run, which writes one of the two files.
    dir.write(&sealed[0], &whole[0]);
    assert!(resume(&dir, &DECRYPT).err().contains("1 of 8 files was not decrypted"));
    empty(&dir, "open/photos/a.jpg");
    // This file was written after the crash, so only the user can have changed it.
    empty(&dir, "open/photos/.hidden");
    dir.write(&sealed[1], &whole[1]);
    let run = resume(&dir, &DECRYPT);
    assert!(run.err().contains("\"open/photos/.hidden\" exists with another content"), "{}", run.err());
    assert!(run.err().contains("1 of 8 files was not decrypted"), "{}", run.err());
    assert_eq!(dir.read("open/photos/.hidden"), b"");
    fs::remove_file(dir.path("open/photos/.hidden")).unwrap();
    resume(&dir, &DECRYPT).quiet();
    assert_alike(&dir, "photos", "open/photos");
}

#[test]
fn a_run_can_be_given_up() {
    let dir = Dir::with_key();
    dir.encrypt(b"first", "a.age");
    dir.encrypt(b"second", "b.age");
    dir.write("bad.age", "");
    let run = dir.run(["decrypt", "-i", "key.txt", "-o", ".", "a.age", "bad.age"]);
    assert!(run.err().contains("1 of 2 files was not decrypted"), "{}", run.err());
    let other = ["decrypt", "-i", "key.txt", "-o", ".", "b.age"];
    let advice = "or give that run up and remove \"./.sealane-resume\"; its results stay";
    dir.run(other).fails(advice);
    resume(&dir, &other).fails(advice);
    fs::remove_file(dir.path(".sealane-resume")).unwrap();
    dir.run(other).quiet();
    assert_eq!((dir.read("a"), dir.read("b")), (b"first".to_vec(), b"second".to_vec()));
}

#[test]
fn the_last_folder_gets_its_attributes() {
    let dir = Dir::with_key();
    for i in 0..100 {
        fs::create_dir_all(dir.path(&format!("photos/{i}"))).unwrap();
        dir.set_mode(&format!("photos/{i}"), 0o710);
    }
    dir.run(ENCRYPT).quiet();
    // The unit is 512 bytes. The journal reaches the limit after some of the folders.
    for blocks in 1..3 {
        let run = dir.sh(&format!("ulimit -f {blocks}; exec \"$SEALANE\" decrypt -i key.txt -o open --resume sealed"));
        run.fails("cannot write to \"open/.sealane-resume\": File too large");
    }
    resume(&dir, &DECRYPT).quiet();
    assert_alike(&dir, "photos", "open/photos");
}

/// Starts the command many times with --resume, and kills it later each time. Every file with its
/// final name must be complete at any time.
fn killed_at_many_moments(dir: &Dir, args: [&str; 6], whole: Duration, check: impl Fn()) {
    const MOMENTS: u32 = 15;
    for moment in 0..MOMENTS {
        let mut child = dir.command(args.into_iter().chain(["--resume"])).stderr(Stdio::null()).spawn().unwrap();
        std::thread::sleep(whole * moment / MOMENTS);
        child.kill().unwrap();
        child.wait().unwrap();
        check();
    }
    // This succeeds whether or not the last run had ended before it was killed.
    resume(dir, &args).ok();
}

#[test]
fn a_run_can_be_resumed_after_a_kill_at_any_moment() {
    let dir = with_photos();
    fs::create_dir(dir.path("photos/many")).unwrap();
    for i in 0..150 {
        dir.write(&format!("photos/many/{i}"), bytes(i * 300));
    }
    let started = Instant::now();
    dir.run(["encrypt", "-R", "key.pub", "-o", "all", "photos"]).quiet();
    let whole = started.elapsed();
    killed_at_many_moments(&dir, ENCRYPT, whole, || {
        // A large file, which all threads write.
        if dir.exists("sealed/photos/2020/may/large.age") {
            let large = dir.run(["-d", "-i", "key.txt", "sealed/photos/2020/may/large.age"]).quiet().stdout;
            assert!(large == bytes(17 << 20));
        }
    });
    killed_at_many_moments(&dir, DECRYPT, whole, || {
        let Ok(files) = fs::read_dir(dir.path("open/photos/many")) else { return };
        for name in files.map(|file| file.unwrap().file_name().into_string().unwrap()) {
            if let Ok(number) = name.parse::<usize>() {
                assert!(dir.read(&format!("open/photos/many/{name}")) == bytes(number * 300), "{name}");
            }
        }
    });
    // If a decryption had ended, the next run found its own output and did not complain.
    assert_alike(&dir, "photos", "open/photos");
    assert_eq!(dir.names(), ["all", "key.pub", "key.txt", "open", "photos", "sealed"]);
}

#[test]
fn a_signal_leaves_what_resume_needs() {
    let dir = Dir::with_key();
    fs::create_dir(dir.path("photos")).unwrap();
    // The file is so long that the signal arrives while the command works.
    File::create(dir.path("photos/large")).unwrap().set_len(1 << 30).unwrap();
    let times = FileTimes::new().set_modified(UNIX_EPOCH);
    dir.write("photos/a", "first");
    File::open(dir.path("photos/a")).unwrap().set_times(times).unwrap();
    let mut command = std::process::Command::new("env");
    command.args(["--default-signal=INT", crate::support::SEALANE]).args(ENCRYPT).current_dir(dir.root());
    let mut child = command.spawn().unwrap();
    let deadline = Instant::now() + Duration::from_secs(30);
    let temporary = |dir: &Dir| {
        fs::read_dir(dir.path("sealed/photos")).is_ok_and(|mut files| {
            files.any(|file| file.unwrap().file_name().to_string_lossy().starts_with(".sealane-"))
        })
    };
    while !temporary(&dir) {
        assert!(Instant::now() < deadline, "no temporary file");
        std::thread::sleep(Duration::from_millis(5));
    }
    assert!(
        std::process::Command::new("kill").args(["-s", "INT", &child.id().to_string()]).status().unwrap().success()
    );
    let status = child.wait().unwrap();
    assert_eq!(std::os::unix::process::ExitStatusExt::signal(&status), Some(2));
    assert!(!temporary(&dir), "what was unfinished is removed");
    File::create(dir.path("photos/large")).unwrap().set_len(1 << 20).unwrap();
    resume(&dir, &ENCRYPT).quiet();
    dir.run(DECRYPT).quiet();
    assert_eq!(dir.read("open/photos/large").len(), 1 << 20);
}
