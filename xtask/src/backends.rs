//! `cargo xtask backends`: runs the tests once on each x86 backend that this CPU supports.

use anyhow::{Result, ensure};
use sealane_workloads::Family;

use crate::ledger::Ledger;
use crate::places::List;
use crate::process::{self, step};
use crate::selection::Selection;
use crate::test_binaries::{self, TestBinary};

/// The backends that the machine must have. The chore fails on CPUs without AVX2, which are too
/// slow to build Rust in reasonable time.
const ALWAYS: &[&str] = &["scalar", "ssse3", "avx2"];

/// The place in the list.
const PLACE: &str = "native";

/// Runs the chore.
pub(crate) fn run() -> Result<()> {
    ensure!(cfg!(target_arch = "x86_64"), "run the x86 backends on an x86-64 machine: `cargo xtask cross` has AArch64");
    let (list, mut ledger) = (List::read()?, Ledger::new("backends"));
    // `cargo test` runs the tests of the file format on the widest backend. Here, one narrow
    // backend is enough for them.
    let (primitives, format) =
        test_binaries::of_workspace()?.into_iter().partition::<Vec<_>, _>(TestBinary::is_of_primitives);
    // The first run has all tests of the primitives. Each later run has only the tests of the
    // families whose backend it changes.
    let mut selection = Selection::default();
    let cpu = process::read("/proc/cpuinfo")?;
    let has = |feature: &String| cpu.split_whitespace().any(|flag| flag == feature);
    let others = list.place(PLACE)?.if_the_cpu_has.iter().filter(|(_, features)| features.iter().all(has));
    for backend in ALWAYS.iter().copied().chain(others.map(|(backend, _)| backend.as_str())) {
        let tests = selection.next(forced(backend));
        step(&format!("tests with SEALANE_BACKEND={backend}"));
        let environment = [("SEALANE_BACKEND", backend)];
        ledger.at(PLACE).read(&test_binaries::run_all(backend, &primitives, &[], tests.as_deref(), &environment)?);
        if backend == "ssse3" {
            ledger.at(PLACE).read(&test_binaries::run_all(backend, &format, &[], None, &environment)?);
        }
    }
    step("what was exercised");
    ledger.close(&list, |_| true)
}

/// Returns the backend of each family when `SEALANE_BACKEND` names `backend`. A family without this
/// backend runs on all of its backends.
fn forced(backend: &str) -> [(Family, &str); 4] {
    Family::ALL.map(|family| match family {
        Family::Aes | Family::Clmul if backend != "scalar" => (family, "all"),
        _ => (family, backend),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_run_has_the_tests_of_the_families_it_changes() {
        let mut selection = Selection::default();
        assert_eq!(selection.next(forced("scalar")), None);
        let tests = selection.next(forced("ssse3")).unwrap();
        assert!(["chacha20", "gf8", "haraka", "gf2n"].iter().all(|name| tests.contains(name)), "{tests:?}");
        let tests = selection.next(forced("avx2")).unwrap();
        assert!(tests.contains(&"chacha20") && tests.contains(&"gf8") && !tests.contains(&"haraka"), "{tests:?}");
    }
}
