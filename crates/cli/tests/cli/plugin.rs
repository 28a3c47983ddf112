//! Tests with a small plugin, whose stanza contains the file key in the clear.

use std::process::Command;

use crate::support::{Dir, Run, SEALANE, finish};

const PLUGIN: &str = include_str!("plugin.sh");

// Bech32 without data, under these names; the same strings are in the tests of age
// (testdata/plugin.txt).
pub(crate) const RECIPIENT: &str = "age1test10qdmzv9q";
const IDENTITY: &str = "AGE-PLUGIN-TEST-10Q32NLXM";
const PATH_RECIPIENT: &str = "age1pwn/pwn19gt89dfz";
const PATH_IDENTITY: &str = "AGE-PLUGIN-PWN/PWN-19GYK4WLY";

pub(crate) fn with_plugin() -> Dir {
    let dir = Dir::with_key();
    std::fs::create_dir(dir.path("bin")).unwrap();
    dir.write("bin/age-plugin-test", PLUGIN);
    dir.set_mode("bin/age-plugin-test", 0o755);
    dir.write("identity", IDENTITY);
    dir.write("in", "secret");
    dir
}

pub(crate) fn run(dir: &Dir, args: &[&str]) -> Run {
    let mut command = dir.command(args);
    with_path(dir, &mut command);
    finish(command)
}

/// Lets `command` find the plugin.
pub(crate) fn with_path(dir: &Dir, command: &mut Command) {
    let path = std::env::join_paths(
        [dir.path("bin")].into_iter().chain(std::env::split_paths(&std::env::var_os("PATH").unwrap_or_default())),
    );
    command.env("PATH", path.unwrap()).env("PLUGIN_LOG", dir.path("log"));
}

#[test]
fn recipients_and_identities_of_a_plugin() {
    let dir = with_plugin();
    let encryptions: &[&[&str]] = &[
        &["-r", RECIPIENT, "-o", "out", "in"],
        &["-e", "-i", "identity", "-o", "out", "in"],
        &["-e", "-j", "test", "-o", "out", "in"],
    ];
    for args in encryptions {
        run(&dir, args).quiet();
        assert!(String::from_utf8_lossy(&dir.read("out")).contains("\n-> test\n"));
        assert_eq!(run(&dir, &["-d", "-i", "identity", "out"]).quiet().stdout, b"secret");
        assert_eq!(run(&dir, &["-d", "-j", "test", "out"]).quiet().stdout, b"secret");
        assert_eq!(run(&dir, &["decrypt", "-i", "key.txt", "-j", "TEST", "out"]).quiet().stdout, b"secret");
    }
    // The plugin is combined with another recipient. One process serves all recipients of a plugin.
    dir.write("log", "");
    run(&dir, &["-R", "key.pub", "-r", RECIPIENT, "-r", "age1test10qdmzv9q", "-o", "out", "in"]);
    assert_eq!(dir.read("log"), b"--age-plugin=recipient-v1\n");
    for identity in ["key.txt", "identity"] {
        assert_eq!(run(&dir, &["-d", "-i", identity, "out"]).quiet().stdout, b"secret");
    }
    // The file is for other recipients.
    run(&dir, &["-R", "key.pub", "-o", "out", "in"]).quiet();
    run(&dir, &["-d", "-j", "test", "-o", "new", "out"]).fails("no identity matches");
    assert!(!dir.exists("new"));
}

#[test]
fn a_plugin_can_be_one_of_several_names_of_a_program() {
    let dir = with_plugin();
    std::fs::remove_file(dir.path("bin/age-plugin-test")).unwrap();
    dir.write("bin/several", PLUGIN.replacen('\n', "\n[ \"${0##*/}\" = age-plugin-test ] || exit 1\n", 1));
    dir.set_mode("bin/several", 0o755);
    std::os::unix::fs::symlink("several", dir.path("bin/age-plugin-test")).unwrap();
    run(&dir, &["-r", RECIPIENT, "-o", "out", "in"]).quiet();
    assert_eq!(run(&dir, &["-d", "-j", "test", "out"]).quiet().stdout, b"secret");
}

