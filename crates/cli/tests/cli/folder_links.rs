//! Folders in which an attacker has put links and other unexpected entries.

use std::fs::{self, File};
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::folder::{listing, with_photos};
use crate::plugin::{self, with_plugin};
use crate::support::{Dir, Run, finish};

const ENCRYPT: [&str; 7] = ["encrypt", "--resume", "-R", "key.pub", "-o", "sealed", "photos"];
const DECRYPT: [&str; 7] = ["decrypt", "--resume", "-i", "key.txt", "-o", "open", "sealed"];

/// Runs an encryption that fails for one file, and then makes this file readable.
fn interrupted() -> Dir {
    let dir = with_photos();
    symlink("/proc/self/mem", dir.path("late")).unwrap();
    assert!(dir.run(ENCRYPT.iter().chain(&["late"])).err().contains("1 of 9 files was not encrypted"));
    fs::remove_file(dir.path("late")).unwrap();
    dir.write("late", "better");
    dir
}

#[test]
fn a_journal_that_is_none_is_left_as_it_is() {
    let dir = with_photos();
    fs::create_dir(dir.path("sealed")).unwrap();
    fs::create_dir(dir.path("open")).unwrap();
    dir.write("victim", "somebody's work");
    let long = "{}\n".repeat(1000);
    for content in ["", "somebody's work", "{\"sealane-resume\":", &long] {
        dir.write("sealed/.sealane-resume", content);
        dir.run(ENCRYPT).fails("is not the journal of an interrupted run");
        assert_eq!(dir.read("sealed/.sealane-resume"), content.as_bytes());
    }
    fs::remove_file(dir.path("sealed/.sealane-resume")).unwrap();
    let link = |name: &str| symlink(dir.path("victim"), dir.path(name)).unwrap();
    let hard_link = |name: &str| fs::hard_link(dir.path("victim"), dir.path(name)).unwrap();
    let folder = |name: &str| fs::create_dir(dir.path(name)).unwrap();
    let fifo = |name: &str| {
        assert!(Command::new("mkfifo").arg(dir.path(name)).status().unwrap().success());
    };
    let makes: [&dyn Fn(&str); 4] = [&link, &hard_link, &folder, &fifo];
    for make in makes {
        make("sealed/.sealane-resume");
        let before = listing(&dir.path("photos"));
        dir.run(ENCRYPT).fails("is not the journal of an interrupted run");
        assert!(dir.exists("sealed/.sealane-resume"));
        assert_eq!(fs::read_dir(dir.path("sealed")).unwrap().count(), 1);
        assert!(listing(&dir.path("photos")) == before);
        assert_eq!(dir.read("victim"), b"somebody's work");
        fs::rename(dir.path("sealed/.sealane-resume"), dir.path("gone")).unwrap();
        let _ = fs::remove_dir(dir.path("gone")).or_else(|_| fs::remove_file(dir.path("gone")));
    }
    // The journal of a real run, behind a symbolic link or with another hard link.
    let dir = interrupted();
    fs::rename(dir.path("sealed/.sealane-resume"), dir.path("journal")).unwrap();
    let journal = dir.read("journal");
    for make in [|a: &Path, b: &Path| symlink(a, b), |a: &Path, b: &Path| fs::hard_link(a, b)] {
        make(&dir.path("journal"), &dir.path("sealed/.sealane-resume")).unwrap();
        dir.run(ENCRYPT.iter().chain(&["late"])).fails("is not the journal of an interrupted run");
        assert!(dir.read("journal") == journal);
        fs::remove_file(dir.path("sealed/.sealane-resume")).unwrap();
    }
    fs::rename(dir.path("journal"), dir.path("sealed/.sealane-resume")).unwrap();
    dir.run(ENCRYPT.iter().chain(&["late"])).quiet();
}

