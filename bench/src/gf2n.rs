//! GF(2^n): arithmetic on each backend, beside NTL (with the feature `ntl`) and polyval.
//!
//! The results of all rows are compared with those of our portable code before anything is timed.

use std::hint::black_box;

use polyval::Polyval;
use polyval::universal_hash::UniversalHash;
use sealane::chacha20::ChaCha20Rng;
use sealane::gf2n::{Backend, Degree, Element, Field, Gf128};
use sealane_measure::Rounds;

#[cfg(feature = "ntl")]
use crate::peers::ntl::{self, Ntl};
use crate::targets::TIME_TARGETS;
use crate::timed::{self, MakeRows, Row, TimedResult};

pub const SUITE: &str = "gf2n";
const SEED: [u8; 32] = [0x42; 32];
/// Bytes of each vector of elements. Several vectors fit into the nearest cache.
const VECTOR_BYTES: usize = 4096;
const INVERTED: usize = 8;

const COLUMNS: [&str; 7] = ["2^8", "2^64", "2^128", "2^256", "2^512", "2^1024", "2^2048"];

const MULTIPLY: &str = "multiply";
const MULTIPLY_DEPENDENT: &str = "multiply, dependent";
const SQUARE: &str = "square";
const INVERT: &str = "invert";
const BATCH_INVERT: &str = "batch invert";
const SUM_OF_PRODUCTS: &str = "sum of products";
const TITLES: [(&str, &str); 6] = [
    (MULTIPLY, "products of the elements of two slices"),
    (MULTIPLY_DEPENDENT, "products of which each needs the one before, one call each"),
    (SQUARE, "squares, one call each"),
    (INVERT, "inverses, one call each"),
    (BATCH_INVERT, "inverses of many elements, for each"),
    (SUM_OF_PRODUCTS, "sum of products, for each product"),
];

/// Measures all rows in all fields.
///
/// # Errors
/// If a row is too fast to be true, or gives a wrong result; the error names it.
pub fn measure(rounds: &Rounds, quiet: bool) -> Result<Vec<TimedResult>, String> {
    let rows: [MakeRows; COLUMNS.len()] = [
        rows::<Degree<8>>,
        rows::<Degree<64>>,
        rows_of_128,
        rows::<Degree<256>>,
        rows::<Degree<512>>,
        rows::<Degree<1024>>,
        rows::<Degree<2048>>,
    ];
    let mut results = Vec::new();
    for (column, rows) in COLUMNS.into_iter().zip(rows) {
        let rows = rows().map_err(|name| format!("{SUITE}: {name} gives a wrong result in GF({column})"))?;
        results.extend(timed::measure(SUITE, column, rows, rounds, TIME_TARGETS)?);
    }
    if !quiet {
        timed::print(&results, &TITLES, &COLUMNS);
    }
    Ok(results)
}

/// Returns random elements. None is zero, because zero has no inverse.
pub fn elements<F: Field>(count: usize, rng: &mut ChaCha20Rng) -> Vec<Element<F>> {
    std::iter::repeat_with(|| Element::random(rng)).filter(|element| *element != Element::ZERO).take(count).collect()
}

/// Returns the number of elements of each vector that an operation uses.
fn operands<F: Field>(operation: &str) -> usize {
    let all = (VECTOR_BYTES / size_of::<F::Limbs>()).min(256);
    if operation == INVERT { INVERTED.min(all) } else { all }
}

/// Returns the number of operations in one call.
fn operations<F: Field>(operation: &str) -> usize {
    operands::<F>(operation) - usize::from(operation == MULTIPLY_DEPENDENT)
}

/// One of our backends with its operands and results.
struct Ours<F: Field> {
    backend: Backend,
    a: Vec<Element<F>>,
    b: Vec<Element<F>>,
    out: Vec<Element<F>>,
    scratch: Vec<Element<F>>,
}

impl<F: Field> Ours<F> {
    fn new(backend: Backend, operation: &str, a: &[Element<F>], b: &[Element<F>]) -> Self {
        let count = operands::<F>(operation);
        let (a, b) = (a[..count].to_vec(), b[..count].to_vec());
        Self { backend, out: a.clone(), scratch: a.clone(), a, b }
    }

