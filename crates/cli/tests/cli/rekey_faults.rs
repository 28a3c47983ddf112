//! Runs of `sealane rekey` that are interrupted, or that happen at the same time.

use std::fs::File;
use std::io::Write as _;
use std::process::Stdio;
use std::time::{Duration, Instant, SystemTime};

use sha2::Digest as _;

use crate::rekey::{dir, opens};
use crate::support::{Dir, Run};

/// Returns the file that is kept while the header `new` is written over `old`, in the format of
/// `crates/cli/src/io/old_header`.
pub(crate) fn kept(old: &[u8], new: &[u8], payload: &[u8]) -> Vec<u8> {
    let len = u32::try_from(old.len()).unwrap().to_be_bytes();
    let bytes = [&b"sealane old header, version 1\n"[..], &len, old, new, &payload[..16]].concat();
    let checksum = sha2::Sha256::digest(&bytes);
    [&bytes[..], &checksum].concat()
}

/// Returns the length of the header of a file with 200,000 bytes.
fn header_len(file: &[u8]) -> usize {
    file.len() - 200_080
}

/// Changes the header of a file, and returns the old header, the new one, and the payload.
fn two_headers(dir: &Dir) -> (Vec<u8>, Vec<u8>, Vec<u8>) {
    let old = dir.read("x");
    dir.run(["rekey", "-i", "key.txt", "-R", "b.pub", "x"]).ok();
    let (new, len) = (dir.read("x"), header_len(&old));
    assert_eq!(old[len..], new[len..]);
    (old[..len].to_vec(), new[..len].to_vec(), old[len..].to_vec())
}

const KEPT: &str = ".x.sealane-old-header";

#[test]
fn decrypt_puts_an_interrupted_change_back() {
    let (dir, data) = dir();
    let (old, new, payload) = two_headers(&dir);
    // The state after the command was killed with this many bytes of the header written.
    for len in (0..=old.len()).step_by(23).chain([1, old.len() - 1, old.len()]) {
        dir.write("x", [&new[..len], &old[len..], &payload].concat());
        dir.write(KEPT, kept(&old, &new, &payload));
        // A few bytes are the same in both headers.
        let (is_old, is_new) = (new[..len] == old[..len], new[len..] == old[len..]);
        let key = if is_new { "b.txt" } else { "key.txt" };
        let run = dir.run(["-d", "-i", key, "x"]);
        let warning = "x\": an earlier change of the header was interrupted: the old one has been put back";
        assert_eq!(run.err().contains(warning), !is_old && !is_new, "{len}: {}", run.err());
        assert!(run.ok().stdout == data, "{len}");
        assert!(!dir.exists(KEPT), "{len}");
        opens(&dir, key, "x", &data);
    }
}

#[test]
fn without_write_permission_the_old_header_is_read() {
    let (dir, data) = dir();
    let (old, new, payload) = two_headers(&dir);
    let torn = [&new[..150], &old[150..], &payload].concat();
    dir.write("x", &torn);
    dir.write(KEPT, kept(&old, &new, &payload));
    // Another run holds the lock of the file, so the header cannot be put back.
    let held = File::open(dir.path("x")).unwrap();
    held.lock().unwrap();
    for args in [&["-d"][..], &["-d", "--range", "5:"], &["-d", "-t", "3", "-o", "out"], &["inspect"]] {
        let keys = if args[0] == "inspect" { &[][..] } else { &["-i", "key.txt"] };
        let run = dir.run([args, keys, &["x"]].concat());
        assert!(run.err().contains("the old one, which is kept beside the file, is used"), "{}", run.err());
        run.ok();
    }
    assert!(dir.read("out") == data);
    // A range reads the end first, and salvage reads at any position.
    let end = dir.run(["-d", "-i", "key.txt", "--range", "-1000", "x"]).ok();
    assert!(end.stdout == data[data.len() - 1000..]);
    dir.run(["-d", "-i", "key.txt", "--salvage", "-o", "left", "x"]).ok();
    assert!(dir.read("left") == data);
    dir.run(["rekey", "-i", "key.txt", "-R", "c.pub", "x"]).fails("another run is changing the recipients");
    assert!(dir.read("x") == torn && dir.exists(KEPT));
    drop(held);
    // If the kept header is damaged, the error tells its path.
    dir.write(KEPT, "damaged");
    dir.run(["-d", "-i", "key.txt", "x"]).fails("hint: an earlier change of the header was interrupted");
    dir.run(["rekey", "-i", "key.txt", "-R", "c.pub", "x"]).fails("is in the way: it is damaged");
    assert_eq!(dir.read(KEPT), b"damaged");
    dir.write(KEPT, kept(&old, &new, &payload));
    let run = dir.run(["rekey", "-i", "key.txt", "-R", "c.pub", "x"]).ok();
    assert!(String::from_utf8_lossy(&run.stderr).contains("has been put back"));
    opens(&dir, "c.txt", "x", &data);
    assert!(!dir.exists(KEPT));
}

