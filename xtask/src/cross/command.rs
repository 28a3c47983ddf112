//! Tests the released command on x86 CPUs without AVX2 and on one with it. The program is the same.

use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, ensure};

use crate::process::{self, step};
use crate::release;

/// CPU models of qemu, each with the widest backend that it must have, and a backend that it must
/// not have.
const CPUS: &[(&str, &str, &str)] =
    &[("qemu64", "scalar", "ssse3"), ("Nehalem", "ssse3", "avx2"), ("Haswell", "avx2", "avx512")];

const RECIPIENT: &str = "age1lggyhqrw2nlhcxprm67z43rta597azn8gknawjehu9d9dl0jq3yqqvfafg";

/// Seals and opens a file on each CPU: once with the backend that detection chooses, and once with
/// that backend forced. The command must refuse a backend that the CPU lacks, and name it in the
/// error: it must not silently use another one.
pub(super) fn on_older_cpus() -> Result<()> {
    step("the command on x86 CPUs without and with AVX2");
    let qemu = process::tool("qemu-x86_64", "qemu-user")?;
    let program = release::command()?;
    for (model, widest, missing) in CPUS {
        let sealane = |dir: &Path, backend: Option<&str>, arguments: &[&str]| {
            let mut command = Command::new(&qemu);
            command.args(["-cpu", model]).arg(&program).args(arguments).current_dir(dir).stdin(Stdio::null());
            command.env_remove("SEALANE_BACKEND").envs(backend.map(|name| ("SEALANE_BACKEND", name)));
            command
        };
        for forced in [None, Some(*widest)] {
            let dir = process::empty_folder("older-cpus")?;
            round_trip(&dir, |arguments| process::output(&mut sealane(&dir, forced, arguments)))?;
        }
        let root = process::workspace_root();
        let output = process::outcome(&mut sealane(&root, Some(missing), &["encrypt", "-r", RECIPIENT]))?;
        let error = process::lossy(&output.stderr);
        let refused = output.status.code().is_some_and(|code| code != 0) && error.contains(missing);
        ensure!(
            refused && output.stdout.is_empty(),
            "{missing} was not refused on {model}: {}\n{error}",
            output.status
        );
        println!("   the command seals and opens on {model}");
    }
    Ok(())
}

/// Seals a file under a new key and opens it again.
fn round_trip(dir: &Path, sealane: impl Fn(&[&str]) -> Result<String>) -> Result<()> {
    // Three chunks of the payload, the last one short.
    let content = (0..150_000_u32).flat_map(|i| (i.wrapping_mul(0x9e37_79b9) >> 16).to_le_bytes());
    let content: Vec<u8> = content.take(150_001).collect();
    process::write(dir.join("plain"), &content)?;
    sealane(&["keygen", "-o", "key"])?;
    let key = process::read(dir.join("key"))?;
    let recipient = key.lines().find_map(|line| line.strip_prefix("# public key: ")).context("no public key")?;
    sealane(&["encrypt", "-r", recipient, "-o", "sealed", "plain"])?;
    sealane(&["decrypt", "-i", "key", "-o", "opened", "sealed"])?;
    let file = |name: &str| std::fs::read(dir.join(name)).with_context(|| format!("no file {name}"));
    ensure!(file("sealed")? != content, "the sealed file is the plain one");
    ensure!(file("opened")? == content, "the opened file differs");
    Ok(())
}
