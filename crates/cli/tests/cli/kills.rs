//! SIGKILL at any moment while several threads write a file.

use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use crate::support::{Dir, bytes};

/// The number of kills per direction, spread over the duration of the work.
const KILLS: u32 = 20;
/// The test proves nothing unless at least this many kills happen in the middle of the work.
const WANTED: u32 = 5;

/// Returns the names of the files that killed commands left beside the target.
fn temporary(dir: &Dir) -> Vec<String> {
    dir.names().into_iter().filter(|name| name.starts_with(".sealane-")).collect()
}

fn remove_temporary(dir: &Dir) {
    for name in temporary(dir) {
        std::fs::remove_file(dir.path(&name)).unwrap();
    }
}

/// Kills a command many times, at moments that are spread over the fastest of a few whole runs.
/// `run` runs it, `start` starts it for the kill with this number, and `check` checks what that
/// kill left. What the last kill left stays.
fn kill_at_many_moments(dir: &Dir, run: impl Fn(), start: impl Fn(u32) -> Child, check: impl Fn(u32)) {
    let timed = || {
        let started = Instant::now();
        run();
        started.elapsed()
    };
    // The disk can make a run much longer, and then most kills would come too late.
    let time = timed().min(timed()).min(timed());

    let (mut in_the_middle, mut done) = (0, 0);
    let deadline = Instant::now() + Duration::from_secs(60);
    while done < KILLS || in_the_middle < WANTED {
        assert!(Instant::now() < deadline, "{in_the_middle} of {done} kills came in the middle of {time:?}");
        remove_temporary(dir);
        let mut child = start(done);
        std::thread::sleep(time * (done % KILLS + 1) / (KILLS + 1));
        child.kill().unwrap();
        child.wait().unwrap();
        check(done);
        in_the_middle += u32::from(!temporary(dir).is_empty());
        done += 1;
    }
}

fn start(dir: &Dir, args: &[&str]) -> Child {
    dir.command(args).stderr(Stdio::null()).spawn().unwrap()
}

/// Kills the command with `args`, which writes `out`. `is_whole` checks the result.
fn kill_while_out_is_written(dir: &Dir, args: &[&str], is_whole: impl Fn() -> bool) {
    let run = || {
        dir.run(args).quiet();
        assert!(is_whole());
    };
    // In every second run, the target exists already.
    let is_old = |number: u32| number % 2 == 1;
    let start = |number| {
        let _ = std::fs::remove_file(dir.path("out"));
        if is_old(number) {
            dir.write("out", "old");
        }
        start(dir, args)
    };
    kill_at_many_moments(dir, run, start, |number| {
        if is_old(number) {
            assert!(dir.read("out") == b"old" || is_whole(), "half of the result over the old file");
        } else {
            assert!(!dir.exists("out") || is_whole(), "half of the result");
        }
    });
    // A temporary file does not block the next run.
    let leftovers = temporary(dir);
    run();
    assert_eq!(temporary(dir), leftovers, "only what was killed leaves anything behind");
    remove_temporary(dir);
}

#[test]
fn the_target_is_old_or_new_and_never_half() {
    let dir = Dir::with_key();
    let data = bytes(16 << 20);
    dir.write("in", &data);
    kill_while_out_is_written(&dir, &["-R", "key.pub", "-t", "3", "-o", "out", "in"], || {
        dir.run(["-d", "-i", "key.txt", "out"]).stdout == data
    });
    std::fs::rename(dir.path("out"), dir.path("sealed")).unwrap();
    let decrypt = ["-d", "-i", "key.txt", "-t", "3", "-o", "out", "sealed"];
    kill_while_out_is_written(&dir, &decrypt, || dir.read("out") == data);
}

#[test]
fn a_salvaged_file_appears_with_its_list() {
    let dir = Dir::with_key();
    let data = bytes(16 << 20);
    dir.encrypt(&data, "sealed");
    let args = ["-d", "--salvage", "-i", "key.txt", "-o", "out", "sealed"];
    let remove = || {
        for name in dir.names().iter().filter(|name| name.starts_with("out")) {
            std::fs::remove_file(dir.path(name)).unwrap();
        }
    };
    let run = || {
        remove();
        dir.run(args).quiet();
    };
    let start = |_| {
        remove();
        start(&dir, &args)
    };
    kill_at_many_moments(&dir, run, start, |_| {
        if dir.exists("out") {
            assert!(dir.read("out") == data, "half of the result");
            let list: serde_json::Value = serde_json::from_slice(&dir.read("out.missing.json")).unwrap();
            assert_eq!(list["found"], data.len());
        }
    });
}
