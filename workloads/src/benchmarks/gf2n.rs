//! Arithmetic in GF(2^n), on 16 to 256 elements in the first-level cache. The benchmark of single
//! inverses has 8 elements.

use sealane::BackendError;
use sealane::gf2n::{ClmulBackend, Degree, Element, Field};
use sealane::with_field;

use super::{Prepared, Size};

/// The maximum length of a slice of elements, in bytes. Several slices fit into the first-level
/// cache.
const VECTOR_BYTES: usize = 4096;
/// The maximum number of elements in a slice.
const MOST: usize = 256;
/// The number of elements that are inverted one by one.
pub const INVERTED: usize = 8;

/// Returns two slices of at most `most` random elements. None is zero, because zero has no inverse.
#[must_use]
pub fn operands<F: Field>(most: usize) -> [Vec<Element<F>>; 2] {
    let mut rng = super::generator();
    let count = (VECTOR_BYTES / size_of::<F::Limbs>()).min(MOST).min(most);
    let random = std::iter::repeat_with(|| Element::random(&mut rng)).filter(|element| *element != Element::ZERO);
    let elements: Vec<_> = random.take(2 * count).collect();
    [elements[..count].to_vec(), elements[count..].to_vec()]
}

/// A backend with its operands and results.
struct State<F: Field> {
    backend: ClmulBackend,
    a: Vec<Element<F>>,
    b: Vec<Element<F>>,
    out: Vec<Element<F>>,
    scratch: Vec<Element<F>>,
}

/// Defines the function that prepares a benchmark. The macro takes the function's name, the maximum
/// number of operands, the number by which operands exceed operations, and a call. Calls that work
/// in place process the results of the previous call.
macro_rules! benchmark {
    ($(#[$doc:meta])* $name:ident: $most:expr, $fewer:literal, |$state:ident| $call:expr) => {
        $(#[$doc])*
        pub fn $name(backend: &str, size: Size) -> Result<Prepared, BackendError> {
            fn prepared<F: Field>(backend: ClmulBackend) -> Prepared {
                let [a, b] = operands::<F>($most);
                let operations = (a.len() - $fewer, F::BITS / 8);
                let state = State { backend, out: a.clone(), scratch: a.clone(), a, b };
                Prepared::new(operations, state, |$state| $call, result)
            }
            let backend = ClmulBackend::by_name(backend)?;
            Ok(match size {
                Size::Degree(8) => prepared::<Degree<8>>(backend),
                Size::Degree(64) => prepared::<Degree<64>>(backend),
                Size::Degree(128) => prepared::<Degree<128>>(backend),
                Size::Degree(256) => prepared::<Degree<256>>(backend),
                Size::Degree(512) => prepared::<Degree<512>>(backend),
                Size::Degree(1024) => prepared::<Degree<1024>>(backend),
                Size::Degree(2048) => prepared::<Degree<2048>>(backend),
                _ => unreachable!("not a size of the table"),
            })
        }
    };
}

fn result<F: Field>(state: &State<F>) -> Vec<u8> {
    state.out.iter().flat_map(|element| element.to_bytes().as_ref().to_vec()).collect()
}

benchmark! {
    /// Prepares products of the elements of two slices.
    multiply: usize::MAX, 0, |state| state.backend.multiply_slices(&mut state.out, &state.b)
}
benchmark! {
    /// Prepares a chain of products. Each needs the result of the previous one.
    multiply_dependent: usize::MAX, 1, |state| {
        let State { backend, a, b, out, .. } = state;
        out[0] = a[0];
        let mut product = a[0];
        for (out, b) in out[1..].iter_mut().zip(&b[1..]) {
            product = backend.multiply(&product, b);
            *out = product;
        }
    }
}
benchmark! {
    /// Prepares the same chain, on a backend that is entered once for all products.
    multiply_held: usize::MAX, 1, |state| {
        let State { backend, a, b, out, .. } = state;
        out[0] = a[0];
        with_field!(*backend, field => {
            let mut product = a[0];
            for (out, b) in out[1..].iter_mut().zip(&b[1..]) {
                product = field.multiply(&product, b);
                *out = product;
            }
        });
    }
}
benchmark! {
    /// Prepares squares, one call each.
    square: usize::MAX, 0, |state| {
        let State { backend, a, out, .. } = state;
        out.iter_mut().zip(a).for_each(|(out, a)| *out = backend.square(a));
    }
}
benchmark! {
    /// Prepares inverses, one call each.
    invert: INVERTED, 0, |state| {
        let State { backend, a, out, .. } = state;
        out.iter_mut().zip(a).for_each(|(out, a)| *out = backend.invert(a).unwrap_or(Element::ZERO));
    }
}
benchmark! {
    /// Prepares inverses of a slice.
    batch_invert: usize::MAX, 0, |state| state.backend.batch_invert(&mut state.out, &mut state.scratch)
}
benchmark! {
    /// Prepares a sum of products, which becomes the first result.
    sum_of_products: usize::MAX, 0, |state| state.out[0] = state.backend.dot_product(&state.a, &state.b)
}