#[test]
fn nothing_is_written_through_a_link_below_the_folder() {
    let dir = interrupted();
    fs::create_dir(dir.path("outside")).unwrap();
    dir.write("outside/victim", "somebody's work");
    let outside = || (dir.read("outside/victim"), fs::read_dir(dir.path("outside")).unwrap().count());
    let before = outside();
    // The manifest of the earlier run becomes a link.
    fs::remove_file(dir.path("sealed/sealane-manifest.age")).unwrap();
    symlink("../outside/victim", dir.path("sealed/sealane-manifest.age")).unwrap();
    let run = dir.run(ENCRYPT.iter().chain(&["late"]));
    run.fails("cannot write to \"sealed/sealane-manifest.age\": it is a link, and is not followed");
    assert_eq!(outside(), before);
    fs::remove_file(dir.path("sealed/sealane-manifest.age")).unwrap();
    // A folder becomes a link, and files must be written in it again.
    fs::rename(dir.path("sealed/photos/2020/may"), dir.path("may")).unwrap();
    symlink("../../../outside", dir.path("sealed/photos/2020/may")).unwrap();
    dir.run(ENCRYPT.iter().chain(&["late"])).failed_somehow();
    assert_eq!(outside(), before);
    fs::remove_file(dir.path("sealed/photos/2020/may")).unwrap();
    fs::rename(dir.path("may"), dir.path("sealed/photos/2020/may")).unwrap();
    // A complete file becomes a link to a file elsewhere.
    fs::rename(dir.path("sealed/photos/a.jpg.age"), dir.path("outside/a.jpg.age")).unwrap();
    symlink("../../outside/a.jpg.age", dir.path("sealed/photos/a.jpg.age")).unwrap();
    dir.run(ENCRYPT.iter().chain(&["late"])).quiet();
    assert!(dir.path("sealed/photos/a.jpg.age").symlink_metadata().unwrap().is_file());
    dir.run(DECRYPT).quiet();
    assert!(listing(&dir.path("open/photos")) == listing(&dir.path("photos")));
}

#[test]
fn nothing_is_read_through_a_link_below_the_folder() {
    let dir = with_photos();
    dir.run(ENCRYPT).quiet();
    dir.run(["encrypt", "-R", "key.pub", "-o", "other", "photos"]).quiet();
    fs::rename(dir.path("sealed/sealane-manifest.age"), dir.path("manifest")).unwrap();
    symlink("../manifest", dir.path("sealed/sealane-manifest.age")).unwrap();
    dir.run(DECRYPT).fails("it is a link, and is not followed");
    assert!(!dir.exists("open"));
    fs::remove_file(dir.path("sealed/sealane-manifest.age")).unwrap();
    fs::rename(dir.path("manifest"), dir.path("sealed/sealane-manifest.age")).unwrap();
    dir.run(DECRYPT).quiet();
}

#[test]
fn a_folder_that_becomes_a_link_while_it_is_read_is_not_followed() {
    let dir = Dir::with_key();
    fs::create_dir_all(dir.path("in/b")).unwrap();
    fs::create_dir(dir.path("outside")).unwrap();
    dir.write("in/b/secret", "public");
    dir.write("outside/secret", "secret");
    // The file `a` is so long that the exchange happens while the command works on it. By then, the
    // command has found the other file, but has not opened it.
    File::create(dir.path("in/a")).unwrap().set_len(1 << 28).unwrap();
    let mut command = dir.command(["encrypt", "-R", "key.pub", "-t", "1", "-o", "out", "in"]);
    let mut child = command.stderr(Stdio::piped()).spawn().unwrap();
    let deadline = Instant::now() + Duration::from_secs(60);
    let is_temporary =
        |file: std::io::Result<fs::DirEntry>| file.unwrap().file_name().to_string_lossy().starts_with(".sealane-");
    while !fs::read_dir(dir.path("out/in")).is_ok_and(|mut files| files.any(is_temporary)) {
        assert!(Instant::now() < deadline, "it has not begun");
        std::thread::sleep(Duration::from_millis(2));
    }
    fs::rename(dir.path("in/b"), dir.path("b")).unwrap();
    symlink("../outside", dir.path("in/b")).unwrap();
    assert!(child.try_wait().unwrap().is_none(), "it was over too soon");
    let run = Run::of(child.wait_with_output().unwrap());
    assert!(run.err().contains("cannot read \"in/b/secret\": Not a directory"), "{}", run.err());
    assert!(run.err().contains("1 of 2 files was not encrypted"), "{}", run.err());
    assert!(!dir.exists("out/in/b/secret.age"));
}

