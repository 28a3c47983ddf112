//! `sealane` encrypts and decrypts files in the age format, with the best instruction set of the
//! CPU.
//!
//! It accepts every command line of age. The exit status is 0 for complete success, 1 for a
//! failure, and 2 for a wrong command line. Like other filters it ends by SIGPIPE when the reader
//! of its standard output has gone. Under the name of a program of age it behaves like that
//! program.
#![forbid(unsafe_code)]

mod args;
mod commands;
mod error;
mod folder;
mod io;
mod keys;
mod os;
mod programs;
mod shares;

use std::process::ExitCode;

use args::Action;
use error::{Error, Result};
use programs::Program;
use sealane::{Backend, BackendError};
use sealane_simd::CpuClass;

fn main() -> ExitCode {
    let mut args = std::env::args_os();
    let program = Program::set(args.next().as_deref());
    let done = program.run(args.collect());
    os::cleanup::end();
    done.unwrap_or_else(|error| error.report())
}

fn run(action: Action) -> Result<()> {
    if !matches!(action, Action::Cpu(_) | Action::Bench(_)) {
        os::memory::protect();
    }
    match action {
        Action::Encrypt(args) => commands::encrypt::run(&args),
        Action::Decrypt(args) => commands::decrypt::run(&args),
        Action::Rekey(args) => commands::rekey::run(&args),
        Action::Contribute(args) => commands::contribute::run(&args),
        Action::Inspect(args) => commands::inspect::run(&args),
        Action::Keygen(args) => commands::keygen::run(&args),
        Action::Split(args) => commands::split::run(&args),
        Action::Combine(args) => commands::combine::run(&args),
        Action::Share(action) => commands::share::run(&action),
        Action::Cpu(args) => commands::cpu::run(&args),
        Action::Bench(args) => commands::bench::run(&args),
        Action::Completions(args) => commands::generate::completions(&args),
        Action::Man(args) => commands::generate::man(&args),
        Action::Print(text) => io::output::print(format!("{}\n", text.trim_end()).as_bytes()),
    }
}

/// Forces the class of CPUs that `SEALANE_CPU_CLASS` names, if it is set.
fn force_cpu_class() -> Result<()> {
    let Some(name) = std::env::var_os("SEALANE_CPU_CLASS").filter(|name| !name.is_empty()) else { return Ok(()) };
    let class = CpuClass::ALL.into_iter().find(|class| name == class.name());
    if class.is_none() {
        let known = CpuClass::ALL.map(CpuClass::name).join(", ");
        return Err(Error::new("SEALANE_CPU_CLASS: unknown class").hint(format!("known classes: {known}")));
    }
    CpuClass::force(class);
    Ok(())
}

/// Returns the backend that `SEALANE_BACKEND` names, or the best one.
fn backend() -> Result<Backend> {
    force_cpu_class()?;
    Backend::from_env().map_err(|error| {
        let available: Vec<_> = Backend::available().map(Backend::name).collect();
        // The library's own list also has backends that this CPU cannot run.
        let what = match error {
            BackendError::Unknown(_) => "no such backend".to_owned(),
            error => error.to_string(),
        };
        Error::new(format!("SEALANE_BACKEND: {what}")).hint(format!("available here: {}", available.join(", ")))
    })
}
