//! Bytes times a constant in GF(2^8): both are secret.

use sealane::gf8::Backend;

use crate::{public, secret};

/// Lengths in bytes with and without a part of a vector.
const LENGTHS: [usize; 7] = [0, 1, 16, 31, 64, 100, 1000];

pub(crate) fn run(backend: Backend) {
    for length in LENGTHS {
        let [constant] = secret([0x53]);
        let mut product = secret(vec![1; length]);
        let mut sum = secret(vec![2; length]);
        backend.multiply_slice(constant, &mut product);
        backend.multiply_add_slice(constant, &product, &mut sum);
        public(product);
        public(sum);
    }
}