/// Returns the content and the time of last change of each file.
fn state(dir: &Dir, names: &[&str]) -> Vec<(Vec<u8>, SystemTime)> {
    names.iter().map(|name| (dir.read(name), dir.path(name).metadata().unwrap().modified().unwrap())).collect()
}

#[test]
fn verify_and_inspect_write_nothing_after_an_interrupted_change() {
    let (dir, _) = dir();
    let (old, new, payload) = two_headers(&dir);
    for (len, is_torn) in [(150, true), (old.len(), false)] {
        dir.write("x", [&new[..len], &old[len..], &payload].concat());
        dir.write(KEPT, kept(&old, &new, &payload));
        let before = state(&dir, &["x", KEPT]);
        let key = if is_torn { "key.txt" } else { "b.txt" };
        for args in [&["verify", "-i", key, "x"][..], &["inspect", "x"], &["inspect", "-i", key, "x", "x"]] {
            let run = dir.run(args);
            assert_eq!(run.err().contains("the old one, which is kept beside the file, is used"), is_torn, "{args:?}");
            run.ok();
            assert_eq!(state(&dir, &["x", KEPT]), before, "{args:?}");
        }
    }
}

#[test]
fn verify_of_a_folder_writes_nothing_after_an_interrupted_change() {
    let dir = Dir::with_key();
    dir.keygen("b");
    std::fs::create_dir(dir.path("photos")).unwrap();
    dir.write("photos/a", "content");
    dir.run(["-R", "key.pub", "-o", "sealed", "photos"]).quiet();
    let names = ["sealed/photos/a.age", "sealed/sealane-manifest.age"];
    let kept_names = ["sealed/photos/.a.age.sealane-old-header", "sealed/.sealane-manifest.age.sealane-old-header"];
    let before = names.map(|name| dir.read(name));
    dir.run(["rekey", "-i", "key.txt", "-R", "b.pub", "sealed"]).ok();
    for ((name, kept_name), old) in names.into_iter().zip(kept_names).zip(before) {
        let new = dir.read(name);
        // Only the headers differ. They end where the payload, which is the same, begins.
        let payload = old.iter().zip(&new).rev().take_while(|(one, two)| one == two).count();
        let len = old.len() - payload;
        let mac = old[..len].iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
        let len = mac + old[mac..].iter().position(|byte| *byte == b'\n').unwrap() + 1;
        dir.write(name, [&new[..120], &old[120..]].concat());
        dir.write(kept_name, kept(&old[..len], &new[..len], &old[len..]));
    }
    let all = [names, kept_names].concat();
    let before = state(&dir, &all);
    for args in [&["verify", "-i", "key.txt", "sealed"][..], &["inspect", "-i", "key.txt", "sealed"]] {
        let run = dir.run(args);
        for name in names {
            let warning = format!("\"{name}\": a change of the header was interrupted");
            assert!(run.err().contains(&warning), "{}", run.err());
        }
        run.ok();
        assert_eq!(state(&dir, &all), before, "{args:?}");
    }
    dir.run(["decrypt", "-i", "key.txt", "-o", "open", "sealed"]).ok();
    assert!(kept_names.iter().all(|name| !dir.exists(name)));
}

