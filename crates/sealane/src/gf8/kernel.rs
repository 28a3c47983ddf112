//! Products of bytes and a constant, a vector at a time.

use sealane_simd::{Gf8, Gf8Bytes};

use crate::wipe::wipe;

/// At least a vector of every backend.
const PADDED_BYTES: usize = 64;

type V<G> = <G as Gf8>::Bytes;
type Factor<G> = <V<G> as Gf8Bytes>::SecretFactor;

/// Multiplies each byte of `data` by `constant`.
#[inline(always)]
pub(super) fn multiply<G: Gf8>(token: G, constant: u8, data: &mut [u8]) {
    let factor = V::<G>::secret_factor(token, constant);
    let mut vectors = data.chunks_exact_mut(V::<G>::BYTES);
    for vector in &mut vectors {
        multiply_vector(token, factor, vector);
    }
    let rest = vectors.into_remainder();
    if !rest.is_empty() {
        let mut padded = [0; PADDED_BYTES];
        padded[..rest.len()].copy_from_slice(rest);
        multiply_vector(token, factor, &mut padded);
        rest.copy_from_slice(&padded[..rest.len()]);
        wipe(&mut padded);
    }
}

/// Multiplies each byte of `source` by `constant` and adds it to the byte of `sum`. Both slices
/// have equal lengths.
#[inline(always)]
pub(super) fn multiply_add<G: Gf8>(token: G, constant: u8, source: &[u8], sum: &mut [u8]) {
    let factor = V::<G>::secret_factor(token, constant);
    let mut sources = source.chunks_exact(V::<G>::BYTES);
    let mut sums = sum.chunks_exact_mut(V::<G>::BYTES);
    for (source, sum) in (&mut sources).zip(&mut sums) {
        multiply_add_vector(token, factor, source, sum);
    }
    let (source, sum) = (sources.remainder(), sums.into_remainder());
    if !sum.is_empty() {
        let mut padded = [[0; PADDED_BYTES]; 2];
        padded[0][..source.len()].copy_from_slice(source);
        padded[1][..sum.len()].copy_from_slice(sum);
        let [padded_source, padded_sum] = &mut padded;
        multiply_add_vector(token, factor, padded_source, padded_sum);
        sum.copy_from_slice(&padded_sum[..sum.len()]);
        wipe(padded.as_flattened_mut());
    }
}

#[inline(always)]
fn multiply_vector<G: Gf8>(token: G, factor: Factor<G>, vector: &mut [u8]) {
    V::<G>::mul_secret(V::<G>::load(token, vector).multiplicand(), factor).store(vector);
}

#[inline(always)]
fn multiply_add_vector<G: Gf8>(token: G, factor: Factor<G>, source: &[u8], sum: &mut [u8]) {
    let product = V::<G>::mul_secret(V::<G>::load(token, source).multiplicand(), factor);
    product.xor(V::<G>::load(token, sum)).store(sum);
}
