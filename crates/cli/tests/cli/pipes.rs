//! Standard input and output, and broken pipes.

use std::io::{Read as _, Write as _};
use std::os::fd::AsFd;
use std::os::unix::process::ExitStatusExt as _;
use std::process::Stdio;
use std::time::Duration;

use rustix::fs::{OFlags, fcntl_getfl, fcntl_setfl};

use crate::support::{Dir, Run, bytes};

#[test]
fn a_pipeline() {
    let dir = Dir::with_key();
    let data = bytes(1_000_000);
    dir.write("in", &data);
    let run = dir.sh("cat in | \"$SEALANE\" -R key.pub | cat | \"$SEALANE\" -d -i key.txt | cat");
    assert!(run.quiet().stdout == data);
}

#[test]
fn a_broken_pipe_ends_it_quietly_by_the_signal() {
    let dir = Dir::with_key();
    dir.encrypt(&bytes(4_000_000), "big");
    for args in [["-d", "-i", "key.txt", "big"], ["-e", "-R", "key.pub", "big"]] {
        let mut child = dir.command(args).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let mut stdout = child.stdout.take().unwrap();
        stdout.read_exact(&mut [0; 100]).unwrap();
        drop(stdout);
        let out = child.wait_with_output().unwrap();
        assert_eq!(String::from_utf8_lossy(&out.stderr), "");
        assert_eq!(out.status.signal(), Some(13), "SIGPIPE, as from cat: {:?}", out.status);
    }
}

fn make_non_blocking(end: &impl AsFd) {
    fcntl_setfl(end, fcntl_getfl(end).unwrap() | OFlags::NONBLOCK).unwrap();
}

/// Another program may have set O_NONBLOCK on the pipes.
#[test]
fn non_blocking_standard_streams_are_waited_for() {
    let dir = Dir::with_key();
    let data = bytes(3 << 20);
    for args in [&["-R", "key.pub"][..], &["-R", "key.pub", "-o", "/dev/stdout"]] {
        let (stdin, mut to_stdin) = std::io::pipe().unwrap();
        let (mut from_stdout, stdout) = std::io::pipe().unwrap();
        make_non_blocking(&stdin);
        make_non_blocking(&stdout);
        let mut child = dir.command(args).stdin(stdin).stdout(stdout).stderr(Stdio::piped()).spawn().unwrap();
        // The command finds its input empty, and later its output full.
        let input = data.clone();
        let writer = std::thread::spawn(move || {
            input.chunks(1 << 20).try_for_each(|piece| {
                std::thread::sleep(Duration::from_millis(100));
                to_stdin.write_all(piece)
            })
        });
        let reader = std::thread::spawn(move || {
            std::thread::sleep(Duration::from_millis(500));
            let mut encrypted = Vec::new();
            from_stdout.read_to_end(&mut encrypted).map(|_| encrypted)
        });
        let mut error = String::new();
        child.stderr.take().unwrap().read_to_string(&mut error).unwrap();
        assert_eq!((error.as_str(), child.wait().unwrap().code()), ("", Some(0)), "{args:?}");
        writer.join().unwrap().unwrap();
        dir.write("x", reader.join().unwrap().unwrap());
        assert!(dir.run(["-d", "-i", "key.txt", "x"]).quiet().stdout == data);
    }
}

#[test]
fn keys_and_shares_are_read_from_a_non_blocking_pipe() {
    let dir = Dir::with_key();
    dir.encrypt(b"secret", "x");
    dir.sh("\"$SEALANE\" split -k 2 -n 2 -o shares key.txt && cat shares/* > shares.txt").ok();
    for (args, input) in [
        (&["-d", "-i", "-", "x"][..], "key.txt"),
        (&["-R", "-", "key.txt"], "key.pub"),
        (&["combine", "-"], "shares.txt"),
    ] {
        let (stdin, mut to_stdin) = std::io::pipe().unwrap();
        make_non_blocking(&stdin);
        let mut command = dir.command(args);
        let child = command.stdin(stdin).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        std::thread::sleep(Duration::from_millis(100));
        to_stdin.write_all(&dir.read(input)).unwrap();
        drop(to_stdin);
        Run::of(child.wait_with_output().unwrap()).quiet();
    }
}

#[test]
fn a_full_disk_is_an_error() {
    let dir = Dir::with_key();
    dir.encrypt(&bytes(100_000), "x");
    dir.sh("exec \"$SEALANE\" -d -i key.txt x > /dev/full").fails("cannot write to standard output: No space left");
    dir.sh("exec \"$SEALANE\" -R key.pub x > /dev/full").fails("cannot write to standard output: No space left");
}

#[test]
fn authentic_bytes_are_passed_on_as_they_come() {
    let dir = Dir::with_key();
    let data = bytes(3 * 65_536);
    dir.encrypt(&data, "x");
    let file = dir.read("x");
    let mut child = dir.command(["-d", "-i", "key.txt"]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    // All but the end: the first two chunks must come out although the input is still open.
    stdin.write_all(&file[..file.len() - 10]).unwrap();
    stdin.flush().unwrap();
    let mut start = vec![0; 2 * 65_536];
    child.stdout.as_mut().unwrap().read_exact(&mut start).unwrap();
    assert!(start == data[..2 * 65_536]);
    stdin.write_all(&file[file.len() - 10..]).unwrap();
    drop(stdin);
    let mut rest = Vec::new();
    child.stdout.as_mut().unwrap().read_to_end(&mut rest).unwrap();
    assert!(rest == data[2 * 65_536..]);
    assert!(child.wait().unwrap().success());
}

#[test]
fn memory_does_not_grow_with_the_file() {
    let dir = Dir::with_key();
    // 300 MiB of zeros, sparse. /proc is read, so that the test needs no GNU time.
    std::fs::File::create(dir.path("big")).unwrap().set_len(300 << 20).unwrap();
    for args in [["-R", "key.pub", "-o", "big.age", "big"], ["-di", "key.txt", "-o", "/dev/null", "big.age"]] {
        // Each thread has buffers.
        let mut child = dir.command(["-t", "8"]).args(args).spawn().unwrap();
        let status_file = format!("/proc/{}/status", child.id());
        let mut peak = 0;
        while child.try_wait().unwrap().is_none() {
            let status = std::fs::read_to_string(&status_file).unwrap_or_default();
            if let Some(line) = status.lines().find(|line| line.starts_with("VmHWM:")) {
                peak = peak.max(line.split_whitespace().nth(1).unwrap().parse::<u64>().unwrap());
            }
            std::thread::sleep(Duration::from_millis(2));
        }
        assert!(child.wait().unwrap().success());
        assert!(peak > 0 && peak < 64 << 10, "{args:?}: {peak} KiB");
    }
}
