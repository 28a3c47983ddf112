//! One implementation of a primitive.

use sealane_measure::Work;

use crate::buffers::{Batch, Tag};
use crate::peers::Peer;
use crate::peers::openssl_capabilities::Capabilities;

/// Processes message `number` in place. Returns false if it refuses the tag.
pub type Each = Box<dyn FnMut(u64, &mut [u8], &mut Tag) -> bool>;
/// Processes many messages at once, numbered from the first.
pub type Many = Box<dyn FnMut(u64, Batch<'_>) -> bool>;

pub enum Operation {
    Each(Each),
    Batch(Many),
}

/// The owner of the implementation.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Owner {
    /// Ours on that backend. `chosen` is set for the backend that is chosen on this CPU.
    Sealane {
        backend: sealane::Backend,
        chosen: bool,
    },
    Peer(Peer),
}

pub struct Row {
    pub owner: Owner,
    pub operation: Operation,
    /// The capabilities that OpenSSL sees while this row runs.
    pub capabilities: Option<Capabilities>,
}

impl Row {
    pub fn new(owner: Owner, operation: impl FnMut(u64, &mut [u8], &mut Tag) -> bool + 'static) -> Self {
        Self { owner, operation: Operation::Each(Box::new(operation)), capabilities: None }
    }

    /// Returns a row that processes many messages with one call.
    pub fn batch(owner: Owner, operation: impl FnMut(u64, Batch<'_>) -> bool + 'static) -> Self {
        Self { owner, operation: Operation::Batch(Box::new(operation)), capabilities: None }
    }

    pub fn with_capabilities(self, capabilities: Option<Capabilities>) -> Self {
        Self { capabilities, ..self }
    }

    /// Returns its work, in a suite of that work.
    pub fn work(&self, of_suite: Work) -> Work {
        if self.owner == Owner::Peer(Peer::OpenSslGcm) { Work::Aes256Gcm } else { of_suite }
    }

    /// Returns whether its output must equal the others'.
    pub fn is_compared(&self) -> bool {
        self.owner != Owner::Peer(Peer::OpenSslGcm)
    }

    pub fn is_ours(&self) -> bool {
        matches!(self.owner, Owner::Sealane { .. })
    }

    pub fn name(&self) -> String {
        match self.owner {
            Owner::Sealane { backend, chosen: true } => format!("sealane ({backend})"),
            Owner::Sealane { backend, chosen: false } => format!("sealane {backend}, forced"),
            Owner::Peer(peer) => peer.name().into(),
        }
    }
}

/// Returns our own rows: the backend that is chosen on this CPU, then each narrower one.
pub fn of_sealane(mut row: impl FnMut(Owner, sealane::Backend) -> Row) -> Vec<Row> {
    let detected = sealane::Backend::detect();
    let backends = sealane::Backend::available().rev();
    backends.map(|backend| row(Owner::Sealane { backend, chosen: backend == detected }, backend)).collect()
}
