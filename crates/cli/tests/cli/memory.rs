//! Protection of secrets in memory.
#![cfg(target_os = "linux")]

use std::fs;
use std::io::Write as _;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::support::{Dir, SEALANE, bytes, can_check};

/// Runs the shell commands `limits`, then a command that decrypts. Returns the files `status` and
/// `limits` of the latter in /proc.
fn proc_files(dir: &Dir, limits: &str) -> (String, String) {
    let mut child = Command::new("sh")
        .args(["-c", &format!("{limits}\nexec \"{SEALANE}\" -d -i key.txt > out")])
        .current_dir(dir.root())
        .stdin(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let file = dir.read("file.age");
    stdin.write_all(&file[..file.len() - 1]).unwrap();
    let deadline = Instant::now() + Duration::from_secs(30);
    while dir.path("out").metadata().map_or(0, |metadata| metadata.len()) == 0 {
        assert!(Instant::now() < deadline, "nothing is decrypted");
        std::thread::sleep(Duration::from_millis(5));
    }
    let [status, limits] =
        ["status", "limits"].map(|name| fs::read_to_string(format!("/proc/{}/{name}", child.id())).unwrap());
    stdin.write_all(&file[file.len() - 1..]).unwrap();
    drop(stdin);
    assert!(child.wait().unwrap().success());
    fs::remove_file(dir.path("out")).unwrap();
    (status, limits)
}

/// Returns the number on the line that begins with `name`.
fn number(text: &str, name: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix(name))?;
    line.split_whitespace().next()?.parse().ok()
}

#[test]
fn secrets_are_locked_in_memory_and_never_dumped() {
    let dir = Dir::with_key();
    dir.encrypt(&bytes(300_000), "file.age");
    // Not every user may remove the limit, and a privileged process ignores it.
    let mut locking_runs = 0;
    for limits in ["ulimit -l unlimited 2> /dev/null || true", "ulimit -l 1024", "ulimit -l 0"] {
        let (status, limits) = proc_files(&dir, limits);
        assert_eq!(number(&limits, "Max core file size"), Some(0), "{limits}");
        let [locked, stack] = ["VmLck:", "VmStk:"].map(|name| number(&status, name).unwrap());
        let allowed = number(&limits, "Max locked memory");
        // The stack and the keys, which the allocator keeps elsewhere.
        if allowed.is_none_or(|bytes| bytes >= 1 << 20) {
            assert!(locked > stack, "{status}{limits}");
            locking_runs += 1;
        }
        if let Some(bytes) = allowed {
            assert!(locked << 10 <= bytes, "{status}{limits}");
        }
    }
    can_check(locking_runs > 0, "programs may lock less than 1 MiB of memory");
}