#[test]
fn an_unfinished_file_of_a_killed_run_is_named_and_removed() {
    let dir = Dir::with_key();
    dir.keygen("b");
    std::fs::create_dir(dir.path("photos")).unwrap();
    dir.write("photos/a", "content");
    dir.run(["-R", "key.pub", "-o", "sealed", "photos"]).quiet();
    let unfinished = ["sealed/.sealane-0123456789abcdef.tmp", "sealed/photos/.sealane-fedcba9876543210.tmp"];
    unfinished.iter().for_each(|name| dir.write(name, "half"));
    for args in [&["verify", "-i", "key.txt", "sealed"][..], &["decrypt", "-i", "key.txt", "-o", "open", "sealed"]] {
        let run = dir.run(args);
        for name in unfinished {
            let warning = format!("warning: \"{name}\" is left out: it is an unfinished file of an interrupted run");
            assert!(run.err().contains(&warning) && dir.exists(name), "{}", run.err());
        }
        run.ok();
    }
    // A file that a run is writing stays.
    let busy = File::open(dir.path(unfinished[0])).unwrap();
    busy.lock().unwrap();
    let run = dir.run(["rekey", "-i", "key.txt", "-R", "b.pub", "sealed"]);
    assert!(run.err().contains("an unfinished file, which a run may be writing"), "{}", run.err());
    run.ok();
    assert!(dir.exists(unfinished[0]) && !dir.exists(unfinished[1]));
    drop(busy);
    dir.write(unfinished[1], "half");
    dir.run(["rekey", "--no-manifest", "-i", "b.txt", "-R", "key.pub", "sealed"]).ok();
    assert!(!unfinished.iter().any(|name| dir.exists(name)));
    dir.run(["verify", "-i", "key.txt", "sealed"]).quiet();
}

#[test]
fn a_kept_header_is_never_used_for_another_file() {
    let (dir, data) = dir();
    let (old, new, payload) = two_headers(&dir);
    dir.write(KEPT, kept(&old, &new, &payload));
    dir.encrypt(&data, "x");
    let other = dir.read("x");
    dir.run(["rekey", "-i", "key.txt", "-R", "b.pub", "x"]).fails("is the header of another file");
    opens(&dir, "key.txt", "x", &data);
    assert!(dir.read("x") == other && dir.exists(KEPT));
}

/// A `rekey` of `x` that waits for its recipients.
struct Waiting(std::process::Child, Option<File>);

