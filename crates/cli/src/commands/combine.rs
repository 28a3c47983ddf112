//! `sealane combine`.

use std::io::{self, Write};

use sealane_shares::{Report, Restart, combine_seek};

use crate::args::CombineArgs;
use crate::error::{Result, warn};
use crate::output::{Content, Output};
use crate::progress::Progress;
use crate::same_file::refuse_same;
use crate::shares::{Shares, combine_error, warn_of_bad};

/// Puts a secret together.
pub(crate) fn run(args: &CombineArgs) -> Result<()> {
    let shares = Shares::open(&args.shares)?;
    let mut output = Output::prepare(args.output.as_deref(), Content::Secret, false)?;
    refuse_same(output.id(), &shares.ids)?;
    match own(shares, &mut output) {
        Ok(()) => output.finish(),
        Err(error) => {
            output.abandon();
            Err(error)
        }
    }
}

/// Combines shares of our own.
fn own(mut shares: Shares, output: &mut Output) -> Result<()> {
    for error in &shares.unreadable {
        warn(format!("left out: {error}"));
    }
    let report = if output.can_restart() {
        pass(&mut shares, output)?
    } else {
        // What goes to standard output cannot be taken back: first all is checked, then written.
        let report = pass(&mut shares, &mut Nowhere)?;
        let mut position = 0;
        shares.own.retain(|_| {
            position += 1;
            report.used.contains(&(position - 1))
        });
        pass(&mut shares, output)?;
        report
    };
    drop(report);
    Ok(())
}

/// Reads all shares, and writes the secret.
fn pass(shares: &mut Shares, output: &mut (impl Write + Restart)) -> Result<Report> {
    let names: Vec<_> = shares.own.iter().map(|share| share.name.clone()).collect();
    let progress = Progress::new(shares.count.clone(), Some(shares.len).filter(|&len| len > 0), false);
    let output = Ticking { output, progress };
    let report = combine_seek(shares.readers()?, output).map_err(|error| combine_error(error, &names))?;
    warn_of_bad(&report.bad, &names);
    Ok(report)
}

/// Shows progress with what is written.
struct Ticking<'a, W> {
    output: &'a mut W,
    progress: Progress,
}

impl<W: Write> Write for Ticking<'_, W> {
    fn write(&mut self, data: &[u8]) -> io::Result<usize> {
        self.progress.tick();
        self.output.write(data)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.output.flush()
    }
}

impl<W: Restart> Restart for Ticking<'_, W> {
    fn restart(&mut self) -> io::Result<()> {
        self.output.restart()
    }
}

impl Restart for Output {
    fn restart(&mut self) -> io::Result<()> {
        Self::restart(self)
    }
}

/// For a first look.
struct Nowhere;

impl Write for Nowhere {
    fn write(&mut self, data: &[u8]) -> io::Result<usize> {
        Ok(data.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Restart for Nowhere {
    fn restart(&mut self) -> io::Result<()> {
        Ok(())
    }
}
