//! Compares the command under the names of age's programs with those programs: statuses, JSON, and
//! the plugin that lets older `age` and `rage` use post-quantum keys.
//!
//! `age-inspect` is in PATH or in AGE_INSPECT. `age` 1.2, which has no post-quantum keys, is in
//! AGE_OLD.

use std::ffi::OsString;
use std::fs;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

use super::{Bench, Kind, SEALANE, Tool, age_keygen, assert_same, find, run};

const INSTALL: &str = "install age 1.3 or later: go install filippo.io/age/cmd/...@v1.3.2";

fn age_inspect() -> OsString {
    find("AGE_INSPECT", "age-inspect", INSTALL)
}

/// Returns the program `age` from before version 1.3.
fn old_age() -> OsString {
    let age =
        std::env::var_os("AGE_OLD").expect("AGE_OLD names age 1.2: GOBIN=... go install filippo.io/age/cmd/age@v1.2.1");
    let version = String::from_utf8(run(Command::new(&age).arg("--version"))).unwrap();
    assert!(version.starts_with("v1.2."), "{age:?} is {version}");
    age
}

impl Bench {
    /// Creates a folder with links to the command under the names of age's programs.
    fn links(&self) -> PathBuf {
        let bin = self.path("bin");
        fs::create_dir(&bin).unwrap();
        for name in ["age", "age-keygen", "age-inspect", "age-plugin-pq"] {
            std::os::unix::fs::symlink(SEALANE, bin.join(name)).unwrap();
        }
        bin
    }

    /// Runs `program` with empty input.
    fn ended(&self, program: &OsString, args: &[&str]) -> Output {
        let mut command = Command::new(program);
        command.args(args).current_dir(self.dir.path()).stdin(Stdio::null()).env_remove("AGE_PASSPHRASE");
        command.output().unwrap()
    }
}

#[test]
fn the_same_statuses_for_the_same_command_lines() {
    let bench = Bench::new();
    bench.make_key(Kind::X25519);
    let bin = bench.links();
    bench.write("in", "secret");
    run(bench.sealane().args(["-R", "id.pub", "-o", "file", "in"]));
    fs::create_dir(bench.path("folder")).unwrap();
    let (age, keygen, inspect) = (Tool::Age.program(), age_keygen().get_program().to_owned(), age_inspect());
    let age_lines = [
        "",
        "-x",
        "-h",
        "--help",
        "--version",
        "-version=false",
        "-d -a file",
        "-d -p file",
        "-d -r x file",
        "-d -R id.pub file",
        "-d -e file",
        "-r",
        "-p -r age1x in",
        "-p -R id.pub in",
        "-p -e -i id in",
        "a b",
        "in -R id.pub",
        "-a=maybe",
        "-ao x",
        "--",
        "missing",
        "encrypt",
        "decrypt file",
        "keygen",
        "-R id.pub missing",
        "-r age1x in",
        "-R missing in",
        "-R id in",
        "-d -i missing file",
        "-d -i id.pub file",
        "-d in",
        "-d file",
        "-d -i id file",
        "-d -i id -o out file",
        "-i id in",
        "-e -i id -o out in",
        "-R id.pub -o id.pub in",
        "-R id.pub -o in in",
        "-e -i id -o id in",
        "-R id.pub folder",
        "-R id.pub -o folder in",
        "-R id.pub -o missing/x in",
        "-d -j missing file",
        "-k 2 -R id.pub in",
        "-t 2 -R id.pub in",
        "-d --range 1:2 -i id file",
        "-R id.pub -a -o out -",
        "-R id.pub -a -a=false -o out in",
        "-R id.pub -R id.pub -o out in",
        "---a",
        "-=x",
    ];
    let keygen_lines = [
        "-x",
        "-h",
        "--version",
        "x",
        "-y -pq id",
        "-y a b",
        "-y missing",
        "-o id",
        "-y id",
        "-y in",
        "-pq=false -y id",
        "-o missing/x",
        "-y -o in id",
    ];
    let inspect_lines = ["-x", "-h", "--version", "a b", "missing", "in", "", "file", "-json file", "folder"];
    let check = |real: &OsString, name: &str, line: &str| {
        let args: Vec<_> = line.split_whitespace().collect();
        let theirs = bench.ended(real, &args);
        let _ = fs::remove_file(bench.path("out"));
        let ours = bench.ended(&bin.join(name).into_os_string(), &args);
        let _ = fs::remove_file(bench.path("out"));
        let messages = |output: &Output| String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(
            ours.status.code(),
            theirs.status.code(),
            "{name} {line}\n{}\n{}",
            messages(&ours),
            messages(&theirs)
        );
        // On each stream, either both print something or both print nothing. The exception is a
        // failure after which standard output must be empty: age has already begun its output when
        // it finds that it cannot read.
        let expect_empty = !theirs.status.success() || theirs.stdout.is_empty();
        assert_eq!(ours.stdout.is_empty(), expect_empty, "{name} {line}");
        assert_eq!(
            ours.stderr.is_empty(),
            theirs.stderr.is_empty(),
            "{name} {line}\n{}\n{}",
            messages(&ours),
            messages(&theirs)
        );
        // Errors about flags use the same words.
        if theirs.status.code() == Some(2) {
            assert_eq!(messages(&ours).lines().next(), messages(&theirs).lines().next(), "{name} {line}");
        }
    };
    age_lines.iter().for_each(|line| check(&age, "age", line));
    keygen_lines.iter().for_each(|line| check(&keygen, "age-keygen", line));
    inspect_lines.iter().for_each(|line| check(&inspect, "age-inspect", line));
}

