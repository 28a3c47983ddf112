//! Secret sharing: the secret, the seed of the coefficients and all shares are secret; points are
//! public.

use std::hint::black_box;

use sealane::BackendError;
use sealane::gf2n::{ClmulBackend, Degree, Element, Field};
use sealane::shamir::bytes::{Checker, Combiner, Gf8Backend, Refresher, Splitter};
use sealane::shamir::{Error, dynamic as dynamic_sharing, element as sharing};

use crate::generator::Generator;
use crate::gf2n;
use crate::workload::{Run, Secrets};

/// The points of the shares. The library works on groups of eight points; these points are in two
/// groups.
const POINTS: [u8; 6] = [1, 2, 3, 7, 0x8d, 0x88];

fn slices(shares: &mut [Vec<u8>]) -> Vec<&mut [u8]> {
    shares.iter_mut().map(Vec::as_mut_slice).collect()
}

/// Returns a secret seed.
fn seed(secrets: Secrets<'_>) -> [u8; 32] {
    let mut seed = [0; 32];
    secrets(&mut seed);
    seed
}

/// Prepares splitting of a secret in two pieces.
pub fn split<const K: usize>(backend: &str, size: usize, secrets: Secrets<'_>) -> Result<Run, BackendError> {
    let backend = Gf8Backend::by_name(backend)?;
    let (seed, mut secret) = (seed(secrets), vec![0; size]);
    secrets(&mut secret);
    let mut shares = POINTS.map(|_| vec![0; size]);
    Ok(Box::new(move || {
        let mut splitter = Splitter::from_seed_with_backend(K, &POINTS, &seed, backend).expect("a sharing");
        let (first, rest) = secret.split_at(size / 3);
        let mut pieces = shares.each_mut().map(|share| share.split_at_mut(size / 3));
        splitter.split(first, &mut pieces.each_mut().map(|(first, _)| &mut **first)).expect("a piece of each share");
        splitter.split(rest, &mut pieces.each_mut().map(|(_, rest)| &mut **rest)).expect("a piece of each share");
    }))
}

/// Prepares refreshing: new shares of the same secret.
pub fn refresh<const K: usize>(backend: &str, size: usize, secrets: Secrets<'_>) -> Result<Run, BackendError> {
    let backend = Gf8Backend::by_name(backend)?;
    let seed = seed(secrets);
    let mut shares = shares(size, secrets);
    Ok(Box::new(move || {
        let mut refresher = Refresher::from_seed_with_backend(K, &POINTS, &seed, backend).expect("a sharing");
        refresher.refresh(&mut slices(&mut shares)).expect("whole shares");
    }))
}

/// Returns a secret share for each point: any bytes are shares of some secret.
fn shares(size: usize, secrets: Secrets<'_>) -> [Vec<u8>; POINTS.len()] {
    let mut shares = POINTS.map(|_| vec![0; size]);
    shares.iter_mut().for_each(|share| secrets(share));
    shares
}

/// Prepares the computation of the secret, and of another share, from one to six shares.
pub fn combine(backend: &str, size: usize, secrets: Secrets<'_>) -> Result<Run, BackendError> {
    let backend = Gf8Backend::by_name(backend)?;
    let shares = shares(size, secrets);
    let mut combined = vec![0; size];
    Ok(Box::new(move || {
        let shares = shares.each_ref().map(Vec::as_slice);
        for count in 1..=POINTS.len() {
            for target in [0, 9] {
                let combiner = Combiner::with_backend(&POINTS[..count], target, backend).expect("points");
                combiner.combine(&shares[..count], &mut combined).expect("whole shares");
                black_box(&mut combined);
            }
        }
    }))
}

/// Prepares splitting and checking of the shares, which are consistent, for the thresholds 1, 2, 3
/// and 5.
pub fn check(backend: &str, size: usize, secrets: Secrets<'_>) -> Result<Run, BackendError> {
    check_after(backend, size, secrets, &[1, 2, 3, 5], |_| {})
}

/// Prepares the same with one wrong share, for the thresholds with which it can be identified.
pub fn check_wrong(backend: &str, size: usize, secrets: Secrets<'_>) -> Result<Run, BackendError> {
    check_after(backend, size, secrets, &[1, 2, 3], move |shares| shares[1][size / 2] ^= 0x5a)
}

