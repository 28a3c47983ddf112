//! Haraka-256 and Haraka-512 on every backend, alone and in batches, against the reference.

use std::sync::LazyLock;

use sealane::AesFamily;
use sealane::haraka::{
    AesBackend, Haraka, TweakedHaraka, haraka256, haraka256_batch, haraka256_x4, haraka256_x8, haraka512,
    haraka512_batch, haraka512_x4, haraka512_x8,
};
use sealane_spec::haraka as spec;

use crate::common::{array, backends_of, test_bytes};

/// Haraka with the paper's constants.
pub(crate) static REFERENCE: LazyLock<spec::Haraka> = LazyLock::new(spec::Haraka::new);

#[track_caller]
pub(crate) fn backends() -> Vec<AesBackend> {
    backends_of::<AesFamily>()
}

/// The largest number of inputs that any backend processes at a time: 4 groups of 8 blocks in
/// portable code.
const WIDEST: usize = 32;

fn inputs<const IN: usize>(seed: u64, count: usize) -> Vec<[u8; IN]> {
    test_bytes(seed, IN * count).as_chunks().0.to_vec()
}

/// Compares batches of every length with the reference.
fn every_length<const IN: usize>(
    what: &str,
    reference: impl Fn(&[u8; IN]) -> [u8; 32],
    batch: impl Fn(&[[u8; IN]], &mut [[u8; 32]]),
) {
    let inputs = inputs::<IN>(IN as u64, 3 * WIDEST + 1);
    let expected: Vec<_> = inputs.iter().map(reference).collect();
    for length in 0..=inputs.len() {
        let mut outputs = vec![[0xee; 32]; length];
        batch(&inputs[..length], &mut outputs);
        for (lane, (output, expected)) in outputs.iter().zip(&expected).enumerate() {
            assert_eq!(output, expected, "{what}: input {lane} of {length}");
        }
    }
}

#[test]
fn batches_of_every_length() {
    for backend in backends() {
        let haraka = Haraka::with_backend(backend);
        assert_eq!(haraka.backend(), backend);
        every_length(
            &format!("{backend} 256, 5"),
            |input| REFERENCE.haraka256(5, input),
            |i, o| haraka.haraka256_batch::<5>(i, o),
        );
        every_length(
            &format!("{backend} 256, 6"),
            |input| REFERENCE.haraka256(6, input),
            |i, o| haraka.haraka256_batch::<6>(i, o),
        );
        every_length(
            &format!("{backend} 512, 5"),
            |input| REFERENCE.haraka512(5, input),
            |i, o| haraka.haraka512_batch::<5>(i, o),
        );
        every_length(
            &format!("{backend} 512, 6"),
            |input| REFERENCE.haraka512(6, input),
            |i, o| haraka.haraka512_batch::<6>(i, o),
        );
    }
}

/// Compares one, four and eight inputs with the reference, in all lanes.
fn fixed_numbers<const ROUNDS: usize>(haraka: Haraka) {
    let backend = haraka.backend();
    for seed in 0..20 {
        let inputs = inputs::<32>(seed, 8);
        let expected: Vec<_> = inputs.iter().map(|input| REFERENCE.haraka256(ROUNDS, input)).collect();
        assert_eq!(haraka.haraka256_x8::<ROUNDS>(inputs[..].try_into().unwrap())[..], expected, "{backend}");
        assert_eq!(haraka.haraka256_x4::<ROUNDS>(inputs[..4].try_into().unwrap())[..], expected[..4], "{backend}");
        for (input, expected) in inputs.iter().zip(&expected) {
            assert_eq!(haraka.haraka256::<ROUNDS>(input), *expected, "{backend}");
        }
        let inputs = self::inputs::<64>(seed, 8);
        let expected: Vec<_> = inputs.iter().map(|input| REFERENCE.haraka512(ROUNDS, input)).collect();
        assert_eq!(haraka.haraka512_x8::<ROUNDS>(inputs[..].try_into().unwrap())[..], expected, "{backend}");
        assert_eq!(haraka.haraka512_x4::<ROUNDS>(inputs[..4].try_into().unwrap())[..], expected[..4], "{backend}");
        for (input, expected) in inputs.iter().zip(&expected) {
            assert_eq!(haraka.haraka512::<ROUNDS>(input), *expected, "{backend}");
        }
    }
}

#[test]
fn one_four_and_eight() {
    for backend in backends() {
        fixed_numbers::<5>(Haraka::with_backend(backend));
        fixed_numbers::<6>(Haraka::with_backend(backend));
    }
}

