//! Secret sharing: the secret, the seed of the coefficients and all shares are secret. Points are public.

use sealane::shamir::bytes::{Backend, Checker, Combiner, Refresher, Splitter};

use crate::{public, secret};

/// Thresholds that reach every kernel, and points in two groups of eight.
const THRESHOLDS: [usize; 4] = [1, 2, 3, 5];
const POINTS: [u8; 6] = [1, 2, 3, 7, 0x8d, 0x88];
/// Lengths in bytes with and without a part of a block or vector, and with both buffers for coefficients.
const LENGTHS: [usize; 6] = [1, 16, 64, 100, 1000, 9000];

fn shares(backend: Backend, threshold: usize, length: usize) -> Vec<Vec<u8>> {
    let mut shares = vec![vec![0; length]; POINTS.len()];
    let whole = secret(vec![1; length]);
    let (first, rest) = whole.split_at(length / 3);
    let mut splitter = Splitter::from_seed(threshold, &POINTS, &secret([2; 32]), backend).expect("a sharing");
    let mut buffers: Vec<_> = shares.iter_mut().map(|share| &mut share[..length / 3]).collect();
    splitter.split(first, &mut buffers).expect("a piece of each share");
    let mut buffers: Vec<_> = shares.iter_mut().map(|share| &mut share[length / 3..]).collect();
    splitter.split(rest, &mut buffers).expect("a piece of each share");
    shares
}

fn slices(shares: &[Vec<u8>]) -> Vec<&[u8]> {
    shares.iter().map(Vec::as_slice).collect()
}

pub(crate) fn share_and_combine(backend: Backend) {
    for threshold in THRESHOLDS {
        for length in LENGTHS {
            let mut shares = shares(backend, threshold, length);
            let mut refresher = Refresher::from_seed(threshold, &POINTS, &secret([3; 32]), backend).expect("a sharing");
            let mut buffers: Vec<_> = shares.iter_mut().map(Vec::as_mut_slice).collect();
            refresher.refresh(&mut buffers).expect("whole shares");
            for (count, target) in [(threshold, 0), (POINTS.len(), 9)] {
                let mut out = vec![0; length];
                let combiner = Combiner::with_backend(&POINTS[..count], target, backend).expect("points");
                combiner.combine(&slices(&shares)[..count], &mut out).expect("whole shares");
                public(out);
            }
        }
    }
}

/// Ends with branches on whether the shares are consistent, as they are.
pub(crate) fn check(backend: Backend) {
    for threshold in THRESHOLDS {
        let shares = shares(backend, threshold, 5000);
        Checker::with_backend(threshold, &POINTS, backend).expect("points").check(&slices(&shares)).expect("shares");
    }
}