#[test]
fn keys_of_ages_own_types_are_tried_first() {
    let dir = with_plugin();
    run(&dir, &["-R", "key.pub", "-r", RECIPIENT, "-o", "out", "in"]).quiet();
    dir.sh("AGE_PASSPHRASE=pass \"$SEALANE\" -p -o locked key.txt").quiet();
    dir.sh("\"$SEALANE\" keygen --pq -o pq.txt && \"$SEALANE\" keygen -y pq.txt > pq.pub").ok();
    run(&dir, &["-R", "pq.pub", "-o", "pq", "in"]).quiet();
    std::os::unix::fs::symlink(SEALANE, dir.path("age")).unwrap();
    // Before the key: a plugin that works, one that fails, one that is missing, and a file that
    // needs a passphrase.
    dir.write("bin/age-plugin-bad", "#!/bin/sh\necho ran >> \"$PLUGIN_LOG\"\nexit 1\n");
    dir.set_mode("bin/age-plugin-bad", 0o755);
    std::fs::remove_file(dir.path("log")).unwrap();
    for other in [["-j", "test"], ["-j", "bad"], ["-j", "nosuch"], ["-i", "locked"]] {
        for (key, file) in [("key.txt", "out"), ("pq.txt", "pq")] {
            for program in ["age", SEALANE] {
                let mut command = Command::new("setsid");
                command.arg("--wait").arg(dir.path(program)).arg("-d").args(other).args(["-i", key, file]);
                command.env_remove("AGE_PASSPHRASE").current_dir(dir.root());
                with_path(&dir, &mut command);
                assert_eq!(finish(command).quiet().stdout, b"secret", "{other:?}");
            }
        }
        assert!(!dir.exists("log"), "{other:?} was started");
    }
    // The others keep their order.
    assert_eq!(run(&dir, &["-d", "-j", "test", "-j", "bad", "out"]).quiet().stdout, b"secret");
    run(&dir, &["-d", "-j", "bad", "-j", "test", "out"]).fails("age-plugin-bad ended unexpectedly");
}

/// Holders who suffice open the file, whatever the identities of the others do.
#[test]
fn one_holders_identity_does_not_keep_others_from_opening() {
    let dir = with_plugin();
    for name in ["a", "b"] {
        dir.keygen(name);
    }
    let holders = ["-R", "a.pub", "-R", "b.pub", "-R", "key.pub", "-r", RECIPIENT];
    run(&dir, &[&["-k", "2"], &holders[..], &["-o", "x", "in"]].concat()).quiet();
    dir.sh("AGE_PASSPHRASE=pass \"$SEALANE\" -p -o locked key.txt").quiet();
    dir.write("bin/age-plugin-bad", "#!/bin/sh\necho ran >> \"$PLUGIN_LOG\"\nexit 1\n");
    // It returns a file key for every stanza.
    dir.write("bin/age-plugin-liar", PLUGIN.replacen("key=\n", "key=AAAAAAAAAAAAAAAAAAAAAA\n", 1));
    for name in ["bad", "liar"] {
        dir.set_mode(&format!("bin/age-plugin-{name}"), 0o755);
    }
    let open = |identities: &[&str]| {
        let mut command = dir.without_terminal([&["-d"], identities, &["x"]].concat());
        with_path(&dir, &mut command);
        finish(command)
    };
    std::fs::remove_file(dir.path("log")).unwrap();
    for other in [["-j", "bad"], ["-j", "nosuch"], ["-j", "liar"], ["-i", "locked"]] {
        assert_eq!(open(&[&other[..], &["-i", "a.txt", "-i", "b.txt"]].concat()).quiet().stdout, b"secret");
        assert!(!dir.exists("log"), "{other:?} was started");
        // Neither are these two enough without it.
        assert_eq!(open(&[&other[..], &["-i", "a.txt", "-j", "test"]].concat()).quiet().stdout, b"secret");
        std::fs::remove_file(dir.path("log")).unwrap();
    }
    // One holder alone learns why the other identity did not help.
    open(&["-j", "nosuch", "-i", "a.txt"]).fails("age-plugin-nosuch");
    open(&["-j", "bad", "-i", "a.txt"]).fails("age-plugin-bad ended unexpectedly");
    // An identity that needs no others opens the file, although the holders cannot.
    run(&dir, &["rekey", "-i", "a.txt", "-i", "b.txt", "-k", "2", "-R", "a.pub", "-R", "b.pub", "x"]).ok();
    open(&["-i", "a.txt", "-j", "test"]).fails("2 of 2 holders together, and 1 of them is here");
    run(&dir, &["rekey", "--add", "-i", "a.txt", "-i", "b.txt", "-r", RECIPIENT, "x"]).ok();
    assert_eq!(open(&["-i", "a.txt", "-j", "test"]).quiet().stdout, b"secret");
    // A plugin that opens the file alone is not asked about each share first.
    dir.write("log", "");
    assert_eq!(open(&["-j", "test"]).quiet().stdout, b"secret");
    assert_eq!(dir.read("log"), b"--age-plugin=identity-v1\n");
    open(&["-j", "bad"]).fails("age-plugin-bad ended unexpectedly");
}

