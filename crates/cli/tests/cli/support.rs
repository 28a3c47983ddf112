//! A directory for each test, and the command run in it.

#[path = "../common/bytes.rs"]
mod bytes;

use std::ffi::OsStr;
use std::fs;
use std::io::Write as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

pub(crate) use bytes::bytes;

/// Returns the backends that a report of `sealane cpu --json` lists for the family of a primitive.
pub(crate) fn backends<'a>(report: &'a serde_json::Value, primitive: &str) -> &'a [serde_json::Value] {
    let families = report["families"].as_array().unwrap();
    let of_it = |family: &&serde_json::Value| family["primitives"].as_array().unwrap().iter().any(|p| p == primitive);
    families.iter().find(of_it).unwrap()["backends"].as_array().unwrap()
}

pub(crate) const SEALANE: &str = env!("CARGO_BIN_EXE_sealane");

/// A temporary directory, in which commands run.
pub(crate) struct Dir(tempfile::TempDir);

impl Dir {
    pub(crate) fn new() -> Self {
        Self(tempfile::tempdir().expect("a temporary directory"))
    }

    /// Creates a directory with a key: `key.txt`, and its recipient in `key.pub`.
    pub(crate) fn with_key() -> Self {
        let dir = Self::new();
        dir.keygen("key");
        dir
    }

