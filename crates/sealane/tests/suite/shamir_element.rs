//! Shamir's secret sharing of one element: on every backend, with every subset of shares, and with
//! every kind of error.

use std::collections::BTreeSet;
use std::convert::Infallible;

use rand_core::{SeedableRng, TryCryptoRng, TryRng};
use sealane::chacha20::ChaCha20Rng;
use sealane::gf2n::{ClmulBackend, ClmulFamily, Degree, Element, Field, Gf2n, Gf8, Gf16, Gf128, Gf256};
use sealane::shamir::{Error, element, element::Share};
use sealane_spec::shamir_element;

use crate::common::backends_of;
use crate::fields::for_every_field;
use crate::gf2n::element as element_of;

fn rng(seed: u8) -> ChaCha20Rng {
    ChaCha20Rng::from_seed([seed; 32])
}

/// A generator of the same byte.
struct Stuck(u8);

impl TryRng for Stuck {
    type Error = Infallible;

    fn try_next_u32(&mut self) -> Result<u32, Infallible> {
        Ok(u32::from_le_bytes([self.0; 4]))
    }

    fn try_next_u64(&mut self) -> Result<u64, Infallible> {
        Ok(u64::from_le_bytes([self.0; 8]))
    }

    fn try_fill_bytes(&mut self, bytes: &mut [u8]) -> Result<(), Infallible> {
        bytes.fill(self.0);
        Ok(())
    }
}

impl TryCryptoRng for Stuck {}

fn split<F: Field>(seed: u8, threshold: usize, count: usize) -> (Element<F>, Vec<Share<F>>) {
    let secret = element_of(u64::from(seed) + 1);
    let points = element::compact_points(count).unwrap();
    let shares =
        element::split_with_rng_and_backend(&secret, threshold, &points, &mut rng(seed), ClmulBackend::detect())
            .unwrap();
    (secret, shares)
}

/// Returns all subsets with `size` members.
fn subsets<T: Clone>(items: &[T], size: usize) -> Vec<Vec<T>> {
    let sets = (0_u32..1 << items.len()).filter(|set| set.count_ones() as usize == size);
    sets.map(|set| (0..items.len()).filter(|i| set >> i & 1 == 1).map(|i| items[i].clone()).collect()).collect()
}

fn bytes<F: Field>(element: &Element<F>) -> Vec<u8> {
    element.to_bytes().as_ref().to_vec()
}

#[test]
fn every_subset_of_k_shares_restores_the_secret() {
    fn check<F: Field>() {
        for backend in backends_of::<ClmulFamily>() {
            for points in [
                element::compact_points::<F>(5).unwrap(),
                element::random_points_with_rng::<F>(5, &mut rng(1)).unwrap(),
            ] {
                for threshold in [1, 3, 5] {
                    let secret = element_of::<F>(7);
                    let shares =
                        element::split_with_rng_and_backend(&secret, threshold, &points, &mut rng(9), backend).unwrap();
                    for subset in (threshold..=5).flat_map(|size| subsets(&shares, size)) {
                        assert!(element::reconstruct_with_backend(threshold, &subset, backend).unwrap() == secret);
                        for share in &shares {
                            let reissued =
                                element::reconstruct_at_with_backend(threshold, &subset, share.point(), backend);
                            assert!(reissued.unwrap() == *share, "{} on {backend}", F::BITS);
                        }
                    }
                }
            }
        }
    }
    check::<Degree<8>>();
    check::<Degree<64>>();
    check::<Degree<128>>();
    check::<Degree<192>>();
    check::<Degree<256>>();
    check::<Degree<512>>();
}

