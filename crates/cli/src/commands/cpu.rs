//! `sealane cpu` shows the features of the CPU, and the backend of each primitive.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use sealane::{
    AesBackend, AesFamily, Backend, BackendOf, BackendStatusOf, BatchFamily, ChaChaFamily, ClmulBackend, ClmulFamily,
    Family, Gf8Backend, Gf8Family, PiecesFamily,
};
use sealane_simd::CpuClass;
use serde::Serialize;

use crate::args::CpuArgs;
use crate::error::Result;
use crate::io::output::{json, print};
use crate::os::cpu;

/// The report.
#[derive(Serialize)]
struct Report {
    /// The name of the CPU, if it can be read.
    model: Option<String>,
    architecture: &'static str,
    /// The known instruction set extensions that can be used.
    features: Vec<&'static str>,
    /// The class of CPUs that kernels are tuned for.
    class: &'static str,
    /// The backends of each family of primitives.
    families: Vec<FamilyReport>,
    /// The backend of each primitive.
    primitives: Vec<PrimitiveReport>,
    /// Whether `SEALANE_BACKEND` is set, which forces the backend of the first family only.
    forced: bool,
}

#[derive(Serialize)]
struct FamilyReport {
    /// The primitives with which each backend is tested.
    primitives: &'static [&'static str],
    backends: Vec<BackendReport>,
}

impl FamilyReport {
    fn of<F: Family>() -> Self {
        let backends = BackendStatusOf::<F>::all().map(|status| BackendReport {
            name: status.name(),
            supported: status.supported(),
            self_test: status.self_test().map(|test| test.results().collect()),
        });
        Self { primitives: F::PRIMITIVES, backends: backends.collect() }
    }
}

#[derive(Serialize)]
struct BackendReport {
    name: &'static str,
    supported: bool,
    /// Whether each primitive gave its known answers. None if the backend is not supported.
    self_test: Option<BTreeMap<&'static str, bool>>,
}

#[derive(Serialize)]
struct PrimitiveReport {
    name: &'static str,
    backend: &'static str,
}

/// Prints the report.
pub(crate) fn run(args: &CpuArgs) -> Result<()> {
    let report = report(crate::os::backend::chosen()?);
    let text = if args.json { json(&report)? } else { plain(&report) };
    print(text.as_bytes())
}

fn report(backend: Backend) -> Report {
    // SEALANE_BACKEND forces the backend of the first family only.
    let primitives = primitives(backend)
        .chain(primitives(AesBackend::detect()))
        .chain(primitives(Gf8Backend::detect()))
        .chain(primitives(ClmulBackend::detect()));
    Report {
        model: cpu::model(),
        architecture: std::env::consts::ARCH,
        features: cpu::features(),
        class: CpuClass::detect().name(),
        families: vec![
            FamilyReport::of::<ChaChaFamily>(),
            FamilyReport::of::<BatchFamily>(),
            FamilyReport::of::<PiecesFamily>(),
            FamilyReport::of::<AesFamily>(),
            FamilyReport::of::<Gf8Family>(),
            FamilyReport::of::<ClmulFamily>(),
        ],
        primitives: primitives.collect(),
        forced: std::env::var_os("SEALANE_BACKEND").is_some_and(|name| !name.is_empty()),
    }
}

/// Returns the primitives of a family, with their backend.
fn primitives<F: Family>(backend: BackendOf<F>) -> impl Iterator<Item = PrimitiveReport> {
    F::PRIMITIVES.iter().map(move |name| PrimitiveReport { name, backend: backend.name() })
}

fn plain(report: &Report) -> String {
    let mut out = String::new();
    let listed = |names: &[&str]| if names.is_empty() { "none".to_owned() } else { names.join(" ") };
    // Writing to a String cannot fail.
    let _ = writeln!(out, "CPU       {}", report.model.as_deref().unwrap_or("(name not readable)"));
    let _ = writeln!(out, "          {}: {}", report.architecture, listed(&report.features));
    let _ = writeln!(out, "class     {}", report.class);
    for family in &report.families {
        let _ = writeln!(out, "\n{:<16}supported  self-test of {}", "backend", family.primitives.join(", "));
        for backend in &family.backends {
            let supported = if backend.supported { "yes" } else { "no" };
            let test = backend.self_test.as_ref().map_or("-".to_owned(), verdict);
            let _ = writeln!(out, "{:<16}{supported:<11}{test}", backend.name);
        }
    }
    let _ =
        writeln!(out, "\n{:<18}backend in use{}", "primitive", if report.forced { " (SEALANE_BACKEND)" } else { "" });
    for primitive in &report.primitives {
        let _ = writeln!(out, "{:<18}{}", primitive.name, primitive.backend);
    }
    out
}

fn verdict(results: &BTreeMap<&'static str, bool>) -> String {
    let failed: Vec<_> = results.iter().filter(|(_, passed)| !**passed).map(|(name, _)| *name).collect();
    if failed.is_empty() { "passed".to_owned() } else { format!("FAILED: {}", failed.join(", ")) }
}