#[test]
fn the_functions_use_the_detected_backend() {
    let haraka = Haraka::new();
    assert_eq!(haraka.backend(), AesBackend::detect());
    let (short, long): ([[u8; 32]; 8], [[u8; 64]; 8]) = ([array(1); 8], [array(2); 8]);
    let (short_x4, long_x4) = ([short[0]; 4], [long[0]; 4]);
    assert_eq!(haraka256::<5>(&short[0]), haraka.haraka256::<5>(&short[0]));
    assert_eq!(haraka256_x4::<5>(&short_x4), haraka.haraka256_x4::<5>(&short_x4));
    assert_eq!(haraka256_x8::<6>(&short), haraka.haraka256_x8::<6>(&short));
    assert_eq!(haraka512::<6>(&long[0]), haraka.haraka512::<6>(&long[0]));
    assert_eq!(haraka512_x4::<5>(&long_x4), haraka.haraka512_x4::<5>(&long_x4));
    assert_eq!(haraka512_x8::<5>(&long), haraka.haraka512_x8::<5>(&long));
    let mut outputs = [[0; 32]; 8];
    haraka256_batch::<6>(&short, &mut outputs);
    assert_eq!(outputs, haraka256_x8::<6>(&short));
    haraka512_batch::<5>(&long, &mut outputs);
    assert_eq!(outputs, haraka512_x8::<5>(&long));
}

#[test]
#[should_panic(expected = "one output for each input")]
fn too_few_outputs_are_refused() {
    haraka256_batch::<5>(&[[0; 32]; 3], &mut [[0; 32]; 2]);
}

#[test]
fn constants_of_a_seed() {
    for backend in backends() {
        for length in [0, 16, 24, 31, 32, 33, 100] {
            let seed = test_bytes(length as u64, length);
            let reference = REFERENCE.tweaked(&seed);
            let haraka = TweakedHaraka::with_backend(&seed, backend);
            assert_eq!(haraka.backend(), backend);
            every_length(
                &format!("{backend} 256"),
                |input| reference.haraka256(5, input),
                |i, o| haraka.haraka256_batch(i, o),
            );
            every_length(
                &format!("{backend} 512"),
                |input| reference.haraka512(5, input),
                |i, o| haraka.haraka512_batch(i, o),
            );
            let (short, long) = ([array(3); 8], [array(4); 8]);
            assert_eq!(haraka.haraka256(&short[0]), reference.haraka256(5, &short[0]));
            assert_eq!(haraka.haraka256_x4(&[short[0]; 4]), [reference.haraka256(5, &short[0]); 4]);
            assert_eq!(haraka.haraka256_x8(&short), [reference.haraka256(5, &short[0]); 8]);
            assert_eq!(haraka.haraka512(&long[0]), reference.haraka512(5, &long[0]));
            assert_eq!(haraka.haraka512_x4(&[long[0]; 4]), [reference.haraka512(5, &long[0]); 4]);
            assert_eq!(haraka.haraka512_x8(&long), [reference.haraka512(5, &long[0]); 8]);
        }
    }
}

#[test]
fn published_values() {
    let hash = |haraka: Haraka, rounds: usize, input: &[u8]| match (input.len(), rounds) {
        (32, 5) => haraka.haraka256::<5>(input.try_into().unwrap()),
        (32, 6) => haraka.haraka256::<6>(input.try_into().unwrap()),
        (64, 5) => haraka.haraka512::<5>(input.try_into().unwrap()),
        (64, 6) => haraka.haraka512::<6>(input.try_into().unwrap()),
        other => panic!("no Haraka of {other:?}"),
    };
    let tweaked = |haraka: &TweakedHaraka, input: &[u8]| match input.len() {
        32 => haraka.haraka256(input.try_into().unwrap()),
        _ => haraka.haraka512(input.try_into().unwrap()),
    };
    for backend in backends() {
        for v in sealane_vectors::haraka().vectors {
            let seeded = v.seed.as_ref().map(|seed| TweakedHaraka::with_backend(seed, backend));
            let mut input = v.input.to_vec();
            let mut output = [0; 32];
            for i in 0..v.iterations {
                output = match &seeded {
                    Some(haraka) => tweaked(haraka, &input),
                    None => hash(Haraka::with_backend(backend), v.rounds, &input),
                };
                let half = if input.len() == 64 && i % 2 == 0 { 32 } else { 0 };
                input[half..half + 32].copy_from_slice(&output);
            }
            assert_eq!(output, v.output.array(), "{backend}: {}", v.id);
        }
    }
}
