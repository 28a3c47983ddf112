//! Secret sharing: of bytes, 3 of 5, and of elements of GF(2^256). Each call creates a new splitter
//! or combiner, as callers do. Splitting includes the generation of random coefficients, but not
//! the system call for their seed.

use std::hint::black_box;

use sealane::BackendError;
use sealane::gf2n::{ClmulBackend, Degree, Gf256};
use sealane::shamir::bytes::{Combiner, Gf8Backend, Splitter};
use sealane::shamir::element::{self, Share};

use super::{Prepared, SEED, Size, data, generator};

/// The number of shares that restore a secret of bytes.
pub const THRESHOLD: usize = 3;
/// The points of the shares of bytes.
pub const POINTS: [u8; 5] = [1, 2, 3, 4, 5];
/// The indices of the shares that are combined. They are not the shares at the points 1, 2 and 3,
/// whose factors are all 1.
pub const CHOSEN: [usize; THRESHOLD] = [1, 3, 4];
/// The secret element.
pub const SECRET: [u8; 32] = [0x5a; 32];

fn split_on(backend: Gf8Backend, secret: &[u8], shares: &mut [Vec<u8>]) {
    let mut buffers: Vec<_> = shares.iter_mut().map(Vec::as_mut_slice).collect();
    let splitter = Splitter::from_seed_with_backend(THRESHOLD, &POINTS, black_box(&SEED), backend);
    splitter.and_then(|mut splitter| splitter.split(secret, &mut buffers)).expect("a sharing");
}

/// Prepares splitting of bytes into all shares.
pub fn split(backend: &str, size: Size) -> Result<Prepared, BackendError> {
    let backend = Gf8Backend::by_name(backend)?;
    let state = (data(size.length()), vec![vec![0; size.length()]; POINTS.len()]);
    let split = move |(secret, shares): &mut (Vec<u8>, Vec<Vec<u8>>)| split_on(backend, secret, shares);
    Ok(Prepared::new((1, size.length()), state, split, |(_, shares)| shares.concat()))
}

/// Prepares combination of three shares.
pub fn combine(backend: &str, size: Size) -> Result<Prepared, BackendError> {
    let backend = Gf8Backend::by_name(backend)?;
    let mut shares = vec![vec![0; size.length()]; POINTS.len()];
    split_on(backend, &data(size.length()), &mut shares);
    let points = CHOSEN.map(|i| POINTS[i]);
    let state = (CHOSEN.map(|i| shares[i].clone()), vec![0; size.length()]);
    let combine = move |(shares, out): &mut ([Vec<u8>; THRESHOLD], Vec<u8>)| {
        let combiner = Combiner::with_backend(black_box(&points), 0, backend);
        combiner.and_then(|combiner| combiner.combine(&shares.each_ref().map(Vec::as_slice), out)).expect("shares");
    };
    Ok(Prepared::new((1, size.length()), state, combine, |(_, out)| out.clone()))
}

type Shares = Vec<Share<Degree<256>>>;

fn sharing(size: Size) -> (usize, Vec<Gf256>) {
    match size {
        Size::Sharing(threshold, count) => (threshold, element::compact_points(count).expect("a point for each")),
        _ => unreachable!("the sizes of this benchmark are sharings"),
    }
}

/// Prepares splitting of an element into all shares.
pub fn split_element(backend: &str, size: Size) -> Result<Prepared, BackendError> {
    let (backend, (threshold, points)) = (ClmulBackend::by_name(backend)?, sharing(size));
    let (secret, mut rng) = (Gf256::from_bytes(&SECRET), generator());
    let split = move |shares: &mut Shares| {
        *shares = element::split_with_rng_and_backend(black_box(&secret), threshold, &points, &mut rng, backend)
            .expect("a sharing");
    };
    let result = |shares: &Shares| shares.iter().flat_map(|share| share.value().to_bytes()).collect();
    Ok(Prepared::new((1, SECRET.len()), Shares::new(), split, result))
}

/// Prepares reconstruction of an element from the last shares, whose points are not the first
/// numbers.
pub fn reconstruct_element(backend: &str, size: Size) -> Result<Prepared, BackendError> {
    let (backend, (threshold, points)) = (ClmulBackend::by_name(backend)?, sharing(size));
    let (secret, mut rng) = (Gf256::from_bytes(&SECRET), generator());
    let shares =
        element::split_with_rng_and_backend(&secret, threshold, &points, &mut rng, backend).expect("a sharing");
    let state = (shares[shares.len() - threshold..].to_vec(), Gf256::ZERO);
    let reconstruct = move |(shares, out): &mut (Shares, Gf256)| {
        *out = element::reconstruct_with_backend(threshold, shares, backend).expect("enough shares");
    };
    Ok(Prepared::new((1, SECRET.len()), state, reconstruct, |(_, out)| out.to_bytes().to_vec()))
}
