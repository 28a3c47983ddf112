//! Cleaning up after signals.

use std::io::Write as _;
use std::os::unix::process::ExitStatusExt as _;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::time::{Duration, Instant};

use crate::io_errors::can_trace;
use crate::support::{Dir, SEALANE, bytes};

/// Starts `command`, which encrypts standard input to a file, and waits until its temporary file
/// exists. The command cannot end before the returned input is closed.
fn start(dir: &Dir, command: &mut Command) -> (Child, ChildStdin) {
    let mut child = command.stdin(Stdio::piped()).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(&bytes(1_000_000)).unwrap();
    let deadline = Instant::now() + Duration::from_secs(30);
    while !dir.names().iter().any(|name| name.starts_with(".sealane-")) {
        assert!(Instant::now() < deadline, "no temporary file");
        std::thread::sleep(Duration::from_millis(10));
    }
    (child, stdin)
}

fn kill(signal: &str, child: &Child) {
    let killed = Command::new("kill").args(["-s", signal, &child.id().to_string()]).status().unwrap();
    assert!(killed.success());
}

#[test]
fn signals_leave_nothing_behind() {
    let dir = Dir::with_key();
    for (signal, number) in [("INT", 2), ("TERM", 15), ("HUP", 1), ("QUIT", 3), ("XCPU", 24)] {
        dir.write("out", "old");
        // The tests may run with signals ignored, under nohup or in the background of a script, and
        // their commands inherit that.
        let mut command = Command::new("env");
        command.args([&format!("--default-signal={signal}"), SEALANE, "-R", "key.pub", "-o", "out"]);
        let (mut child, _stdin) = start(&dir, command.current_dir(dir.root()));
        kill(signal, &child);
        let status = child.wait().unwrap();
        assert_eq!(status.signal(), Some(number), "ended by the signal itself: {status:?}");
        assert_eq!(dir.names(), ["key.pub", "key.txt", "out"], "{signal}");
        assert_eq!(dir.read("out"), b"old");
    }
}

/// No thread can be started if the user's number of processes is limited. A signal must then still
/// end the command.
#[test]
fn without_a_thread_for_signals_they_end_the_command() {
    if !can_trace() {
        return;
    }
    let dir = Dir::with_key();
    let mut command = Command::new("env");
    // `-D` runs the tracer as a separate process, so `child` is the command.
    let trace = ["--default-signal=TERM", "strace", "-D", "-f", "-o", "/dev/null", "-e", "trace=clone,clone3"];
    command.args(trace).args(["-e", "inject=clone,clone3:error=EAGAIN", SEALANE, "-t", "1"]);
    let (mut child, _stdin) = start(&dir, command.args(["-R", "key.pub", "-o", "out"]).current_dir(dir.root()));
    kill("TERM", &child);
    let deadline = Instant::now() + Duration::from_secs(30);
    let status = loop {
        if let Some(status) = child.try_wait().unwrap() {
            break status;
        }
        if Instant::now() > deadline {
            kill("KILL", &child);
        }
        std::thread::sleep(Duration::from_millis(10));
    };
    assert_eq!(status.signal(), Some(15), "{status:?}");
}

/// Returns whether these tests run in an emulator of AArch64, on a machine of another kind.
fn is_emulated() -> bool {
    let machine = Command::new("uname").arg("-m").output().unwrap().stdout;
    std::env::consts::ARCH == "aarch64" && machine.trim_ascii() == b"x86_64"
}

#[test]
fn a_signal_that_was_ignored_stays_ignored() {
    let dir = Dir::with_key();
    for signal in ["HUP", "INT", "TERM", "QUIT"] {
        let mut command = Command::new("sh");
        command.args(["-c", &format!("trap '' {signal}; exec \"$SEALANE\" -R key.pub -o out")]);
        command.env("SEALANE", SEALANE).current_dir(dir.root());
        let (mut child, stdin) = start(&dir, &mut command);
        kill(signal, &child);
        std::thread::sleep(Duration::from_millis(200));
        drop(stdin);
        let status = child.wait().unwrap();
        if is_emulated() {
            // In the emulator, /proc shows the emulator's signals, so the command cannot know that
            // this signal was ignored. It ends, and leaves nothing behind.
            assert!(status.signal().is_some(), "{signal}: {status:?}");
            assert_eq!(dir.names(), ["key.pub", "key.txt"], "{signal}");
            continue;
        }
        assert!(status.success(), "{signal}: {status:?}");
        assert!(dir.run(["-d", "-i", "key.txt", "out"]).quiet().stdout == bytes(1_000_000), "{signal}");
    }
}

#[test]
fn exceeding_the_limit_of_file_sizes_is_an_error() {
    let dir = Dir::with_key();
    dir.write("in", bytes(200_000));
    // The unit of `ulimit -f` is 512 bytes.
    dir.sh("ulimit -f 50; exec \"$SEALANE\" -R key.pub -o out in").fails("cannot write to \"out\": File too large");
    assert_eq!(dir.names(), ["in", "key.pub", "key.txt"]);
}