#[test]
fn inspection_is_the_same_byte_for_byte() {
    let bench = Bench::new();
    let bin = bench.links();
    let inspect = age_inspect();
    let check = |file: &str| {
        for args in [&["--json", file][..], &[file]] {
            let theirs = bench.ended(&inspect, args);
            let ours = bench.ended(&bin.join("age-inspect").into_os_string(), args);
            assert_eq!(String::from_utf8_lossy(&ours.stdout), String::from_utf8_lossy(&theirs.stdout), "{file}");
            assert_eq!(ours.status.code(), theirs.status.code(), "{file}");
        }
    };
    for kind in [Kind::X25519, Kind::SshEd25519, Kind::PostQuantum, Kind::Passphrase] {
        for old in ["id", "id.pub"] {
            let _ = fs::remove_file(bench.path(old));
        }
        bench.make_key(kind);
        for len in [0, 1, 65_536, 65_537, 200_000] {
            bench.write("in", vec![7; len]);
            let to: &[&str] = if kind == Kind::Passphrase { &["-p"] } else { &["-R", "id.pub"] };
            run(bench.sealane().args(to).args(["-o", "file", "in"]));
            check("file");
            run(bench.sealane().args(to).args(["-a", "-o", "file", "in"]));
            check("file");
            let text = fs::read_to_string(bench.path("file")).unwrap();
            bench.write("file", text.replace('\n', "\r\n"));
            check("file");
        }
    }
    // Unknown types, one with characters that JSON may escape, and a truncated file.
    run(bench.sealane().args(["keygen", "-o", "key"]));
    run(bench.sealane().args(["-e", "-i", "key", "-o", "file", "in"]));
    let file = fs::read(bench.path("file")).unwrap();
    let (intro, rest) = file.split_at(b"age-encryption.org/v1\n".len());
    for stanza in ["-> new 1\n\n", "-> <&>\"'\\ 1\n\n"] {
        bench.write("odd", [intro, stanza.as_bytes(), rest].concat());
        check("odd");
    }
    let at = rest.windows(6).position(|bytes| bytes == b"X25519").unwrap();
    bench.write("odd", [intro, &rest[..at], b"new", &rest[at + 6..]].concat());
    check("odd");
    for cut in [0, 100, file.len() - 200_000 - 70, file.len() - 3 * 65_552 - 3_408 + 10] {
        bench.write("cut", &file[..cut]);
        check("cut");
    }
}