/// The shares equal the reference's for the same coefficients, which come from the generator.
#[test]
fn shares_are_those_of_the_reference() {
    fn check<F: Field>() {
        let (count, threshold) = (6, 4);
        let secret = element_of::<F>(3);
        let points = element::random_points_with_rng::<F>(count, &mut rng(2)).unwrap();
        let mut coefficients = vec![bytes(&secret)];
        let mut generator = rng(5);
        coefficients.extend((1..threshold).map(|_| bytes(&Element::<F>::random(&mut generator))));
        for backend in backends_of::<ClmulFamily>() {
            let shares =
                element::split_with_rng_and_backend(&secret, threshold, &points, &mut rng(5), backend).unwrap();
            for share in &shares {
                let expected = shamir_element::evaluate(F::BITS, &coefficients, &bytes(share.point()));
                assert_eq!(bytes(share.value()), expected, "{} on {backend}", F::BITS);
            }
            let pairs: Vec<_> = shares[1..5].iter().map(|share| (bytes(share.point()), bytes(share.value()))).collect();
            assert_eq!(shamir_element::interpolate_at_zero(F::BITS, &pairs), bytes(&secret));
        }
    }
    check::<Degree<8>>();
    check::<Degree<128>>();
    check::<Degree<192>>();
    check::<Degree<384>>();
}

/// The value at 0 is the reference's, and the value at another target is the one by Lagrange's
/// formula. Points of low degree are interpolated in another way, so points on both sides of that
/// limit are tried.
#[test]
fn points_of_any_size_are_interpolated() {
    fn check<F: Field>() {
        let largest = if F::BITS < 64 { (1 << F::BITS) - 1 } else { u64::MAX };
        let sets: [&[u64]; 16] = [
            &[1],
            &[u64::MAX],
            &[1, 2],
            &[2, u64::MAX],
            &[1 << 63, u64::MAX],
            &[253, 254, 255],
            &[1, (1 << 22) - 1, 1 << 21],
            &[1, (1 << 23) - 1, 1 << 22],
            &[0xf1, 0x80, 0xd3, 0xff],
            &[127, 1, 64, 99, 100],
            &[127, 1, 128, 99, 100],
            &[31, 30, 29, 28, 17, 16],
            &[1, 2, 3, 4, 5, 6, 7],
            &[9, 10, 11, 12, 13, 14, 15],
            &[1, 2, 3, 4, 5, 6, 7, 8],
            &[255, 254, 253, 252, 251, 250, 249, 248, 247],
        ];
        for points in sets {
            // Points that are too large for a small field are left out.
            let within = points.iter().filter(|bits| **bits <= largest);
            let points: Vec<Element<F>> = within.map(|&bits| Element::from_bits(bits).unwrap()).collect();
            let threshold = points.len();
            if threshold == 0 {
                continue;
            }
            let values: Vec<Element<F>> = (0..threshold as u64).map(|i| element_of(i + 40)).collect();
            let shares: Vec<_> = points.iter().zip(&values).map(|(x, y)| Share::new(*x, *y).unwrap()).collect();
            let pairs: Vec<_> = points.iter().zip(&values).map(|(x, y)| (bytes(x), bytes(y))).collect();
            let secret = shamir_element::interpolate_at_zero(F::BITS, &pairs);
            for backend in backends_of::<ClmulFamily>() {
                let value = element::reconstruct_with_backend(threshold, &shares, backend).unwrap();
                assert_eq!(bytes(&value), secret, "{} points in {} on {backend}", threshold, F::BITS);
                for target in [128, 200].map(|bits| Element::from_bits(bits).unwrap()) {
                    if points.contains(&target) {
                        continue;
                    }
                    let (mut weights, mut scratch) = (values.clone(), values.clone());
                    backend.lagrange_weights(&points, &target, &mut weights, &mut scratch);
                    let expected = backend.dot_product(&weights, &values);
                    let share = element::reconstruct_at_with_backend(threshold, &shares, &target, backend).unwrap();
                    assert!(*share.value() == expected, "{} points in {} on {backend}", threshold, F::BITS);
                }
            }
        }
    }
    for_every_field!(check());
}

