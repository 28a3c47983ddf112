//! `cargo xtask large-file`: sends 4 GiB through the command, checks that its memory does not grow
//! with the file, and opens the result with age.

use std::fs::{self, File};
use std::os::unix::fs::FileExt as _;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use anyhow::{Context, Result, ensure};

use crate::process::{self, step};
use crate::release;

/// Not a whole number of chunks.
const FILE_BYTES: u64 = (4 << 30) + 12_345;
/// The most memory that the command may use, in KiB.
const MAX_KIB: u64 = 64 << 10;

/// Runs the chore.
pub(crate) fn run() -> Result<()> {
    let age = process::tool_from_env("AGE", "age", "apt-get install age")?;
    let sealane = release::command()?;
    let dir = process::empty_folder("large-file")?;
    let result = round_trip(&sealane, &age, &dir);
    fs::remove_dir_all(&dir).context("cannot remove target/large-file")?;
    result
}

fn round_trip(sealane: &Path, age: &Path, dir: &Path) -> Result<()> {
    let path = |name: &str| dir.join(name);
    step(&format!("{FILE_BYTES} bytes through encrypt and decrypt"));
    process::run(Command::new(sealane).arg("keygen").arg("-o").arg(path("key")))?;
    write_plaintext(&path("plain"))?;
    let mut encrypt = Command::new(sealane);
    encrypt.args(["-e", "-i"]).arg(path("key")).arg("-o").args([path("age"), path("plain")]);
    let peaks = [watch(encrypt.spawn()?, "encrypt")?, compare(sealane, "sealane", dir)?];
    println!("   encrypt: {} KiB at most", peaks[0]);
    ensure!(peaks.iter().all(|peak| (1..=MAX_KIB).contains(peak)), "encrypt and decrypt used {peaks:?} KiB");
    compare(age, "age", dir).map(drop)
}

/// Opens the file with `program` and compares its output with the plaintext. Returns the peak of
/// its memory in KiB.
fn compare(program: &Path, name: &str, dir: &Path) -> Result<u64> {
    let mut open = Command::new(program);
    open.args(["-d", "-i"]).arg(dir.join("key")).arg(dir.join("age"));
    let mut open = open.stdout(Stdio::piped()).spawn().with_context(|| format!("cannot start {name}"))?;
    let opened = open.stdout.take().context("standard output is a pipe")?;
    let mut compare = Command::new("cmp").arg("-").arg(dir.join("plain")).stdin(opened).spawn()?;
    let peak = watch(open, name)?;
    ensure!(compare.wait()?.success(), "{name} -d: not the plaintext");
    println!("   {name} -d: the same bytes, {peak} KiB at most");
    Ok(peak)
}

/// Writes zeros, and a different number in each chunk. This takes a sixteenth of the disk space of
/// random bytes.
fn write_plaintext(path: &Path) -> Result<()> {
    const CHUNK: u64 = 64 << 10;
    let file = File::create(path).context("cannot make the plaintext")?;
    file.set_len(FILE_BYTES).context("cannot make the plaintext")?;
    let mut x = 1_u64;
    for chunk in 0..FILE_BYTES / CHUNK {
        x = x.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(1);
        // The position differs between chunks.
        let at = chunk * CHUNK + (x >> 32) % (CHUNK - 8);
        file.write_all_at(&x.to_le_bytes(), at).context("cannot write the plaintext: 5 GiB of disk are needed")?;
    }
    Ok(())
}

/// Waits for the end of `child`, and returns its peak memory in KiB.
fn watch(mut child: Child, name: &str) -> Result<u64> {
    let mut peak = 0;
    let status = loop {
        peak = peak.max(peak_kib(&child).unwrap_or(0));
        if let Some(status) = child.try_wait()? {
            break status;
        }
        std::thread::sleep(Duration::from_millis(10));
    };
    ensure!(status.success(), "{name} failed");
    Ok(peak)
}

/// Returns the peak of the resident set so far, while the process runs.
fn peak_kib(child: &Child) -> Option<u64> {
    let status = fs::read_to_string(format!("/proc/{}/status", child.id())).ok()?;
    status.lines().find_map(|line| line.strip_prefix("VmHWM:")?.strip_suffix("kB")?.trim().parse().ok())
}
