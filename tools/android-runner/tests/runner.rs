//! Tests the runner with a replacement for `adb`, whose device is this machine.
#![cfg(unix)]

use std::ffi::OsStr;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::process::ExitStatusExt as _;
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
        std::fs::create_dir(device.temporary()).unwrap();
        device.set("devices", "emulator-5554\tdevice\n");
        device
    }

    fn base(&self) -> PathBuf {
        self.dir.path().join("the device's folder")
    }

    /// Returns the runner's folder for temporary files, if a test needs one.
    fn temporary(&self) -> PathBuf {
        self.dir.path().join("local")
    }

    fn set(&self, name: &str, text: &str) {
        std::fs::write(self.dir.path().join(name), text).unwrap();
    }

    /// Returns a program for the device: a script.
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
        [self.base(), self.temporary()].iter().all(|dir| std::fs::read_dir(dir).unwrap().next().is_none())
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
fn output_is_passed_on_whole_and_errors_apart() {
    let device = Device::new();
    // 20 MB with all byte values, in pieces of many sizes.
    let program = device.program("cat bytes; cat bytes >&2; exit 5");
    let bytes: Vec<u8> = (0..20_000_000_u32).map(|i| (i.wrapping_mul(0x9e37_79b9) >> 24) as u8).collect();
    let path = device.dir.path().join("bytes");
    std::fs::write(&path, &bytes).unwrap();
    let text = std::fs::read_to_string(&program).unwrap().replace("bytes", &format!("'{}'", path.display()));
    std::fs::write(&program, text).unwrap();
    let output = device.runner(&program).output().unwrap();
    assert!(output.stdout == bytes && output.stderr == bytes);
    assert_eq!(output.status.code(), Some(5));
}

#[test]
fn a_reader_that_ends_early_leaves_nothing_behind() {
    let device = Device::new();
    let program = device.program("while echo line; do :; done 2>/dev/null; exec sleep 600");
    let mut child = device.runner(&program).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!((output.status.code(), line.as_str()), (Some(101), "line\n"));
    assert!(text(&output.stderr).contains("cannot pass on the program's output"));
    assert!(device.is_clean());
}