    pub(crate) fn keygen(&self, name: &str) -> String {
        let (file, public) = (format!("{name}.txt"), format!("{name}.pub"));
        self.run(["keygen", "-o", &file]).ok();
        let recipient = self.run(["keygen", "-y", &file]).ok().stdout;
        self.write(&public, &recipient);
        String::from_utf8(recipient).unwrap().trim().to_owned()
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub(crate) fn root(&self) -> &Path {
        self.0.path()
    }

    pub(crate) fn write(&self, name: &str, data: impl AsRef<[u8]>) {
        fs::write(self.path(name), data).expect("a file is written");
    }

    pub(crate) fn read(&self, name: &str) -> Vec<u8> {
        fs::read(self.path(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    pub(crate) fn exists(&self, name: &str) -> bool {
        self.path(name).symlink_metadata().is_ok()
    }

    pub(crate) fn mode(&self, name: &str) -> u32 {
        self.path(name).metadata().unwrap().permissions().mode() & 0o7777
    }

    pub(crate) fn set_mode(&self, name: &str, mode: u32) {
        fs::set_permissions(self.path(name), fs::Permissions::from_mode(mode)).unwrap();
    }

    /// Returns all names in the directory, sorted, to check that nothing is left behind.
    pub(crate) fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(self.root()).unwrap();
        let mut names: Vec<_> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    /// Returns the command, which runs in this directory and gets no passphrase from the
    /// environment of the tests.
    pub(crate) fn command<S: AsRef<OsStr>>(&self, args: impl IntoIterator<Item = S>) -> Command {
        let mut command = Command::new(SEALANE);
        command.args(args);
        self.prepare(&mut command);
        command
    }

    /// Returns the command without a terminal, even if the tests have one.
    pub(crate) fn without_terminal<S: AsRef<OsStr>>(&self, args: impl IntoIterator<Item = S>) -> Command {
        let mut command = Command::new("setsid");
        command.arg("--wait").arg(SEALANE).args(args);
        self.prepare(&mut command);
        command
    }

    /// Runs a shell command, in which `$SEALANE` is the command.
    pub(crate) fn sh(&self, script: &str) -> Run {
        let mut command = Command::new("sh");
        command.args(["-c", script]).env("SEALANE", SEALANE);
        self.prepare(&mut command);
        finish(command)
    }

    fn prepare(&self, command: &mut Command) {
        self.isolate(command);
        command.stdin(Stdio::null());
    }

    /// Lets the command run in the directory, without the tester's own settings.
    pub(crate) fn isolate(&self, command: &mut Command) {
        command.current_dir(self.root());
        for name in [
            "AGE_PASSPHRASE",
            "AGE_PASSPHRASE_FD",
            "AGE_PASSPHRASE_MAX_WORK_FACTOR",
            "PINENTRY_PROGRAM",
            "SEALANE_IDENTITY",
        ] {
            command.env_remove(name);
        }
        // The tester may have a default identity.
        command.env("XDG_CONFIG_HOME", self.root().join("config"));
        // Full-strength scrypt takes a second and 256 MiB.
        command.env("AGE_PASSPHRASE_WORK_FACTOR", "4");
    }

    pub(crate) fn run<S: AsRef<OsStr>>(&self, args: impl IntoIterator<Item = S>) -> Run {
        finish(self.command(args))
    }

    pub(crate) fn run_with<S: AsRef<OsStr>>(&self, stdin: &[u8], args: impl IntoIterator<Item = S>) -> Run {
        feed(self.command(args), stdin)
    }

    /// Encrypts `data` to `key.pub` as `name`.
    pub(crate) fn encrypt(&self, data: &[u8], name: &str) {
        self.encrypt_to("key.pub", data, name);
    }

    /// Encrypts `data` to the recipients in a file as `name`.
    pub(crate) fn encrypt_to(&self, recipients: &str, data: &[u8], name: &str) {
        self.run_with(data, ["-R", recipients, "-o", name]).ok();
    }
}

/// Runs a command to its end.
pub(crate) fn finish(mut command: Command) -> Run {
    let output = unless_busy(|| command.output());
    Run(output.unwrap_or_else(|error| panic!("{:?}: {error} (is it installed?)", command.get_program())))
}

/// Tries again if the program's file is busy: a process that one test starts while another test
/// writes a program holds the program's file open for a moment.
fn unless_busy<T>(mut start: impl FnMut() -> std::io::Result<T>) -> std::io::Result<T> {
    for _ in 0..200 {
        match start() {
            Err(error) if error.kind() == std::io::ErrorKind::ExecutableFileBusy => {
                std::thread::sleep(std::time::Duration::from_millis(20));
            }
            result => return result,
        }
    }
    start()
}

/// Runs a command to its end with `stdin`.
pub(crate) fn feed(mut command: Command, stdin: &[u8]) -> Run {
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = unless_busy(|| command.spawn()).expect("it starts");
    let mut pipe = child.stdin.take().unwrap();
    let data = stdin.to_vec();
    // The command may end without reading all of the data.
    let writer = std::thread::spawn(move || drop(pipe.write_all(&data)));
    let output = child.wait_with_output().unwrap();
    writer.join().unwrap();
    Run(output)
}

/// The output and status of a command.
pub(crate) struct Run(Output);

impl std::ops::Deref for Run {
    type Target = Output;

    fn deref(&self) -> &Output {
        &self.0
    }
}

impl Run {
    /// Wraps the output of a command that was started elsewhere.
    pub(crate) fn of(output: Output) -> Self {
        Self(output)
    }

    pub(crate) fn err(&self) -> String {
        String::from_utf8_lossy(&self.stderr).into_owned()
    }

    pub(crate) fn text(&self) -> String {
        String::from_utf8_lossy(&self.stdout).into_owned()
    }

    /// Checks that the command succeeded.
    #[track_caller]
    pub(crate) fn ok(self) -> Output {
        assert!(self.status.success(), "{:?}\n{}", self.status, self.err());
        self.0
    }

    /// Checks that the command succeeded without a message.
    #[track_caller]
    pub(crate) fn quiet(self) -> Output {
        assert_eq!(self.err(), "");
        self.ok()
    }

    /// Checks that the command failed with `status`, and that it printed an error, at most one
    /// hint, warnings, and nothing else. The messages must contain `what`.
    #[track_caller]
    fn failed(self, status: i32, what: &str) -> Output {
        let err = self.err();
        assert_eq!(self.status.code(), Some(status), "{err}");
        let lines: Vec<_> = err.lines().filter(|line| !line.starts_with("sealane: warning: ")).collect();
        assert!(lines.first().is_some_and(|line| line.starts_with("sealane: error: ")), "{err}");
        assert!(lines.len() <= 2, "too many lines:\n{err}");
        assert!(lines.get(1).is_none_or(|line| line.starts_with("sealane: hint: ")), "{err}");
        assert!(err.contains(what), "not {what:?}:\n{err}");
        assert!(!err.contains("panicked"), "{err}");
        self.0
    }

    #[track_caller]
    pub(crate) fn fails(self, what: &str) -> Output {
        self.failed(1, what)
    }

    /// Checks that the command failed with an error of the right form.
    #[track_caller]
    pub(crate) fn failed_somehow(self) -> Output {
        let status = self.status.code().unwrap_or_default();
        assert!(status == 1 || status == 2, "{:?}", self.status);
        self.failed(status, "")
    }

    #[track_caller]
    pub(crate) fn misused(self, what: &str) -> Output {
        self.failed(2, what)
    }
}

/// Returns whether a check can run on this machine, and says so if it cannot. On the machine that
/// runs all checks, it must. `reason` says why it cannot run.
pub(crate) fn can_check(can_run: bool, reason: &str) -> bool {
    assert!(can_run || std::env::var_os("SEALANE_ALL_CHECKS").is_none(), "{reason}");
    if !can_run {
        eprintln!("not checked: {reason}");
    }
    can_run
}