/// Tries every pair of compact points of 8 bits, and many sets of three and of four points.
#[test]
fn compact_points_are_interpolated() {
    let points = element::compact_points::<Degree<256>>(255).unwrap();
    let secret = element_of::<Degree<256>>(1);
    let backend = ClmulBackend::detect();
    for threshold in [2, 3, 4] {
        let shares = element::split_with_rng_and_backend(&secret, threshold, &points, &mut rng(1), backend).unwrap();
        for first in 0..255_usize {
            for second in 0..first {
                let further =
                    (0_usize..).map(|i| first.wrapping_mul(7 + i) % 255).filter(|i| ![first, second].contains(i));
                let chosen: Vec<_> = [first, second].into_iter().chain(further.take(threshold - 2)).collect();
                let chosen: Vec<_> = chosen.iter().map(|&i: &usize| shares[i].clone()).collect();
                match element::reconstruct_with_backend(threshold, &chosen, backend) {
                    // Two of the further points can be the same one.
                    Err(Error::DuplicatePoint { .. }) => assert_eq!(threshold, 4),
                    value => assert!(value == Ok(secret), "points {first}, {second}, …"),
                }
            }
        }
    }
}

/// Coefficients are uniform over the whole field. This test fails for coefficients from 1..=255,
/// which are never zero.
#[test]
fn coefficients_are_uniform_zero_included() {
    const ROUNDS: usize = 256 * 400;
    let secret = Gf8::from_bytes(&[0xa7]);
    let points = element::compact_points(3).unwrap();
    // Counts the values of the coefficients of x and of x^2, the top one, with a threshold of 3.
    let mut counts = [[0_u32; 256]; 2];
    let mut generator = rng(77);
    for _ in 0..ROUNDS {
        let shares =
            element::split_with_rng_and_backend(&secret, 3, &points, &mut generator, ClmulBackend::detect()).unwrap();
        // y(x) = s + a·x + b·x²: y(1) + y(2) + y(3) = s + a·(1+2+3) + b·(1+4+5), where 1+2+3 = 0
        // and 1+4+5 = 0. The third share therefore follows from the secret and the first two, which
        // give two equations for a and b.
        let one = *shares[0].value() + secret;
        let two = *shares[1].value() + secret;
        // one = a + b; two = 2a + 4b; two + 2·one = 6b.
        let x = Gf8::from_bytes(&[2]);
        let b = (two + x * one) * Gf8::from_bytes(&[6]).invert().unwrap();
        let a = one + b;
        counts[0][usize::from(a.to_bytes()[0])] += 1;
        counts[1][usize::from(b.to_bytes()[0])] += 1;
    }
    let expected = ROUNDS as f64 / 256.0;
    for counts in counts {
        assert!(counts[0] > 0, "zero never occurs");
        let chi_squared: f64 = counts.iter().map(|&count| (f64::from(count) - expected).powi(2) / expected).sum();
        // 255 degrees of freedom: mean 255, deviation 22.6. If zero never occurred, that alone
        // would add 400.
        assert!((140.0..370.0).contains(&chi_squared), "{chi_squared}");
    }
}

#[test]
fn fewer_shares_than_the_threshold_give_another_value() {
    let (secret, shares) = split::<Degree<256>>(4, 4, 6);
    for subset in subsets(&shares, 3) {
        assert!(element::reconstruct(3, &subset).unwrap() != secret);
        assert_eq!(element::reconstruct(4, &subset), Err(Error::TooFewShares { needed: 4, given: 3 }));
    }
    assert_eq!(element::reconstruct(3, &shares), Err(Error::InconsistentShares), "a threshold that is too low");
}

