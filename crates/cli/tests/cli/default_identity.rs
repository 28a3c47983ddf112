//! The identity that commands use if the command line names none.

use std::fs;
use std::process::Command;

use crate::support::{Dir, Run, finish};

/// Runs the command with `SEALANE_IDENTITY`.
fn run_with(dir: &Dir, identity: &str, args: &[&str]) -> Run {
    let mut command: Command = dir.without_terminal(args);
    command.env("SEALANE_IDENTITY", identity);
    finish(command)
}

#[test]
fn the_environment_names_it() {
    let dir = Dir::with_key();
    dir.encrypt(b"secret", "x");
    dir.run(["-d", "x"]).fails("an identity is needed to open it");
    for args in [&["-d", "x"][..], &["decrypt", "x"]] {
        assert_eq!(run_with(&dir, "key.txt", args).quiet().stdout, b"secret");
    }
    assert!(run_with(&dir, "key.txt", &["verify", "x"]).text().contains("1 file with 6 bytes"));
    run_with(&dir, "missing", &["-d", "x"]).fails("the default identity: cannot open identity file \"missing\"");
    run_with(&dir, "x", &["-d", "x"]).fails("identity file \"x\" is encrypted, but not with a passphrase");
    run_with(&dir, "", &["-d", "x"]).fails("an identity is needed to open it");
    // An identity on the command line takes its place.
    dir.keygen("other");
    run_with(&dir, "key.txt", &["-d", "-i", "other.txt", "x"]).fails("no identity matches");
    assert_eq!(run_with(&dir, "missing", &["-d", "-i", "key.txt", "x"]).quiet().stdout, b"secret");
    run_with(&dir, "other.txt", &["-d", "x"]).fails("no identity matches");
    // The output must not replace it.
    run_with(&dir, "key.txt", &["-d", "-o", "key.txt", "x"]).fails("identity file \"key.txt\"");
    // Encryption does not use it.
    run_with(&dir, "key.txt", &["-o", "y", "x"]).misused("missing recipients");
}

#[test]
fn the_configuration_has_it() {
    let dir = Dir::with_key();
    dir.encrypt(b"secret", "x");
    fs::create_dir_all(dir.path("config/sealane")).unwrap();
    fs::rename(dir.path("key.txt"), dir.path("config/sealane/identity.txt")).unwrap();
    assert_eq!(dir.run(["-d", "x"]).quiet().stdout, b"secret");
    let mut command = dir.without_terminal(["-d", "x"]);
    command.env("HOME", dir.root()).env_remove("XDG_CONFIG_HOME");
    finish(command).fails("an identity is needed to open it");
    fs::rename(dir.path("config"), dir.path(".config")).unwrap();
    let mut command = dir.without_terminal(["-d", "x"]);
    command.env("HOME", dir.root()).env_remove("XDG_CONFIG_HOME");
    assert_eq!(finish(command).quiet().stdout, b"secret");
}

#[test]
fn all_commands_that_open_files_use_it() {
    let dir = Dir::with_key();
    for name in ["a", "b"] {
        dir.keygen(name);
    }
    dir.encrypt(b"secret", "x");
    run_with(&dir, "key.txt", &["rekey", "-R", "a.pub", "x"]).ok();
    assert_eq!(run_with(&dir, "a.txt", &["-d", "x"]).quiet().stdout, b"secret");
    fs::create_dir(dir.path("photos")).unwrap();
    dir.write("photos/p", "photo");
    dir.run(["-R", "a.pub", "-o", "sealed", "photos"]).quiet();
    run_with(&dir, "a.txt", &["-d", "-o", "open", "sealed"]).quiet();
    assert_eq!(dir.read("open/photos/p"), b"photo");
    // A holder's part, and a part that is encrypted to the default identity.
    dir.run(["-k", "2", "-R", "a.pub", "-R", "b.pub", "-o", "y", "x"]).quiet();
    run_with(&dir, "b.txt", &["contribute", "-y", "-R", "key.pub", "-o", "part", "y"]).quiet();
    dir.write("both.txt", [dir.read("key.txt"), dir.read("a.txt")].concat());
    assert_eq!(run_with(&dir, "both.txt", &["-d", "--part", "part", "y"]).quiet().stdout, dir.read("x"));
}

