//! `sealane split` splits a secret into shares.

use std::path::Path;

use crate::args::SplitArgs;
use crate::error::{Error, Result};
use crate::io::input::Input;
use crate::io::stdin::StdinUse;
use crate::shares::Splitting;

/// Splits a file.
pub(crate) fn run(args: &SplitArgs) -> Result<()> {
    let stdin = StdinUse::default();
    let input = Input::open(args.input.as_deref(), &stdin)?;
    if input.is_terminal {
        return Err(Error::usage("no FILE to split")
            .hint("a secret that is typed stays visible; write it to a file, or pipe it in"));
    }
    let stem = args.input.as_deref().and_then(Path::file_name).map_or("secret".into(), |name| name.to_string_lossy());
    let stem = if stem == "-" { "secret".to_owned() } else { stem.into_owned() };
    Splitting {
        threshold: args.threshold,
        count: args.count,
        output: args.output.as_deref(),
        sheet: args.sheet.as_deref(),
        form: args.form,
        passphrase: args.passphrase,
        stem,
        comments: Vec::new(),
    }
    .run(input, &stdin)
}
