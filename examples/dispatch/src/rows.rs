//! The operations: what they work on, their kernels, and their rows.

use built_twice::Built;
use operations::{
    Combine, Hash, MANY, Packet, Product, SHARES, Split, Stream, THRESHOLD, block_on, combine_on, haraka_on,
    multiply_on, seal_on, split_on,
};
use sealane::gf2n::Gf128;
use sealane_simd::{AesToken, Clmul, Simd};

use crate::choices::{AesKernel, ClmulKernel, VectorKernel, aes_rows, clmul_rows, vector_rows};
use crate::leaf;
use crate::measure::{Plan, operation};
use crate::report::Operation;

macro_rules! kernels {
    ($($name:ident: $kernel:ident, $bound:ident, $data:ty, |$token:ident, $value:ident| $call:expr;)*) => {$(
        struct $name;

        impl $kernel for $name {
            type Data = $data;

            #[inline(always)]
            fn call<T: $bound>($token: T, $value: &mut $data) {
                $call;
            }
        }
    )*};
}

kernels! {
    Multiply: ClmulKernel, Clmul, Product, |token, product| multiply_on(token, product);
    Haraka: AesKernel, AesToken, Hash, |token, hash| haraka_on(token, hash);
    ChaChaBlock: VectorKernel, Simd, Stream, |token, stream| block_on(token, stream);
    Seal: VectorKernel, Simd, Packet, |token, packet| seal_on(token, packet);
    SplitOne: ClmulKernel, Clmul, Split<1>, |token, secret| split_on(token, secret);
    SplitMany: ClmulKernel, Clmul, Split<MANY>, |token, secret| split_on(token, secret);
    CombineOne: ClmulKernel, Clmul, Combine<1>, |token, secret| combine_on(token, secret);
    CombineMany: ClmulKernel, Clmul, Combine<MANY>, |token, secret| combine_on(token, secret);
}

/// Measures all operations.
///
/// # Errors
/// Which choice gives another result than the library that is compiled for all CPUs.
pub(crate) fn measure(plan: &Plan) -> Result<Vec<Operation>, String> {
    Ok(vec![
        operation(
            ("multiply", "64-bit carry-less multiply"),
            "one product",
            (clmul_rows::<Multiply>(leaf::multiply, Built::multiply), Built::multiply),
            Product { a: 0x1234_5678_9abc_def1, b: 0x9e37_79b9_7f4a_7c15, product: [0; 2] },
            plan,
        )?,
        operation(
            ("haraka", "Haraka-256"),
            "two rounds of AES",
            (aes_rows::<Haraka>(leaf::haraka, Built::haraka), Built::haraka),
            Hash { input: [7; 32], output: [0; 32] },
            plan,
        )?,
        operation(
            ("block", "ChaCha20, one block"),
            "a round",
            (vector_rows::<ChaChaBlock>(leaf::block, Built::block), Built::block),
            Stream { state: state(), counter: 0, data: [0; 64] },
            plan,
        )?,
        operation(
            ("seal", "ChaCha20-Poly1305, 64 B"),
            "one-time key, encryption, tag",
            (vector_rows::<Seal>(leaf::seal, Built::seal), Built::seal),
            Packet { state: state(), aad: *b"thirteenbytes", message: [0; 64], tag: [0; 16] },
            plan,
        )?,
        operation(
            ("split-16", "Shamir, split 16 B"),
            "a product of 64 bits",
            (clmul_rows::<SplitOne>(leaf::split, Built::split_one), Built::split_one),
            split(),
            plan,
        )?,
        operation(
            ("split-1024", "Shamir, split 1 KiB"),
            "a product of 64 bits",
            (clmul_rows::<SplitMany>(leaf::split, Built::split_many), Built::split_many),
            split(),
            plan,
        )?,
        operation(
            ("combine-16", "Shamir, combine 16 B"),
            "a product of 64 bits",
            (clmul_rows::<CombineOne>(leaf::combine, Built::combine_one), Built::combine_one),
            combine(),
            plan,
        )?,
        operation(
            ("combine-1024", "Shamir, combine 1 KiB"),
            "a product of 64 bits",
            (clmul_rows::<CombineMany>(leaf::combine, Built::combine_many), Built::combine_many),
            combine(),
            plan,
        )?,
    ])
}

/// The input of ChaCha20's block function with a key and a nonce of small numbers (RFC 8439, section 2.3).
fn state() -> [u32; 16] {
    [0x6170_7865, 0x3320_646e, 0x7962_2d32, 0x6b20_6574, 1, 2, 3, 4, 5, 6, 7, 8, 0, 9, 10, 11]
}

/// Points 1, 2, and so on.
fn points<const N: usize>() -> [Gf128; N] {
    std::array::from_fn(|i| Gf128::from_bytes(&(i as u128 + 1).to_le_bytes()))
}

/// Elements without a pattern.
fn element(i: usize) -> Gf128 {
    Gf128::from_bytes(&(i as u128 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835).to_le_bytes())
}

fn split<const N: usize>() -> Split<N> {
    let polynomials = std::array::from_fn(|i| std::array::from_fn(|j| element(THRESHOLD * i + j)));
    Split { polynomials, points: points(), shares: [[Gf128::ZERO; SHARES]; N] }
}

fn combine<const N: usize>() -> Combine<N> {
    let shares = std::array::from_fn(|i| std::array::from_fn(|j| element(THRESHOLD * i + j)));
    Combine { points: points(), shares, secret: [Gf128::ZERO; N] }
}