/// Creates a directory with a plugin that exchanges the folder `shared/sub` for a link to the
/// folder `outside`. The old folder becomes `moved`.
fn with_exchanging_plugin() -> Dir {
    let dir = with_plugin();
    fs::create_dir_all(dir.path("shared/sub")).unwrap();
    fs::create_dir(dir.path("outside")).unwrap();
    let plugin = String::from_utf8(dir.read("bin/age-plugin-test")).unwrap();
    let exchange =
        "#!/bin/sh\ncd \"$ROOT\"\n[ -L shared/sub ] || { mv shared/sub moved; ln -s ../outside shared/sub; }\n";
    let exchange = exchange.replace("$ROOT", dir.root().to_str().unwrap());
    dir.write("bin/age-plugin-test", plugin.replacen("#!/bin/sh\n", &exchange, 1));
    dir
}

#[test]
fn a_folder_that_becomes_a_link_does_not_lead_rekey_elsewhere() {
    let dir = with_exchanging_plugin();
    dir.encrypt(b"content", "shared/sub/a.age");
    dir.write("outside/a.age", "somebody's work");
    // The plugin runs when the file is open. The new header is longer, so a new file is made after
    // that.
    let rekey = ["rekey", "--add", "--no-manifest", "-i", "key.txt", "-r", plugin::RECIPIENT, "shared"];
    plugin::run(&dir, &rekey).quiet();
    assert!(dir.path("shared/sub").is_symlink());
    assert_eq!(dir.read("outside/a.age"), b"somebody's work");
    assert_eq!(fs::read_dir(dir.path("outside")).unwrap().count(), 1);
    assert!(String::from_utf8_lossy(&dir.read("moved/a.age")).contains("\n-> test\n"));
    assert_eq!(dir.run(["-d", "-i", "key.txt", "moved/a.age"]).quiet().stdout, b"content");
    assert_eq!(fs::read_dir(dir.path("moved")).unwrap().count(), 1);
}

/// The manifest was read at the start. Whoever stores the folder replaces it before it is changed.
#[test]
fn a_file_that_takes_the_place_of_the_manifest_is_not_given_away() {
    let dir = with_plugin();
    dir.write("note", "shared");
    dir.run(["-R", "key.pub", "-o", "sealed", "note", "in"]).quiet();
    dir.encrypt(b"dear diary", "diary.age");
    let plugin = String::from_utf8(dir.read("bin/age-plugin-test")).unwrap();
    let root = dir.root().to_str().unwrap();
    let exchange = format!("#!/bin/sh\ncp '{root}/diary.age' '{root}/sealed/sealane-manifest.age'\n");
    dir.write("bin/age-plugin-test", plugin.replacen("#!/bin/sh\n", &exchange, 1));
    let run = plugin::run(&dir, &["rekey", "--add", "-i", "key.txt", "-r", plugin::RECIPIENT, "sealed"]);
    assert_eq!((run.status.code(), run.text().as_str()), (Some(1), "2 files have new recipients\n"), "{}", run.err());
    assert!(run.err().contains("\"sealed/sealane-manifest.age\" is not the file"), "{}", run.err());
    assert_eq!(dir.read("sealed/sealane-manifest.age"), dir.read("diary.age"));
}

