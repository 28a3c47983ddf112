//! SIGKILL at any moment while several threads write a file.

use std::process::Stdio;
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

/// Kills the command with `args`, which writes `out`, many times. `is_whole` checks the result.
fn kill_at_many_moments(dir: &Dir, args: &[&str], is_whole: impl Fn() -> bool) {
    let run = || {
        let started = Instant::now();
        dir.run(args).quiet();
        assert!(is_whole());
        started.elapsed()
    };
    // The disk can make a run much longer, and then most kills would come too late.
    let time = run().min(run()).min(run());

    let (mut in_the_middle, mut done) = (0, 0);
    let deadline = Instant::now() + Duration::from_secs(60);
    while done < KILLS || in_the_middle < WANTED {
        assert!(Instant::now() < deadline, "{in_the_middle} of {done} kills came in the middle of {time:?}");
        // In every second run, the target exists already.
        let old = done % 2 == 1;
        let _ = std::fs::remove_file(dir.path("out"));
        if old {
            dir.write("out", "old");
        }
        let mut child = dir.command(args).stderr(Stdio::null()).spawn().unwrap();
        std::thread::sleep(time * (done % KILLS + 1) / (KILLS + 1));
        child.kill().unwrap();
        child.wait().unwrap();
        done += 1;
        if old {
            assert!(dir.read("out") == b"old" || is_whole(), "half of the result over the old file");
        } else {
            assert!(!dir.exists("out") || is_whole(), "half of the result");
        }
        for name in temporary(dir) {
            in_the_middle += 1;
            // The last temporary file stays for the run below.
            if done < KILLS || in_the_middle < WANTED {
                std::fs::remove_file(dir.path(&name)).unwrap();
            }
        }
    }
    // The temporary file does not block the next run.
    let leftovers = temporary(dir);
    dir.run(args).quiet();
    assert!(is_whole());
    assert_eq!(temporary(dir), leftovers, "only what was killed leaves anything behind");
    for name in leftovers {
        std::fs::remove_file(dir.path(&name)).unwrap();
    }
}

#[test]
fn the_target_is_old_or_new_and_never_half() {
    let dir = Dir::with_key();
    let data = bytes(16 << 20);
    dir.write("in", &data);
    kill_at_many_moments(&dir, &["-R", "key.pub", "-t", "3", "-o", "out", "in"], || {
        dir.run(["-d", "-i", "key.txt", "out"]).stdout == data
    });
    std::fs::rename(dir.path("out"), dir.path("sealed")).unwrap();
    kill_at_many_moments(&dir, &["-d", "-i", "key.txt", "-t", "3", "-o", "out", "sealed"], || dir.read("out") == data);
}

#[test]
fn a_salvaged_file_appears_with_its_list() {
    let dir = Dir::with_key();
    let data = bytes(16 << 20);
    dir.encrypt(&data, "sealed");
    let args = ["-d", "--salvage", "-i", "key.txt", "-o", "out", "sealed"];
    let remove = || {
        for name in dir.names().iter().filter(|name| name.starts_with("out") || name.starts_with(".sealane-")) {
            std::fs::remove_file(dir.path(name)).unwrap();
        }
    };
    let run = || {
        remove();
        let started = Instant::now();
        dir.run(args).quiet();
        started.elapsed()
    };
    // As in `kill_at_many_moments`.
    let time = run().min(run()).min(run());
    let (mut in_the_middle, mut done) = (0, 0);
    let deadline = Instant::now() + Duration::from_secs(60);
    while done < KILLS || in_the_middle < WANTED {
        assert!(Instant::now() < deadline, "{in_the_middle} of {done} kills came in the middle of {time:?}");
        remove();
        let mut child = dir.command(args).stderr(Stdio::null()).spawn().unwrap();
        std::thread::sleep(time * (done % KILLS + 1) / (KILLS + 1));
        child.kill().unwrap();
        child.wait().unwrap();
        done += 1;
        in_the_middle += u32::from(!temporary(&dir).is_empty());
        if dir.exists("out") {
            assert!(dir.read("out") == data, "half of the result");
            let list: serde_json::Value = serde_json::from_slice(&dir.read("out.missing.json")).unwrap();
            assert_eq!(list["found"], data.len());
        }
    }
}
