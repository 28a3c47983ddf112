//! Compares secret sharing of bytes with the reference on every backend: lengths up to several
//! vectors, all points, thresholds up to 255, pieces, and errors.

use sealane::Gf8Family;
use sealane::shamir::Error;
use sealane::shamir::bytes::{Checker, Combiner, Gf8Backend, MAX_SHARES, Refresher, Splitter};
use sealane_spec::shamir_bytes as spec;

use crate::common::{array, backends_of, test_bytes};

#[track_caller]
pub(crate) fn backends() -> Vec<Gf8Backend> {
    backends_of::<Gf8Family>()
}

/// Returns all shares of a secret that is split in pieces, whose lengths repeat `pieces`.
pub(crate) fn split(mut splitter: Splitter, secret: &[u8], pieces: &[usize]) -> Vec<Vec<u8>> {
    let mut shares = vec![vec![0xaa; secret.len()]; splitter.points().len()];
    let mut start = 0;
    for &piece in pieces.iter().cycle() {
        let end = secret.len().min(start + piece);
        let mut buffers: Vec<_> = shares.iter_mut().map(|share| &mut share[start..end]).collect();
        splitter.split(&secret[start..end], &mut buffers).unwrap();
        start = end;
        if start == secret.len() {
            return shares;
        }
    }
    unreachable!("pieces go on for ever")
}

pub(crate) fn slices(shares: &[Vec<u8>]) -> Vec<&[u8]> {
    shares.iter().map(Vec::as_slice).collect()
}

fn combine(points: &[u8], target: u8, shares: &[&[u8]], backend: Gf8Backend) -> Vec<u8> {
    let mut out = vec![0xaa; shares[0].len()];
    Combiner::with_backend(points, target, backend).unwrap().combine(shares, &mut out).unwrap();
    out
}

/// Lengths up to several vectors of the widest backend and an incomplete one.
const LENGTHS: std::ops::RangeInclusive<usize> = 0..=260;

#[test]
fn shares_of_every_length_are_those_of_the_reference() {
    let (seed, secret) = (array(1), test_bytes(2, *LENGTHS.end()));
    for (threshold, points) in [(1, &[9][..]), (2, &[1, 2]), (3, &[1, 2, 3, 4, 5]), (4, &[4, 8, 250, 7, 6])] {
        let expected = spec::split(threshold, points, &seed, 0, &secret);
        for backend in backends() {
            for length in LENGTHS {
                let splitter = Splitter::from_seed_with_backend(threshold, points, &seed, backend).unwrap();
                let shares = split(splitter, &secret[..length], &[length.max(1)]);
                for (share, expected) in shares.iter().zip(&expected) {
                    assert_eq!(share[..], expected[..length], "{threshold} of {points:?}, {length} bytes on {backend}");
                }
            }
        }
    }
}

/// The secrets are longer than two buffers of coefficients at their thresholds.
#[test]
fn shares_of_long_secrets_are_those_of_the_reference() {
    for (threshold, length) in [(2, 33_000), (3, 17_000), (5, 9_001), (100, 300)] {
        let points: Vec<u8> = (1..=100_u32).map(|i| (i * 37 % 251) as u8).collect();
        let points = &points[..threshold.max(12)];
        let (seed, secret) = (array(3), test_bytes(4, length));
        let expected = spec::split(threshold, points, &seed, 0, &secret);
        for backend in backends() {
            let splitter = || Splitter::from_seed_with_backend(threshold, points, &seed, backend).unwrap();
            assert!(split(splitter(), &secret, &[length]) == expected, "{threshold} of {points:?} on {backend}");
            assert!(split(splitter(), &secret, &[64, 1, 700, 63, 5000, 130]) == expected, "in pieces on {backend}");
        }
    }
}

#[test]
fn pieces_of_any_length_give_the_same_shares() {
    let (seed, secret) = (array(5), test_bytes(6, 500));
    for backend in backends() {
        for threshold in [2, 3, 5] {
            let splitter = || Splitter::from_seed_with_backend(threshold, &[1, 2, 3, 4, 17], &seed, backend).unwrap();
            let whole = split(splitter(), &secret, &[500]);
            for piece in 1..=200 {
                assert!(split(splitter(), &secret, &[piece]) == whole, "{threshold}, pieces of {piece} on {backend}");
            }
            assert!(split(splitter(), &secret, &[0, 3, 61, 64, 1, 128]) == whole);
        }
    }
}

