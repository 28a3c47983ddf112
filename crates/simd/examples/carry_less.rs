//! Multiplies polynomials over GF(2), on each instruction set for carry-less multiplication.
//!
//! `cargo run --release -p sealane-simd --example carry_less`

use sealane_simd::{Clmul, ClmulLanes, ClmulLevel, LevelList, dispatch_clmul};

/// Computes the product of two polynomials. Bit i of limb j is the coefficient of x^(64 j + i).
#[inline(always)]
fn multiply<T: Clmul>(token: T, a: &[u64], b: &[u64], product: &mut [u64]) {
    product.fill(0);
    for (i, a) in a.iter().enumerate() {
        let a = limb(token, *a);
        for (j, b) in b.iter().enumerate() {
            let mut limbs = [0; 2];
            a.mul_low(limb(token, *b)).store(0, &mut limbs);
            product[i + j] ^= limbs[0];
            product[i + j + 1] ^= limbs[1];
        }
    }
}

#[inline(always)]
fn limb<T: Clmul>(token: T, limb: u64) -> T::One {
    // The closure must be inlined too.
    T::One::load_low(
        token,
        #[inline(always)]
        |_| limb,
    )
}

fn main() {
    for level in ClmulLevel::available() {
        // (x^100 + x + 1)·(x^64 + 1) = x^164 + x^100 + x^65 + x^64 + x + 1
        let (a, b, mut product) = ([0b11, 1 << 36], [1, 1], [0; 4]);
        dispatch_clmul!(level, token => multiply(token, &a, &b, &mut product));
        assert_eq!(product, [0b11, 0b11 | 1 << 36, 1 << 36, 0], "{level:?}");
        println!("{}: {product:x?}", level.name());
    }
}
