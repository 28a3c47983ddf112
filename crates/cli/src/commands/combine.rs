//! `sealane combine` restores a secret from shares.

use std::io::{self, Write};

use sealane_shares::{MAX_TEXT_PAYLOAD_BYTES, Report, Restart, combine_seek};
use zeroize::Zeroizing;

use crate::args::CombineArgs;
use crate::error::{Error, Result};
use crate::io::output::{Content, Output};
use crate::io::stdin::StdinUse;
use crate::os::file_id::refuse_same;
use crate::os::tty;
use crate::shares::release::{Digests, Release};
use crate::shares::{LeftOut, Shares, check_beside_unreadable, combine_error, foreign, identity, open_lines, typed};

/// Restores a secret.
pub(crate) fn run(args: &CombineArgs) -> Result<()> {
    let stdin = StdinUse::default();
    let typed = args.shares.is_empty();
    if typed && (args.ssss || args.vault) {
        return Err(Error::usage("--ssss and --vault need files with shares").hint("- is standard input"));
    }
    let mut output = Output::prepare(args.output.as_deref(), Content::Secret, typed)?;
    let mut announcement = None;
    let combined = if args.ssss || args.vault {
        let (lines, ids) = open_lines(&args.shares, args.ssss, &stdin)?;
        refuse_same(output.id(), &ids)?;
        foreign::combine_lines(&lines, args).and_then(|secret| write(&secret, args, &mut output))
    } else {
        if let Some(flag) = args.threshold.map(|_| "-k").or(args.no_diffusion.then_some("--no-diffusion")) {
            return Err(Error::usage(format!("{flag} is only for --ssss and --vault"))
                .hint("other shares contain this information"));
        }
        let mut shares = if typed { typed::ask()? } else { Shares::open(&args.shares, &stdin) };
        refuse_same(output.id(), &shares.ids)?;
        let mut left_out = LeftOut::of(&shares.unreadable);
        if let Err(error) = shares.choose(args.set.as_deref()) {
            left_out.say();
            return Err(error);
        }
        if let ([own, ..], [words, ..]) = (shares.own.as_slice(), shares.words.as_slice()) {
            return Err(Error::new(format!("{} and {} are shares of different kinds", own.place, words.place))
                .hint("shares in words (SLIP-39) combine only with one another; --set ID chooses a set"));
        }
        if !shares.words.is_empty() {
            let secret = foreign::combine_words(&shares, args, &mut left_out, &stdin);
            left_out.say();
            secret.and_then(|secret| {
                announcement = announce(&secret, args);
                write(&secret, args, &mut output)
            })
        } else if let Some(flag) = for_words(args) {
            Err(Error::usage(format!("{flag} is only for shares in words")).hint("leave it out"))
        } else if args.identity || typed {
            let mut secret = Held { identity_only: args.identity, ..Held::default() };
            combine_own(shares, left_out, &mut secret).and_then(|()| {
                announcement = announce(&secret.bytes, args);
                write(&secret.bytes, args, &mut output)
            })
        } else {
            combine_own(shares, left_out, &mut output)
        }
    };
    match combined {
        Ok(()) => output.finish()?,
        Err(error) => {
            output.abandon();
            return Err(error);
        }
    }
    match announcement.filter(|_| typed) {
        Some(line) => tty::show(&line).map_err(|error| Error::io("cannot write to the terminal", &error)),
        None => Ok(()),
    }
}

/// Returns a line with the public key of a secret, if it can be an identity. Any 32 bytes can be
/// the key of one.
fn announce(secret: &[u8], args: &CombineArgs) -> Option<String> {
    let public = identity::public_of(secret)?;
    Some(if args.identity || secret.len() != identity::KEY_BYTES {
        format!("the secret is the identity with the public key {public}")
    } else {
        format!("if the secret is the key of an identity, its public key is {public}")
    })
}

/// Returns the first flag that was given and is only for shares in words.
fn for_words(args: &CombineArgs) -> Option<&'static str> {
    args.passphrase.then_some("-p/--passphrase").or(args.iteration_limit.map(|_| "--iteration-limit"))
}

