//! Haraka v2 with 5 rounds, by the number of inputs of each call.

use sealane::BackendError;
use sealane::haraka::{AesBackend, Haraka, TweakedHaraka};
use sealane_measure::Work;

use super::{Prepared, Size};

/// The number of inputs that a prepared benchmark hashes, in one call or several.
pub const INPUTS: usize = 64;
/// The public seed of the tweaked constants, as long as a seed in PQClean.
pub const SEED: &[u8] = b"public seed of a";

/// Returns the inputs.
#[must_use]
pub fn inputs<const N: usize>() -> [[u8; N]; INPUTS] {
    std::array::from_fn(|i| std::array::from_fn(|j| (i * 89 + j * 7) as u8))
}

/// Prepares calls of `hash`, each for `COUNT` inputs.
pub fn in_pieces<const N: usize, const COUNT: usize>(
    hash: impl Fn(&[[u8; N]; COUNT]) -> [[u8; 32]; COUNT] + 'static,
) -> Prepared {
    prepared(move |inputs, outputs| {
        for (inputs, outputs) in inputs.as_chunks().0.iter().zip(outputs.as_chunks_mut().0) {
            *outputs = hash(inputs);
        }
    })
}

fn prepared<const N: usize>(hash: impl Fn(&[[u8; N]; INPUTS], &mut [[u8; 32]; INPUTS]) + 'static) -> Prepared {
    let state = (inputs(), [[0; 32]; INPUTS]);
    let hash = move |(inputs, outputs): &mut _| hash(inputs, outputs);
    // Five rounds, with two rounds of AES for each block of 16 bytes.
    let work = Work::AesRounds(5 * 2 * N / 16);
    Prepared { work, ..Prepared::new((INPUTS, N), state, hash, |(_, outputs)| outputs.concat()) }
}

/// Writes a benchmark.
macro_rules! benchmark {
    (
        $(#[$doc:meta])*
        $name:ident: |$backend:ident| $haraka:expr, ($($rounds:tt)*), $one:ident, $x4:ident, $x8:ident, $batch:ident
    ) => {
        $(#[$doc])*
        pub fn $name(backend: &str, size: Size) -> Result<Prepared, BackendError> {
            let $backend = AesBackend::by_name(backend)?;
            let haraka = $haraka;
            Ok(match size {
                Size::Inputs(1) => in_pieces(move |[input]| [haraka.$one$($rounds)*(input)]),
                Size::Inputs(4) => in_pieces(move |inputs| haraka.$x4$($rounds)*(inputs)),
                Size::Inputs(8) => in_pieces(move |inputs| haraka.$x8$($rounds)*(inputs)),
                _ => prepared(move |inputs, outputs| haraka.$batch$($rounds)*(inputs, outputs)),
            })
        }
    };
}

benchmark! {
    /// Prepares Haraka-256.
    haraka256: |backend| Haraka::with_backend(backend), (::<5>), haraka256, haraka256_x4, haraka256_x8, haraka256_batch
}
benchmark! {
    /// Prepares Haraka-512.
    haraka512: |backend| Haraka::with_backend(backend), (::<5>), haraka512, haraka512_x4, haraka512_x8, haraka512_batch
}
benchmark! {
    /// Prepares Haraka-256 with constants from a public seed.
    haraka256_tweaked: |backend| TweakedHaraka::with_backend(SEED, backend), (),
    haraka256, haraka256_x4, haraka256_x8, haraka256_batch
}
benchmark! {
    /// Prepares Haraka-512 with constants from a public seed.
    haraka512_tweaked: |backend| TweakedHaraka::with_backend(SEED, backend), (),
    haraka512, haraka512_x4, haraka512_x8, haraka512_batch
}
