//! Tests the released command on x86 CPUs without AVX2 and on one with it. The program is the same.

use std::ffi::OsString;
use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, ensure};

use crate::process::{self, step};
use crate::release;

/// A CPU model of qemu, the widest backend that it must have, and a backend that it must not have.
struct Cpu {
    model: &'static str,
    widest: &'static str,
    missing: &'static str,
}

const CPUS: &[Cpu] = &[
    Cpu { model: "qemu64", widest: "scalar", missing: "ssse3" },
    Cpu { model: "Nehalem", widest: "ssse3", missing: "avx2" },
    Cpu { model: "Haswell", widest: "avx2", missing: "avx512" },
];

/// Seals and opens a file on each CPU, and checks that the command refuses a backend that the CPU
/// lacks.
pub(super) fn on_older_cpus() -> Result<()> {
    step("the command on x86 CPUs without and with AVX2");
    let qemu = process::tool("qemu-x86_64", "qemu-user")?;
    let program = release::command()?;
    for cpu in CPUS {
        let runner: Vec<OsString> = vec![qemu.clone().into(), "-cpu".into(), cpu.model.into()];
        round_trip(&runner, &program, cpu.widest)?;
        refuses(&runner, &program, cpu.missing)?;
        println!("   the command seals and opens on {}", cpu.model);
    }
    Ok(())
}

/// Seals a file under a new key and opens it again: once with the backend that detection chooses,
/// and once with that backend forced.
fn round_trip(runner: &[OsString], program: &Path, backend: &str) -> Result<()> {
    let dir = process::workspace_root().join("target/older-cpus");
    let path = |name: &str| dir.join(name);
    for forced in [None, Some(backend)] {
        if dir.exists() {
            std::fs::remove_dir_all(&dir).context("cannot clear target/older-cpus")?;
        }
        std::fs::create_dir_all(&dir).context("cannot create target/older-cpus")?;
        // Three chunks of the payload, the last one short.
        let content: Vec<u8> =
            (0..150_000_u32).flat_map(|i| (i.wrapping_mul(0x9e37_79b9) >> 16).to_le_bytes()).take(150_001).collect();
        std::fs::write(path("plain"), &content).context("cannot write a file to seal")?;
        let sealane = |arguments: &[&str]| {
            let mut command = Command::new(&runner[0]);
            command.args(&runner[1..]).arg(program).args(arguments).current_dir(&dir).stdin(Stdio::null());
            command.env_remove("SEALANE_BACKEND").envs(forced.map(|name| ("SEALANE_BACKEND", name)));
            process::output(&mut command)
        };
        sealane(&["keygen", "-o", "key"])?;
        let key = std::fs::read_to_string(path("key")).context("keygen wrote no key")?;
        let recipient = key
            .lines()
            .find_map(|line| line.strip_prefix("# public key: "))
            .context("keygen wrote no public key beside the identity")?;
        sealane(&["encrypt", "-r", recipient, "-o", "sealed", "plain"])?;
        sealane(&["decrypt", "-i", "key", "-o", "opened", "sealed"])?;
        ensure!(
            std::fs::read(path("sealed")).context("no sealed file")? != content,
            "the sealed file is the plain one"
        );
        ensure!(std::fs::read(path("opened")).context("no opened file")? == content, "the opened file differs");
    }
    Ok(())
}

/// The command refuses a backend that the CPU lacks and names it in the error. It does not silently
/// use another one.
fn refuses(runner: &[OsString], program: &Path, backend: &str) -> Result<()> {
    let output = Command::new(&runner[0])
        .args(&runner[1..])
        .arg(program)
        .args(["encrypt", "-r", "age1lggyhqrw2nlhcxprm67z43rta597azn8gknawjehu9d9dl0jq3yqqvfafg"])
        .env("SEALANE_BACKEND", backend)
        .stdin(Stdio::null())
        .output()
        .context("cannot start the emulator")?;
    let error = String::from_utf8_lossy(&output.stderr);
    ensure!(
        output.status.code().is_some_and(|code| code != 0) && error.contains(backend) && output.stdout.is_empty(),
        "SEALANE_BACKEND={backend} was not refused on a CPU without it: {}\n{error}",
        output.status
    );
    Ok(())
}
