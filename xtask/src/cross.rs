//! `cargo xtask cross`: the tests of the primitives on other architectures, in qemu-user.

use std::ffi::OsString;

use anyhow::{Result, ensure};

use crate::process::{self, step};
use crate::test_binaries::{self, Build};
use crate::toolchain;

/// Options of the chore.
#[derive(clap::Args)]
pub(crate) struct Options {
    /// Only this target
    #[arg(long, value_name = "TARGET")]
    target: Option<String>,
    /// Build the standard library from Debian's source even where rustup has it
    #[arg(long)]
    from_source: bool,
}

struct Target {
    triple: &'static str,
    /// Debian's cross compiler, for its linker and C library.
    compiler: &'static str,
    compiler_package: &'static str,
    library_package: &'static str,
    /// The folder of the target's libraries.
    libraries: &'static str,
    qemu: &'static str,
    cpu: &'static str,
    /// Each is forced in a run of its own, and must be there: one for each family of primitives that has it.
    backends: &'static [&'static str],
}

const TARGETS: &[Target] = &[
    Target {
        triple: "aarch64-unknown-linux-gnu",
        compiler: "aarch64-linux-gnu-gcc",
        compiler_package: "gcc-aarch64-linux-gnu",
        library_package: "libc6-dev-arm64-cross",
        libraries: "/usr/aarch64-linux-gnu",
        qemu: "qemu-aarch64",
        cpu: "cortex-a53",
        backends: &["neon,pmull,neon-aes", "scalar"],
    },
    // 32 bits: other sizes of pointers, and few registers.
    Target {
        triple: "i686-unknown-linux-gnu",
        compiler: "i686-linux-gnu-gcc",
        compiler_package: "gcc-i686-linux-gnu",
        library_package: "libc6-dev-i386-cross",
        libraries: "/usr/i686-linux-gnu",
        qemu: "qemu-i386",
        cpu: "Haswell",
        backends: &["avx2", "ssse3", "scalar"],
    },
    // Big-endian.
    Target {
        triple: "s390x-unknown-linux-gnu",
        compiler: "s390x-linux-gnu-gcc",
        compiler_package: "gcc-s390x-linux-gnu",
        library_package: "libc6-dev-s390x-cross",
        libraries: "/usr/s390x-linux-gnu",
        qemu: "qemu-s390x",
        cpu: "max",
        backends: &["scalar"],
    },
];

const PACKAGES: &[&str] = &["sealane-simd", "sealane-spec", "sealane"];

/// Runs the chore.
pub(crate) fn run(options: &Options) -> Result<()> {
    let targets: Vec<_> = TARGETS
        .iter()
        .filter(|target| options.target.as_deref().is_none_or(|triple| triple == target.triple))
        .collect();
    let known = TARGETS.iter().map(|target| target.triple).collect::<Vec<_>>().join(", ");
    ensure!(!targets.is_empty(), "no such target here; there are {known}");
    targets.into_iter().try_for_each(|target| on(target, options.from_source))
}

fn on(target: &Target, from_source: bool) -> Result<()> {
    step(target.triple);
    let qemu = process::tool(target.qemu, "qemu-user")?;
    let compiler = process::tool(target.compiler, &format!("{} {}", target.compiler_package, target.library_package))?;
    let toolchain = toolchain::for_target(target.triple, "std", from_source)?;
    let linker = format!("CARGO_TARGET_{}_LINKER", target.triple.replace('-', "_").to_uppercase());
    let mut environment = toolchain.environment;
    environment.push((linker.into(), compiler.into()));
    let binaries = Build {
        packages: PACKAGES,
        target: Some(target.triple),
        target_dir: Some(if from_source { "cross-from-source" } else { "cross" }),
        arguments: &toolchain.arguments,
        environment: &environment,
        ..Build::default()
    }
    .release()?;
    let runner: Vec<OsString> =
        vec![qemu.into(), "-cpu".into(), target.cpu.into(), "-L".into(), target.libraries.into()];
    for backend in target.backends {
        println!("   {} -cpu {}, SEALANE_BACKEND={backend}", target.qemu, target.cpu);
        test_binaries::run_all(&binaries, &runner, &[("SEALANE_BACKEND", backend)])?;
    }
    Ok(())
}
