//! The operations: their data, their kernels, and their rows.

use built_twice::Built;
use operations::{
    Combine, Element, Hash, MANY, Packet, Product, SHARES, Split, Stream, THRESHOLD, block_on, combine_on, haraka_on,
    multiply_on, seal_on, split_on,
};
use sealane_measure::Work;
use sealane_simd::{AesToken, Clmul, Simd};

use crate::choices::{AesKernel, ClmulKernel, VectorKernel, aes_rows, clmul_rows, vector_rows};
use crate::leaf;
use crate::measure::{Description, Plan, operation};
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
/// If a choice and the library that is compiled for all CPUs give different results, or a row takes
/// less time than its work needs.
pub(crate) fn measure(plan: &Plan) -> Result<Vec<Operation>, String> {
    Ok(vec![
        operation(
            &described("multiply", "64-bit carry-less multiply", "one product", (Work::Copy, 16)),
            (clmul_rows::<Multiply>(leaf::multiply, Built::multiply), Built::multiply),
            Product { a: 0x1234_5678_9abc_def1, b: 0x9e37_79b9_7f4a_7c15, product: [0; 2] },
            plan,
        )?,
        operation(
            &described("haraka", "Haraka-256", "two rounds of AES", (Work::Copy, 32)),
            (aes_rows::<Haraka>(leaf::haraka, Built::haraka), Built::haraka),
            Hash { input: [7; 32], output: [0; 32] },
            plan,
        )?,
        operation(
            &described("block", "ChaCha20, one block", "a round", (Work::ChaCha20, 64)),
            (vector_rows::<ChaChaBlock>(leaf::block, Built::block), Built::block),
            Stream { state: state(), counter: 0, data: [0; 64] },
            plan,
        )?,
        operation(
            &described("seal", "ChaCha20-Poly1305, 64 B", "a round", (Work::Aead, 64)),
            (vector_rows::<Seal>(leaf::seal, Built::seal), Built::seal),
            Packet { state: state(), aad: *b"thirteenbytes", message: [0; 64], tag: [0; 16] },
            plan,
        )?,
        operation(
            &described("split-16", "Shamir, split 16 B", PRODUCT, (Work::Copy, 16 * SHARES)),
            (clmul_rows::<SplitOne>(leaf::split, Built::split_one), Built::split_one),
            split(),
            plan,
        )?,
        operation(
            &described("split-1024", "Shamir, split 1 KiB", PRODUCT, (Work::Copy, 1024 * SHARES)),
            (clmul_rows::<SplitMany>(leaf::split, Built::split_many), Built::split_many),
            split(),
            plan,
        )?,
        operation(
            &described("combine-16", "Shamir, combine 16 B", PRODUCT, (Work::Copy, 16)),
            (clmul_rows::<CombineOne>(leaf::combine, Built::combine_one), Built::combine_one),
            combine(),
            plan,
        )?,
        operation(
            &described("combine-1024", "Shamir, combine 1 KiB", PRODUCT, (Work::Copy, 1024)),
            (clmul_rows::<CombineMany>(leaf::combine, Built::combine_many), Built::combine_many),
            combine(),
            plan,
        )?,
    ])
}

/// The inner operation of secret sharing.
const PRODUCT: &str = "a product of 64 bits";

fn described(name: &'static str, title: &'static str, inner: &'static str, work: (Work, usize)) -> Description {
    Description { name, title, inner, work }
}

/// Returns the input of ChaCha20's block function: a key and a nonce of small numbers (RFC 8439,
/// section 2.3).
fn state() -> [u32; 16] {
    [0x6170_7865, 0x3320_646e, 0x7962_2d32, 0x6b20_6574, 1, 2, 3, 4, 5, 6, 7, 8, 0, 9, 10, 11]
}

/// Returns the points 1, 2, and so on.
fn points<const N: usize>() -> [Element; N] {
    std::array::from_fn(|i| [i as u64 + 1, 0])
}

/// Returns element `i` of a sequence without a pattern.
fn element(i: usize) -> Element {
    let mixed = (i as u128 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835);
    [mixed as u64, (mixed >> 64) as u64]
}

fn split<const N: usize>() -> Split<N> {
    let polynomials = std::array::from_fn(|i| std::array::from_fn(|j| element(THRESHOLD * i + j)));
    Split { polynomials, points: points(), shares: [[[0; 2]; SHARES]; N] }
}

fn combine<const N: usize>() -> Combine<N> {
    let shares = std::array::from_fn(|i| std::array::from_fn(|j| element(THRESHOLD * i + j)));
    Combine { points: points(), shares, secret: [[0; 2]; N] }
}
