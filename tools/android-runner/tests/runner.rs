//! The runner with a stand-in for `adb`, whose device is this machine.
#![cfg(unix)]

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

struct Device {
    dir: tempfile::TempDir,
}

impl Device {
    fn new() -> Self {
        let device = Self { dir: tempfile::tempdir().unwrap() };
        std::fs::create_dir(device.base()).unwrap();
        device.set("devices", "emulator-5554\tdevice\n");
        device
    }

    fn base(&self) -> PathBuf {
        self.dir.path().join("tmp")
    }

    fn set(&self, name: &str, text: &str) {
        std::fs::write(self.dir.path().join(name), text).unwrap();
    }

    /// A program for the device: a script.
    fn program(&self, text: &str) -> PathBuf {
        let path = self.dir.path().join("local program");
        std::fs::write(&path, format!("#!/bin/sh\n{text}\n")).unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o700)).unwrap();
        path
    }

    fn runner(&self, program: &Path) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_android-runner"));
        command
            .arg(program)
            .env("ADB", Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/adb.sh"))
            .env("STAND_IN", self.dir.path())
            .env("ANDROID_RUNNER_DIR", self.base())
            .env_remove("ANDROID_SERIAL")
            .stdin(Stdio::null());
        command
    }

    fn run(&self, program: &str) -> Output {
        self.runner(&self.program(program)).output().unwrap()
    }

    fn is_clean(&self) -> bool {
        std::fs::read_dir(self.base()).unwrap().next().is_none()
    }
}

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).unwrap()
}

fn wait_for(what: &str, done: impl Fn() -> bool) {
    let started = Instant::now();
    while !done() {
        assert!(started.elapsed() < Duration::from_secs(20), "{what}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn output_and_exit_status_come_back() {
    let device = Device::new();
    for status in [0, 1, 3, 101, 255] {
        let output = device.run(&format!("echo out; printf 'no line end'; exit {status}"));
        assert_eq!(output.status.code(), Some(status), "{output:?}");
        assert_eq!(text(&output.stdout), "out\nno line end");
        assert!(device.is_clean());
    }
}

#[test]
fn a_signal_is_a_failure() {
    let device = Device::new();
    let output = device.run("kill -SEGV $$");
    assert_eq!(output.status.code(), Some(128 + 11));
    assert!(device.is_clean());
}

#[test]
fn a_terminals_line_ends_hide_nothing() {
    let device = Device::new();
    device.set("terminal", "");
    let output = device.run("echo out; exit 7");
    assert_eq!((output.status.code(), text(&output.stdout)), (Some(7), "out\r\n"));
    assert!(device.is_clean());
}

#[test]
fn arguments_and_environment_arrive() {
    let device = Device::new();
    let program = device
        .program(r#"printf '<%s>' "$@"; printf '%s|%s' "$RUST_BACKTRACE" "$SEALANE_BACKEND"; [ "$TMPDIR" = "$PWD" ]"#);
    let arguments = ["--exact", "a b", "", "it's", "$HOME", "*", "line\nline"];
    let mut runner = device.runner(&program);
    runner.args(arguments).env("RUST_BACKTRACE", "1").env("SEALANE_BACKEND", "a 'b'").env("PATH_OF_MINE", "x");
    let output = runner.output().unwrap();
    let expected: String = arguments.iter().map(|argument| format!("<{argument}>")).collect();
    assert_eq!(text(&output.stdout), format!("{expected}1|a 'b'"));
    assert_eq!(output.status.code(), Some(0), "{output:?}");
}

#[test]
fn output_comes_while_the_program_runs_and_input_goes_to_it() {
    let device = Device::new();
    let program = device.program("echo ready; read line; echo \"got $line\"");
    let mut runner = device.runner(&program);
    let mut child: Child = runner.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let mut output = BufReader::new(child.stdout.take().unwrap());
    let mut line = String::new();
    output.read_line(&mut line).unwrap();
    // The program has not ended: it waits for this.
    assert_eq!(line.trim_end(), "ready");
    child.stdin.take().unwrap().write_all(b"it\n").unwrap();
    let mut rest = String::new();
    output.read_to_string(&mut rest).unwrap();
    assert_eq!((line + &rest).as_str(), "ready\ngot it\n");
    assert!(child.wait().unwrap().success());
    assert!(device.is_clean());
}

#[test]
fn an_interrupt_ends_the_program_and_cleans_up() {
    for signal in ["INT", "TERM", "HUP"] {
        let device = Device::new();
        let alive = device.dir.path().join("alive");
        let program = device.program(&format!("echo $$ >'{}'; exec sleep 600", alive.display()));
        let mut child = device.runner(&program).stdout(Stdio::null()).spawn().unwrap();
        wait_for("the program starts", || std::fs::read_to_string(&alive).is_ok_and(|pid| pid.ends_with('\n')));
        let pid = std::fs::read_to_string(&alive).unwrap();
        let kill = format!("kill -{signal} {}", child.id());
        assert!(Command::new("sh").args(["-c", &kill]).status().unwrap().success());
        assert!(!child.wait().unwrap().success());
        wait_for("the folder goes", || device.is_clean());
        let is_alive = || {
            Command::new("sh").args(["-c", &format!("kill -0 {} 2>/dev/null", pid.trim())]).status().unwrap().success()
        };
        wait_for("the program ends", || !is_alive());
    }
}

#[test]
fn the_device_is_the_one_that_is_named() {
    let device = Device::new();
    device.set("devices", "first\tdevice\nsecond\tdevice\nthird\tunauthorized\n");
    let program = device.program("exit 0");
    let refused = |serial: Option<&str>| {
        let mut runner = device.runner(&program);
        serial.map(|serial| runner.env("ANDROID_SERIAL", serial));
        let output = runner.output().unwrap();
        assert_eq!(output.status.code(), Some(101));
        text(&output.stderr).to_owned()
    };
    let several = refused(None);
    assert!(several.contains("ANDROID_SERIAL") && several.contains("first, second"), "{several}");
    assert!(refused(Some("third")).contains("unauthorized"));
    assert!(refused(Some("fourth")).contains("not connected"));
    assert!(device.runner(&program).env("ANDROID_SERIAL", "second").status().unwrap().success());
    let log = std::fs::read_to_string(device.dir.path().join("log")).unwrap();
    assert!(log.contains("second: shell"), "{log}");
    device.set("devices", "");
    assert!(refused(None).contains("no device"));
}

#[test]
fn what_is_missing_is_said() {
    let device = Device::new();
    let program = device.program("exit 0");
    let error = |command: &mut Command| {
        let output = command.output().unwrap();
        assert_eq!(output.status.code(), Some(101));
        text(&output.stderr).to_owned()
    };
    assert!(error(device.runner(&program).env("ADB", "/nonexistent/adb")).contains("platform tools"));
    assert!(error(&mut device.runner(Path::new("/nonexistent/program"))).contains("is no file"));
    assert!(error(&mut Command::new(env!("CARGO_BIN_EXE_android-runner"))).contains("usage"));
    // A device without room, or without the folder.
    let nowhere = error(device.runner(&program).env("ANDROID_RUNNER_DIR", "/proc/nowhere"));
    assert!(nowhere.contains("mkdir"), "{nowhere}");
}
