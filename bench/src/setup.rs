//! The cost of a new key for each message: setting it up, choosing the backend, and wiping it.

use std::hint::black_box;

use sealane_measure::{Rounds, Work};
use sealane_workloads::benchmarks::messages::{AAD, KEY, nonce};
use serde::Serialize;

use crate::harness::Suite;
use crate::peers::Peer;
use crate::row::{Owner, Row};
use crate::targets::SETUP_NS;
use crate::verdict::Statistic;

pub const SUITE: &str = "setup";
const SIZES: [usize; 3] = [16, 64, 256];

#[derive(Serialize)]
pub struct SetupResult {
    pub name: String,
    pub size: usize,
    pub kept_ns: f64,
    pub new_ns: f64,
    /// Whether our target is met; `None` for a peer.
    pub met: Option<bool>,
}

impl SetupResult {
    pub fn describe(&self) -> String {
        let Self { kept_ns, new_ns, .. } = self;
        let figures = format!("{:6.1} ({new_ns:.0} - {kept_ns:.0} ns)", new_ns - kept_ns);
        match self.met {
            None => figures,
            Some(true) => format!("{figures}, at most {SETUP_NS} ns: met"),
            Some(false) => format!("{figures}, at most {SETUP_NS} ns: MISSED"),
        }
    }
}

/// Returns pairs of rows: one that seals with a kept key, then one that creates a key for each
/// message.
pub fn suite() -> Suite {
    let backend = sealane::Backend::detect();
    let owner = Owner::Sealane { backend, chosen: true };
    let kept = sealane::ChaCha20Poly1305::new(&KEY);
    let ring = |key: &[u8; 32]| {
        let key = ring::aead::UnboundKey::new(&ring::aead::CHACHA20_POLY1305, key).expect("32 bytes");
        ring::aead::LessSafeKey::new(key)
    };
    let ring_seal = |key: &ring::aead::LessSafeKey, message, data: &mut [u8]| -> [u8; 16] {
        let nonce = ring::aead::Nonce::assume_unique_for_key(nonce(message));
        let tag = key.seal_in_place_separate_tag(nonce, ring::aead::Aad::from(AAD), data).expect("ring seal");
        tag.as_ref().try_into().expect("16 bytes")
    };
    let ring_kept = ring(&KEY);
    let rows = vec![
        row(owner, move |message, data| kept.seal_in_place(&nonce(message), &AAD, data)),
        row(owner, |message, data| {
            sealane::ChaCha20Poly1305::new(black_box(&KEY)).seal_in_place(&nonce(message), &AAD, data)
        }),
        row(Owner::Peer(Peer::Ring), move |message, data| ring_seal(&ring_kept, message, data)),
        row(Owner::Peer(Peer::Ring), move |message, data| ring_seal(&ring(black_box(&KEY)), message, data)),
    ];
    Suite::new(SUITE, Work::Aead, rows)
}

fn row(owner: Owner, mut seal: impl FnMut(u64, &mut [u8]) -> [u8; 16] + 'static) -> Row {
    Row::new(owner, move |message, data, tag| {
        *tag = seal(message, data);
        true
    })
}

/// Measures the pairs.
///
/// # Errors
/// If a row takes less time than its work needs.
pub fn measure(suite: &mut Suite, rounds: &Rounds, statistic: Statistic) -> Result<Vec<SetupResult>, String> {
    let result = suite.measure(rounds, &SIZES, 0)?;
    let pairs = result.rows.chunks_exact(2).flat_map(|pair| {
        SIZES.iter().enumerate().map(|(i, &size)| {
            let (kept_ns, new_ns) = (statistic.of(pair[0].times[i]), statistic.of(pair[1].times[i]));
            let met = pair[0].ours.then_some(new_ns - kept_ns <= SETUP_NS);
            SetupResult { name: pair[0].name.clone(), size, kept_ns, new_ns, met }
        })
    });
    Ok(pairs.collect())
}
