//! `sealane inspect` shows the information about files that needs no key, and whether a key opens
//! them.

mod list;
mod report;

use std::path::Path;

use self::report::examine_path;
use crate::args::InspectArgs;
use crate::error::Result;
use crate::io::output::{json, print};
use crate::io::stdin::StdinUse;
use crate::keys::file_keys::Openers;
use crate::keys::passphrase::Passphrases;
pub(crate) use report::{Report, cut_short, read};

/// Prints the report about one file, or about many.
pub(crate) fn run(args: &InspectArgs) -> Result<()> {
    let stdin = StdinUse::default();
    let openers = match args.identities.given.as_slice() {
        [] => None,
        _ => Some(Openers::with_passphrases(&args.identities, &[], &stdin, Passphrases::new(&stdin))?),
    };
    match args.inputs.inputs.as_slice() {
        [] => single(args, None, openers.as_ref(), &stdin),
        [only] if !only.is_dir() => single(args, Some(only), openers.as_ref(), &stdin),
        inputs => list::print(inputs, args.json, openers.as_ref()),
    }
}

fn single(args: &InspectArgs, path: Option<&Path>, openers: Option<&Openers>, stdin: &StdinUse) -> Result<()> {
    let (report, name) = examine_path(path, openers, stdin)?;
    let text = if args.json { json(&report)? } else { report.text(&name) };
    print(text.as_bytes())?;
    if report.length_plausible { Ok(()) } else { Err(cut_short(&name)) }
}
