//! Haraka: all inputs are secret; the seed of a tweak is public.

use sealane::haraka::{Backend, Haraka, HarakaS, TweakedHaraka};

use crate::{public, secret};

/// As many inputs as reach the groups of every size, and single hashes.
const COUNTS: [usize; 5] = [1, 2, 8, 13, 31];
/// Bytes of messages for the sponge.
const LENGTHS: [usize; 4] = [0, 31, 64, 200];

pub(crate) fn run(backend: Backend) {
    let haraka = Haraka::with_backend(backend);
    let tweaked = TweakedHaraka::with_backend(b"public seed", backend);
    public(haraka.haraka256::<5>(&secret([1; 32])));
    public(haraka.haraka256::<6>(&secret([1; 32])));
    public(haraka.haraka512::<5>(&secret([1; 64])));
    public(haraka.haraka512::<6>(&secret([1; 64])));
    for count in COUNTS {
        hash_many::<32>(count, |inputs, outputs| haraka.haraka256_batch::<5>(inputs, outputs));
        hash_many::<32>(count, |inputs, outputs| haraka.haraka256_batch::<6>(inputs, outputs));
        hash_many::<64>(count, |inputs, outputs| haraka.haraka512_batch::<5>(inputs, outputs));
        hash_many::<64>(count, |inputs, outputs| haraka.haraka512_batch::<6>(inputs, outputs));
        hash_many::<64>(count, |inputs, outputs| tweaked.haraka512_batch(inputs, outputs));
    }
    for length in LENGTHS {
        let message = secret(vec![1; length]);
        let mut output = [0; 70];
        HarakaS::with_backend(backend).chain(&message).finish().squeeze(&mut output);
        public(output.to_vec());
    }
}

fn hash_many<const IN: usize>(count: usize, hash: impl Fn(&[[u8; IN]], &mut [[u8; 32]])) {
    let inputs = vec![secret([1; IN]); count];
    let mut outputs = vec![[0; 32]; count];
    hash(&inputs, &mut outputs);
    outputs.into_iter().for_each(public);
}