#[test]
fn a_folder_that_becomes_a_link_does_not_lead_inspect_elsewhere() {
    let dir = with_exchanging_plugin();
    for name in ["shared/a.age", "shared/sub/b.age", "outside/b.age"] {
        dir.encrypt(b"content", name);
    }
    // The plugin runs for the first file.
    let run = plugin::run(&dir, &["inspect", "-j", "test", "shared"]);
    assert!(run.err().contains("cannot open \"shared/sub/b.age\": Not a directory"), "{}", run.err());
    assert!(run.err().contains("1 of 2 files could not be inspected"), "{}", run.err());
}

#[test]
fn links_that_lead_out_of_the_folder_are_made_only_if_that_is_allowed() {
    let dir = Dir::with_key();
    fs::create_dir_all(dir.path("in/a")).unwrap();
    dir.write("in/a/file", "content");
    let leaving = [("absolute", "/etc/passwd"), ("up", "../../x"), ("through", "stays/../../x")];
    for (name, target) in leaving.iter().chain(&[("stays", "a/file"), ("a/back", "../a/./file")]) {
        symlink(target, dir.path("in").join(name)).unwrap();
    }
    dir.run(["encrypt", "-R", "key.pub", "-o", "sealed", "in"]).quiet();
    let run = dir.run(["decrypt", "-i", "key.txt", "-o", "open", "sealed"]);
    for (name, target) in leaving {
        let message = format!("the link \"in/{name}\" leads out of the folder, to {target:?}, and was not created");
        assert!(run.err().contains(&message), "{}", run.err());
        assert!(!dir.exists(&format!("open/in/{name}")));
    }
    assert_eq!(run.status.code(), Some(1));
    assert_eq!(dir.read("open/in/stays"), b"content");
    dir.run(["decrypt", "--resume", "--allow-external-links", "-i", "key.txt", "-o", "open", "sealed"]).quiet();
    assert!(listing(&dir.path("open/in")) == listing(&dir.path("in")));
    let misused = ["encrypt", "--allow-external-links", "-R", "key.pub", "-o", "x", "in"];
    dir.run(misused).misused("it is a flag of sealane decrypt");
    let misused = ["-e", "--allow-external-links", "-R", "key.pub", "-o", "x", "in"];
    dir.run(misused).misused("--allow-external-links can't be used to encrypt");
}

#[test]
fn a_link_may_go_through_a_folder_that_the_manifest_does_not_list() {
    let dir = Dir::with_key();
    fs::create_dir_all(dir.path("in/a")).unwrap();
    dir.write("in/a/file", "content");
    symlink("a/../a/file", dir.path("in/link")).unwrap();
    dir.run(["encrypt", "-R", "key.pub", "-o", "sealed", "in"]).quiet();
    let manifest = "sealed/sealane-manifest.age";
    let text = String::from_utf8(dir.run(["decrypt", "-i", "key.txt", manifest]).quiet().stdout).unwrap();
    let lines = text.lines().filter(|line| !line.contains("\"directory\"")).map(|line| format!("{line}\n"));
    dir.encrypt(lines.collect::<String>().as_bytes(), manifest);
    dir.run(["decrypt", "-i", "key.txt", "-o", "open", "sealed"]).quiet();
    assert_eq!(dir.read("open/in/link"), b"content");
}

#[test]
fn a_header_that_is_half_changed_in_a_folder_is_put_right() {
    let dir = with_photos();
    dir.run(ENCRYPT).quiet();
    let recipient = dir.keygen("new");
    let (name, kept_name) = ("sealed/photos/a.jpg.age", "sealed/photos/.a.jpg.age.sealane-old-header");
    let old = dir.read(name);
    dir.run(["rekey", "-i", "key.txt", "-r", &recipient, name]).ok();
    let new = dir.read(name);
    let header = old.windows(4).position(|window| window == b"\n---").unwrap() + "\n--- ".len() + 44;
    let kept = crate::rekey_faults::kept(&old[..header], &new[..header], &old[header..]);
    dir.write(kept_name, kept);
    dir.write(name, [&new[..header - 60], &old[header - 60..]].concat());
    let run = dir.run(DECRYPT);
    assert!(run.err().contains("the old one has been put back"), "{}", run.err());
    run.ok();
    assert!(listing(&dir.path("open/photos")) == listing(&dir.path("photos")));
    assert!(dir.read(name) == old && !dir.exists(kept_name));
}