#[test]
fn a_name_with_a_path_in_it_runs_nothing() {
    let dir = with_plugin();
    // The programs that would run if the name were joined to a directory of PATH, or to the working
    // directory.
    for place in ["bin/age-plugin-pwn", "age-plugin-pwn"] {
        std::fs::create_dir(dir.path(place)).unwrap();
        dir.write(&format!("{place}/pwn"), PLUGIN);
        dir.set_mode(&format!("{place}/pwn"), 0o755);
    }
    dir.write("bad", PATH_IDENTITY);
    dir.encrypt(b"x", "x.age");
    run(&dir, &["-r", PATH_RECIPIENT, "-o", "out", "in"]).fails("not a plugin's name");
    dir.write("list", PATH_RECIPIENT);
    run(&dir, &["-R", "list", "-o", "out", "in"]).fails("not a plugin's name");
    run(&dir, &["-d", "-i", "bad", "-o", "out", "x.age"]).fails("not a plugin's name");
    run(&dir, &["-e", "-i", "bad", "-o", "out", "in"]).fails("not a plugin's name");
    let long = "x".repeat(100);
    for name in
        ["pwn/pwn", "../bin/age-plugin-test", "/bin/sh", "..", "", "-", "test-", "a b", "t\u{e9}st", "\\", &long]
    {
        run(&dir, &["-d", "-j", name, "-o", "out", "x.age"]).failed_somehow();
        run(&dir, &["-e", "-j", name, "-o", "out", "in"]).failed_somehow();
    }
    assert!(!dir.exists("log"), "a plugin ran");
    assert!(!dir.exists("out"));
}

#[test]
fn a_plugin_in_the_working_directory_is_not_run() {
    let dir = with_plugin();
    dir.encrypt(b"x", "x.age");
    dir.write("age-plugin-test", PLUGIN);
    dir.set_mode("age-plugin-test", 0o755);
    std::fs::create_dir(dir.path("sub")).unwrap();
    let system = std::env::var("PATH").unwrap();
    let path = format!("../{}/bin:{system}", dir.root().file_name().unwrap().to_str().unwrap());
    let bin = dir.path("bin");
    for path in [format!("{system}:"), format!(":{system}"), format!("{system}:."), String::new(), path] {
        for args in [
            &["-d", "-j", "test", "-o", "out", "x.age"][..],
            &["-d", "-i", "identity", "-o", "out", "x.age"],
            &["-r", RECIPIENT, "-o", "out", "in"],
            &["-e", "-i", "identity", "-o", "out", "in"],
        ] {
            let mut command = dir.command(args);
            command.env("PATH", &path).env("PLUGIN_LOG", dir.path("log"));
            finish(command).fails("is in PATH only relative to the current directory");
        }
    }
    assert!(!dir.exists("log"), "a plugin ran");
    assert!(!dir.exists("out"));
    // Such an entry does no harm after an absolute directory that has the plugin.
    let mut command = dir.command(["-r", RECIPIENT, "-o", "out", "in"]);
    command.env("PATH", format!("{}:.:{system}", bin.display())).env("PLUGIN_LOG", dir.path("log"));
    finish(command).quiet();
}

#[test]
fn a_missing_plugin_is_an_error_only_when_it_is_needed() {
    let dir = with_plugin();
    dir.encrypt(b"secret", "x.age");
    let missing = "plugin age-plugin-nonexistentplugin not found in PATH";
    let key = String::from_utf8(dir.read("key.txt")).unwrap();
    dir.write("both", format!("{key}AGE-PLUGIN-NONEXISTENTPLUGIN-1R4XFW4\n"));
    dir.write("other-order", format!("AGE-PLUGIN-NONEXISTENTPLUGIN-1R4XFW4\n{key}"));
    for args in [
        &["-d", "-i", "both", "x.age"][..],
        &["-d", "-i", "other-order", "x.age"],
        &["-d", "-i", "key.txt", "-j", "nonexistentplugin", "x.age"],
    ] {
        assert_eq!(run(&dir, args).quiet().stdout, b"secret");
    }
    dir.keygen("another");
    dir.encrypt_to("another.pub", b"secret", "y.age");
    run(&dir, &["-d", "-i", "both", "y.age"]).fails(missing);
    // The same applies in an encrypted identity file.
    let mut command = dir.command(["-p", "-o", "both.age", "both"]);
    command.env("AGE_PASSPHRASE", "pass");
    finish(command).quiet();
    let mut command = dir.command(["-d", "-i", "both.age", "x.age"]);
    command.env("AGE_PASSPHRASE", "pass");
    assert_eq!(finish(command).quiet().stdout, b"secret");
}