#[test]
fn parameters_that_are_refused() {
    let secret = Gf8::ONE;
    let points = element::compact_points::<Degree<8>>(255).unwrap();
    let split = |threshold, points: &[Gf8]| {
        element::split_with_rng_and_backend(&secret, threshold, points, &mut rng(1), ClmulBackend::detect())
            .map(|shares| shares.len())
    };
    assert_eq!(split(255, &points), Ok(255));
    assert_eq!(split(0, &points), Err(Error::ZeroThreshold));
    assert_eq!(split(4, &points[..3]), Err(Error::ThresholdAboveCount { threshold: 4, count: 3 }));
    assert_eq!(split(1, &[]), Err(Error::ThresholdAboveCount { threshold: 1, count: 0 }));
    let too_many = Error::TooManyShares { count: 256, maximum: 255 };
    assert_eq!(element::compact_points::<Degree<8>>(256), Err(too_many));
    assert_eq!(element::random_points_with_rng::<Degree<8>>(256, &mut rng(1)), Err(too_many));
    for byte in [0, 7] {
        let points = element::random_points_with_rng::<Degree<128>>(2, &mut Stuck(byte));
        assert_eq!(points, Err(Error::SystemRandomness));
    }
    assert_eq!(split(2, &[&points[..], &points[..1]].concat()), Err(too_many));
    assert_eq!(split(2, &[points[4], points[2], Gf8::ZERO, points[0]]), Err(Error::ZeroPoint { index: 2 }));
    assert_eq!(split(2, &[points[4], points[2], points[0], points[2]]), Err(Error::DuplicatePoint { index: 3 }));
    assert_eq!(
        element::compact_points::<Degree<16>>(65_536).err(),
        Some(Error::TooManyShares { count: 65_536, maximum: 65_535 })
    );
    assert!(element::compact_points::<Degree<16>>(65_535).unwrap().last() == Gf16::from_bits(65_535).as_ref());
}

#[test]
fn shares_that_are_refused() {
    let (_, shares) = split::<Degree<128>>(3, 2, 4);
    assert_eq!(element::reconstruct(0, &shares), Err(Error::ZeroThreshold));
    assert_eq!(element::reconstruct(5, &shares), Err(Error::TooFewShares { needed: 5, given: 4 }));
    let twice = [shares[0].clone(), shares[1].clone(), shares[0].clone()];
    assert_eq!(element::reconstruct(2, &twice), Err(Error::DuplicatePoint { index: 2 }));
    assert_eq!(Share::new(Gf128::ZERO, Gf128::ONE).err(), Some(Error::ZeroPoint { index: 0 }));
    assert_eq!(element::reconstruct_at(2, &shares, &Gf128::ZERO).err(), Some(Error::ZeroPoint { index: 0 }));
    assert_eq!(format!("{:?}", shares[0]), "Share { bits: 128, .. }");
}

/// With k + 2·e shares, any e bad ones are named. With one fewer share, they are still detected.
#[test]
fn bad_shares_are_named() {
    fn check<F: Field>() {
        let threshold = 3;
        for errors in 1..=3_usize {
            let (secret, shares) = split::<F>(6, threshold, threshold + 2 * errors);
            for bad in subsets(&(0..shares.len()).collect::<Vec<_>>(), errors) {
                let mut forged = shares.clone();
                for &i in &bad {
                    let value = *shares[i].value() + element_of::<F>(50 + i as u64);
                    forged[i] = Share::new(*shares[i].point(), value).unwrap();
                }
                assert_eq!(element::bad_shares(threshold, &forged), Ok(bad.clone()));
                let named = Error::BadShares { first: bad[0], count: errors };
                assert_eq!(element::reconstruct(threshold, &forged), Err(named));
                forged.remove((0..shares.len()).find(|i| !bad.contains(i)).unwrap());
                assert!(element::reconstruct(threshold, &forged).is_err());
                let good: Vec<_> = (0..shares.len()).filter(|i| !bad.contains(i)).map(|i| shares[i].clone()).collect();
                assert!(element::reconstruct(threshold, &good) == Ok(secret));
            }
        }
    }
    check::<Degree<64>>();
    check::<Degree<256>>();
    let (_, shares) = split::<Degree<256>>(8, 3, 5);
    assert_eq!(element::bad_shares(3, &shares), Ok(vec![]));
    assert_eq!(element::bad_shares(3, &shares[..3]), Ok(vec![]));
    // One share more than the threshold: one is bad, but it could be any of them.
    let mut forged = shares[..4].to_vec();
    forged[2] = Share::new(*shares[2].point(), Gf256::ONE).unwrap();
    assert_eq!(element::reconstruct(3, &forged), Err(Error::InconsistentShares));
    assert_eq!(element::bad_shares(3, &forged), Err(Error::InconsistentShares));
}

