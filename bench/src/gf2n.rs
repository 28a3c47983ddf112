//! The peers of GF(2^n): NTL (with the feature `ntl`) and polyval.

use std::hint::black_box;

use polyval::Polyval;
use polyval::universal_hash::UniversalHash;
use sealane::gf2n::{Degree, Gf128};
#[cfg(feature = "ntl")]
use sealane::gf2n::{Element, Field};
use sealane_workloads::Size;
#[cfg(feature = "ntl")]
use sealane_workloads::benchmarks::gf2n::INVERTED;
use sealane_workloads::benchmarks::gf2n::operands;

#[cfg(feature = "ntl")]
use crate::peers::ntl::{Ntl, Operation};
#[cfg(feature = "ntl")]
use crate::targets::NTL;
use crate::targets::POLYVAL;
use crate::timed::Row;

/// Returns the peers' rows. The error is the name of a row with a wrong result.
pub fn peers(benchmark: &str, size: Size) -> Result<Vec<Row>, String> {
    let mut rows = Vec::new();
    #[cfg(feature = "ntl")]
    rows.extend(match size {
        Size::Degree(8) => of_ntl::<Degree<8>>(benchmark)?,
        Size::Degree(64) => of_ntl::<Degree<64>>(benchmark)?,
        Size::Degree(128) => of_ntl::<Degree<128>>(benchmark)?,
        Size::Degree(256) => of_ntl::<Degree<256>>(benchmark)?,
        Size::Degree(512) => of_ntl::<Degree<512>>(benchmark)?,
        Size::Degree(1024) => of_ntl::<Degree<1024>>(benchmark)?,
        _ => of_ntl::<Degree<2048>>(benchmark)?,
    });
    let count = operands::<Degree<128>>(usize::MAX)[0].len();
    match (benchmark, size) {
        ("gf2n-multiply-dependent" | "gf2n-multiply-held", Size::Degree(128)) => {
            rows.push(polyval(POLYVAL, 1)?);
        }
        ("gf2n-sum-of-products", Size::Degree(128)) => rows.push(polyval("polyval, bulk", count)?),
        _ => {}
    }
    Ok(rows)
}

#[cfg(feature = "ntl")]
fn of_ntl<F: Field>(benchmark: &str) -> Result<Option<Row>, String> {
    let [a, b] = operands::<F>(if benchmark == "gf2n-invert" { INVERTED } else { usize::MAX });
    let pairs = || a.iter().zip(&b).map(|(a, b)| *a * *b);
    let (operation, fewer, expected): (_, _, Vec<Element<F>>) = match benchmark {
        "gf2n-multiply" => (Operation::Multiply, 0, pairs().collect()),
        "gf2n-multiply-dependent" | "gf2n-multiply-held" => {
            let product = |product: &mut Element<F>, b: &Element<F>| {
                *product *= *b;
                Some(*product)
            };
            let products = b[1..].iter().scan(a[0], product);
            (Operation::MultiplyDependent, 1, [a[0]].into_iter().chain(products).collect())
        }
        "gf2n-square" => (Operation::Square, 0, a.iter().map(Element::square).collect()),
        "gf2n-invert" => (Operation::Invert, 0, a.iter().map(|a| a.invert().unwrap_or(Element::ZERO)).collect()),
        "gf2n-sum-of-products" => {
            (Operation::SumOfProducts, 0, vec![pairs().fold(Element::ZERO, |sum, product| sum + product)])
        }
        // NTL does not have this operation.
        _ => return Ok(None),
    };
    let mut ntl = Ntl::new(&a, &b);
    ntl.run(operation);
    if !ntl.results().starts_with(&expected) {
        return Err(NTL.into());
    }
    Ok(Some(Row::many(NTL, a.len() - fewer, move || ntl.run(operation))))
}

/// Returns a row of polyval. The crate multiplies by one fixed element, keeps the element's powers,
/// and reduces once for every four products.
fn polyval(name: &str, step: usize) -> Result<Row, String> {
    let [keys, blocks] = operands::<Degree<128>>(usize::MAX);
    // RFC 8452, section 3: S(j) = dot(S(j - 1) + X(j), H) with dot(a, b) = a·b·x^-128, modulo the
    // reciprocal of our polynomial. If the bits of all elements are reversed, dot(a, b) is x·a·b
    // modulo our polynomial.
    let by = keys[0] * Gf128::from_bits(2).expect("x");
    let expected = blocks.iter().fold(Gf128::ZERO, |sum, block| (sum + *block) * by);
    let blocks: Vec<polyval::Block> = blocks.iter().map(|block| reversed(block).into()).collect();
    let (mut hash, count) = (Polyval::new(&reversed(&keys[0]).into()), blocks.len());
    let run = move |hash: &mut Polyval| blocks.chunks(step).for_each(|blocks| hash.update(black_box(blocks)));
    run(&mut hash);
    if <[u8; 16]>::from(hash.clone().finalize()) != reversed(&expected) {
        return Err(name.into());
    }
    Ok(Row::many(name, count, move || run(&mut hash)))
}

/// Returns the element with its bits reversed.
fn reversed(element: &Gf128) -> [u8; 16] {
    u128::from_le_bytes(element.to_bytes()).reverse_bits().to_le_bytes()
}
