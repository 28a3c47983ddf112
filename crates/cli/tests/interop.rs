//! Exchanges files with the real age, rage and typage: every recipient type, armored and binary,
//! with sizes around a chunk and of 64 MiB. Checks completions in bash, zsh and fish.
//!
//! Run `cargo test --workspace --test interop`. The tools are `age`, `age-keygen`, `rage` and
//! `ssh-keygen` in PATH, or the programs in the variables AGE, AGE_KEYGEN, RAGE and SSH_KEYGEN. The
//! files in `interop/` name the other tools. A missing tool is a failure.
#![cfg(unix)]

#[path = "interop/age_scripts.rs"]
mod age_scripts;
#[path = "common/bytes.rs"]
mod bytes;
#[path = "interop/completions.rs"]
mod completions;
#[path = "interop/programs.rs"]
mod programs;
#[path = "interop/typage.rs"]
mod typage;
#[path = "interop/vectors.rs"]
mod vectors;

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use nix::sys::wait::WaitStatus;
use rexpect::session::spawn_command;

use bytes::bytes;

const SEALANE: &str = env!("CARGO_BIN_EXE_sealane");
const PASSPHRASE: &str = "correct horse battery staple";
const SIZES: [usize; 6] = [0, 1, 65_535, 65_536, 65_537, 64 << 20];

/// A program to exchange files with.
#[derive(Clone, Copy)]
enum Tool {
    Age,
    Rage,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    X25519,
    PostQuantum,
    Passphrase,
    SshEd25519,
    SshRsa,
}

fn find(variable: &str, name: &str, install: &str) -> OsString {
    let program = std::env::var_os(variable).unwrap_or_else(|| name.into());
    let found = Command::new(&program).arg("--version").output();
    assert!(found.is_ok(), "{program:?} cannot be run: {install}, or set {variable}");
    program
}

impl Tool {
    fn program(self) -> OsString {
        match self {
            Self::Age => find("AGE", "age", "install age 1.3 or later: go install filippo.io/age/cmd/...@v1.3.2"),
            Self::Rage => find("RAGE", "rage", "install rage: cargo install rage --version 0.12.1"),
        }
    }
}

fn age_keygen() -> Command {
    let install = "install age 1.3 or later: go install filippo.io/age/cmd/...@v1.3.2";
    Command::new(find("AGE_KEYGEN", "age-keygen", install))
}

fn ssh_keygen() -> Command {
    let program = std::env::var_os("SSH_KEYGEN").unwrap_or_else(|| "ssh-keygen".into());
    // ssh-keygen has no --version.
    let found = Command::new(&program).arg("-?").output();
    assert!(found.is_ok(), "{program:?} cannot be run: apt install openssh-client, or set SSH_KEYGEN");
    Command::new(program)
}

#[track_caller]
fn run(command: &mut Command) -> Vec<u8> {
    let out = command.output().unwrap_or_else(|error| panic!("{:?}: {error}", command.get_program()));
    assert!(out.status.success(), "{command:?}: {}", String::from_utf8_lossy(&out.stderr));
    out.stdout
}

/// Runs a program that asks for the passphrase `times` times at its terminal.
#[track_caller]
fn run_in_terminal(mut command: Command, times: usize) {
    // Without pinentry, the program asks at the terminal.
    command.env("PINENTRY_PROGRAM", "").env_remove("AGE_PASSPHRASE");
    let shown = format!("{command:?}");
    let mut session = spawn_command(command, Some(120_000)).expect("a pseudo-terminal");
    for _ in 0..times {
        session.exp_regex("(?i)passphrase[^\n]*: ?").unwrap_or_else(|error| panic!("{shown}: {error}"));
        session.send_line(PASSPHRASE).unwrap();
    }
    let output = session.exp_eof().unwrap_or_else(|error| panic!("{shown}: {error}"));
    let status = session.process().wait().unwrap();
    assert!(matches!(status, WaitStatus::Exited(_, 0)), "{shown}: {status:?}: {output}");
}

struct Bench {
    dir: tempfile::TempDir,
}