/// The secret has two blocks, the second with one byte.
#[test]
fn every_point_is_right_at_low_and_high_thresholds() {
    let (seed, secret) = (array(7), test_bytes(8, 65));
    let points: Vec<u8> = (1..=255).rev().collect();
    let thresholds = [1, 2, 3, 4, 5, 8, 17, 18, 100, 255];
    let expected: Vec<_> = thresholds.iter().map(|&k| spec::split(k, &points, &seed, 0, &secret)).collect();
    for backend in backends() {
        for (&threshold, expected) in thresholds.iter().zip(&expected) {
            let splitter = Splitter::from_seed_with_backend(threshold, &points, &seed, backend).unwrap();
            let shares = split(splitter, &secret, &[65]);
            assert!(shares == *expected, "{threshold} of 255 on {backend}");
            // Combines the last shares, so that each threshold uses a different set of points.
            let chosen = 255 - threshold..;
            let slices = slices(&shares[chosen.clone()]);
            assert_eq!(combine(&points[chosen], 0, &slices, backend), secret, "{threshold} of 255 on {backend}");
        }
    }
}

#[test]
fn any_number_of_shares_of_any_length_combine_as_in_the_reference() {
    let points: [u8; 11] = [200, 1, 2, 3, 5, 90, 4, 255, 128, 16, 17];
    let inputs: Vec<_> = (0..11).map(|i| test_bytes(10 + i, 260)).collect();
    for count in 1..=points.len() {
        for target in [0, 3, 77] {
            let expected = spec::interpolate(&points[..count], &slices(&inputs[..count]), target);
            for backend in backends() {
                for length in LENGTHS {
                    let slices: Vec<_> = inputs[..count].iter().map(|input| &input[..length]).collect();
                    let out = combine(&points[..count], target, &slices, backend);
                    assert_eq!(out, expected[..length], "{count} shares, {length} bytes, at {target} on {backend}");
                }
            }
        }
    }
}

#[test]
fn long_shares_combine() {
    let (secret, points) = (test_bytes(20, 20_000), [3, 1, 4, 15, 92, 65, 35, 89, 79, 32]);
    for backend in backends() {
        let shares =
            split(Splitter::from_seed_with_backend(7, &points, &array(21), backend).unwrap(), &secret, &[20_000]);
        assert!(combine(&points[2..9], 0, &slices(&shares)[2..9], backend) == secret, "{backend}");
        assert!(combine(&points, 0, &slices(&shares), backend) == secret, "more than it takes, on {backend}");
        assert!(combine(&points[..7], 79, &slices(&shares)[..7], backend) == shares[8], "reissued on {backend}");
        assert!(combine(&points[..6], 0, &slices(&shares)[..6], backend) != secret, "too few on {backend}");
    }
}

#[test]
fn refreshed_shares_are_the_sum_with_shares_of_zero() {
    for (threshold, points) in [(1, &[9][..]), (2, &[1, 2]), (3, &[1, 2, 3, 4, 5, 19]), (5, &[4, 8, 250, 7, 6, 5])] {
        let (seed, secret) = (array(30), test_bytes(31, 9000));
        let old = spec::split(threshold, points, &array(32), 0, &secret);
        let zero = spec::split(threshold, points, &seed, 1, &[0; 9000]);
        for backend in backends() {
            for pieces in [&[9000][..], &[1, 63, 64, 100, 3000]] {
                let mut refresher = Refresher::from_seed_with_backend(threshold, points, &seed, backend).unwrap();
                let mut shares = old.clone();
                let mut rests: Vec<&mut [u8]> = shares.iter_mut().map(Vec::as_mut_slice).collect();
                for &piece in pieces.iter().cycle() {
                    let length = piece.min(rests[0].len());
                    let mut buffers: Vec<_> =
                        rests.iter_mut().map(|rest| rest.split_off_mut(..length).unwrap()).collect();
                    refresher.refresh(&mut buffers).unwrap();
                    if rests[0].is_empty() {
                        break;
                    }
                }
                for ((share, old), zero) in shares.iter().zip(&old).zip(&zero) {
                    assert!(*share == crate::common::xor(old, zero), "{threshold} of {points:?} on {backend}");
                }
                assert!(combine(&points[..threshold], 0, &slices(&shares)[..threshold], backend) == secret);
            }
        }
    }
}

#[test]
fn short_secrets_are_restored_from_all_small_sharings() {
    for backend in backends() {
        for count in 1..=12 {
            let points: Vec<u8> = (1..=count).collect();
            for threshold in 1..=usize::from(count) {
                let secret = test_bytes(u64::from(count), 32);
                let splitter =
                    Splitter::from_seed_with_backend(threshold, &points, &array(threshold as u64), backend).unwrap();
                let shares = split(splitter, &secret, &[32]);
                for first in 0..=usize::from(count) - threshold {
                    let chosen = first..first + threshold;
                    assert_eq!(combine(&points[chosen.clone()], 0, &slices(&shares[chosen]), backend), secret);
                }
            }
        }
    }
}

