//! The subcommands, one module each, except that `completions` and `man` share `generate`. None of
//! them uses another.

pub(crate) mod bench;
pub(crate) mod combine;
pub(crate) mod contribute;
pub(crate) mod cpu;
pub(crate) mod decrypt;
pub(crate) mod encrypt;
pub(crate) mod generate;
pub(crate) mod inspect;
pub(crate) mod keygen;
pub(crate) mod rekey;
pub(crate) mod share;
pub(crate) mod split;
pub(crate) mod verify;

use crate::args::Action;
use crate::error::Result;
use crate::io::output::print;
use crate::os::memory;

/// Runs the action that the command line requests.
pub(crate) fn run(action: Action) -> Result<()> {
    if !matches!(action, Action::Cpu(_) | Action::Bench(_)) {
        memory::protect();
    }
    match action {
        Action::Encrypt(args) => encrypt::run(&args),
        Action::Decrypt(args) => decrypt::run(&args),
        Action::Verify(args) => verify::run(&args),
        Action::Rekey(args) => rekey::run(&args),
        Action::Contribute(args) => contribute::run(&args),
        Action::Inspect(args) => inspect::run(&args),
        Action::Keygen(args) => keygen::run(&args),
        Action::Split(args) => split::run(&args),
        Action::Combine(args) => combine::run(&args),
        Action::Share(action) => share::run(&action),
        Action::Cpu(args) => cpu::run(&args),
        Action::Bench(args) => bench::run(&args),
        Action::Completions(args) => generate::completions(&args),
        Action::Man(args) => generate::man(&args),
        Action::Print(text) => print(format!("{}\n", text.trim_end()).as_bytes()),
    }
}