    /// Runs it on all elements. Operations in place take the results of the call before.
    fn run(&mut self, operation: &str) {
        let Self { backend, a, b, out, scratch } = self;
        match operation {
            MULTIPLY => backend.multiply_slices(out, b),
            MULTIPLY_DEPENDENT => {
                out[0] = a[0];
                let mut product = a[0];
                for (out, b) in out[1..].iter_mut().zip(&b[1..]) {
                    product = backend.multiply(&product, b);
                    *out = product;
                }
            }
            SQUARE => out.iter_mut().zip(a).for_each(|(out, a)| *out = backend.square(a)),
            INVERT => out.iter_mut().zip(a).for_each(|(out, a)| *out = backend.invert(a).unwrap_or(Element::ZERO)),
            BATCH_INVERT => backend.batch_invert(out, scratch),
            SUM_OF_PRODUCTS => out[0] = backend.dot_product(a, b),
            _ => unreachable!("an operation without code"),
        }
        black_box(out);
    }
}

/// Returns our rows and NTL's. The error is the name of a row with a wrong result.
fn rows<F: Field>() -> Result<Vec<Row>, String> {
    let mut rng = ChaCha20Rng::with_backend(&SEED, sealane::Backend::detect());
    let all = operands::<F>(MULTIPLY);
    let (a, b) = (elements::<F>(all, &mut rng), elements::<F>(all, &mut rng));
    let mut rows = Vec::new();
    for (operation, _) in TITLES {
        let mut reference = Ours::new(Backend::by_name("scalar").expect("every CPU has it"), operation, &a, &b);
        reference.run(operation);
        for backend in Backend::available().rev() {
            let name = format!("sealane ({backend})");
            let mut ours = Ours::new(backend, operation, &a, &b);
            ours.run(operation);
            if ours.out != reference.out {
                return Err(name);
            }
            let mut row = Row::new(name, operation, operations::<F>(operation), move || ours.run(operation));
            row.chosen = backend == Backend::detect();
            rows.push(row);
        }
        #[cfg(feature = "ntl")]
        rows.extend(of_ntl(operation, &a, &b, &reference.out)?);
    }
    Ok(rows)
}

#[cfg(feature = "ntl")]
fn of_ntl<F: Field>(
    operation: &'static str,
    a: &[Element<F>],
    b: &[Element<F>],
    expected: &[Element<F>],
) -> Result<Option<Row>, String> {
    let its = match operation {
        MULTIPLY => ntl::Operation::Multiply,
        MULTIPLY_DEPENDENT => ntl::Operation::MultiplyDependent,
        SQUARE => ntl::Operation::Square,
        INVERT => ntl::Operation::Invert,
        SUM_OF_PRODUCTS => ntl::Operation::SumOfProducts,
        // NTL does not have this operation.
        _ => return Ok(None),
    };
    let count = operands::<F>(operation);
    let mut ntl = Ntl::new(&a[..count], &b[..count]);
    ntl.run(its);
    let results = if operation == SUM_OF_PRODUCTS { 1 } else { count };
    if ntl.results()[..results] != expected[..results] {
        return Err("NTL".into());
    }
    Ok(Some(Row::new("NTL", operation, operations::<F>(operation), move || ntl.run(its))))
}

/// Returns the rows of polyval, which multiplies by one element whose powers it keeps, and reduces
/// once for four products.
fn rows_of_128() -> Result<Vec<Row>, String> {
    let mut rows = rows::<Degree<128>>()?;
    let mut rng = ChaCha20Rng::with_backend(&SEED, sealane::Backend::detect());
    let count = operands::<Degree<128>>(MULTIPLY);
    let (key, blocks) = (elements(1, &mut rng)[0], elements::<Degree<128>>(count, &mut rng));
    // RFC 8452, section 3: S(j) = dot(S(j - 1) + X(j), H) with dot(a, b) = a·b·x^-128, modulo the
    // reciprocal of our polynomial. With all elements' bits reversed, this is x·a·b modulo ours.
    let by = key * Gf128::from_bits(2).expect("x");
    let expected = blocks.iter().fold(Gf128::ZERO, |sum, block| (sum + *block) * by);
    let (key, blocks) =
        (reversed(&key), blocks.iter().map(|block| reversed(block).into()).collect::<Vec<polyval::Block>>());
    for (operation, name, step) in
        [(MULTIPLY_DEPENDENT, "polyval, block by block", 1), (SUM_OF_PRODUCTS, "polyval, bulk", count)]
    {
        let mut hash = Polyval::new(&key.into());
        let run = {
            let blocks = blocks.clone();
            move |hash: &mut Polyval| blocks.chunks(step).for_each(|blocks| hash.update(black_box(blocks)))
        };
        run(&mut hash);
        if <[u8; 16]>::from(hash.clone().finalize()) != reversed(&expected) {
            return Err(name.into());
        }
        rows.push(Row::new(name, operation, count, move || run(&mut hash)));
    }
    Ok(rows)
}

/// Returns the element with its bits reversed.
fn reversed(element: &Gf128) -> [u8; 16] {
    u128::from_le_bytes(element.to_bytes()).reverse_bits().to_le_bytes()
}