#[test]
fn every_wrong_parameter_has_its_error() {
    let backend = Gf8Backend::detect();
    let from_seed =
        |threshold, points: &[u8]| Splitter::from_seed_with_backend(threshold, points, &[0; 32], backend).err();
    let too_many = Error::TooManyShares { count: 256, maximum: MAX_SHARES };
    assert_eq!(from_seed(0, &[1]), Some(Error::ZeroThreshold));
    assert_eq!(from_seed(0, &[]), Some(Error::ZeroThreshold));
    assert_eq!(from_seed(1, &[]), Some(Error::ThresholdAboveCount { threshold: 1, count: 0 }));
    assert_eq!(from_seed(3, &[1, 2]), Some(Error::ThresholdAboveCount { threshold: 3, count: 2 }));
    assert_eq!(from_seed(1, &[1; 256]), Some(too_many));
    assert_eq!(from_seed(1, &[1, 2, 0, 3]), Some(Error::ZeroPoint { index: 2 }));
    assert_eq!(from_seed(1, &[200, 2, 4, 200]), Some(Error::DuplicatePoint { index: 3 }));
    let refresher = Refresher::from_seed_with_backend(2, &[1, 1], &[0; 32], backend).err();
    assert_eq!(refresher, Some(Error::DuplicatePoint { index: 1 }));
    assert_eq!(Combiner::new(&[]).err(), Some(Error::TooFewShares { needed: 1, given: 0 }));
    assert_eq!(Combiner::new(&[0]).err(), Some(Error::ZeroPoint { index: 0 }));
    assert_eq!(Combiner::at(&[7, 7], 1).err(), Some(Error::DuplicatePoint { index: 1 }));
    assert_eq!(Combiner::at(&[1; 256], 1).err(), Some(too_many));
    assert_eq!(Checker::new(0, &[1]).err(), Some(Error::ZeroThreshold));
    assert_eq!(Checker::new(2, &[1]).err(), Some(Error::TooFewShares { needed: 2, given: 1 }));
    assert_eq!(Checker::new(2, &[1, 2, 2]).err(), Some(Error::DuplicatePoint { index: 2 }));
}

#[cfg(feature = "getrandom")]
#[test]
fn constructors_with_random_seeds_check_parameters() {
    let too_many = Error::TooManyShares { count: 256, maximum: MAX_SHARES };
    assert_eq!(Splitter::new(1, 256).err(), Some(too_many));
    assert_eq!(
        Splitter::new(usize::MAX, usize::MAX).err(),
        Some(Error::TooManyShares { count: usize::MAX, maximum: 255 })
    );
    assert_eq!(Splitter::new(0, 5).err(), Some(Error::ZeroThreshold));
    assert_eq!(Refresher::new(6, 5).err(), Some(Error::ThresholdAboveCount { threshold: 6, count: 5 }));
    assert_eq!(Splitter::with_points(1, &[0]).err(), Some(Error::ZeroPoint { index: 0 }));
    assert_eq!(Splitter::new(255, 255).unwrap().points(), (1..=255).collect::<Vec<u8>>());
}

#[test]
fn buffers_of_wrong_lengths_are_refused_and_not_changed() {
    let backend = Gf8Backend::detect();
    let mut splitter = Splitter::from_seed_with_backend(2, &[1, 2], &[0; 32], backend).unwrap();
    let mut refresher = Refresher::from_seed_with_backend(2, &[1, 2], &[0; 32], backend).unwrap();
    let combiner = Combiner::with_backend(&[1, 2], 0, backend).unwrap();
    let mut checker = Checker::with_backend(1, &[1, 2], backend).unwrap();
    let (mut a, mut b, mut c) = ([7; 4], [7; 4], [7; 5]);
    let wrong_number = |given| Err(Error::WrongNumberOfShares { expected: 2, given });

    assert_eq!(splitter.split(&[1; 4], &mut [&mut a]), wrong_number(1));
    assert_eq!(splitter.split(&[1; 4], &mut [&mut a, &mut c]), Err(Error::UnequalLengths));
    assert_eq!(splitter.split(&[1; 5], &mut [&mut a, &mut b]), Err(Error::UnequalLengths));
    assert_eq!(refresher.refresh(&mut []), wrong_number(0));
    assert_eq!(refresher.refresh(&mut [&mut a, &mut c]), Err(Error::UnequalLengths));
    assert_eq!(combiner.combine(&[&a, &b, &a], &mut c[..4]), wrong_number(3));
    assert_eq!(combiner.combine(&[&a, &b], &mut c), Err(Error::UnequalLengths));
    assert_eq!(checker.check(&[&a]), wrong_number(1));
    assert_eq!(checker.check(&[&a, &c]), Err(Error::UnequalLengths));
    assert_eq!((a, b, c), ([7; 4], [7; 4], [7; 5]));
}