#[test]
fn a_missing_plugin_is_named() {
    let dir = with_plugin();
    dir.encrypt(b"x", "x.age");
    let missing = "plugin age-plugin-nonexistentplugin not found in PATH";
    run(&dir, &["-r", "age1nonexistentplugin1pt5d8z", "-o", "out", "in"]).fails(missing);
    dir.write("id", "AGE-PLUGIN-NONEXISTENTPLUGIN-1R4XFW4");
    run(&dir, &["-d", "-i", "id", "-o", "out", "x.age"]).fails(missing);
    run(&dir, &["-d", "-j", "nonexistentplugin", "-o", "out", "x.age"]).fails(missing);
    assert!(!dir.exists("out"));
}

#[test]
fn a_plugin_that_fails_fails_the_command() {
    let dir = with_plugin();
    dir.encrypt(b"x", "x.age");
    for script in ["#!/bin/sh\nexit 1\n", "#!/bin/sh\necho garbage\n", "#!/bin/sh\nexec cat > /dev/null\n"] {
        dir.write("bin/age-plugin-test", script);
        run(&dir, &["-r", RECIPIENT, "-o", "out", "in"]).failed_somehow();
        run(&dir, &["-d", "-j", "test", "-o", "out", "x.age"]).failed_somehow();
        assert!(!dir.exists("out"));
    }
    // A plugin that ends at once, before or after it receives anything.
    for script in ["#!/bin/sh\nexit 1\n", "#!/bin/sh\nexec cat > /dev/null\n", "#!/bin/sh\nexec <&-; sleep 0.1\n"] {
        dir.write("bin/age-plugin-test", script);
        for args in [&["-r", RECIPIENT, "-o", "out", "in"][..], &["-d", "-j", "test", "-o", "out", "x.age"]] {
            let err = run(&dir, args).fails("the plugin age-plugin-test ended unexpectedly").stderr;
            let err = String::from_utf8(err).unwrap();
            assert!(!err.contains(['\u{fffd}', '\u{2068}', '\u{2069}']), "{err:?}");
        }
    }
    let error = "#!/bin/sh\nwhile IFS= read -r l; do case $l in '-> done') read -r l; break;; esac; done\n\
                 printf -- '-> error internal\\nbm8gbHVjaw\\n'; read -r l; read -r l; printf -- '-> done\\n\\n'\n";
    // The plugins of the Go library end after an error, without `done`. Some may not read the
    // answer.
    let ends = error.replace("printf -- '-> done\\n\\n'", ":");
    let deaf =
        error.replace("case $l in '-> done') read -r l; break", "case $l in '-> done') read -r l; exec <&-; break");
    // One of them says something else before it ends.
    let talks = deaf.replace("bm8gbHVjaw\\n'", "bm8gbHVjaw\\n-> msg\\naGVsbG8\\n'");
    for script in [error, &ends, &deaf, &talks] {
        dir.write("bin/age-plugin-test", script);
        for args in [&["-r", RECIPIENT, "-o", "out", "in"][..], &["-d", "-j", "test", "-o", "out", "x.age"]] {
            run(&dir, args).fails("plugin age-plugin-test failed: (internal) no luck");
        }
    }
    assert!(!dir.exists("out"));
}

#[test]
fn a_plugin_cannot_reorder_the_text_on_the_screen() {
    let dir = with_plugin();
    dir.encrypt(b"x", "x.age");
    // msg with U+202E, "evil", U+2066, U+009B; then done.
    let script = "#!/bin/sh\nwhile IFS= read -r l; do case $l in '-> done') read -r l; break;; esac; done\n\
                  printf -- '-> msg\\n4oCuZXZpbOKBpsKb\\n'; read -r l; read -r l; printf -- '-> done\\n\\n'\n";
    dir.write("bin/age-plugin-test", script);
    let run = run(&dir, &["-d", "-j", "test", "-o", "out", "x.age"]);
    assert!(run.err().starts_with("sealane: evil\u{fffd}\n"), "{:?}", run.err());
    assert_eq!(run.status.code(), Some(1));
}