#[test]
fn one_file_goes_into_a_folder_in_both_directions() {
    let dir = Dir::with_key();
    fs::create_dir(dir.path("out")).unwrap();
    dir.write("out/note", "was there before");
    let encrypt = |args: &[&str]| {
        let mut command = dir.without_terminal(args);
        command.env("AGE_PASSPHRASE", "pass");
        finish(command)
    };
    for name in ["one.txt", "two.txt", "three.txt"] {
        dir.write(name, name);
    }
    dir.run(["-R", "key.pub", "-o", "out", "one.txt"]).quiet();
    dir.run(["encrypt", "-R", "key.pub", "-o", "out/", "two.txt"]).quiet();
    encrypt(&["-p", "-o", "out", "three.txt"]).quiet();
    assert_eq!(fs::read_dir(dir.path("out")).unwrap().count(), 4, "no manifest, and no journal");
    // Nothing is replaced.
    let before = dir.read("out/one.txt.age");
    dir.run(["-R", "key.pub", "-o", "out", "one.txt"]).fails("\"out/one.txt.age\" exists already");
    assert_eq!(dir.read("out/one.txt.age"), before);

    fs::create_dir(dir.path("open")).unwrap();
    dir.write("open/note", "was there before");
    dir.run(["-d", "-i", "key.txt", "-o", "open", "out/one.txt.age"]).quiet();
    dir.run(["decrypt", "-i", "key.txt", "-o", "open/.", "out/two.txt.age"]).quiet();
    encrypt(&["-d", "-o", "open", "out/three.txt.age"]).quiet();
    for name in ["one.txt", "two.txt", "three.txt"] {
        assert_eq!(dir.read(&format!("open/{name}")), name.as_bytes());
    }
    dir.run(["-d", "-i", "key.txt", "-o", "open", "out/one.txt.age"]).fails("\"open/one.txt\" exists already");
    // A failed run leaves nothing behind, and does not block the next one.
    dir.write("bad.age", &before[..before.len() - 1]);
    dir.run(["-d", "-i", "key.txt", "-o", "open", "bad.age"]).fails("bad.age");
    assert_eq!(fs::read_dir(dir.path("open")).unwrap().count(), 4);
    dir.run(["-d", "--no-manifest", "-i", "key.txt", "-o", "open", "bad.age"]).fails("bad.age");
    assert_eq!(fs::read_dir(dir.path("open")).unwrap().count(), 4);
    dir.keygen("other");
    for new in ["new/", "new/."] {
        dir.run(["-d", "-i", "other.txt", "-o", new, "out/one.txt.age"]).fails("no identity matches");
    }
    dir.run(["-R", "key.pub", "-o", "new/", "/proc/self/mem"]).fails("cannot read");
    assert!(!dir.exists("new"));
    // A file can be added to a folder with a manifest only with --no-manifest.
    fs::create_dir(dir.path("in")).unwrap();
    dir.run(["encrypt", "-R", "key.pub", "-o", "whole", "in"]).quiet();
    for mode in [&[][..], &["--resume"]] {
        dir.run([&["encrypt", "-R", "key.pub", "-o", "whole", "one.txt"][..], mode].concat()).fails("has a manifest");
    }
    dir.run(["-R", "key.pub", "--no-manifest", "-o", "whole", "one.txt"]).quiet();
}
