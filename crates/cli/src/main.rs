//! `sealane` encrypts and decrypts files in the age format, with the best instruction set of the
//! CPU.
//!
//! It accepts every command line of age. The exit status is 0 for complete success, 1 for a
//! failure, and 2 for a wrong command line. As with other filters, SIGPIPE ends it when nobody
//! reads its standard output any more. Under the name of one of age's programs, it behaves like
//! that program.
#![forbid(unsafe_code)]

mod args;
mod commands;
mod error;
mod folder;
mod io;
mod keys;
mod os;
mod program;
mod programs;
mod shares;

use std::process::ExitCode;

use program::Program;

fn main() -> ExitCode {
    let mut args = std::env::args_os();
    let program = Program::set(args.next().as_deref());
    let done = {
        let _end = EndGuard;
        program.run(args.collect())
    };
    done.unwrap_or_else(|error| error.report())
}

/// Cleans up when it is dropped, also by a panic.
struct EndGuard;

impl Drop for EndGuard {
    fn drop(&mut self) {
        os::cleanup::end();
    }
}
