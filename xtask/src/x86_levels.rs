//! `cargo xtask x86-levels`: one build of the tests and of the command, on CPUs from plain x86-64 to AVX2 (qemu-user).

use std::ffi::OsString;
use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, ensure};

use crate::process::{self, step};
use crate::test_binaries::{self, ALL, PRIMITIVES, TestBinary};

/// Options of the chore.
#[derive(clap::Args)]
pub(crate) struct Options {
    /// Only this CPU model
    #[arg(long, value_name = "MODEL")]
    cpu: Option<String>,
    /// Only the tests of the primitives, not of the file format, and not the command
    #[arg(long)]
    primitives: bool,
}

/// A CPU model of qemu, the widest backend that must be there, and a backend that must not.
struct Cpu {
    model: &'static str,
    widest: &'static str,
    missing: Option<&'static str>,
}

const CPUS: &[Cpu] = &[
    Cpu { model: "qemu64", widest: "scalar", missing: Some("ssse3") },
    Cpu { model: "Nehalem", widest: "ssse3", missing: Some("avx2") },
    Cpu { model: "Haswell", widest: "avx2", missing: Some("avx512") },
];

/// Runs the chore.
pub(crate) fn run(options: &Options) -> Result<()> {
    let qemu = process::tool("qemu-x86_64", "qemu-user")?;
    let cpus: Vec<_> =
        CPUS.iter().filter(|cpu| options.cpu.as_deref().is_none_or(|model| model == cpu.model)).collect();
    ensure!(!cpus.is_empty(), "no such model here; there are qemu64, Nehalem and Haswell");
    step("building the tests and the command");
    let binaries = test_binaries::static_x86_64(if options.primitives { PRIMITIVES } else { ALL })?;
    let command = if options.primitives { None } else { Some(process::release_command()?) };
    for cpu in cpus {
        on(cpu, &qemu, &binaries, command.as_deref())?;
    }
    Ok(())
}

fn on(cpu: &Cpu, qemu: &Path, binaries: &[TestBinary], command: Option<&Path>) -> Result<()> {
    let runner: Vec<OsString> = vec![qemu.into(), "-cpu".into(), cpu.model.into()];
    step(&format!("qemu-x86_64 -cpu {}: SEALANE_BACKEND={}", cpu.model, cpu.widest));
    // A test run that is told to use a backend fails where it is missing: so this proves that the backend is there.
    test_binaries::run_all(binaries, &runner, &test_binaries::emulated(cpu.widest))?;
    let Some(command) = command else { return Ok(()) };
    round_trip(&runner, command, cpu.widest)?;
    if let Some(missing) = cpu.missing {
        refuses(&runner, command, missing)?;
    }
    println!("   the command seals and opens on {}", cpu.model);
    Ok(())
}

/// Seals a file under a new key and opens it again, once with the backend that detection chooses, once with it forced.
fn round_trip(runner: &[OsString], program: &Path, backend: &str) -> Result<()> {
    let dir = process::workspace_root().join("target/x86-levels");
    let path = |name: &str| dir.join(name);
    for forced in [None, Some(backend)] {
        if dir.exists() {
            std::fs::remove_dir_all(&dir).context("cannot clear target/x86-levels")?;
        }
        std::fs::create_dir_all(&dir).context("cannot create target/x86-levels")?;
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

/// A backend that the CPU lacks is refused, with its name in the error, and not replaced in silence.
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
