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
        if self.updated { Err(Reason::KeyUsed) } else { Ok(()) }
    }

    /// Returns why there is no key.
    fn missing(&self) -> Reason {
        if self.updated { Reason::KeyUsed } else { Reason::NoKey }
    }

    pub(crate) fn update(&mut self, data: &[u8]) -> Result<(), Reason> {
        let missing = self.missing();
        self.poly1305.as_mut().ok_or(missing)?.update(data);
        self.updated = true;
        Ok(())
    }

    pub(crate) fn finish(&mut self) -> Result<Tag, Reason> {
        let poly1305 = take(&mut self.poly1305, None).ok_or_else(|| self.missing())?;
        self.updated = true;
        Ok(poly1305.finalize())
    }
}
