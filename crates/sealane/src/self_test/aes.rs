//! Haraka: the known answers that a backend must give before it is used.

use sealane_simd::AesLevel;

use super::absorb;
use crate::backend::{AesFamily, Family};
use crate::haraka::{HarakaS, bytes_32, bytes_64, constants_of_5_rounds};

impl Family for AesFamily {
    type Level = AesLevel;
    const PRIMITIVES: &'static [&'static str] = &["haraka256", "haraka512", "haraka-s"];

    fn gives_known_answers(level: AesLevel, primitive: usize) -> bool {
        match primitive {
            0 => {
                let one = |input: &_| bytes_32::one_5(level, constants_of_5_rounds(), input);
                let many =
                    |inputs: &[_], outputs: &mut [_]| bytes_32::many_5(level, constants_of_5_rounds(), inputs, outputs);
                hash_digest::<32>(one, many) == HARAKA256_DIGEST
            }
            1 => {
                let one = |input: &_| bytes_64::one_5(level, constants_of_5_rounds(), input);
                let many =
                    |inputs: &[_], outputs: &mut [_]| bytes_64::many_5(level, constants_of_5_rounds(), inputs, outputs);
                hash_digest::<64>(one, many) == HARAKA512_DIGEST
            }
            _ => {
                let sponge = |message: &[u8], output: &mut [u8]| {
                    HarakaS::with_constants(level, constants_of_5_rounds()).chain(message).finish().squeeze(output);
                };
                sponge_digest(sponge) == HARAKA_S_DIGEST
            }
        }
    }

    caches!(AesLevel);
}

/// Numbers of inputs that are hashed together. On each backend, they are split into groups of every
/// size, down to single hashes.
const COUNTS: [usize; 5] = [1, 8, 13, 31, 32];
const MAX_COUNT: usize = 32;
/// Lengths in bytes of the sponge's messages. [`OUTPUT`] is the length of its output.
const LENGTHS: [usize; 3] = [0, 31, 64];
const MAX_LENGTH: usize = 64;
const OUTPUT: usize = 70;

const HARAKA256_DIGEST: u64 = 10_482_199_016_562_223_604;
const HARAKA512_DIGEST: u64 = 9_465_958_247_421_664_707;
const HARAKA_S_DIGEST: u64 = 12_897_076_695_271_558_962;

fn hash_digest<const IN: usize>(
    one: impl Fn(&[u8; IN]) -> [u8; 32],
    many: impl Fn(&[[u8; IN]], &mut [[u8; 32]]),
) -> u64 {
    let mut inputs = [[0; IN]; MAX_COUNT];
    for (i, byte) in inputs.as_flattened_mut().iter_mut().enumerate() {
        *byte = ((i * i) >> 3) as u8;
    }
    let mut outputs = [[0; 32]; MAX_COUNT];
    let digest = absorb(0, &one(&inputs[0]));
    COUNTS.into_iter().fold(digest, |digest, count| {
        many(&inputs[..count], &mut outputs[..count]);
        absorb(digest, outputs[..count].as_flattened())
    })
}

fn sponge_digest(mut sponge: impl FnMut(&[u8], &mut [u8])) -> u64 {
    let mut output = [0; OUTPUT];
    LENGTHS.into_iter().fold(0, |digest, length| {
        sponge(&[0x5a; MAX_LENGTH][..length], &mut output);
        absorb(digest, &output)
    })
}

#[cfg(feature = "checks")]
pub(super) fn check_every_level() {
    use crate::backend::SelfTestOf;
    use sealane_simd::LevelList;
    for level in AesLevel::available() {
        for (primitive, name) in AesFamily::PRIMITIVES.iter().enumerate() {
            assert!(AesFamily::gives_known_answers(level, primitive), "{name} on {level:?}");
        }
        assert!(SelfTestOf::<AesFamily>::of(level).passed());
    }
}

#[cfg(test)]
mod tests {
    use sealane_spec::haraka::Haraka;

    use super::*;

    #[test]
    fn the_known_answers_are_those_of_the_reference() {
        let reference = Haraka::new();
        let haraka256 = |input: &_| reference.haraka256(5, input);
        let digest = hash_digest(haraka256, |inputs, outputs| {
            outputs.iter_mut().zip(inputs).for_each(|(output, input)| *output = haraka256(input));
        });
        assert_eq!(digest, HARAKA256_DIGEST);
        let haraka512 = |input: &_| reference.haraka512(5, input);
        let digest = hash_digest(haraka512, |inputs, outputs| {
            outputs.iter_mut().zip(inputs).for_each(|(output, input)| *output = haraka512(input));
        });
        assert_eq!(digest, HARAKA512_DIGEST);
        let sponge = sponge_digest(|message, output| {
            output.copy_from_slice(&reference.haraka_s(message, output.len()));
        });
        assert_eq!(sponge, HARAKA_S_DIGEST);
    }
}
