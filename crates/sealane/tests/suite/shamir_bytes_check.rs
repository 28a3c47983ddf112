//! Compares shares with each other: wrong shares are detected, and named if that is possible.

use proptest::prelude::*;
use sealane::shamir::bytes::{Checker, Gf8Backend, Splitter, Verdict};

use crate::common::{array, cases, test_bytes};
use crate::shamir_bytes::{backends, slices, split};

fn verdict(threshold: usize, points: &[u8], shares: &[Vec<u8>], piece: usize, backend: Gf8Backend) -> Verdict {
    let mut checker = Checker::with_backend(threshold, points, backend).unwrap();
    for start in (0..shares[0].len()).step_by(piece) {
        let end = shares[0].len().min(start + piece);
        checker.check(&slices(shares).iter().map(|share| &share[start..end]).collect::<Vec<_>>()).unwrap();
    }
    checker.verdict()
}

fn wrong_points(verdict: Verdict) -> Vec<u8> {
    let Verdict::Wrong(points) = verdict else { panic!("{verdict:?}") };
    let mut points = points.to_vec();
    points.sort_unstable();
    points
}

#[test]
fn any_wrong_byte_is_noticed_and_its_share_named() {
    let points = [1, 2, 3, 40, 255];
    for backend in backends() {
        let shares = split(
            Splitter::from_seed_with_backend(3, &points, &array(1), backend).unwrap(),
            &test_bytes(2, 150),
            &[150],
        );
        assert_eq!(verdict(3, &points, &shares, 150, backend), Verdict::Consistent);
        assert_eq!(verdict(4, &points, &shares, 150, backend), Verdict::Consistent, "a degree below 3 is below 4");
        assert_eq!(verdict(2, &points, &shares, 150, backend), Verdict::Inconsistent);
        for (i, byte) in (0..150).enumerate() {
            let mut shares = shares.clone();
            shares[i % 5][byte] ^= 1 << (i % 8);
            let found = verdict(3, &points, &shares, 1 + i, backend);
            assert_eq!(wrong_points(found), [points[i % 5]], "byte {byte} on {backend}");
            assert_eq!(verdict(4, &points, &shares, 150, backend), Verdict::Inconsistent, "one more than it takes");
        }
    }
}

#[test]
fn wrong_shares_are_named_up_to_the_limit() {
    let points: Vec<u8> = (1..=20).map(|i| i * 11).collect();
    for backend in backends() {
        let splitter = Splitter::from_seed_with_backend(6, &points, &array(3), backend).unwrap();
        let right = split(splitter, &test_bytes(4, 3000), &[3000]);
        let mut shares = right.clone();
        // Shares that are wrong in different places, such as everywhere, in one byte, or at the
        // end.
        shares[19] = test_bytes(5, 3000);
        shares[3][1024] ^= 0xff;
        shares[7][2999] ^= 1;
        shares[8][1024] ^= 1;
        shares[0][..2000].reverse();
        shares[5][2998] ^= 1;
        assert_eq!(wrong_points(verdict(6, &points, &shares, 3000, backend)), [11, 44, 66, 88, 99, 220]);
        shares[12][0] ^= 7;
        assert_eq!(wrong_points(verdict(6, &points, &shares, 100, backend)), [11, 44, 66, 88, 99, 143, 220]);
        // One more than (20 - 6) / 2.
        shares[13][2500] ^= 7;
        assert_eq!(verdict(6, &points, &shares, 3000, backend), Verdict::Inconsistent);
        // A share from another splitting of the same secret.
        let mut mixed = right.clone();
        let other = split(
            Splitter::from_seed_with_backend(6, &points, &array(9), backend).unwrap(),
            &test_bytes(4, 3000),
            &[3000],
        );
        mixed[10].clone_from(&other[10]);
        assert_eq!(wrong_points(verdict(6, &points, &mixed, 3000, backend)), [121]);
    }
}

#[test]
fn shares_without_a_spare_are_consistent() {
    let shares = vec![test_bytes(1, 10), test_bytes(2, 10)];
    let backend = Gf8Backend::detect();
    assert_eq!(verdict(2, &[1, 2], &shares, 10, backend), Verdict::Consistent);
    assert_eq!(verdict(1, &[1, 2], &shares, 10, backend), Verdict::Inconsistent, "of two, one is wrong");
    let same = vec![test_bytes(1, 10), test_bytes(1, 10)];
    assert_eq!(verdict(1, &[1, 2], &same, 10, backend), Verdict::Consistent);
}

#[test]
fn all_255_shares_are_compared() {
    let points: Vec<u8> = (1..=255).collect();
    let backend = Gf8Backend::detect();
    let mut shares =
        split(Splitter::from_seed_with_backend(3, &points, &array(6), backend).unwrap(), &test_bytes(7, 20), &[20]);
    for (i, share) in shares.iter_mut().enumerate().filter(|(i, _)| i % 2 == 1).take(126) {
        share[i % 20] ^= 1 + (i % 255) as u8;
    }
    assert_eq!(wrong_points(verdict(3, &points, &shares, 20, backend)).len(), 126);
}

proptest! {
    #![proptest_config(cases(200))]

    /// Exactly the wrong shares are named, if they are at most as many as can be identified. Up to
    /// `more` wrong shares, the verdict is never `Consistent`.
    #[test]
    fn exactly_the_wrong_shares_are_named(
        threshold in 1_usize..12,
        more in 0_usize..12,
        errors in prop::collection::vec((any::<prop::sample::Index>(), 0_usize..40, 1_u8..), 0..8),
        seed: u64,
    ) {
        let count = threshold + more;
        let mut points: Vec<u8> = (1..=255).collect();
        points.rotate_left((seed % 255) as usize);
        points.truncate(count);
        let backend = Gf8Backend::detect();
        let splitter = Splitter::from_seed_with_backend(threshold, &points, &array(seed), backend).unwrap();
        let right = split(splitter, &test_bytes(seed, 40), &[40]);
        let mut shares = right.clone();
        for (share, byte, change) in errors {
            shares[share.index(count)][byte] ^= change;
        }
        let mut wrong: Vec<u8> = (0..count).filter(|&j| shares[j] != right[j]).map(|j| points[j]).collect();
        wrong.sort_unstable();
        let found = verdict(threshold, &points, &shares, 17, backend);
        if wrong.is_empty() {
            prop_assert_eq!(found, Verdict::Consistent);
        } else if wrong.len() <= more / 2 {
            prop_assert_eq!(wrong_points(found), wrong);
        } else if wrong.len() <= more {
            // The code's distance is `more` + 1.
            prop_assert_ne!(found, Verdict::Consistent);
        }
    }
}
