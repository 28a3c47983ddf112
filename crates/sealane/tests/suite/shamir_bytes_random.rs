//! The coefficients are uniform over all 256 elements.

use sealane::shamir::bytes::Splitter;

use crate::common::{array, test_bytes};
use crate::shamir_bytes::{backends, split};

const SAMPLES: usize = 1 << 18;

/// Returns Pearson's statistic for a uniform distribution over 256 values: 255 on average, with a
/// standard deviation of 22.6.
fn chi_squared(values: impl Iterator<Item = u8>) -> f64 {
    let mut counts = [0_u32; 256];
    values.for_each(|value| counts[usize::from(value)] += 1);
    let total: u32 = counts.iter().sum();
    let expected = f64::from(total) / 256.0;
    counts.iter().map(|&count| (f64::from(count) - expected).powi(2) / expected).sum()
}

/// Returns whether the statistic is within seven standard deviations of the average. A larger
/// deviation is not chance.
fn is_uniform(values: impl Iterator<Item = u8>) -> bool {
    (97.0..413.0).contains(&chi_squared(values))
}

#[test]
fn every_coefficient_is_uniform_over_all_elements() {
    let secret = test_bytes(1, SAMPLES);
    for backend in backends() {
        // The shares at 1 and 2 are s + a + b and s + 2a + 4b. They determine the coefficients,
        // including the top one.
        let splitter = Splitter::from_seed_with_backend(3, &[1, 2], &array(2), backend);
        assert!(splitter.is_err(), "a threshold of 3 needs 3 points");
        let splitter = Splitter::from_seed_with_backend(3, &[1, 2, 3], &array(2), backend).unwrap();
        let shares = split(splitter, &secret, &[SAMPLES]);
        let divide_by_6 = |value| sealane_spec::shamir_bytes::multiply(value, sealane_spec::shamir_bytes::inverse(6));
        let by_6: Vec<u8> = (0..=255).map(divide_by_6).collect();
        let double = |value| sealane_spec::shamir_bytes::multiply(value, 2);
        let top: Vec<u8> = (0..SAMPLES)
            .map(|i| {
                let (first, second) = (shares[0][i] ^ secret[i], shares[1][i] ^ secret[i]);
                by_6[usize::from(double(first) ^ second)]
            })
            .collect();
        let linear = (0..SAMPLES).map(|i| shares[0][i] ^ secret[i] ^ top[i]);
        assert!(is_uniform(top.iter().copied()), "the coefficient of x^2 on {backend}");
        assert!(is_uniform(linear), "the coefficient of x on {backend}");
        assert!(shares.iter().all(|share| is_uniform(share.iter().copied())), "shares on {backend}");
        // If the top coefficient were drawn from 1..=255, it would never be 0.
        assert!(top.contains(&0));
    }
}

/// The statistic rejects the faults of known code: values without 0, with 0 mapped to 1, and
/// reduced modulo 251. It also rejects values that are too even.
#[test]
fn the_statistic_rejects_broken_generators() {
    let values = test_bytes(3, SAMPLES);
    assert!(is_uniform(values.iter().copied()));
    assert!(!is_uniform(values.iter().copied().filter(|value| *value != 0)));
    assert!(!is_uniform(values.iter().map(|value| (*value).max(1))));
    assert!(!is_uniform(values.iter().map(|value| value % 251)));
    assert!(!is_uniform((0..=255).cycle().take(SAMPLES)), "too even");
}

#[cfg(feature = "getrandom")]
#[test]
fn two_sharings_of_one_secret_differ() {
    use sealane::shamir::bytes::Refresher;
    let secret = test_bytes(4, 64);
    let first = split(Splitter::new(2, 3).unwrap(), &secret, &[64]);
    let second = split(Splitter::new(2, 3).unwrap(), &secret, &[64]);
    assert!(first.iter().zip(&second).all(|(a, b)| a != b));
    let mut refreshed = first.clone();
    let mut buffers: Vec<_> = refreshed.iter_mut().map(Vec::as_mut_slice).collect();
    Refresher::new(2, 3).unwrap().refresh(&mut buffers).unwrap();
    assert!(refreshed.iter().zip(&first).all(|(a, b)| a != b));
}
