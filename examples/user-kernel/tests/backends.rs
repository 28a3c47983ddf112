//! Compares every backend of this CPU with plain code, at every length up to several times the
//! widest vector.

use sealane_simd::{ClmulLevel, Level, LevelList, MAX_U64_LANES};
use user_kernel::Kernels;

/// Four of the widest vectors, and the longest remainder.
const MAX_LENGTH: usize = 4 * MAX_U64_LANES + MAX_U64_LANES - 1;
const MAX_LIMBS: usize = 9;

/// Returns values without a pattern, including the ends of the range.
fn words() -> impl Iterator<Item = u64> {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    std::iter::repeat_with(move || {
        state = state.wrapping_mul(0xd129_0d3d_90d6_f4a5).rotate_left(23) ^ 1;
        match state % 7 {
            0 => u64::MAX,
            1 => 0,
            _ => state,
        }
    })
}

#[test]
fn dot_products() {
    let a: Vec<u32> = words().map(|word| (word >> 32) as u32).take(MAX_LENGTH + 1).collect();
    let b: Vec<u32> = words().skip(1000).map(|word| (word >> 32) as u32).take(MAX_LENGTH + 1).collect();
    for level in Level::available() {
        let kernels = Kernels::on(level, ClmulLevel::detect());
        // Some addresses are not aligned to a vector.
        for start in 0..2 {
            for length in 0..=MAX_LENGTH {
                let (a, b) = (&a[start..][..length], &b[start..][..length]);
                let plain = a.iter().zip(b).fold(0_u64, |sum, (a, b)| sum.wrapping_add(u64::from(*a) * u64::from(*b)));
                assert_eq!(kernels.dot_product(a, b), plain, "{level:?}, {length} words from {start}");
            }
        }
    }
}

/// Returns the expected product, bit by bit.
fn plain_product(a: &[u64], b: &[u64]) -> Vec<u64> {
    let bit = |limbs: &[u64], i: usize| limbs[i / 64] >> (i % 64) & 1;
    let mut product = vec![0; a.len() + b.len()];
    for i in 0..64 * a.len() {
        for j in 0..64 * b.len() {
            product[(i + j) / 64] ^= (bit(a, i) & bit(b, j)) << ((i + j) % 64);
        }
    }
    product
}

#[test]
fn products_of_polynomials() {
    let a: Vec<u64> = words().take(MAX_LIMBS).collect();
    let b: Vec<u64> = words().skip(1000).take(MAX_LIMBS).collect();
    for a_limbs in 0..=MAX_LIMBS {
        for b_limbs in [0, 1, 2, MAX_LIMBS] {
            let (a, b) = (&a[..a_limbs], &b[..b_limbs]);
            let plain = plain_product(a, b);
            for level in ClmulLevel::available() {
                let mut product = vec![u64::MAX; a_limbs + b_limbs];
                Kernels::on(Level::detect(), level).multiply_polynomials(a, b, &mut product);
                assert_eq!(product, plain, "{level:?}, {a_limbs} by {b_limbs} limbs");
            }
        }
    }
}

/// Checks that there is more than portable code: with one backend, the other tests prove little.
#[test]
fn there_are_vectors() {
    assert_eq!(Level::available().next().map(LevelList::name), Some("scalar"));
    if cfg!(any(target_arch = "x86_64", target_arch = "aarch64")) {
        assert_ne!(Level::detect().name(), "scalar");
    }
}

#[test]
#[should_panic(expected = "slices of different lengths")]
fn lengths_differ() {
    let _ = Kernels::new().dot_product(&[1], &[]);
}

#[test]
#[should_panic(expected = "a product of another length")]
fn a_product_too_short() {
    Kernels::new().multiply_polynomials(&[1], &[1], &mut [0]);
}