impl Bench {
    fn new() -> Self {
        Self { dir: tempfile::tempdir().unwrap() }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    fn write(&self, name: &str, data: impl AsRef<[u8]>) {
        fs::write(self.path(name), data).unwrap();
    }

    fn sealane(&self) -> Command {
        let mut command = Command::new(SEALANE);
        // This makes scrypt quick. `encrypted_identity_files` tests it at full strength.
        command.env("AGE_PASSPHRASE", PASSPHRASE).env("AGE_PASSPHRASE_WORK_FACTOR", "10");
        command.current_dir(self.dir.path());
        command
    }

    fn tool(&self, tool: Tool) -> Command {
        let mut command = Command::new(tool.program());
        command.current_dir(self.dir.path());
        command
    }

    /// Generates the key `id` and its public key `id.pub`.
    fn make_key(&self, kind: Kind) {
        let ssh = |args: &[&str]| {
            let mut command = ssh_keygen();
            run(command.args(args).args(["-q", "-N", "", "-f"]).arg(self.path("id")));
        };
        match kind {
            Kind::X25519 => {
                run(age_keygen().arg("-o").arg(self.path("id")));
                run(self.sealane().args(["keygen", "-y", "-o", "id.pub", "id"]));
            }
            Kind::PostQuantum => {
                run(age_keygen().args(["-pq", "-o"]).arg(self.path("id")));
                run(self.sealane().args(["keygen", "-y", "-o", "id.pub", "id"]));
            }
            Kind::SshEd25519 => ssh(&["-t", "ed25519"]),
            Kind::SshRsa => ssh(&["-t", "rsa", "-b", "3072"]),
            Kind::Passphrase => {}
        }
    }
}

#[track_caller]
fn assert_same(path: &Path, expected: &[u8], what: &str) {
    let found = fs::read(path).unwrap_or_else(|error| panic!("{what}: {error}"));
    assert!(found == expected, "{what}: {} bytes instead of {}, or others", found.len(), expected.len());
    fs::remove_file(path).unwrap();
}

fn both_ways(tool: Tool, kind: Kind) {
    let bench = Bench::new();
    bench.make_key(kind);
    for len in SIZES {
        let plaintext = bytes(len);
        fs::write(bench.path("in"), &plaintext).unwrap();
        for armor in [false, true] {
            let case = format!("{:?}, {len} bytes, armor: {armor}", tool.program());
            let flags: &[&str] = if armor { &["-a"] } else { &[] };
            let recipient: &[&str] = if kind == Kind::Passphrase { &["-p"] } else { &["-R", "id.pub"] };
            let identity: &[&str] = if kind == Kind::Passphrase { &[] } else { &["-i", "id"] };

            // The peer's files, which the command opens.
            let mut encrypt = bench.tool(tool);
            encrypt.args(flags).args(recipient).args(["-o", "theirs", "in"]);
            if kind == Kind::Passphrase {
                run_in_terminal(encrypt, 2)
            } else {
                drop(run(&mut encrypt))
            }
            run(bench.sealane().arg("-d").args(identity).args(["-o", "back", "theirs"]));
            assert_same(&bench.path("back"), &plaintext, &case);
            fs::remove_file(bench.path("theirs")).unwrap();

            // Our files, which the peer opens.
            run(bench.sealane().args(flags).args(recipient).args(["-o", "ours", "in"]));
            // Through a redirection, because age before 1.2 and rage write no file for an empty
            // plaintext with -o.
            let mut decrypt = Command::new("sh");
            decrypt.args(["-c", "exec \"$@\" > back", "sh"]).arg(tool.program()).arg("-d").args(identity).arg("ours");
            decrypt.current_dir(bench.dir.path());
            if kind == Kind::Passphrase {
                run_in_terminal(decrypt, 1)
            } else {
                drop(run(&mut decrypt))
            }
            assert_same(&bench.path("back"), &plaintext, &case);
            fs::remove_file(bench.path("ours")).unwrap();
        }
    }
}

#[test]
fn age_x25519() {
    both_ways(Tool::Age, Kind::X25519);
}

#[test]
fn age_passphrase() {
    both_ways(Tool::Age, Kind::Passphrase);
}

#[test]
fn age_ssh_ed25519() {
    both_ways(Tool::Age, Kind::SshEd25519);
}

#[test]
fn age_ssh_rsa() {
    both_ways(Tool::Age, Kind::SshRsa);
}

#[test]
fn age_post_quantum() {
    both_ways(Tool::Age, Kind::PostQuantum);
}

#[test]
fn rage_x25519() {
    both_ways(Tool::Rage, Kind::X25519);
}

#[test]
fn rage_passphrase() {
    both_ways(Tool::Rage, Kind::Passphrase);
}

#[test]
fn rage_ssh_ed25519() {
    both_ways(Tool::Rage, Kind::SshEd25519);
}

#[test]
fn rage_ssh_rsa() {
    both_ways(Tool::Rage, Kind::SshRsa);
}

#[test]
fn keys_of_both_kinds_of_keygen() {
    let bench = Bench::new();
    run(bench.sealane().args(["keygen", "-o", "ours"]));
    run(age_keygen().arg("-o").arg(bench.path("theirs")));
    run(bench.sealane().args(["keygen", "--pq", "-o", "ours-pq"]));
    run(age_keygen().args(["-pq", "-o"]).arg(bench.path("theirs-pq")));
    for key in ["ours", "theirs", "ours-pq", "theirs-pq"] {
        let public = run(bench.sealane().args(["keygen", "-y", key]));
        let age_public = run(age_keygen().arg("-y").arg(bench.path(key)));
        assert_eq!(String::from_utf8(public).unwrap(), String::from_utf8(age_public).unwrap());
    }
}

#[test]
fn encrypted_identity_files() {
    for tool in [Tool::Age, Tool::Rage] {
        let bench = Bench::new();
        bench.make_key(Kind::X25519);
        fs::write(bench.path("in"), "secret").unwrap();
        run(bench.sealane().args(["-R", "id.pub", "-o", "file", "in"]));
        // The peer's file, at full strength, opened here.
        let mut encrypt = bench.tool(tool);
        encrypt.args(["-p", "-o", "id-theirs", "id"]);
        run_in_terminal(encrypt, 2);
        assert_eq!(run(bench.sealane().args(["-d", "-i", "id-theirs", "file"])), b"secret");
        // Our file, at full strength, opened by the peer.
        run(bench.sealane().env_remove("AGE_PASSPHRASE_WORK_FACTOR").args(["-p", "-a", "-o", "id-ours", "id"]));
        let mut decrypt = bench.tool(tool);
        decrypt.args(["-d", "-i", "id-ours", "-o", "back", "file"]);
        run_in_terminal(decrypt, 1);
        assert_same(&bench.path("back"), b"secret", "an encrypted identity file");
    }
}

#[test]
fn several_recipients_of_every_type() {
    let bench = Bench::new();
    for kind in [Kind::X25519, Kind::SshEd25519, Kind::SshRsa] {
        bench.make_key(kind);
        let name = match kind {
            Kind::X25519 => "x25519",
            Kind::SshEd25519 => "ed25519",
            _ => "rsa",
        };
        fs::rename(bench.path("id"), bench.path(name)).unwrap();
        fs::rename(bench.path("id.pub"), bench.path(&format!("{name}.pub"))).unwrap();
    }
    fs::write(bench.path("in"), "secret").unwrap();
    run(bench.sealane().args(["-R", "x25519.pub", "-R", "ed25519.pub", "-R", "rsa.pub", "-o", "file", "in"]));
    for tool in [Tool::Age, Tool::Rage] {
        for name in ["x25519", "ed25519", "rsa"] {
            assert_eq!(run(bench.tool(tool).args(["-d", "-i", name, "file"])), b"secret");
        }
    }
}

#[test]
fn files_for_several_holders_by_the_plugin() {
    let bench = Bench::new();
    for name in ["a", "b", "c"] {
        run(bench.sealane().args(["keygen", "-o", name]));
        run(bench.sealane().args(["keygen", "-y", "-o", &format!("{name}.pub"), name]));
    }
    fs::write(bench.path("in"), "secret").unwrap();
    run(bench.sealane().args(["-k", "2", "-R", "a.pub", "-R", "b.pub", "-R", "c.pub", "-o", "file", "in"]));
    run(bench.sealane().args(["contribute", "-y", "-i", "c", "-o", "part", "file"]));
    run(bench.sealane().args(["keygen", "--plugin", "-o", "together", "a", "part"]));
    run(bench.sealane().args(["keygen", "--plugin", "-o", "alone", "a"]));
    fs::create_dir(bench.path("bin")).unwrap();
    std::os::unix::fs::symlink(SEALANE, bench.path("bin/age-plugin-sealane")).unwrap();
    let others = std::env::var_os("PATH").unwrap();
    let path = std::env::join_paths(std::iter::once(bench.path("bin")).chain(std::env::split_paths(&others))).unwrap();
    for tool in [Tool::Age, Tool::Rage] {
        assert_eq!(run(bench.tool(tool).env("PATH", &path).args(["-d", "-i", "together", "file"])), b"secret");
        let alone = bench.tool(tool).env("PATH", &path).args(["-d", "-i", "alone", "file"]).output().unwrap();
        assert!(!alone.status.success());
        assert!(String::from_utf8_lossy(&alone.stderr).contains("2 of 3 holders"), "{alone:?}");
    }
    // A part may also be encrypted or decrypted by the peer.
    for tool in [Tool::Age, Tool::Rage] {
        run(bench.tool(tool).args(["-R", "a.pub", "-o", "part.age", "part"]));
        assert_eq!(run(bench.sealane().args(["-d", "-i", "a", "--part", "part.age", "file"])), b"secret");
        run(bench.sealane().args(["contribute", "-y", "-i", "c", "-R", "a.pub", "-o", "sent.age", "file"]));
        assert_eq!(run(bench.tool(tool).args(["-d", "-i", "a", "sent.age"])), fs::read(bench.path("part")).unwrap());
    }
}
