//! One product in GF(2^n), and where the instruction set is chosen for it: nowhere, at its top, or in each of the products
//! of 64 by 64 bits that it is made of.
//!
//! The kernels are the library's. A leaf is what a crate offers that chooses inside each of its smallest operations: a
//! function that cannot be inlined into a caller without its features, between callers that work with plain integers.

use std::hint::black_box;

use sealane::chacha20::ChaCha20Rng;
use sealane::gf2n::{Backend, Degree, Element, Field};
use sealane::internals::gf2n_multiply;
use sealane::internals::leaf::{LeafLane, clmul_level};
use sealane_simd::{Clmul, ClmulLevel, Scalar, dispatch_clmul};

use crate::gf2n::elements;
use crate::harness::Plan;
use crate::timed::{self, MakeRows, Row, TimedResult};

pub const SUITE: &str = "gf2n_dispatch";
const COLUMNS: [&str; 6] = ["2^64", "2^128", "2^256", "2^512", "2^1024", "2^2048"];
const INDEPENDENT: &str = "independent";
const DEPENDENT: &str = "dependent";
const TITLES: [(&str, &str); 2] =
    [(INDEPENDENT, "one product of many"), (DEPENDENT, "one product, which needs the one before")];
const STATIC: &str = "static";
/// Products in each call.
const COUNT: usize = 16;

/// Measures all rows in all fields, on the backend that is chosen on this CPU.
///
/// # Errors
/// Which row gives a wrong result.
pub fn measure(plan: &Plan, quiet: bool) -> Result<Vec<TimedResult>, String> {
    let rows: [MakeRows; COLUMNS.len()] = [
        rows::<Degree<64>>,
        rows::<Degree<128>>,
        rows::<Degree<256>>,
        rows::<Degree<512>>,
        rows::<Degree<1024>>,
        rows::<Degree<2048>>,
    ];
    let mut results = Vec::new();
    for (column, rows) in COLUMNS.into_iter().zip(rows) {
        let rows = rows().map_err(|name| format!("{SUITE}: {name} gives a wrong result in GF({column})"))?;
        results.extend(timed::measure(SUITE, column, rows, plan, &[]));
    }
    if !quiet {
        timed::print(&results, &TITLES, &COLUMNS);
        timed::print_ratios(&results, &TITLES, &COLUMNS, STATIC);
    }
    Ok(results)
}

/// What is done with two vectors.
type Products<F> = fn(&[Element<F>], &[Element<F>], &mut [Element<F>]);

fn rows<F: Field>() -> Result<Vec<Row>, String> {
    let mut rng = ChaCha20Rng::with_backend(&[0x42; 32], sealane::Backend::detect());
    let (a, b) = (elements::<F>(COUNT, &mut rng), elements::<F>(COUNT, &mut rng));
    let choices: [(&str, &str, Products<F>); 6] = [
        (INDEPENDENT, STATIC, |a, b, out| known::<F, false>(clmul_level(), a, b, out)),
        (INDEPENDENT, "top", |a, b, out| with(top, false, a, b, out)),
        (INDEPENDENT, "leaf", |a, b, out| with(leaf, false, a, b, out)),
        (DEPENDENT, STATIC, |a, b, out| known::<F, true>(clmul_level(), a, b, out)),
        (DEPENDENT, "top", |a, b, out| with(top, true, a, b, out)),
        (DEPENDENT, "leaf", |a, b, out| with(leaf, true, a, b, out)),
    ];
    let scalar = Backend::by_name("scalar").expect("every CPU has it");
    let mut rows = Vec::new();
    for (operation, name, products) in choices {
        let (mut out, mut expected) = (a.clone(), a.clone());
        products(&a, &b, &mut out);
        with(|a, b| scalar.multiply(a, b), operation == DEPENDENT, &a, &b, &mut expected);
        if out != expected {
            return Err(name.into());
        }
        let (a, b) = (a.clone(), b.clone());
        rows.push(Row::new(name, operation, COUNT, move || {
            products(black_box(&a), black_box(&b), &mut out);
            black_box(&mut out);
        }));
    }
    Ok(rows)
}

/// Each product by that function; dependent, each is multiplied with the one before.
#[inline(always)]
fn with<F: Field>(
    product: impl Fn(&Element<F>, &Element<F>) -> Element<F>,
    dependent: bool,
    a: &[Element<F>],
    b: &[Element<F>],
    out: &mut [Element<F>],
) {
    let mut before = a[0];
    for ((a, b), out) in a.iter().zip(b).zip(out) {
        before = product(if dependent { &before } else { a }, b);
        *out = before;
    }
}

/// The token is known for the whole loop, as in a program that was compiled for this CPU.
fn known<F: Field, const DEPENDENT: bool>(
    level: ClmulLevel,
    a: &[Element<F>],
    b: &[Element<F>],
    out: &mut [Element<F>],
) {
    dispatch_clmul!(level, token => known_on::<F, _, DEPENDENT>(token, a, b, out));
}

#[inline(always)]
fn known_on<F: Field, T: Clmul, const DEPENDENT: bool>(
    token: T,
    a: &[Element<F>],
    b: &[Element<F>],
    out: &mut [Element<F>],
) {
    let mut before = a[0];
    for ((a, b), out) in a.iter().zip(b).zip(out) {
        before = gf2n_multiply::<F, T::One>(token, if DEPENDENT { &before } else { a }, b);
        *out = before;
    }
}

/// One choice for a product.
#[inline]
fn top<F: Field>(a: &Element<F>, b: &Element<F>) -> Element<F> {
    Backend::detect().multiply(a, b)
}

/// A choice for each product of limbs.
#[inline]
fn leaf<F: Field>(a: &Element<F>, b: &Element<F>) -> Element<F> {
    gf2n_multiply::<F, LeafLane>(Scalar::new(), a, b)
}
