//! Arithmetic in GF(2^n): all elements and exponents are secret.

use std::hint::black_box;

use sealane::BackendError;
use sealane::gf2n::{ClmulBackend, Degree, DynamicElement, DynamicField, Element, Field};
use subtle::{ConditionallySelectable as _, ConstantTimeEq as _};

use crate::workload::{Run, Secrets};

/// An element of the field of degree `BITS`.
type Of<const BITS: usize> = Element<Degree<BITS>>;

/// Returns a secret element.
pub(crate) fn secret<F: Field>(secrets: Secrets<'_>) -> Element<F> {
    let mut bytes = vec![0; Element::<F>::BYTES];
    secrets(&mut bytes);
    Element::from_slice(&bytes).expect("as many bytes as an element has")
}

/// Returns `count` secret elements.
fn elements<F: Field>(count: usize, secrets: Secrets<'_>) -> Vec<Element<F>> {
    (0..count).map(|_| secret(secrets)).collect()
}

/// Prepares every operation on single elements, the products of two slices, and the inverses of a
/// slice.
pub fn arithmetic<const BITS: usize>(backend: &str, count: usize, secrets: Secrets<'_>) -> Result<Run, BackendError>
where
    Degree<BITS>: Field,
{
    let backend = ClmulBackend::by_name(backend)?;
    let (a, b): (Of<BITS>, Of<BITS>) = (secret(secrets), secret(secrets));
    let mut many: Vec<Of<BITS>> = elements(count, secrets);
    let factors = many.clone();
    let mut scratch = many.clone();
    let mut exponent = [0; 8];
    secrets(&mut exponent);
    Ok(Box::new(move || {
        let inverse = backend.invert(&a).unwrap_or(Element::ZERO);
        let power = backend.pow(&a, &[u64::from_le_bytes(exponent)]);
        let selected = Element::conditional_select(&a, &b, a.ct_eq(&b));
        black_box([backend.multiply(&a, &b), backend.square(&a), inverse, selected, power, a + b]);
        backend.multiply_slices(&mut many, &factors);
        backend.batch_invert(&mut many, &mut scratch);
        black_box(&mut many);
    }))
}

/// Prepares single products of the elements of two slices.
pub fn multiply<const BITS: usize>(backend: &str, count: usize, secrets: Secrets<'_>) -> Result<Run, BackendError>
where
    Degree<BITS>: Field,
{
    let backend = ClmulBackend::by_name(backend)?;
    let mut many: Vec<Of<BITS>> = elements(count, secrets);
    let factors: Vec<Of<BITS>> = elements(count, secrets);
    Ok(Box::new(move || {
        many.iter_mut().zip(&factors).for_each(|(element, factor)| *element = backend.multiply(element, factor));
        black_box(&mut many);
    }))
}

/// Prepares single inverses of the elements of a slice.
pub fn invert<const BITS: usize>(backend: &str, count: usize, secrets: Secrets<'_>) -> Result<Run, BackendError>
where
    Degree<BITS>: Field,
{
    let backend = ClmulBackend::by_name(backend)?;
    let many: Vec<Of<BITS>> = elements(count, secrets);
    Ok(Box::new(move || {
        for element in &many {
            black_box(backend.invert(element).unwrap_or(Element::ZERO));
        }
    }))
}

/// Prepares the product of a slice and an element.
pub fn scale<const BITS: usize>(backend: &str, count: usize, secrets: Secrets<'_>) -> Result<Run, BackendError>
where
    Degree<BITS>: Field,
{
    let backend = ClmulBackend::by_name(backend)?;
    let factor: Of<BITS> = secret(secrets);
    let mut many = elements(count, secrets);
    Ok(Box::new(move || {
        backend.scale(&mut many, &factor);
        black_box(&mut many);
    }))
}

/// Prepares the evaluation of a polynomial at several points.
pub fn evaluate<const BITS: usize>(backend: &str, count: usize, secrets: Secrets<'_>) -> Result<Run, BackendError>
where
    Degree<BITS>: Field,
{
    let backend = ClmulBackend::by_name(backend)?;
    let coefficients: Vec<Of<BITS>> = elements(count, secrets);
    let points = elements(count, secrets);
    let mut values = points.clone();
    Ok(Box::new(move || {
        backend.evaluate(&coefficients, &points, &mut values);
        black_box(&mut values);
    }))
}

/// Prepares the dot product of two slices.
pub fn dot_product<const BITS: usize>(backend: &str, count: usize, secrets: Secrets<'_>) -> Result<Run, BackendError>
where
    Degree<BITS>: Field,
{
    let backend = ClmulBackend::by_name(backend)?;
    let (a, b): (Vec<Of<BITS>>, Vec<Of<BITS>>) = (elements(count, secrets), elements(count, secrets));
    Ok(Box::new(move || {
        black_box(backend.dot_product(&a, &b));
    }))
}

/// Returns the field of degree `bits`, which is chosen at run time, on the named backend.
pub(crate) fn dynamic_field(backend: &str, bits: usize) -> Result<DynamicField, BackendError> {
    let field = DynamicField::of_degree(bits).expect("a degree that has a field");
    Ok(field.with_backend(ClmulBackend::by_name(backend)?))
}

/// Returns secret elements of the field.
pub(crate) fn dynamic_elements(field: &DynamicField, count: usize, secrets: Secrets<'_>) -> Vec<DynamicElement> {
    let mut element = |_| {
        let mut bytes = vec![0; field.element_len()];
        secrets(&mut bytes);
        field.from_be_bytes(&bytes)
    };
    (0..count).map(&mut element).collect()
}

/// Prepares a product, and the value of a polynomial, in a field whose degree is chosen at run
/// time.
pub fn dynamic(backend: &str, bits: usize, secrets: Secrets<'_>) -> Result<Run, BackendError> {
    let field = dynamic_field(backend, bits)?;
    let elements = dynamic_elements(&field, 5, secrets);
    Ok(Box::new(move || {
        black_box(field.multiply(&elements[0], &elements[1]));
        black_box(field.evaluate(&elements[1..], &elements[0]));
    }))
}
