//! Adds the product of a constant and a slice to another slice, over GF(2^8): the basic step of
//! erasure codes and of secret sharing.
//!
//! `cargo run --release -p sealane-simd --example scaled_sum`

use sealane_simd::{Gf8, Gf8Bytes, Gf8Level, LevelList, dispatch_gf8, gf8_mul};

/// Adds `factor` times each byte of `source` to `target`. The factor may be secret.
#[inline(always)]
fn add_scaled<G: Gf8>(token: G, factor: u8, source: &[u8], target: &mut [u8]) {
    let bytes = G::Bytes::BYTES;
    let constant = G::Bytes::secret_factor(token, factor);
    let whole = source.len() / bytes * bytes;
    for (source, target) in source[..whole].chunks_exact(bytes).zip(target.chunks_exact_mut(bytes)) {
        let product = G::Bytes::mul_secret(G::Bytes::load(token, source).multiplicand(), constant);
        G::Bytes::load(token, target).xor(product).store(target);
    }
    // The values that do not fill a vector.
    for (source, target) in source[whole..].iter().zip(&mut target[whole..]) {
        *target ^= gf8_mul(factor, *source);
    }
}

fn main() {
    // FIPS 197, section 4.2: {57}·{83} = {c1}.
    let source = [0x57; 1000];
    for level in Gf8Level::available() {
        let mut target = [0x0f; 1000];
        dispatch_gf8!(level, token => add_scaled(token, 0x83, &source, &mut target));
        assert_eq!(target, [0x0f ^ 0xc1; 1000], "{level:?}");
        println!("{}: {} bytes", level.name(), target.len());
    }
}