/// age 1.2 and rage have no post-quantum keys. age 1.3 has them, and opens the files without a
/// plugin.
#[test]
fn the_plugin_gives_older_programs_post_quantum_files() {
    let bench = Bench::new();
    bench.make_key(Kind::PostQuantum);
    let bin = bench.links();
    let (age, rage) = (old_age(), Tool::Rage.program());
    let others = std::env::var_os("PATH").unwrap();
    let path = std::env::join_paths(std::iter::once(bin.clone()).chain(std::env::split_paths(&others))).unwrap();
    run(Command::new(bin.join("age-plugin-pq"))
        .args(["-identity", "-o", "plugin.txt", "id"])
        .current_dir(bench.dir.path()));
    bench.write("in", "secret");
    for program in [age, rage] {
        let with_plugin = |args: &[&str]| {
            let mut command = Command::new(&program);
            command.args(args).current_dir(bench.dir.path()).env("PATH", &path);
            command
        };
        // A file for the recipient, and one for the identity's recipient. The plugin, age 1.3 and
        // the command open them.
        for to in [&["-R", "id.pub"][..], &["-e", "-i", "plugin.txt"]] {
            run(with_plugin(to).args(["-o", "file", "in"]));
            run(with_plugin(&["-d", "-i", "plugin.txt", "-o", "back", "file"]).current_dir(bench.dir.path()));
            assert_same(&bench.path("back"), b"secret", "by the plugin");
            assert_eq!(run(bench.tool(Tool::Age).args(["-d", "-i", "id", "file"])), b"secret");
            assert_eq!(run(bench.sealane().env_remove("AGE_PASSPHRASE").args(["-d", "-i", "id", "file"])), b"secret");
            fs::remove_file(bench.path("file")).unwrap();
        }
        // A file that age 1.3 encrypted.
        run(bench.tool(Tool::Age).args(["-R", "id.pub", "-o", "file", "in"]));
        run(with_plugin(&["-d", "-i", "plugin.txt", "-o", "back", "file"]).current_dir(bench.dir.path()));
        assert_same(&bench.path("back"), b"secret", "made by age 1.3");
        // Post-quantum recipients cannot be combined with other types.
        run(bench.sealane().args(["keygen", "-o", "other"]));
        run(bench.sealane().args(["keygen", "-y", "-o", "other.pub", "other"]));
        let mixed = with_plugin(&["-R", "id.pub", "-R", "other.pub", "-o", "mixed", "in"]).output().unwrap();
        assert!(!mixed.status.success(), "{program:?}");
        for name in ["file", "other", "other.pub"] {
            fs::remove_file(bench.path(name)).unwrap();
        }
    }
}

/// Forms of ssh keys other than OpenSSH's, opened by both programs.
#[test]
fn ssh_keys_in_pkcs8() {
    let bench = Bench::new();
    let program = std::env::var_os("OPENSSL").unwrap_or_else(|| "openssl".into());
    let openssl = |args: &[&str]| run(Command::new(&program).args(args).current_dir(bench.dir.path()));
    openssl(&["genpkey", "-algorithm", "RSA", "-pkeyopt", "rsa_keygen_bits:2048", "-out", "rsa"]);
    openssl(&["genpkey", "-algorithm", "ED25519", "-out", "ed25519"]);
    bench.write("in", "secret");
    for name in ["rsa", "ed25519"] {
        run(bench.tool(Tool::Age).args(["-e", "-i", name, "-o", "theirs", "in"]));
        run(bench.sealane().args(["-e", "-i", name, "-o", "ours", "in"]));
        assert_eq!(run(bench.sealane().args(["-d", "-i", name, "theirs"])), b"secret", "{name}");
        assert_eq!(run(bench.tool(Tool::Age).args(["-d", "-i", name, "ours"])), b"secret", "{name}");
        for file in ["ours", "theirs"] {
            fs::remove_file(bench.path(file)).unwrap();
        }
    }
}
