//! Refuses an output that is also an input or a file with keys.

use std::path::{Path, PathBuf};

use crate::args::{IdentityArgs, IdentitySource};
use crate::error::{Result, quoted};
use crate::io::input::{Input, stdin_id};
use crate::io::output::Output;
use crate::os::file_id::{FileId, refuse_same};

/// The files with keys that a command line names.
pub(crate) struct KeyFiles<'a> {
    pub(crate) identities: &'a IdentityArgs,
    pub(crate) parts: &'a [PathBuf],
    pub(crate) recipients: &'a [PathBuf],
}

impl KeyFiles<'_> {
    /// Refuses an output that is also the input, an identity file, a file of parts or a recipients
    /// file, before any of them is touched.
    pub(crate) fn check_with(&self, input: &Input, output: &Output) -> Result<()> {
        refuse_same(output.id(), &[(input.id.clone(), format!("the input {}", input.name))])?;
        self.check(output.id())
    }

    /// Makes the same check without the input, which may be `output`: `rekey` changes files in
    /// place.
    pub(crate) fn check(&self, output: Option<&FileId>) -> Result<()> {
        let named = |path: &Path, what: &str| match path.to_str() {
            Some("-") => (stdin_id(), format!("{what} on standard input")),
            _ => (FileId::of_path(path), format!("{what} {}", quoted(path))),
        };
        let identities = self.identities.opening().into_iter().filter_map(|source| match source {
            IdentitySource::File(path) => Some(named(&path, "the identity file")),
            IdentitySource::Plugin(_) => None,
        });
        let mut inputs: Vec<_> = identities.collect();
        inputs.extend(self.parts.iter().map(|path| named(path, "the part")));
        inputs.extend(self.recipients.iter().map(|path| named(path, "the recipients file")));
        refuse_same(output, &inputs)
    }
}