#[test]
fn arguments_and_environment_arrive() {
    let device = Device::new();
    let words =
        ["--exact", "a b", "", "it's", "\"$HOME\"", "*", "line\nline\n", "-n", "tab\t\r", "ümlaut \\0", "'; exit 9 #"];
    let mut words: Vec<_> = words.map(OsStr::new).to_vec();
    words.push(OsStr::from_bytes(b"\xff\x80"));
    let program =
        device.program(r#"printf '<%s>' "$@" "$VALUE_0" "$VALUE_11" "$VALUE_6"; env -0; [ "$TMPDIR" = "$PWD" ]"#);
    let mut runner = device.runner(&program);
    runner.args(&words);
    for (i, word) in words.iter().enumerate() {
        runner.env(format!("VALUE_{i}"), word);
    }
    // Variables that shells set themselves do not end the script, and variables of this machine are
    // not passed on.
    for name in ["UID", "PPID", "IFS", "LD_LIBRARY_PATH", "ANDROID_HOME", "not-a-name"] {
        runner.env(name, "1 of 0's");
    }
    let output = runner.output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let mut expected = Vec::new();
    for word in words.iter().chain([&words[0], &words[11], &words[6]]) {
        expected.extend([b"<", word.as_bytes(), b">"].concat());
    }
    let (arguments, environment) = output.stdout.split_at(expected.len());
    assert_eq!(OsStr::from_bytes(arguments), OsStr::from_bytes(&expected));
    let environment: Vec<_> = environment.split(|&byte| byte == 0).collect();
    for (i, word) in words.iter().enumerate() {
        let variable = [format!("VALUE_{i}=").as_bytes(), word.as_bytes()].concat();
        assert!(environment.contains(&variable.as_slice()), "{}", word.display());
    }
    assert!(!environment.iter().any(|variable| variable.ends_with(b"1 of 0's")), "{output:?}");
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
    // The program is still running: it waits for its input.
    assert_eq!(line.trim_end(), "ready");
    child.stdin.take().unwrap().write_all(b"it\n").unwrap();
    let mut rest = String::new();
    output.read_to_string(&mut rest).unwrap();
    assert_eq!((line + &rest).as_str(), "ready\ngot it\n");
    assert!(child.wait().unwrap().success());
    assert!(device.is_clean());
}

fn send(signal: &str, child: &Child) {
    let kill = Command::new("kill").args(["-s", signal, &child.id().to_string()]).status();
    assert!(kill.unwrap().success());
}

fn is_alive(pid: &str) -> bool {
    Command::new("kill").args(["-s", "0", pid]).stderr(Stdio::null()).status().unwrap().success()
}

const SIGNALS: [(&str, i32); 3] = [("INT", 2), ("TERM", 15), ("HUP", 1)];

#[test]
fn a_signal_ends_the_program_and_cleans_up() {
    fn check(signal: &str, number: i32) {
        let device = Device::new();
        let alive = device.dir.path().join("alive");
        let program = device.program(&format!("sleep 600 & echo $$ $! >'{}'; wait", alive.display()));
        let mut runner = device.runner(&program);
        let mut child = runner.env("TMPDIR", device.temporary()).stdout(Stdio::null()).spawn().unwrap();
        wait_for("the program starts", || std::fs::read_to_string(&alive).is_ok_and(|pids| pids.ends_with('\n')));
        let pids = std::fs::read_to_string(&alive).unwrap();
        send(signal, &child);
        assert_eq!(child.wait().unwrap().signal(), Some(number));
        assert!(device.is_clean());
        // The program, and the process that it started.
        for pid in pids.split_whitespace() {
            wait_for("the program ends", || !is_alive(pid));
        }
    }
    // Each takes two seconds of waiting.
    std::thread::scope(|scope| {
        for (signal, number) in SIGNALS {
            scope.spawn(move || check(signal, number));
        }
    });
}

#[test]
fn a_signal_while_files_are_pushed_cleans_up() {
    for (signal, number) in SIGNALS {
        for file in ["program", "run"] {
            let device = Device::new();
            device.set("slow", file);
            let mut runner = device.runner(&device.program("exit 0"));
            let mut child = runner.env("TMPDIR", device.temporary()).spawn().unwrap();
            wait_for("the push begins", || device.dir.path().join("pushing").exists());
            assert_eq!(file == "run", std::fs::read_dir(device.temporary()).unwrap().next().is_some());
            send(signal, &child);
            assert_eq!(child.wait().unwrap().signal(), Some(number));
            assert!(device.is_clean());
        }
    }
}

#[test]
fn the_program_can_be_interrupted_itself() {
    let device = Device::new();
    // A shell makes its background processes ignore interrupts. The program must not inherit that.
    let output = device.run("trap 'exit 7' INT; kill -s INT $$; exit 1");
    assert_eq!(output.status.code(), Some(7));
}

#[test]
fn a_device_that_goes_away_is_an_error() {
    let device = Device::new();
    let gone = device.dir.path().join("gone");
    let program = device.program(&format!("echo begun; : >'{}'; kill -9 $PPID; sleep 1", gone.display()));
    let output = device.runner(&program).output().unwrap();
    assert_eq!((output.status.code(), text(&output.stdout)), (Some(101), "begun\n"));
    let error = text(&output.stderr);
    assert!(error.contains("status did not come") && error.contains("may still be on the device"), "{error}");
}

#[test]
fn a_failed_push_is_an_error() {
    let device = Device::new();
    device.set("full", "");
    let output = device.run("exit 0");
    assert_eq!(output.status.code(), Some(101));
    assert!(text(&output.stderr).contains("No space left on device"), "{output:?}");
    assert!(device.is_clean());
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
    assert!(refused(Some("third")).contains("third that ANDROID_SERIAL names is unauthorized"));
    assert!(refused(Some("fourth")).contains("not connected"));
    assert!(device.runner(&program).env("ANDROID_SERIAL", "second").status().unwrap().success());
    let log = std::fs::read_to_string(device.dir.path().join("log")).unwrap();
    assert!(log.contains("second: shell"), "{log}");
    // `adb` requires the serial number if another device is connected but not ready.
    device.set("devices", "first\toffline\nsecond\tdevice\n");
    let output = device.runner(&program).output().unwrap();
    assert!(output.status.success(), "{output:?}");
    device
        .set("devices", "first\toffline\nsecond\tno permissions (user in plugdev group; are your udev rules wrong?)\n");
    let not_ready = refused(None);
    assert!(not_ready.contains("offline") && not_ready.contains("udev"), "{not_ready}");
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
    assert!(error(&mut device.runner(Path::new("/nonexistent/program"))).contains("is not a file"));
    assert!(error(&mut Command::new(env!("CARGO_BIN_EXE_android-runner"))).contains("usage"));
    // A device with a full disk, and one without the folder.
    let nowhere = error(device.runner(&program).env("ANDROID_RUNNER_DIR", "/proc/nowhere"));
    assert!(nowhere.contains("mkdir"), "{nowhere}");
}
