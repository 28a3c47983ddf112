//! `cargo xtask readme`: the README's two commands, word for word, on AArch64.
//!
//! Cargo and the compiler run on this machine and build for AArch64. The kernel starts what they build in qemu, and what that starts in
//! its turn: in a namespace of this chore it has been told to, so that nothing else on the machine notices.

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, Result, ensure};

use crate::process::{self, step};
use crate::static_aarch64::StaticTarget;

/// The section of README.md that has the commands.
const SECTION: &str = "## Try it";

/// Runs the chore.
pub(crate) fn run() -> Result<()> {
    // What is missing is said before minutes go into building.
    let target = StaticTarget::new()?;
    let environment = environment(&target)?;

    step("a clone, as a new user has it: what is committed");
    let clone = clone()?;
    let readme = std::fs::read_to_string(clone.join("README.md")).context("the clone has no README.md")?;
    let [seal, test] = commands(&readme)?;
    for command in [seal, test] {
        step(&format!("on {}: {command}", target.triple));
        let mut shell = in_namespace()?;
        process::run(shell.args(["sh", "-c", command]).current_dir(&clone).envs(environment.iter().cloned()))?;
    }
    let sealed = std::fs::read(clone.join("README.md.age")).context("the first command sealed nothing")?;
    ensure!(sealed.starts_with(b"age-encryption.org/v1\n-> scrypt "), "README.md.age is not sealed with a passphrase");
    Ok(())
}

/// What has cargo build for the target.
fn environment(target: &StaticTarget) -> Result<Vec<(OsString, OsString)>> {
    let mut environment = target.environment.clone();
    environment.push(("CARGO_BUILD_TARGET".into(), target.triple.into()));
    environment.push(("CARGO_TARGET_DIR".into(), std::path::absolute(process::target_dir())?.join("readme").into()));
    Ok(environment)
}

/// A command that runs its arguments where the kernel starts AArch64 programs in qemu.
fn in_namespace() -> Result<Command> {
    // The head of such a program (ELF, 64 bits, little-endian; executable or shared object; AArch64), and the bits of it that count. `P`
    // gives it its own name, not its file's. The kernel reads the escapes.
    const PROGRAMS: &str = concat!(
        r":sealane-aarch64:M::\x7fELF\x02\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x02\x00\xb7\x00",
        r":\xff\xff\xff\xff\xff\xff\xff\x00\xff\xff\xff\xff\xff\xff\xff\xff\xfe\xff\xff\xff:",
    );
    const REGISTER: &str = r#"
        mount -t binfmt_misc binfmt_misc /proc/sys/fs/binfmt_misc && printf %s "$0" > /proc/sys/fs/binfmt_misc/register || {
            echo "this chore needs Linux 6.7 or later, and user namespaces: the kernel does not start AArch64 programs in qemu" >&2
            exit 1
        }
        exec "$@""#;
    let qemu = process::tool("qemu-aarch64", "qemu-user")?;
    let mut command = Command::new(process::tool("unshare", "util-linux")?);
    command.args(["--user", "--map-root-user", "--mount", "sh", "-c", REGISTER]);
    command.arg(format!("{PROGRAMS}{}:P", qemu.display()));
    Ok(command)
}

fn clone() -> Result<PathBuf> {
    let clone = process::target_dir().join("readme-clone");
    if clone.exists() {
        std::fs::remove_dir_all(&clone).with_context(|| format!("cannot clear {}", clone.display()))?;
    }
    let git = process::tool("git", "git")?;
    process::run(Command::new(git).args(["clone", "--quiet"]).arg(process::workspace_root()).arg(&clone))?;
    std::path::absolute(&clone).context("no such folder")
}

/// The two commands that the README gives to somebody new.
fn commands(readme: &str) -> Result<[&str; 2]> {
    let section = readme.split_once(SECTION).with_context(|| format!("README.md has no section {SECTION}"))?.1;
    let section = section.split("\n## ").next().expect("there is always a first part");
    let blocks = section.split("```sh\n").skip(1);
    let commands: Vec<_> = blocks.filter_map(|block| block.split_once("\n```")).map(|(command, _)| command).collect();
    commands.try_into().ok().with_context(|| format!("the section {SECTION} of README.md has not two commands"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_are_two_commands() {
        let readme = std::fs::read_to_string(process::workspace_root().join("README.md")).unwrap();
        let [seal, test] = commands(&readme).unwrap();
        assert!(seal.contains("--bin sealane -- encrypt"), "{seal}");
        assert_eq!(test, "cargo test --workspace");
        assert!(commands("## Try it\n```sh\nonly one\n```\n## Else\n```sh\nelsewhere\n```\n").is_err());
    }
}