impl Waiting {
    fn start(dir: &Dir) -> Self {
        let made = std::process::Command::new("mkfifo").arg(dir.path("later")).status().unwrap();
        assert!(made.success());
        let mut command = dir.command(["rekey", "-i", "key.txt", "-R", "later", "x"]);
        let mut waiting = Self(command.stderr(Stdio::piped()).spawn().unwrap(), None);
        let deadline = Instant::now() + Duration::from_secs(30);
        loop {
            // The file disappears when a reader opens the FIFO. The command has opened the file by
            // then.
            let flags = rustix::fs::OFlags::WRONLY | rustix::fs::OFlags::NONBLOCK;
            if let Ok(fifo) = rustix::fs::open(dir.path("later"), flags, rustix::fs::Mode::empty()) {
                std::fs::remove_file(dir.path("later")).unwrap();
                waiting.1 = Some(File::from(fifo));
                return waiting;
            }
            assert!(Instant::now() < deadline, "it does not read its recipients");
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    fn go_on(self, recipients: &[u8]) -> Run {
        let Self(child, fifo) = self;
        fifo.unwrap().write_all(recipients).unwrap();
        Run::of(child.wait_with_output().unwrap())
    }
}

#[test]
fn a_file_that_took_its_place_meanwhile_is_not_touched() {
    let (dir, data) = dir();
    let [one, two] = ["b.pub", "c.pub"].map(|name| dir.read(name));
    // A header that fits, and one that needs a new file. Each time, the file is replaced by another
    // one, or its bytes change.
    for recipients in [one.clone(), [one, two].concat()] {
        dir.encrypt(&data, "x");
        let waiting = Waiting::start(&dir);
        dir.encrypt(b"somebody's work", "y");
        std::fs::rename(dir.path("y"), dir.path("x")).unwrap();
        let new = dir.read("x");
        let names = dir.names();
        waiting.go_on(&recipients).fails("\"x\" was replaced by another file");
        assert_eq!((dir.read("x"), dir.names()), (new, names));

        dir.encrypt(&data, "x");
        let waiting = Waiting::start(&dir);
        dir.encrypt(&data, "y");
        let new = dir.read("y");
        dir.write("x", &new);
        std::fs::remove_file(dir.path("y")).unwrap();
        let names = dir.names();
        waiting.go_on(&recipients).fails("\"x\" was changed");
        assert_eq!((dir.read("x"), dir.names()), (new, names));
    }
    // A file that was removed does not come back.
    let waiting = Waiting::start(&dir);
    std::fs::remove_file(dir.path("x")).unwrap();
    let names = dir.names();
    waiting.go_on(&dir.read("b.pub")).fails("was replaced");
    assert_eq!(dir.names(), names);
}

#[test]
fn two_runs_at_once_end_with_one_error() {
    let (dir, data) = dir();
    let waiting = Waiting::start(&dir);
    let names = dir.names();
    dir.run(["rekey", "-i", "key.txt", "-R", "c.pub", "x"]).fails("another run is changing the recipients of \"x\"");
    // Reading the file is allowed meanwhile.
    opens(&dir, "key.txt", "x", &data);
    waiting.go_on(&dir.read("b.pub")).ok();
    opens(&dir, "b.txt", "x", &data);
    assert_eq!(dir.names(), names);
    // Many runs at once, in any order.
    for _ in 0..5 {
        let runs: Vec<_> = ["b", "c", "key"]
            .iter()
            .map(|name| {
                let public = format!("{name}.pub");
                let keys = ["-i", "key.txt", "-i", "b.txt", "-i", "c.txt"];
                let args = ["rekey"].into_iter().chain(keys).chain(["-R", &public, "x"]).map(str::to_owned);
                dir.command(args.collect::<Vec<_>>()).stderr(Stdio::piped()).spawn().unwrap()
            })
            .collect();
        let runs: Vec<_> = runs.into_iter().map(|run| Run::of(run.wait_with_output().unwrap())).collect();
        assert!(runs.iter().any(|run| run.status.success()));
        for run in runs.into_iter().filter(|run| !run.status.success()) {
            run.fails("another run is changing the recipients of \"x\"");
        }
        let opening = ["b", "c", "key"].map(|name| dir.run(["-d", "-i", &format!("{name}.txt"), "x"]).stdout == data);
        assert_eq!(opening.into_iter().filter(|opens| *opens).count(), 1);
        assert_eq!(dir.names(), names);
    }
}

#[test]
fn a_backup_of_another_run_is_not_removed() {
    let (dir, _) = dir();
    let waiting = Waiting::start(&dir);
    let before = dir.read("x");
    dir.write(KEPT, "of another run");
    waiting.go_on(&dir.read("b.pub")).fails(".x.sealane-old-header\" exists already");
    assert_eq!((dir.read("x"), dir.read(KEPT)), (before, b"of another run".to_vec()));
}

#[test]
fn killed_at_any_moment_it_opens() {
    let (dir, data) = dir();
    let started = Instant::now();
    dir.run(["rekey", "-i", "key.txt", "-R", "b.pub", "x"]).ok();
    let whole = started.elapsed();
    let keys = ["-i", "key.txt", "-i", "b.txt", "-i", "c.txt"];
    for moment in 0..30 {
        // In place, and with a new file.
        let to = [&["-R", "b.pub"][..], &["-R", "c.pub"], &["-R", "b.pub", "-R", "c.pub"]][moment % 3];
        let args = ["rekey"].iter().chain(&keys).chain(to).chain(&["x"]).copied();
        let mut child = dir.command(args).stderr(Stdio::null()).spawn().unwrap();
        std::thread::sleep(whole * u32::try_from(moment).unwrap() / 30);
        child.kill().unwrap();
        child.wait().unwrap();
        let run = dir.run(["-d"].iter().chain(&keys).chain(&["x"]));
        assert!(run.ok().stdout == data);
        assert!(!dir.exists(KEPT));
    }
}
