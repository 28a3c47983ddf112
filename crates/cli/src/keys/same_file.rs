//! Refuses an output that is also an input or a file with keys.

use std::path::Path;

use crate::args::{FileArgs, IdentitySource};
use crate::error::{Result, quoted};
use crate::io::input::{Input, stdin_id};
use crate::io::output::Output;
use crate::os::file_id::{FileId, refuse_same};

/// Refuses an output that is also the input, an identity file, a file of parts or a recipients
/// file, before any of them is touched.
pub(crate) fn check_same(args: &FileArgs, input: &Input, output: &Output) -> Result<()> {
    refuse_same(output.id(), &[(input.id.clone(), format!("the input {}", input.name))])?;
    check_same_keys(args, output)
}

/// Makes the same check without the input, which `rekey` changes in place.
pub(crate) fn check_same_keys(args: &FileArgs, output: &Output) -> Result<()> {
    let named = |path: &Path, what: &str| match path.to_str() {
        Some("-") => (stdin_id(), format!("{what} on standard input")),
        _ => (FileId::of_path(path), format!("{what} {}", quoted(path))),
    };
    let identities = args.opening_identities().into_iter().filter_map(|source| match source {
        IdentitySource::File(path) => Some(named(&path, "the identity file")),
        IdentitySource::Plugin(_) => None,
    });
    let mut inputs: Vec<_> = identities.collect();
    inputs.extend(args.parts.iter().map(|path| named(path, "the part")));
    inputs.extend(args.recipients_files.iter().map(|path| named(path, "the recipients file")));
    refuse_same(output.id(), &inputs)
}
