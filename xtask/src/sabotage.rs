//! `cargo xtask sabotage`: do the tests notice a broken kernel? In a copy of the sources, each backend's vectors load zeros (or a wrong
//! constant) instead of what they are told, when a variable of the environment names their type. Then the tests run once as they are,
//! which must pass, and once for each backend with its vectors broken, which must fail.

use std::ffi::OsString;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, bail, ensure};

use crate::bochs::{self, Guest};
use crate::cross;
use crate::process::{self, step};
use crate::test_binaries::{Emulated, TestBinary};

/// Options of the chore.
#[derive(clap::Args)]
pub(crate) struct Options {
    /// Only the trials on this target (x86_64-unknown-linux-gnu) or in emulated machines (`bochs`)
    #[arg(long, value_name = "TARGET")]
    only: Option<String>,
}

/// The variable that names the type of vectors, or a part of its name.
const VARIABLE: &str = "SEALANE_SABOTAGE";

/// A backend, and the type of the vectors that it works on.
struct Trial {
    backend: &'static str,
    /// A test that goes through the backend.
    test: &'static str,
    vectors: &'static str,
}

const fn trial(backend: &'static str, test: &'static str, vectors: &'static str) -> Trial {
    Trial { backend, test, vectors }
}

const CHACHA: &str = "chacha20_lengths";
const POLY1305: &str = "poly1305::every_length";
const BATCH: &str = "batch::";
const HARAKA: &str = "haraka::";
const GF2N: &str = "gf2n::";
const GF8: &str = "gf8::";

const X86_64: &[Trial] = &[
    trial("scalar", CHACHA, "PortableChaCha"),
    trial("ssse3", CHACHA, "Ssse3Words"),
    trial("avx2", CHACHA, "Avx2Words"),
    trial("scalar", POLY1305, "PortablePoly1305"),
    trial("ssse3", BATCH, "Ssse3U64Lanes"),
    trial("avx2", POLY1305, "Avx2U64Lanes"),
    trial("scalar", HARAKA, "SlicedBlocks"),
    trial("aesni", HARAKA, "AesNiBlocks"),
    trial("scalar", GF2N, "ScalarLane"),
    trial("pclmulqdq", GF2N, "::PclmulqdqLane"),
    trial("scalar", GF8, "ScalarBytes"),
    trial("ssse3", GF8, "Ssse3Bytes"),
    trial("avx2", GF8, "Avx2Bytes"),
];

const BOCHS: &[Trial] = &[
    trial("avx512", CHACHA, "Avx512Words<sealane_simd::x86::avx512::Avx512>"),
    trial("avx512ifma", CHACHA, "Avx512Words<sealane_simd::x86::avx512::Avx512Ifma>"),
    trial("avx512", POLY1305, "Avx512U64Lanes<sealane_simd::x86::avx512::Avx512>"),
    trial("avx512ifma", POLY1305, "Avx512U64Lanes<sealane_simd::x86::avx512::Avx512Ifma>"),
    trial("vaes", HARAKA, "::VaesBlocks"),
    trial("vaes512", HARAKA, "Vaes512Blocks"),
    trial("vpclmulqdq", GF2N, "VpclmulqdqLane"),
    trial("vpclmulqdq512", GF2N, "Vpclmulqdq512Lane"),
    trial("gfni", GF8, "GfniBytes"),
    trial("avx512", GF8, "Avx512Bytes"),
    trial("gfni512", GF8, "Gfni512Bytes"),
];

const ARM: &[Trial] = &[
    trial("neon", CHACHA, "NeonWords"),
    trial("neon", POLY1305, "NeonU64Lanes"),
    trial("neon-aes", HARAKA, "NeonAesBlocks"),
    trial("pmull", GF2N, "PmullLane"),
    trial("neon", GF8, "NeonBytes"),
];

const WASM32: &[Trial] = &[
    trial("simd128", CHACHA, "Simd128Words"),
    trial("simd128", POLY1305, "Simd128U64Lanes"),
    trial("simd128", GF8, "Simd128Bytes"),
];

/// Targets with their trials.
const TARGETS: &[(&str, &[Trial])] = &[
    ("x86_64-unknown-linux-gnu", X86_64),
    ("aarch64-unknown-linux-gnu", ARM),
    ("armv7-unknown-linux-gnueabihf", ARM),
    ("wasm32-wasip1", WASM32),
];

