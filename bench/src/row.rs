//! A row: one implementation of a primitive.

#[cfg(feature = "ipsec-mb")]
use sealane_measure::Batch;
use sealane_measure::{Processing, Tag, Work};
use sealane_workloads::MakeProcessing;

use crate::peers::Peer;
use crate::peers::openssl_capabilities::Capabilities;

/// The owner of the implementation.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Owner {
    /// Sealane on `backend`. `chosen` is set for the backend that Sealane chooses on this CPU.
    Sealane {
        backend: sealane::Backend,
        chosen: bool,
    },
    Peer(Peer),
}

pub struct Row {
    pub owner: Owner,
    pub processing: Processing,
    /// The capabilities that OpenSSL sees while this row runs.
    pub capabilities: Option<Capabilities>,
}

impl Row {
    pub fn new(owner: Owner, each: impl FnMut(u64, &mut [u8], &mut Tag) -> bool + 'static) -> Self {
        Self { owner, processing: Processing::Each(Box::new(each)), capabilities: None }
    }

    /// Returns the row of an implementation that takes a whole batch in one call.
    #[cfg(feature = "ipsec-mb")]
    pub fn of_batches(owner: Owner, many: impl FnMut(u64, Batch<'_>) -> bool + 'static) -> Self {
        Self { owner, processing: Processing::Batch(Box::new(many)), capabilities: None }
    }

    pub fn with_capabilities(self, capabilities: Option<Capabilities>) -> Self {
        Self { capabilities, ..self }
    }

    /// Returns the kind of work of this row, which is `of_suite` except for another cipher.
    pub fn work(&self, of_suite: Work) -> Work {
        if self.owner == Owner::Peer(Peer::OpenSslGcm) { Work::Aes256Gcm } else { of_suite }
    }

    /// Returns whether its output must equal the output of the other rows.
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

/// Returns our rows: one for the backend that is chosen on this CPU, then one for each narrower
/// backend.
pub fn of_sealane(processing: MakeProcessing) -> Vec<Row> {
    let detected = sealane::Backend::detect();
    let row = |backend: sealane::Backend| Row {
        owner: Owner::Sealane { backend, chosen: backend == detected },
        processing: processing(backend.name()).expect("the CPU has the backend"),
        capabilities: None,
    };
    sealane::Backend::available().rev().map(row).collect()
}

/// Returns OpenSSL's rows that keep their context: as it is, forced to AVX-512 where it hides
/// AVX-512 from itself, without AVX-512 where it uses that, and without AVX where the CPU has it.
pub fn of_openssl(mut row: impl FnMut(Owner) -> Row) -> Vec<Row> {
    let mut rows = vec![row(Owner::Peer(Peer::OpenSsl))];
    let variants = [
        (Peer::OpenSslForced, Capabilities::forced()),
        (Peer::OpenSslNoAvx512, Capabilities::without_avx512()),
        (Peer::OpenSslNoAvx, Capabilities::without_avx()),
    ];
    for (peer, capabilities) in variants {
        if capabilities.is_some() {
            rows.push(row(Owner::Peer(peer)).with_capabilities(capabilities));
        }
    }
    rows
}