/// Prepares splitting, a change of the shares, and checking.
fn check_after(
    backend: &str,
    size: usize,
    secrets: Secrets<'_>,
    thresholds: &'static [usize],
    change: impl Fn(&mut [Vec<u8>]) + 'static,
) -> Result<Run, BackendError> {
    let backend = Gf8Backend::by_name(backend)?;
    let (seed, mut secret) = (seed(secrets), vec![0; size]);
    secrets(&mut secret);
    let mut shares = vec![vec![0; size]; POINTS.len()];
    Ok(Box::new(move || {
        for &threshold in thresholds {
            let mut splitter = Splitter::from_seed_with_backend(threshold, &POINTS, &seed, backend).expect("a sharing");
            splitter.split(&secret, &mut slices(&mut shares)).expect("whole shares");
            change(&mut shares);
            let shares: Vec<_> = shares.iter().map(Vec::as_slice).collect();
            Checker::with_backend(threshold, &POINTS, backend).expect("points").check(&shares).expect("shares");
        }
    }))
}

/// Draws from a pool of secret bytes.
fn drawing_from(mut pool: &[u8]) -> Generator<impl FnMut(&mut [u8])> {
    Generator(move |bytes: &mut [u8]| {
        let (these, others) = pool.split_at(bytes.len());
        bytes.copy_from_slice(these);
        pool = others;
    })
}

/// Prepares sharing of an element: splitting, refreshing the shares, shares of zero, reissuing one
/// of the shares, and reconstructing the secret.
pub fn element<const BITS: usize>(backend: &str, threshold: usize, secrets: Secrets<'_>) -> Result<Run, BackendError>
where
    Degree<BITS>: Field,
{
    let backend = ClmulBackend::by_name(backend)?;
    let value: Element<Degree<BITS>> = gf2n::secret(secrets);
    let mut pool = vec![0; 1 << 14];
    secrets(&mut pool);
    Ok(Box::new(move || {
        let points = sharing::compact_points(threshold + 2).expect("few points");
        let mut numbers = drawing_from(&pool);
        let mut shares =
            sharing::split_with_rng_and_backend(&value, threshold, &points, &mut numbers, backend).expect("a sharing");
        sharing::refresh_with_rng_and_backend(threshold, &mut shares, &mut numbers, backend).expect("a sharing");
        let zeros =
            sharing::zero_shares_with_rng_and_backend(threshold, &points, &mut numbers, backend).expect("a sharing");
        black_box(&zeros);
        let point = *shares[threshold + 1].point();
        let reissued =
            sharing::reconstruct_at_with_backend(threshold, &shares[..threshold], &point, backend).expect("shares");
        let secret = sharing::reconstruct_with_backend(threshold, &shares[1..=threshold], backend).expect("shares");
        black_box((reissued, secret));
    }))
}

/// Prepares splitting of an element into two more shares than the threshold, and reconstruction
/// from all shares: first from right ones, then with one wrong share, which is found.
pub fn check_element<const BITS: usize>(
    backend: &str,
    threshold: usize,
    secrets: Secrets<'_>,
) -> Result<Run, BackendError>
where
    Degree<BITS>: Field,
{
    let backend = ClmulBackend::by_name(backend)?;
    let value: Element<Degree<BITS>> = gf2n::secret(secrets);
    let mut pool = vec![0; 1 << 10];
    secrets(&mut pool);
    Ok(Box::new(move || {
        let points = sharing::compact_points(threshold + 2).expect("few points");
        let mut shares =
            sharing::split_with_rng_and_backend(&value, threshold, &points, &mut drawing_from(&pool), backend)
                .expect("a sharing");
        black_box(sharing::reconstruct_with_backend(threshold, &shares, backend).expect("right shares"));
        let wrong = *shares[1].value() + Element::ONE;
        shares[1] = sharing::Share::new(*shares[1].point(), wrong).expect("a point that is not zero");
        let error = sharing::reconstruct_with_backend(threshold, &shares, backend).err();
        assert_eq!(error, Some(Error::BadShares { first: 1, count: 1 }));
    }))
}

/// Prepares sharing in a field whose degree is chosen at run time: splitting, combining two shares
/// to the secret, and finding a wrong share.
pub fn dynamic(backend: &str, bits: usize, secrets: Secrets<'_>) -> Result<Run, BackendError> {
    let field = gf2n::dynamic_field(backend, bits)?;
    let polynomial = gf2n::dynamic_elements(&field, 2, secrets);
    let points: Vec<_> = (1..=5).map(|bits| field.from_bits(bits).expect("a small point")).collect();
    Ok(Box::new(move || {
        let mut shares: Vec<_> = points.iter().map(|point| field.evaluate(&polynomial, point)).collect();
        let combiner = dynamic_sharing::Combiner::at(&field, &points[..2], &field.zero()).expect("points");
        black_box(combiner.combine(&shares[..2]).expect("a share for each point"));
        shares[3] += &field.one();
        assert_eq!(dynamic_sharing::bad_shares(&field, 2, &points, &shares), Ok(vec![3]));
    }))
}
