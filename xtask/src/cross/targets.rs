//! The targets, and what runs the tests on each.

use std::ffi::OsString;

use anyhow::Result;

use super::X86_64;
use super::runner::{Compiler, Runner};

/// A target of the compiler.
pub(super) struct Target {
    pub(super) triple: &'static str,
    /// Debian's cross compiler, for its linker and C library; none where Rust has its own, or the machine's own is right.
    pub(super) compiler: Option<Compiler>,
    /// For the compiler of Rust.
    pub(super) flags: Option<&'static str>,
    /// The feature of `sealane-simd` that has the target's backends, where the compiler must be told to allow what is unstable.
    pub(super) unstable: Option<&'static str>,
    /// Whether it is there for its order of bytes or size of words, and has portable code only: less optimised, that is built in half the
    /// time.
    pub(super) portable: bool,
    pub(super) runs: &'static [Run],
}

impl Target {
    /// The variable that names the linker to cargo, where it is another one than usual.
    pub(super) fn linker(&self) -> Result<Option<(OsString, OsString)>> {
        let name = || format!("CARGO_TARGET_{}_LINKER", self.triple.replace('-', "_").to_uppercase()).into();
        self.compiler.as_ref().map(|compiler| Ok((name(), compiler.path()?.into()))).transpose()
    }
}

/// What runs the test executables in a place of xtask/backends.toml, and how often: each time with some backends forced, one for each
/// family of primitives that has it, and these must be there.
pub(super) struct Run {
    pub(super) place: &'static str,
    pub(super) runner: Runner,
    pub(super) forced: &'static [Forced],
}

/// Which backends a run is to use.
pub(super) enum Forced {
    /// Those that detection chooses.
    Widest,
    /// Those of that name, where a family has one.
    Only(&'static str),
}

use Forced::{Only, Widest};

pub(super) const TARGETS: &[Target] = &[
    Target {
        triple: X86_64,
        compiler: None,
        // As for the emulated machines, which have no libraries.
        flags: Some("-C target-feature=+crt-static"),
        unstable: None,
        portable: false,
        runs: &[
            Run { place: "qemu64", runner: qemu_x86_64("qemu64"), forced: &[Widest] },
            Run { place: "nehalem", runner: qemu_x86_64("Nehalem"), forced: &[Widest] },
            Run { place: "westmere", runner: qemu_x86_64("Westmere"), forced: &[Widest] },
            Run { place: "haswell", runner: qemu_x86_64("Haswell"), forced: &[Widest] },
            Run { place: "qemu-max", runner: qemu_x86_64("max,-vaes"), forced: &[Widest] },
        ],
    },
    Target {
        triple: "aarch64-unknown-linux-gnu",
        compiler: Some(Compiler {
            program: "aarch64-linux-gnu-gcc",
            packages: "gcc-aarch64-linux-gnu libc6-dev-arm64-cross",
        }),
        flags: None,
        unstable: None,
        portable: false,
        runs: &[
            Run { place: "aarch64", runner: AARCH64, forced: &[Widest] },
            Run { place: "aarch64-without-aes", runner: AARCH64.without_aes(), forced: &[Widest] },
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
        portable: false,
        runs: &[
            Run { place: "armv7", runner: qemu_arm("max"), forced: &[Widest] },
            Run { place: "armv7-without-aes", runner: qemu_arm("cortex-a7"), forced: &[Widest] },
        ],
    },
    // 32 bits: other sizes of pointers, and few registers.
    Target {
        triple: "i686-unknown-linux-gnu",
        compiler: Some(Compiler { program: "i686-linux-gnu-gcc", packages: "gcc-i686-linux-gnu libc6-dev-i386-cross" }),
        flags: None,
        unstable: None,
        portable: false,
        runs: &[Run {
            place: "i686",
            runner: Runner::qemu("qemu-i386", "Haswell", "/usr/i686-linux-gnu"),
            forced: &[Widest, Only("scalar")],
        }],
    },
    Target {
        triple: "wasm32-wasip1",
        compiler: None,
        flags: Some("-C target-feature=+simd128"),
        unstable: None,
        portable: false,
        runs: &[Run { place: "wasm32", runner: Runner::Node, forced: &[Widest, Only("scalar")] }],
    },
    Target {
        triple: "riscv64gc-unknown-linux-gnu",
        compiler: Some(Compiler {
            program: "riscv64-linux-gnu-gcc",
            packages: "gcc-riscv64-linux-gnu libc6-dev-riscv64-cross",
        }),
        flags: None,
        unstable: None,
        portable: true,
        runs: &[Run {
            place: "riscv64",
            runner: Runner::qemu("qemu-riscv64", "rv64", "/usr/riscv64-linux-gnu"),
            forced: &[Widest],
        }],
    },
    // Big-endian, like the next.
    Target {
        triple: "powerpc64-unknown-linux-gnu",
        compiler: Some(Compiler {
            program: "powerpc64-linux-gnu-gcc",
            packages: "gcc-powerpc64-linux-gnu libc6-dev-ppc64-cross",
        }),
        flags: None,
        unstable: None,
        portable: true,
        runs: &[Run {
            place: "powerpc64",
            runner: Runner::qemu("qemu-ppc64", "power8", "/usr/powerpc64-linux-gnu"),
            forced: &[Widest],
        }],
    },
    Target {
        triple: "s390x-unknown-linux-gnu",
        compiler: Some(Compiler {
            program: "s390x-linux-gnu-gcc",
            packages: "gcc-s390x-linux-gnu libc6-dev-s390x-cross",
        }),
        flags: None,
        unstable: None,
        portable: true,
        runs: &[Run {
            place: "s390x",
            runner: Runner::qemu("qemu-s390x", "max", "/usr/s390x-linux-gnu"),
            forced: &[Widest],
        }],
    },
];

const AARCH64: Runner = Runner::qemu("qemu-aarch64", "cortex-a53", "/usr/aarch64-linux-gnu");

const fn qemu_x86_64(cpu: &'static str) -> Runner {
    // Static executables need no folder of libraries.
    Runner::qemu("qemu-x86_64", cpu, "/")
}

const fn qemu_arm(cpu: &'static str) -> Runner {
    Runner::qemu("qemu-arm", cpu, "/usr/arm-linux-gnueabihf")
}
