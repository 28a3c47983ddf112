//! Multiplies bytes by a constant, one vector at a time.

use sealane_simd::{Gf8, Gf8Bytes};

use super::field::Field;
use crate::wipe::wipe;

/// At least as long as a vector of any backend.
pub(super) const PADDED_BYTES: usize = 64;

type V<G> = <G as Gf8>::Bytes;

/// Multiplies each byte of `data` by `constant`.
#[inline(always)]
pub(super) fn multiply<G: Gf8>(token: G, field: Field, constant: u8, data: &mut [u8]) {
    // One backend has an instruction that multiplies in the field of AES.
    if field == Field::Aes {
        let factor = V::<G>::secret_factor(token, constant);
        each(
            token,
            data,
            #[inline(always)]
            |vector| V::<G>::mul_secret(vector.multiplicand(), factor),
        );
    } else {
        let map = map(token, field, constant);
        each(
            token,
            data,
            #[inline(always)]
            |vector| V::<G>::apply(vector.multiplicand(), map),
        );
    }
}

/// Multiplies each byte of `source` by `constant`, and adds the product to the byte of `sum` at the
/// same index. The slices have equal lengths.
#[inline(always)]
pub(super) fn multiply_add<G: Gf8>(token: G, field: Field, constant: u8, source: &[u8], sum: &mut [u8]) {
    if field == Field::Aes {
        let factor = V::<G>::secret_factor(token, constant);
        add_each(
            token,
            source,
            sum,
            #[inline(always)]
            |vector| V::<G>::mul_secret(vector.multiplicand(), factor),
        );
    } else {
        let map = map(token, field, constant);
        add_each(
            token,
            source,
            sum,
            #[inline(always)]
            |vector| V::<G>::apply(vector.multiplicand(), map),
        );
    }
}

/// Prepares the multiplication by a constant, which may be secret.
#[inline(always)]
fn map<G: Gf8>(token: G, field: Field, constant: u8) -> <V<G> as Gf8Bytes>::Map {
    let mut memory = [0; PADDED_BYTES];
    V::<G>::store_map(&field.multiples(constant), &mut memory);
    let map = V::<G>::load_map(token, &memory);
    wipe(&mut memory);
    map
}

#[inline(always)]
fn each<G: Gf8>(token: G, data: &mut [u8], product: impl Fn(V<G>) -> V<G>) {
    let mut vectors = data.chunks_exact_mut(V::<G>::BYTES);
    for vector in &mut vectors {
        product(V::<G>::load(token, vector)).store(vector);
    }
    let rest = vectors.into_remainder();
    if !rest.is_empty() {
        let mut padded = [0; PADDED_BYTES];
        padded[..rest.len()].copy_from_slice(rest);
        product(V::<G>::load(token, &padded)).store(&mut padded);
        rest.copy_from_slice(&padded[..rest.len()]);
        wipe(&mut padded);
    }
}

#[inline(always)]
fn add_each<G: Gf8>(token: G, source: &[u8], sum: &mut [u8], product: impl Fn(V<G>) -> V<G>) {
    let mut sources = source.chunks_exact(V::<G>::BYTES);
    let mut sums = sum.chunks_exact_mut(V::<G>::BYTES);
    for (source, sum) in (&mut sources).zip(&mut sums) {
        add(token, source, sum, &product);
    }
    let (source, sum) = (sources.remainder(), sums.into_remainder());
    if !sum.is_empty() {
        let mut padded = [[0; PADDED_BYTES]; 2];
        padded[0][..source.len()].copy_from_slice(source);
        padded[1][..sum.len()].copy_from_slice(sum);
        let [padded_source, padded_sum] = &mut padded;
        add(token, padded_source, padded_sum, &product);
        sum.copy_from_slice(&padded_sum[..sum.len()]);
        wipe(padded.as_flattened_mut());
    }
}

#[inline(always)]
fn add<G: Gf8>(token: G, source: &[u8], sum: &mut [u8], product: &impl Fn(V<G>) -> V<G>) {
    product(V::<G>::load(token, source)).xor(V::<G>::load(token, sum)).store(sum);
}