/// Runs the chore.
pub(crate) fn run(options: &Options) -> Result<()> {
    let tree = process::target_dir().join("sabotage");
    step("a copy of the sources, with vectors that can be broken");
    copy(&tree)?;
    let chosen = |name: &str| options.only.as_deref().is_none_or(|only| only == name);
    let mut missed = Vec::new();
    for (target, trials) in TARGETS.iter().filter(|(target, _)| chosen(target)) {
        step(target);
        let (suite, runner) = cross::suite_in(&tree, target)?;
        let passes = |trial: &Trial, sabotage: bool| passes(&suite, &runner, trial, sabotage);
        missed.extend(judge(trials, &passes)?);
    }
    if chosen("bochs") {
        step("emulated machines");
        let (suite, _) = cross::suite_in(&tree, "x86_64-unknown-linux-gnu")?;
        let machine = bochs::prepare()?;
        let passes = |trial: &Trial, sabotage: bool| passes_in(&machine, &suite, trial, sabotage);
        missed.extend(judge(BOCHS, &passes)?);
    }
    ensure!(missed.is_empty(), "the tests passed with broken vectors: {}", missed.join(", "));
    Ok(())
}

/// Does the trials; returns those whose sabotage no test noticed.
fn judge(trials: &[Trial], passes: &dyn Fn(&Trial, bool) -> Result<bool>) -> Result<Vec<String>> {
    let mut missed = Vec::new();
    for trial in trials {
        let Trial { backend, test, vectors } = trial;
        ensure!(passes(trial, false)?, "{test} on {backend} fails without sabotage");
        let noticed = !passes(trial, true)?;
        println!("   {backend:<14} {test:<17} {vectors}: {}", if noticed { "noticed" } else { "NOT NOTICED" });
        if !noticed {
            missed.push(format!("{backend} ({vectors})"));
        }
    }
    Ok(missed)
}

fn environment(trial: &Trial, sabotage: bool) -> Vec<(&'static str, &'static str)> {
    let mut environment = Emulated { backends: trial.backend, detects: None }.environment();
    if sabotage {
        environment.push((VARIABLE, trial.vectors));
    }
    environment
}

/// Whether the tests pass.
fn passes(suite: &TestBinary, runner: &[OsString], trial: &Trial, sabotage: bool) -> Result<bool> {
    let mut words = runner.iter().cloned().chain([suite.path.clone().into(), trial.test.into()]);
    let mut command = Command::new(words.next().expect("there is a program"));
    command.args(words).current_dir(&suite.directory).envs(environment(trial, sabotage));
    let output = command.output().with_context(|| format!("cannot start {}", process::describe(&command)))?;
    verdict(&String::from_utf8_lossy(&[output.stderr, output.stdout].concat()))
}

/// Whether they pass in the emulated machine that has everything.
fn passes_in(machine: &bochs::Bochs, suite: &TestBinary, trial: &Trial, sabotage: bool) -> Result<bool> {
    let guest = Guest {
        name: suite.name.clone(),
        program: suite.path.clone(),
        arguments: vec!["--test-threads=1".into(), trial.test.into()],
    };
    let environment = environment(trial, sabotage);
    let limit = std::time::Duration::from_mins(10);
    match machine.run(trial.backend, bochs::WITH_GFNI, &[guest], &environment, limit) {
        Ok(outputs) => verdict(&outputs.concat()),
        // The output of a program that failed is in the error.
        Err(error) => verdict(&format!("{error:#}")),
    }
}

/// From the closing line, or a panic where that ends the program: anything else than tests that pass or fail is an error.
fn verdict(output: &str) -> Result<bool> {
    let line = output.lines().rev().find_map(|line| line.trim().strip_prefix("test result: "));
    match line {
        Some(line) if line.starts_with("ok. ") && !line.starts_with("ok. 0 passed") => Ok(true),
        Some(line) if line.starts_with("FAILED. ") => Ok(false),
        // On WebAssembly a panic ends the program, and its message stays in the test's own output.
        None if output.contains("panicked at") || output.contains("rust_panic") => Ok(false),
        _ => bail!("no test ran to its end:\n{output}"),
    }
}

/// Copies what git knows, and changes it.
fn copy(tree: &Path) -> Result<()> {
    let root = process::workspace_root();
    for file in process::tracked_files()? {
        let (from, to) = (root.join(&file), tree.join(&file));
        let file = file.to_str().context("a file's name is not UTF-8")?;
        std::fs::create_dir_all(to.parent().expect("a file is in a folder"))
            .with_context(|| format!("cannot create a folder for {}", to.display()))?;
        let mut bytes = std::fs::read(&from).with_context(|| format!("cannot read {}", from.display()))?;
        if file.starts_with("crates/simd/src/") && file.ends_with(".rs") {
            let text = String::from_utf8(bytes).with_context(|| format!("{file} is not UTF-8"))?;
            bytes = sabotaged(file, &text).into_bytes();
        } else if let Some(entry) = PORTABLE.iter().find(|entry| entry.file == file) {
            let text = String::from_utf8(bytes).with_context(|| format!("{file} is not UTF-8"))?;
            bytes = entry.sabotaged(&text)?.into_bytes();
        }
        // The same bytes keep their time, so that nothing is built again.
        if std::fs::read(&to).ok().as_deref() != Some(&bytes) {
            std::fs::write(&to, bytes).with_context(|| format!("cannot write {}", to.display()))?;
        }
    }
    Ok(())
}

