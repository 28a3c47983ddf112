//! Poly1305.

use sealane::{Backend, Poly1305, Tag};

use crate::reason::Reason;
use crate::wiped::take;

/// Poly1305 with a key that is used once.
#[derive(Clone)]
pub(crate) struct Mac {
    backend: Backend,
    /// Exists from setting the key until the tag is computed.
    poly1305: Option<Poly1305>,
    updated: bool,
}

impl Mac {
    pub(crate) fn new(backend: Backend) -> Self {
        Self { backend, poly1305: None, updated: false }
    }

    pub(crate) fn set_key(&mut self, key: &[u8]) -> Result<(), Reason> {
        let key = key.try_into().map_err(|_| Reason::KeyLength)?;
        self.poly1305 = Some(Poly1305::with_backend(key, self.backend));
        self.updated = false;
        Ok(())
    }

    /// Starts a message without a new key. Fails if the key has been used.
    pub(crate) fn restart(&self) -> Result<(), Reason> {
        if self.updated { Err(Reason::NoKey) } else { Ok(()) }
    }

    pub(crate) fn update(&mut self, data: &[u8]) -> Result<(), Reason> {
        self.poly1305.as_mut().ok_or(Reason::NoKey)?.update(data);
        self.updated = true;
        Ok(())
    }

    pub(crate) fn finish(&mut self) -> Result<Tag, Reason> {
        self.updated = true;
        Ok(take(&mut self.poly1305, None).ok_or(Reason::NoKey)?.finalize())
    }
}
