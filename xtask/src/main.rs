//! Repository chores: `cargo xtask`. docs/verification.md lists what each chore proves.
#![forbid(unsafe_code)]

mod api;
mod asm;
mod backends;
mod command_crates;
mod constant_time;
mod cross;
mod dependencies;
mod emulate;
mod figures;
mod fuzz;
mod instructions;
mod ledger;
mod msrv;
mod places;
mod probe;
mod process;
mod release;
mod sabotage;
mod sanitize;
mod sbom;
mod selection;
mod test_binaries;
mod toolchain;

use std::path::PathBuf;
use std::process::Command;

use anyhow::Result;
use clap::{Parser, Subcommand};

#[derive(Parser)]
#[command(name = "cargo xtask", about = "Checks that need more than `cargo test`", max_term_width = 100)]
struct Arguments {
    #[command(subcommand)]
    chore: Chore,
}

#[derive(Subcommand)]
enum Chore {
    /// Compare the public interface of each library with api/
    Api(api::Options),
    /// Disassemble the kernels, and compare their hot loops with xtask/asm-limits-*.toml
    Asm(asm::Options),
    /// Estimate the hot loops for AVX-512 on several CPUs, beside those of OpenSSL and ipsec-mb
    /// (llvm-mca)
    Mca(asm::models::Options),
    /// Count the instructions of the main operations, and compare them with
    /// xtask/instruction-limits.toml (callgrind)
    Instructions(instructions::Options),
    /// Check that no branch and no address depends on secrets, in every primitive (valgrind)
    Ct,
    /// Run tests of the primitives with the address sanitizer, and of the vector types under
    /// memcheck
    Sanitize,
    /// Run the tests once per width of x86 vectors that this CPU has
    Backends,
    /// Run the tests on other architectures and on older x86 CPUs (qemu-user, Node.js)
    Cross(cross::Options),
    /// Run the tests on machines with all vector extensions, and check detection on others (Bochs)
    Emulate(emulate::Options),
    /// Make each primitive compute wrong results on each backend, and check that the tests notice
    Sabotage(sabotage::Options),
    /// Make the pages and plots in docs/ that come from lists and measurements in the repository
    Figures,
    /// Run the fuzz targets for some seconds each, on their seeds and on inputs of libFuzzer
    Fuzz(fuzz::Options),
    /// Build the provider for OpenSSL, and write it with a configuration into a folder
    Openssl {
        /// The folder for sealane.so and sealane.cnf
        // The chore runs in another folder than the user's.
        #[arg(long, value_name = "DIR", value_parser = |path: &str| std::path::absolute(path))]
        install: PathBuf,
    },
    /// Compare the crates in use with docs/dependencies.md
    Dependencies,
    /// Write a bill of materials of the command (CycloneDX)
    Sbom,
    /// Check that manifests, documents and dependencies agree with the oldest promised compiler
    Msrv,
    /// Build the command for release
    Release,
    /// Build the command for all targets, for tools/dist/release.py
    Dist(release::dist::Options),
    /// Build the command twice, in different places, and compare
    Reproducible,
}

fn main() -> Result<()> {
    let arguments = Arguments::parse();
    std::env::set_current_dir(process::workspace_root())?;
    match arguments.chore {
        Chore::Api(options) => api::run(&options),
        Chore::Asm(options) => asm::run(&options),
        Chore::Mca(options) => asm::models::run(&options),
        Chore::Instructions(options) => instructions::run(&options),
        Chore::Ct => constant_time::run(),
        Chore::Sanitize => sanitize::run(),
        Chore::Backends => backends::run(),
        Chore::Cross(options) => cross::run(&options),
        Chore::Emulate(options) => emulate::run(&options),
        Chore::Sabotage(options) => sabotage::run(&options),
        Chore::Figures => figures::run(),
        Chore::Fuzz(options) => fuzz::run(&options),
        Chore::Openssl { install } => process::run(Command::new("bindings/openssl/install").arg(install)),
        Chore::Dependencies => dependencies::run(),
        Chore::Sbom => sbom::run(),
        Chore::Msrv => msrv::run(),
        Chore::Release => release::run(),
        Chore::Dist(options) => release::dist::run(&options),
        Chore::Reproducible => release::reproducible::run(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_folder_for_openssl_is_relative_to_the_users() {
        let chore = Arguments::parse_from(["xtask", "openssl", "--install", "some/folder"]).chore;
        let expected = std::env::current_dir().expect("tests run in a folder").join("some/folder");
        assert!(matches!(chore, Chore::Openssl { install } if install == expected));
    }
}
