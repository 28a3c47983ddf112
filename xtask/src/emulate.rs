//! `cargo xtask emulate`: runs the tests on x86 machines with AVX-512, IFMA, VAES, VPCLMULQDQ and
//! GFNI, which Bochs emulates. Checks detection on these machines and on older ones.

use anyhow::{Result, ensure};

use crate::cross;
use crate::ledger::Ledger;
use crate::places::{List, Place};
use crate::process::step;
use crate::selection::Selection;

/// Options of the chore.
#[derive(clap::Args)]
pub(crate) struct Options {
    /// Only this machine, by its name in xtask/backends.toml (`bochs-skylake`)
    #[arg(long, value_name = "NAME")]
    machine: Option<String>,
}

/// Runs the chore.
pub(crate) fn run(options: &Options) -> Result<()> {
    let (list, mut ledger) = (List::read()?, Ledger::new("emulate"));
    // Skips the tests that `cross` runs on other models of the same architecture.
    let mut selection = Selection::default();
    list.executed_by("cross").for_each(|(family, backend)| selection.skip(family, backend));
    let is_chosen = |place: &Place| options.machine.as_ref().is_none_or(|name| *name == place.name);
    ensure!(list.places("emulate").any(is_chosen), "no such machine");
    // All machines run at the same time: each is a process with one thread.
    cross::on(list.target(cross::X86_64)?, &list, is_chosen, selection, usize::MAX, &mut ledger)?;
    step("what was exercised");
    ledger.close(&list, is_chosen)
}