#[test]
fn refreshed_shares_keep_the_secret_and_do_not_mix_with_old_ones() {
    let (secret, before) = split::<Degree<256>>(2, 3, 5);
    let mut after = before.clone();
    element::refresh_with_rng_and_backend(3, &mut after, &mut rng(21), ClmulBackend::detect()).unwrap();
    assert!(before.iter().zip(&after).all(|(before, after)| before.value() != after.value()));
    for subset in subsets(&after, 3) {
        assert!(element::reconstruct(3, &subset) == Ok(secret));
    }
    let mixed = [before[0].clone(), after[1].clone(), after[2].clone(), after[3].clone(), after[4].clone()];
    assert_eq!(element::reconstruct(3, &mixed), Err(Error::BadShares { first: 0, count: 1 }));
    assert!(element::reconstruct(3, &mixed[..3]) != Ok(secret));

    let points: Vec<_> = before.iter().map(|share| *share.point()).collect();
    let zero = element::zero_shares_with_rng_and_backend(3, &points, &mut rng(22), ClmulBackend::detect()).unwrap();
    assert!(element::reconstruct(3, &zero) == Ok(Gf256::ZERO));
    assert_eq!(after[0].clone().refresh(&zero[1]), Err(Error::OtherPoint));
}

#[test]
fn random_points_are_distinct_and_not_zero() {
    let mut points = element::random_points_with_rng::<Degree<8>>(255, &mut rng(3)).unwrap();
    assert!(points.first() != Some(&Gf8::ONE) || points.get(1) != Gf8::from_bits(2).as_ref(), "not in order");
    points.sort_by_key(Gf2n::to_bytes);
    assert!(points == element::compact_points(255).unwrap());
    // The last points of this field take tens of thousands of draws each.
    let points = element::random_points_with_rng::<Degree<16>>(65_535, &mut rng(3)).unwrap();
    let distinct: BTreeSet<_> = points.iter().map(Gf2n::to_bytes).collect();
    assert!(distinct.len() == 65_535 && !points.contains(&Gf16::ZERO));
}

#[test]
fn counts_that_no_slice_can_have_are_refused() {
    let count = usize::MAX;
    let refused = |result: Result<Vec<_>, _>| matches!(result, Err(Error::TooManyShares { count: usize::MAX, .. }));
    assert!(refused(element::random_points_with_rng::<Degree<64>>(count, &mut rng(1))));
    assert!(refused(element::compact_points::<Degree<64>>(count)));
    assert!(element::compact_points::<Degree<256>>(count).is_err());
}

#[cfg(feature = "getrandom")]
#[test]
fn the_generator_of_the_system_gives_new_shares_each_time() {
    let secret = Gf256::from_bytes(&[9; 32]);
    let points = element::random_points(4).unwrap();
    assert!(points != element::random_points(4).unwrap());
    let shares = element::split(&secret, 2, &points).unwrap();
    assert!(shares != element::split(&secret, 2, &points).unwrap());
    let mut refreshed = shares.clone();
    element::refresh(2, &mut refreshed).unwrap();
    assert!(refreshed != shares && element::reconstruct(2, &refreshed) == Ok(secret));
    assert!(element::reconstruct(2, &element::zero_shares(2, &points).unwrap()) == Ok(Gf256::ZERO));
}

#[test]
fn shares_as_bytes() {
    type Gf = Gf2n<32>;
    let bytes = [0, 0, 0, 1, 1, 2, 3, 4];
    let share = Share::try_from(&bytes[..]).unwrap();
    assert!(*share.point() == Gf::from_bytes(&[0, 0, 0, 1]) && *share.value() == Gf::from_bytes(&[1, 2, 3, 4]));
    assert_eq!(share.to_bytes()[..], bytes);
    for len in [0, 4, 7, 9, 16] {
        let error = Share::<Degree<32>>::try_from(&[1; 16][..len]).unwrap_err();
        assert_eq!(error, Error::WrongShareLength { expected: 8, given: len });
    }
    // The value at zero is the secret, and no share.
    let error = Share::<Degree<32>>::try_from(&[0, 0, 0, 0, 1, 2, 3, 4][..]).unwrap_err();
    assert_eq!(error, Error::ZeroPoint { index: 0 });
}
