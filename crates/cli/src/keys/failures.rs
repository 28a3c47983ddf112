//! Failures of identities that are reported only if no other identity opens the file.

use std::cell::RefCell;

use sealane_age::{FileKey, Identity, Stanza, UnwrapError};

/// The first failure of the identities that keep theirs here. As an identity, which is tried after
/// all others, it returns that failure.
#[derive(Default)]
pub(crate) struct Failures(RefCell<Option<UnwrapError>>);

/// An identity that keeps its failures, so that the next identity is tried.
pub(crate) struct Kept<'a> {
    identity: &'a dyn Identity,
    failures: &'a Failures,
}

impl Failures {
    pub(crate) fn keep<'a>(&'a self, identity: &'a dyn Identity) -> Kept<'a> {
        Kept { identity, failures: self }
    }
}

impl Identity for Kept<'_> {
    fn unwrap_file_key(&self, stanzas: &[Stanza]) -> Result<Option<FileKey>, UnwrapError> {
        match self.identity.unwrap_file_key(stanzas) {
            // After this error, the next identity is tried anyway.
            Err(error) if !matches!(error, UnwrapError::Authentication) => {
                self.failures.0.borrow_mut().get_or_insert(error);
                Ok(None)
            }
            result => result,
        }
    }
}

impl Identity for Failures {
    fn unwrap_file_key(&self, _: &[Stanza]) -> Result<Option<FileKey>, UnwrapError> {
        self.0.take().map_or(Ok(None), Err)
    }
}
