//! `cargo xtask ct`: memcheck follows secrets through the machine code, and reports each branch and each memory
//! address that depends on one.

mod reports;

use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, ensure};

use crate::process::{self, step};
use reports::Report;

/// Not AVX-512: valgrind (3.19 here) does not know it, and hides it from programs.
const BACKENDS: &[&str] = &["scalar", "ssse3", "avx2"];
/// Must be reported: else a run without a report proves nothing.
const CONTROLS: &[&str] = &["leaky-branch", "leaky-index"];
const PRIMITIVES: &[&str] = &["chacha20", "poly1305", "seal", "commit", "pieces", "batch", "shamir", "gf8"];
/// The backends of GF(2^n): not VPCLMULQDQ, which valgrind does not know either. Its kernels are the same source.
const CLMUL_BACKENDS: &[&str] = &["scalar", "pclmulqdq"];
const CLMUL_PRIMITIVES: &[&str] = &["gf2n", "shamir-element"];
/// The backends of Haraka: not VAES, for the same reason.
const AES_BACKENDS: &[&str] = &["scalar", "aesni"];
const AES_PRIMITIVES: &[&str] = &["haraka"];
/// These end with a branch on whether the tag is right, or shares are. That is public, but depends on the key or the secret, so
/// memcheck must report it.
const OPENING: &[&str] = &["open", "open-commit", "open-pieces", "open-batch", "shamir-check"];

/// The lines of source that compare a tag, or shares, or branch on whether they are right.
const VERDICTS: &[(&str, &str)] = &[
    ("crates/sealane/src/poly1305/mod.rs", "if bool::from(difference.ct_eq(&0))"),
    ("crates/sealane/src/aead/two_pass.rs", "if result.is_ok() && !is_longer {"),
    ("crates/sealane/src/aead/two_pass.rs", "} else if result.is_err() && is_longer {"),
    ("crates/sealane/src/aead/short.rs", "if result.is_ok() {"),
    ("crates/sealane/src/aead/interleaved.rs", "if result.is_ok() {"),
    ("crates/sealane/src/aead/cipher.rs", "opened?;"),
    ("crates/sealane/src/aead/incremental/mod.rs", "result?;"),
    ("crates/sealane/src/aead/committing.rs", "if bool::from(difference.ct_eq(&0))"),
    ("crates/sealane/src/aead/committing.rs", "self.verify(nonce, aad, buffer, tag)?.decrypt(buffer)"),
    ("crates/sealane/src/aead/committing.rs", "let mut verified = self.verify(nonce, aad, ciphertext, tag)?;"),
    ("crates/sealane/src/aead/batch/mod.rs", "if !*authentic {"),
    ("crates/sealane/src/aead/batch/mod.rs", "requests.iter().all(|request| request.authentic)"),
    ("crates/sealane/src/aead/batch/request.rs", "if !**authentic {"),
    ("crates/sealane/src/shamir/bytes/check.rs", "if syndromes.iter().fold(0, |all, syndrome| all | syndrome) != 0 {"),
];

/// The exit status that memcheck is told to give when it reported something.
const REPORTED: i32 = 99;

/// Runs the chore.
pub(crate) fn run() -> Result<()> {
    ensure!(cfg!(target_arch = "x86_64"), "the requests to memcheck are x86-64 code: run this on an x86-64 machine");
    step("constant time (memcheck)");
    let valgrind = process::tool("valgrind", "valgrind")?;
    // As in a release; line numbers change no code.
    process::run(process::cargo().args(["build", "--release", "--package", "constant-time"]).args([
        "--config",
        "profile.release.debug=\"line-tables-only\"",
        "--config",
        "profile.release.strip=false",
    ]))?;
    let program = process::target_dir().join("release/constant-time");
    for control in CONTROLS {
        let (status, said) = memcheck(&valgrind, &program, "scalar", control)?;
        ensure!(
            status == Some(REPORTED),
            "memcheck did not report {control}, so it would not report a leak either:\n{said}"
        );
        println!("   {control}: reported, as it must be");
    }
    for (backends, primitives) in
        [(BACKENDS, PRIMITIVES), (CLMUL_BACKENDS, CLMUL_PRIMITIVES), (AES_BACKENDS, AES_PRIMITIVES)]
    {
        for (backend, primitive) in backends.iter().flat_map(|b| primitives.iter().map(move |p| (b, p))) {
            let (status, said) = memcheck(&valgrind, &program, backend, primitive)?;
            ensure!(status == Some(0), "{primitive} on {backend} depends on secrets, or did not run:\n{said}");
            println!("   {primitive} on {backend}: nothing depends on secrets");
        }
    }
    for backend in BACKENDS {
        for primitive in OPENING {
            let (status, said) = memcheck(&valgrind, &program, backend, primitive)?;
            let done = said.contains(&format!("{primitive} on {backend}: done"));
            ensure!(done && status == Some(REPORTED), "{primitive} on {backend} did not reach its verdicts:\n{said}");
            let leaks: Vec<_> = reports::parse(&said)
                .iter()
                .filter(|report| !is_verdict(report))
                .map(|report| {
                    format!("{report}\n    in the line: {}", line(report).map_or("?".into(), |(_, text)| text))
                })
                .collect();
            ensure!(
                leaks.is_empty(),
                "{primitive} on {backend} depends on secrets elsewhere than in the lines of VERDICTS:\n{}",
                leaks.join("\n")
            );
            println!("   {primitive} on {backend}: nothing but whether what it is given is right depends on secrets");
        }
    }
    Ok(())
}

/// Whether this is a branch on whether a tag is right.
fn is_verdict(report: &Report) -> bool {
    let Some((path, text)) = line(report).filter(|_| report.is_branch()) else { return false };
    VERDICTS.iter().any(|(file, verdict)| *file == path && text.contains(verdict))
}

/// The line of the library's source that a report is about, after its file's name.
fn line<'a>(report: &Report<'a>) -> Option<(&'a str, String)> {
    let (path, number) = report.line_in("crates/")?;
    let source = std::fs::read_to_string(process::workspace_root().join(path)).ok()?;
    Some((path, source.lines().nth(number - 1)?.trim().to_owned()))
}

/// The exit status, and what memcheck and the program said.
fn memcheck(valgrind: &Path, program: &Path, backend: &str, primitive: &str) -> Result<(Option<i32>, String)> {
    let output = Command::new(valgrind)
        .args(["--tool=memcheck", "--quiet", &format!("--error-exitcode={REPORTED}")])
        // Inlined functions have frames of their own.
        .args(["--num-callers=40", &format!("--fullpath-after={}/", process::workspace_root().display())])
        .arg(program)
        .args([backend, primitive])
        .output()
        .context("cannot start valgrind")?;
    let said = [output.stdout, output.stderr].concat();
    Ok((output.status.code(), String::from_utf8_lossy(&said).into_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_verdict_is_in_the_source() {
        for (file, verdict) in VERDICTS {
            let source = std::fs::read_to_string(process::workspace_root().join(file)).unwrap();
            assert!(source.contains(verdict), "{file} has no {verdict:?}: it would allow a line that comes later");
        }
    }
}