/// The entry of portable code that is not made of vectors of this workspace.
struct Entry {
    /// The name that breaks it, and what it does then.
    name: &'static str,
    broken: &'static str,
    file: &'static str,
    signature: &'static str,
}

const PORTABLE: &[Entry] = &[
    Entry {
        name: "PortableChaCha",
        broken: "return",
        file: "crates/sealane/src/chacha20/portable.rs",
        signature: "pub(super) fn apply<const ROUNDS: usize, const COUNTER_64: bool>(state: &State, mut counter: u64, data: &mut [u8]) {",
    },
    Entry {
        name: "PortablePoly1305",
        broken: "return h",
        file: "crates/sealane/src/poly1305/kernel.rs",
        signature: "fn scalar_for_all(h: Element, r: Multiplier, blocks: &[[u8; BLOCK_BYTES]]) -> Element {",
    },
];

impl Entry {
    fn sabotaged(&self, text: &str) -> Result<String> {
        let Self { name, broken, file, signature } = self;
        ensure!(text.contains(signature), "{file} has no {signature}");
        Ok(text.replacen(
            signature,
            &format!("{signature}\n    if sealane_simd::sabotage(\"{name}\") {{ {broken}; }}"),
            1,
        ))
    }
}

/// A source of `sealane-simd` whose vectors can be broken: those of blocks, lanes and bytes load zeros, those of words a wrong constant.
fn sabotaged(file: &str, text: &str) -> String {
    const ASKS: &str = "crate::sabotage(core::any::type_name::<Self>())";
    let mut changed = String::new();
    for line in text.lines() {
        let method = line.trim_start();
        let is_method = line.ends_with("-> Self {");
        let zeros = [("block: impl", "zeros"), ("lane: impl", "zero"), ("bytes: &[u8]", "zero")];
        let zeros = zeros.into_iter().find(|(parameter, _)| method.contains(parameter)).map(|(_, zero)| zero);
        match zeros {
            Some(zero) if is_method && method.starts_with("fn load") => {
                changed += &line.replace("(_: ", "(token: ");
                changed += &format!("\n if {ASKS} {{ return Self::{zero}(token); }}\n");
            }
            _ if is_method && method.starts_with("fn splat(") && method.contains("word: u32") => {
                changed += &format!("{line}\n let word = word ^ u32::from({ASKS});\n");
            }
            _ if is_method && method.starts_with("fn splat(") && method.contains("value: u64") => {
                changed += &format!("{line}\n let value = value ^ u64::from({ASKS});\n");
            }
            _ => {
                changed += line;
                changed.push('\n');
            }
        }
    }
    if file == "crates/simd/src/lib.rs" {
        changed += &format!(
            "#[doc(hidden)]\npub fn sabotage(name: &str) -> bool {{\n\
             static NAMED: std::sync::OnceLock<Option<std::string::String>> = std::sync::OnceLock::new();\n\
             NAMED.get_or_init(|| std::env::var(\"{VARIABLE}\").ok()).as_ref().is_some_and(|named| name.contains(&**named))\n}}\n"
        );
    }
    changed
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn loads_and_constants_can_be_broken() {
        let text =
            "    fn load(_: Scalar, bytes: &[u8]) -> Self {\n        x\n    fn splat(token: T, word: u32) -> Self {\n";
        let changed = sabotaged("crates/simd/src/x.rs", text);
        assert!(changed.contains("fn load(token: Scalar, bytes"), "{changed}");
        assert!(changed.contains("return Self::zero(token)") && changed.contains("word ^ u32"), "{changed}");
        let declared = "    fn load(token: Self::Token, bytes: &[u8]) -> Self;\n";
        assert_eq!(sabotaged("crates/simd/src/x.rs", declared), declared);
    }

    #[test]
    fn only_tests_that_ran_give_a_verdict() {
        assert!(verdict("test result: ok. 3 passed; 0 failed").unwrap());
        assert!(!verdict("…\ntest result: FAILED. 1 passed; 2 failed").unwrap());
        assert!(verdict("test result: ok. 0 passed; 0 failed").is_err());
        assert!(!verdict("thread 'main' panicked at x.rs:1:1").unwrap());
        assert!(verdict("Illegal instruction").is_err());
    }
}
