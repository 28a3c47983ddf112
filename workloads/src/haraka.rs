//! Haraka: all inputs are secret; the seed of a tweak is public.

use std::hint::black_box;

use sealane::BackendError;
use sealane::haraka::{AesBackend, Haraka, HarakaS, TweakedHaraka};

use crate::workload::{Run, Secrets};

/// Returns `count` secret inputs.
fn inputs<const N: usize>(count: usize, secrets: Secrets<'_>) -> Vec<[u8; N]> {
    let mut inputs = vec![[0; N]; count];
    inputs.iter_mut().for_each(|input| secrets(input));
    inputs
}

/// Prepares Haraka-256 with 5 and with 6 rounds, on one input and on all.
pub fn haraka256(backend: &str, count: usize, secrets: Secrets<'_>) -> Result<Run, BackendError> {
    let haraka = Haraka::with_backend(AesBackend::by_name(backend)?);
    let (inputs, mut hashes) = (inputs::<32>(count, secrets), vec![[0; 32]; count]);
    Ok(Box::new(move || {
        black_box((haraka.haraka256::<5>(&inputs[0]), haraka.haraka256::<6>(&inputs[0])));
        haraka.haraka256_batch::<5>(&inputs, &mut hashes);
        haraka.haraka256_batch::<6>(&inputs, &mut hashes);
        black_box(&mut hashes);
    }))
}

/// Prepares Haraka-512 with 5 and with 6 rounds, on one input and on all.
pub fn haraka512(backend: &str, count: usize, secrets: Secrets<'_>) -> Result<Run, BackendError> {
    let haraka = Haraka::with_backend(AesBackend::by_name(backend)?);
    let (inputs, mut hashes) = (inputs::<64>(count, secrets), vec![[0; 32]; count]);
    Ok(Box::new(move || {
        black_box((haraka.haraka512::<5>(&inputs[0]), haraka.haraka512::<6>(&inputs[0])));
        haraka.haraka512_batch::<5>(&inputs, &mut hashes);
        haraka.haraka512_batch::<6>(&inputs, &mut hashes);
        black_box(&mut hashes);
    }))
}

/// Prepares Haraka-512 with constants derived from a public seed.
pub fn tweaked(backend: &str, count: usize, secrets: Secrets<'_>) -> Result<Run, BackendError> {
    let haraka = TweakedHaraka::with_backend(b"public seed", AesBackend::by_name(backend)?);
    let (inputs, mut hashes) = (inputs::<64>(count, secrets), vec![[0; 32]; count]);
    Ok(Box::new(move || {
        haraka.haraka512_batch(&inputs, &mut hashes);
        black_box(&mut hashes);
    }))
}

/// Prepares the sponge on a message of `size` bytes.
pub fn sponge(backend: &str, size: usize, secrets: Secrets<'_>) -> Result<Run, BackendError> {
    let backend = AesBackend::by_name(backend)?;
    let mut message = vec![0; size];
    secrets(&mut message);
    Ok(Box::new(move || {
        let mut output = [0; 70];
        HarakaS::with_backend(backend).chain(&message).finish().squeeze(&mut output);
        black_box(output);
    }))
}