#[test]
fn files_with_a_passphrase_and_the_program_age_ignore_it() {
    let dir = Dir::with_key();
    dir.write("plain", "secret");
    let mut command = dir.without_terminal(["-p", "-o", "x", "plain"]);
    command.env("AGE_PASSPHRASE", "one");
    finish(command).ok();
    for identity in ["key.txt", "plain"] {
        let mut command = dir.without_terminal(["-d", "x"]);
        command.env("AGE_PASSPHRASE", "one").env("SEALANE_IDENTITY", identity);
        if identity == "key.txt" {
            assert_eq!(finish(command).quiet().stdout, b"secret");
        } else {
            finish(command).fails("the default identity");
        }
    }
    dir.encrypt(b"secret", "y");
    std::os::unix::fs::symlink(crate::support::SEALANE, dir.path("age")).unwrap();
    let mut command = Command::new(dir.path("age"));
    command.args(["-d", "y"]).current_dir(dir.root()).env("SEALANE_IDENTITY", "key.txt");
    assert!(!finish(command).status.success());
}

/// A person who can write to a folder could otherwise make each thread take the time and memory
/// that scrypt needs.
#[test]
fn a_passphrase_opens_no_file_of_a_folder() {
    let dir = Dir::with_key();
    let run = |identity: &str, args: &[&str]| {
        let mut command = dir.without_terminal(args);
        command.env("AGE_PASSPHRASE", "one").env("SEALANE_IDENTITY", identity);
        finish(command)
    };
    dir.write("a", "first");
    dir.write("b", "second");
    dir.run(["encrypt", "-R", "key.pub", "--no-manifest", "-o", "sealed", "a"]).quiet();
    run("", &["encrypt", "-p", "-o", "sealed/b.age", "b"]).quiet();
    let refused = |run: Run| {
        let (status, err) = (run.status.code(), run.err());
        let why = "encrypted with a passphrase, which can't be used in a folder, or to decrypt several files";
        assert!(status == Some(1) && err.contains(why), "{err}");
        run.text()
    };
    let verify = ["verify", "--no-manifest", "sealed"];
    assert_eq!(refused(run("key.txt", &verify)), "1 file with 5 bytes of plaintext is intact\n");
    assert_eq!(refused(run("", &verify)), "0 files with 0 bytes of plaintext are intact\n");
    refused(run("key.txt", &["decrypt", "--no-manifest", "-o", "open", "sealed"]));
    assert!(dir.read("open/a") == b"first" && !dir.exists("open/b"));
    refused(run("key.txt", &["decrypt", "-o", "both", "sealed/a.age", "sealed/b.age"]));
    assert!(dir.read("both/a") == b"first" && !dir.exists("both/b"));
    // The manifest is such a file too.
    fs::copy(dir.path("sealed/b.age"), dir.path("sealed/sealane-manifest.age")).unwrap();
    for args in [&["verify", "sealed"][..], &["decrypt", "-o", "none", "sealed"], &["rekey", "-R", "key.pub", "sealed"]]
    {
        refused(run("key.txt", args));
    }
    let before = dir.read("sealed/b.age");
    let rekey = ["rekey", "--no-manifest", "-R", "key.pub", "sealed"];
    assert_eq!(refused(run("key.txt", &rekey)), "1 file has new recipients\n");
    assert!(dir.read("sealed/b.age") == before);
    // Files that the command line names are opened one by one.
    let both = run("key.txt", &["verify", "sealed/a.age", "sealed/b.age"]).quiet();
    assert_eq!(both.stdout, b"2 files with 11 bytes of plaintext are intact\n");
    run("key.txt", &["decrypt", "--resume", "-o", "one", "sealed/b.age"]).quiet();
    assert_eq!(dir.read("one/b"), b"second");
}
