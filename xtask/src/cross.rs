//! `cargo xtask cross`: the tests of the primitives on other architectures, in qemu-user or, for WebAssembly, in Node.js.

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, Result, ensure};

use crate::process::{self, step};
use crate::test_binaries::{self, Build};
use crate::toolchain;

/// Options of the chore.
#[derive(clap::Args)]
pub(crate) struct Options {
    /// Only this target; may be given several times
    #[arg(long, value_name = "TARGET")]
    target: Vec<String>,
    /// Build the standard library from Debian's source even where rustup has it
    #[arg(long)]
    from_source: bool,
}

struct Target {
    triple: &'static str,
    /// Debian's cross compiler, for its linker and C library; none where Rust has its own.
    compiler: Option<Compiler>,
    /// For the compiler of Rust.
    flags: Option<&'static str>,
    /// The feature of `sealane-simd` that has the target's backends, where the compiler must be told to allow what is unstable.
    unstable: Option<&'static str>,
    runs: &'static [Run],
}

struct Compiler {
    program: &'static str,
    packages: &'static str,
}

/// What runs the test executables, and on which backends: each is forced in a run of its own, and must be there, one for each
/// family of primitives that has it.
struct Run {
    runner: Runner,
    backends: &'static [&'static str],
}

enum Runner {
    /// qemu-user with the model of a CPU and the folder of the target's libraries.
    Qemu { program: &'static str, cpu: &'static str, libraries: &'static str },
    /// The same, in which the operating system says that the CPU has no AES instructions and no PMULL.
    WithoutAes { program: &'static str, cpu: &'static str, libraries: &'static str },
    /// The WASI of Node.js.
    Node,
}

const TARGETS: &[Target] = &[
    Target {
        triple: "aarch64-unknown-linux-gnu",
        compiler: Some(Compiler {
            program: "aarch64-linux-gnu-gcc",
            packages: "gcc-aarch64-linux-gnu libc6-dev-arm64-cross",
        }),
        flags: None,
        unstable: None,
        runs: &[
            Run { runner: AARCH64, backends: &["neon,pmull,neon-aes", "scalar"] },
            Run { runner: AARCH64_WITHOUT_AES, backends: &["neon"] },
        ],
    },
    // 32 bits, with a CPU that has everything, and one without AES instructions.
    Target {
        triple: "armv7-unknown-linux-gnueabihf",
        compiler: Some(Compiler {
            program: "arm-linux-gnueabihf-gcc",
            packages: "gcc-arm-linux-gnueabihf libc6-dev-armhf-cross",
        }),
        flags: None,
        unstable: Some("armv7"),
        runs: &[
            Run { runner: qemu_arm("max"), backends: &["neon,pmull,neon-aes"] },
            Run { runner: qemu_arm("cortex-a7"), backends: &["neon", "scalar"] },
        ],
    },
    // 32 bits: other sizes of pointers, and few registers.
    Target {
        triple: "i686-unknown-linux-gnu",
        compiler: Some(Compiler { program: "i686-linux-gnu-gcc", packages: "gcc-i686-linux-gnu libc6-dev-i386-cross" }),
        flags: None,
        unstable: None,
        runs: &[Run {
            runner: Runner::Qemu { program: "qemu-i386", cpu: "Haswell", libraries: "/usr/i686-linux-gnu" },
            backends: &["avx2", "ssse3", "scalar"],
        }],
    },
    Target {
        triple: "wasm32-wasip1",
        compiler: None,
        flags: Some("-C target-feature=+simd128"),
        unstable: None,
        runs: &[Run { runner: Runner::Node, backends: &["simd128", "scalar"] }],
    },
    // Big-endian.
    Target {
        triple: "s390x-unknown-linux-gnu",
        compiler: Some(Compiler {
            program: "s390x-linux-gnu-gcc",
            packages: "gcc-s390x-linux-gnu libc6-dev-s390x-cross",
        }),
        flags: None,
        unstable: None,
        runs: &[Run {
            runner: Runner::Qemu { program: "qemu-s390x", cpu: "max", libraries: "/usr/s390x-linux-gnu" },
            backends: &["scalar"],
        }],
    },
];

const AARCH64: Runner =
    Runner::Qemu { program: "qemu-aarch64", cpu: "cortex-a53", libraries: "/usr/aarch64-linux-gnu" };
const AARCH64_WITHOUT_AES: Runner =
    Runner::WithoutAes { program: "qemu-aarch64", cpu: "cortex-a53", libraries: "/usr/aarch64-linux-gnu" };

const fn qemu_arm(cpu: &'static str) -> Runner {
    Runner::Qemu { program: "qemu-arm", cpu, libraries: "/usr/arm-linux-gnueabihf" }
}

const PACKAGES: &[&str] = &["sealane-simd", "sealane-spec", "sealane"];

/// Runs the chore.
pub(crate) fn run(options: &Options) -> Result<()> {
    let known = || TARGETS.iter().map(|target| target.triple).collect::<Vec<_>>().join(", ");
    for triple in &options.target {
        ensure!(TARGETS.iter().any(|target| target.triple == triple), "no target {triple} here; there are {}", known());
    }
    TARGETS
        .iter()
        .filter(|target| options.target.is_empty() || options.target.iter().any(|triple| triple == target.triple))
        .try_for_each(|target| on(target, options.from_source))
}

fn on(target: &Target, from_source: bool) -> Result<()> {
    step(target.triple);
    // What is missing is said before minutes go into building.
    for run in target.runs {
        run.runner.command(target)?;
    }
    let toolchain = toolchain::for_target(target.triple, "std", from_source)?;
    let mut environment = toolchain.environment;
    let mut arguments = toolchain.arguments;
    if let Some(compiler) = target.compiler()? {
        let linker = format!("CARGO_TARGET_{}_LINKER", target.triple.replace('-', "_").to_uppercase());
        environment.push((linker.into(), compiler.into()));
    }
    if let Some(feature) = target.unstable {
        let bootstrap = OsString::from("RUSTC_BOOTSTRAP");
        // Building the standard library needs it for all crates.
        if environment.iter().all(|(name, _)| *name != bootstrap) {
            environment.push((bootstrap, "sealane_simd".into()));
        }
        arguments.push(format!("--features=sealane-simd/{feature}").into());
    }
    let flags: Vec<_> = target.flags.into_iter().chain(toolchain.flags).collect();
    let flags = flags.join(" ");
    let binaries = Build {
        packages: PACKAGES,
        target: Some(target.triple),
        rustflags: (!flags.is_empty()).then_some(&flags),
        target_dir: Some(if from_source { "cross-from-source" } else { "cross" }),
        arguments: &arguments,
        environment: &environment,
    }
    .release()?;
    for run in target.runs {
        let runner = run.runner.command(target)?;
        for backend in run.backends {
            println!("   {}, SEALANE_BACKEND={backend}", run.runner);
            test_binaries::run_all(&binaries, &runner, &test_binaries::emulated(backend))?;
        }
    }
    Ok(())
}

impl Target {
    fn compiler(&self) -> Result<Option<PathBuf>> {
        self.compiler.as_ref().map(|compiler| process::tool(compiler.program, compiler.packages)).transpose()
    }
}

impl Runner {
    /// The program and its arguments, before the executable's path.
    fn command(&self, target: &Target) -> Result<Vec<OsString>> {
        let qemu = |program, cpu: &str, libraries: &str| -> Result<Vec<OsString>> {
            let program = process::tool(program, "qemu-user")?;
            Ok(vec![program.into(), "-cpu".into(), cpu.into(), "-L".into(), libraries.into()])
        };
        match *self {
            Self::Qemu { program, cpu, libraries } => qemu(program, cpu, libraries),
            Self::WithoutAes { program, cpu, libraries } => {
                let mut command = qemu(program, cpu, libraries)?;
                let preload = without_aes(&target.compiler()?.context("it needs a C compiler")?)?;
                let mut variable = OsString::from("LD_PRELOAD=");
                variable.push(preload);
                command.extend(["-E".into(), variable]);
                Ok(command)
            }
            Self::Node => {
                let node = process::tool("node", "nodejs")?;
                let script = process::workspace_root().join("xtask/src/wasi.mjs");
                Ok(vec![node.into(), "--no-warnings".into(), script.into()])
            }
        }
    }
}

impl std::fmt::Display for Runner {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Qemu { program, cpu, .. } => write!(f, "{program} -cpu {cpu}"),
            Self::WithoutAes { program, cpu, .. } => write!(f, "{program} -cpu {cpu} without AES instructions"),
            Self::Node => f.write_str("Node.js"),
        }
    }
}

/// Builds a library that, loaded first, takes AES (bit 3) and PMULL (bit 4) out of what the kernel says of the CPU: no model of
/// AArch64 in qemu lacks them.
fn without_aes(compiler: &std::path::Path) -> Result<PathBuf> {
    const SOURCE: &str = "
        unsigned long __getauxval(unsigned long);
        unsigned long getauxval(unsigned long type) {
            unsigned long value = __getauxval(type);
            return type == 16 /* AT_HWCAP */ ? value & ~0x18ul : value;
        }
    ";
    let dir = process::target_dir().join("cross-preload");
    std::fs::create_dir_all(&dir).with_context(|| format!("cannot create {}", dir.display()))?;
    let (source, library) = (dir.join("without_aes.c"), dir.join("without_aes.so"));
    std::fs::write(&source, SOURCE).with_context(|| format!("cannot write {}", source.display()))?;
    process::run(Command::new(compiler).args(["-shared", "-fPIC", "-O1", "-o"]).arg(&library).arg(&source))?;
    Ok(library)
}