/// Writes a secret that is in memory; with --identity, as an identity file.
fn write(secret: &[u8], args: &CombineArgs, output: &mut Output) -> Result<()> {
    let written =
        if args.identity { output.write_all(identity::file_of(secret)?.as_bytes()) } else { output.write_all(secret) };
    written.map_err(|error| Error::from_io("cannot write", error))
}

/// Combines shares in Sealane's own format.
fn combine_own(mut shares: Shares, mut left_out: LeftOut, output: &mut impl Target) -> Result<()> {
    if output.can_restart() {
        let report = pass(&mut shares, &mut left_out, output)?;
        check_files(&shares, &report)?;
    } else {
        // Output that is visible at once, such as standard output, is final, so the shares are read
        // twice: first to check them, then to write the same bytes.
        let mut digests = Digests::default();
        let report = pass(&mut shares, &mut left_out, &mut digests)?;
        check_files(&shares, &report)?;
        let mut position = 0;
        shares.own.retain(|_| {
            position += 1;
            report.used.contains(&(position - 1))
        });
        let mut release = Release::new(digests.finish(), output);
        pass(&mut shares, &mut left_out, &mut release)?;
        release.finish()?;
    }
    Ok(())
}

/// Checks that the shares come from enough files if an input could not be read.
fn check_files(shares: &Shares, report: &Report) -> Result<()> {
    let Some(first) = shares.own.first() else { return Ok(()) };
    let agreeing = report.used.iter().chain(report.repeated.iter().map(|[again, _]| again));
    let places: Vec<_> = agreeing.map(|&at| &shares.own[at].place).collect();
    check_beside_unreadable(&places, first.header.threshold().into(), &shares.unreadable)
}

/// The destination of a secret.
trait Target: Write + Restart {
    /// Returns whether the output can start again, because none of it is visible yet.
    fn can_restart(&self) -> bool;
}

impl Target for Output {
    fn can_restart(&self) -> bool {
        Self::can_restart(self)
    }
}

/// A short secret in memory, which is written elsewhere when it is complete.
#[derive(Default)]
struct Held {
    bytes: Zeroizing<Vec<u8>>,
    /// Whether the secret must be an identity, or the key of one.
    identity_only: bool,
}

impl Held {
    /// Returns the length of the longest secret that is accepted, in bytes.
    fn limit(&self) -> usize {
        if self.identity_only { identity::MAX_FILE_BYTES } else { MAX_TEXT_PAYLOAD_BYTES }
    }
}

impl Target for Held {
    fn can_restart(&self) -> bool {
        true
    }
}

impl Write for Held {
    fn write(&mut self, data: &[u8]) -> io::Result<usize> {
        if self.bytes.len() + data.len() > self.limit() {
            return Err(Error::new(format!(
                "the secret is longer than {} bytes, too long for an identity",
                self.limit()
            ))
            .hint("without --identity, it is written unchanged")
            .into_io());
        }
        // Allocated once, because growing leaves a copy behind that is not wiped.
        if self.bytes.capacity() == 0 {
            let limit = self.limit();
            self.bytes.reserve_exact(limit);
        }
        self.bytes.extend_from_slice(data);
        Ok(data.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Restart for Held {
    fn restart(&mut self) -> io::Result<()> {
        self.bytes.restart()
    }
}

/// Reads all shares, and writes the secret. Warns of shares that are left out.
fn pass(shares: &mut Shares, left_out: &mut LeftOut, output: &mut (impl Write + Restart)) -> Result<Report> {
    let places = shares.places();
    let progress = shares.show_progress();
    let report = combine_seek(shares.readers()?, output).map_err(|error| combine_error(error, &places, left_out))?;
    drop(progress);
    left_out.add_bad(&report.bad, &places);
    left_out.say();
    Ok(report)
}

impl Restart for Output {
    fn restart(&mut self) -> io::Result<()> {
        Self::restart(self)
    }
}
