//! NTL's `GF2E`, called through `ntl.cpp`. It does not run in constant time: table look-ups and
//! branches depend on the elements.

use std::ffi::{c_long, c_uchar};

use sealane::gf2n::{Element, Field};

/// A field of NTL with two vectors of elements and one for results, opaque to Rust.
#[repr(C)]
struct Vectors {
    _opaque: [u8; 0],
}

unsafe extern "C" {
    fn bench_ntl_new(
        bits: c_long,
        exponents: *const u32,
        count: c_long,
        a: *const c_uchar,
        b: *const c_uchar,
    ) -> *mut Vectors;
    fn bench_ntl_free(vectors: *mut Vectors);
    fn bench_ntl_enter(vectors: *const Vectors);
    fn bench_ntl_result(vectors: *const Vectors, to: *mut c_uchar);
    fn bench_ntl_multiply(vectors: *mut Vectors);
    fn bench_ntl_multiply_dependent(vectors: *mut Vectors);
    fn bench_ntl_square(vectors: *mut Vectors);
    fn bench_ntl_invert(vectors: *mut Vectors);
    fn bench_ntl_sum_of_products(vectors: *mut Vectors);
    fn bench_ntl_split(vectors: *mut Vectors);
    fn bench_ntl_reconstruct(vectors: *mut Vectors);
}

/// An operation on all elements of two vectors a and b.
#[derive(Clone, Copy)]
pub enum Operation {
    /// a(i)·b(i).
    Multiply,
    /// The first result is a(0). Each other result is the previous result times b(i).
    MultiplyDependent,
    /// a(i)².
    Square,
    /// 1/a(i).
    Invert,
    /// The sum of a(i)·b(i), as the first result.
    SumOfProducts,
    /// The values at the points a of the polynomial with the coefficients b, constant first.
    Split,
    /// The constant coefficient of the polynomial with the values b at the points a, as the first
    /// result.
    Reconstruct,
}

/// Two vectors of elements.
pub struct Ntl<F: Field> {
    vectors: *mut Vectors,
    count: usize,
    field: std::marker::PhantomData<F>,
}

impl<F: Field> Ntl<F> {
    /// Copies the elements.
    pub fn new(a: &[Element<F>], b: &[Element<F>]) -> Self {
        assert!(a.len() == b.len() && !a.is_empty());
        let bytes = |elements: &[Element<F>]| -> Vec<u8> {
            elements.iter().flat_map(|element| element.to_bytes().as_ref().to_vec()).collect()
        };
        let (count, a, b) = (a.len(), bytes(a), bytes(b));
        // SAFETY: there are three exponents, and `count` elements of BITS / 8 bytes each in `a` and
        // `b`. All are copied.
        let vectors =
            unsafe { bench_ntl_new(F::BITS as c_long, F::EXPONENTS.as_ptr(), count as c_long, a.as_ptr(), b.as_ptr()) };
        Self { vectors, count, field: std::marker::PhantomData }
    }

    /// Computes the results.
    pub fn run(&mut self, operation: Operation) {
        // SAFETY: `bench_ntl_new` created the vectors. `bench_ntl_enter` makes their field the
        // thread's current one, and no other field is entered before the operation ends.
        unsafe {
            bench_ntl_enter(self.vectors);
            match operation {
                Operation::Multiply => bench_ntl_multiply(self.vectors),
                Operation::MultiplyDependent => bench_ntl_multiply_dependent(self.vectors),
                Operation::Square => bench_ntl_square(self.vectors),
                Operation::Invert => bench_ntl_invert(self.vectors),
                Operation::SumOfProducts => bench_ntl_sum_of_products(self.vectors),
                Operation::Split => bench_ntl_split(self.vectors),
                Operation::Reconstruct => bench_ntl_reconstruct(self.vectors),
            }
        }
    }

    /// Returns the results.
    pub fn results(&self) -> Vec<Element<F>> {
        let mut bytes = vec![0; self.count * Element::<F>::BYTES];
        // SAFETY: the vector of results has `count` elements, of BITS / 8 bytes each.
        unsafe { bench_ntl_result(self.vectors, bytes.as_mut_ptr()) };
        let elements = bytes.chunks(Element::<F>::BYTES);
        elements.map(|bytes| Element::from_slice(bytes).expect("the bytes of an element")).collect()
    }
}

impl<F: Field> Drop for Ntl<F> {
    fn drop(&mut self) {
        // SAFETY: the vectors were created by `bench_ntl_new`, and are freed once.
        unsafe { bench_ntl_free(self.vectors) };
    }
}
