//! ISA-L's erasure codes. They compute the same linear combinations as secret sharing, but in
//! GF(2^8) with another polynomial (0x11d), and without randomness: the caller supplies the
//! coefficients.

use std::ffi::{c_int, c_uchar, c_void};
use std::ptr;

#[link(name = "isal")]
unsafe extern "C" {
    fn ec_init_tables(k: c_int, rows: c_int, matrix: *const c_uchar, tables: *mut c_uchar);
    fn ec_encode_data(
        length: c_int,
        k: c_int,
        rows: c_int,
        tables: *const c_uchar,
        sources: *const *const c_uchar,
        outputs: *const *mut c_uchar,
    );
    fn gf_vect_mul_init(constant: c_uchar, table: *mut c_uchar);
    fn gf_vect_mul(length: c_int, table: *mut c_uchar, source: *mut c_void, output: *mut c_void) -> c_int;
    fn gf_vect_mad(
        length: c_int,
        sources: c_int,
        number: c_int,
        tables: *mut c_uchar,
        source: *mut c_uchar,
        sum: *mut c_uchar,
    );
}

/// The largest number of sources or outputs of a [`Matrix`].
const MAX_BUFFERS: usize = 16;

/// A matrix over the field, with ISA-L's tables of products.
pub struct Matrix {
    sources: usize,
    outputs: usize,
    tables: Vec<u8>,
}

impl Matrix {
    /// Prepares `matrix`, which has a row of `sources` factors for each output.
    pub fn new(sources: usize, outputs: usize, matrix: &[u8]) -> Self {
        assert!(matrix.len() == sources * outputs && sources.max(outputs) <= MAX_BUFFERS);
        let mut tables = vec![0; 32 * sources * outputs];
        // SAFETY: the matrix has `sources * outputs` bytes, and the tables have 32 bytes for each
        // of them, as the function requires.
        unsafe { ec_init_tables(sources as c_int, outputs as c_int, matrix.as_ptr(), tables.as_mut_ptr()) };
        Self { sources, outputs, tables }
    }

    /// Sets every output to the sum of the sources, each times its factor.
    pub fn apply(&self, sources: &[Vec<u8>], outputs: &mut [Vec<u8>]) {
        let length = sources[0].len();
        assert!(sources.len() == self.sources && outputs.len() == self.outputs);
        assert!(sources.iter().chain(&*outputs).all(|buffer| buffer.len() == length));
        // On the stack, as a caller in C would have them: an allocation would take as long as the
        // function itself takes for short buffers.
        let mut source_addresses = [ptr::null(); MAX_BUFFERS];
        source_addresses.iter_mut().zip(sources).for_each(|(address, source)| *address = source.as_ptr());
        let mut output_addresses = [ptr::null_mut(); MAX_BUFFERS];
        output_addresses.iter_mut().zip(outputs).for_each(|(address, output)| *address = output.as_mut_ptr());
        let (sources, outputs) = (source_addresses.as_ptr(), output_addresses.as_ptr());
        let (k, rows) = (self.sources as c_int, self.outputs as c_int);
        // SAFETY: the tables belong to a matrix with this number of sources and outputs, and the
        // arrays hold as many addresses. Each source and output has `length` bytes, and the outputs
        // are borrowed exclusively.
        unsafe {
            ec_encode_data(length as c_int, k, rows, self.tables.as_ptr(), sources, outputs);
        }
    }
}

/// A constant, with ISA-L's table of products.
pub struct Constant {
    table: [u8; 32],
}

/// [`Constant::multiply`] requires lengths and addresses that are multiples of this.
pub const ALIGNMENT: usize = 32;
/// The shortest length that [`Constant::multiply_add`] takes.
pub const MIN_SUM_BYTES: usize = 64;

impl Constant {
    pub fn new(constant: u8) -> Self {
        let mut table = [0; 32];
        // SAFETY: the function writes 32 bytes.
        unsafe { gf_vect_mul_init(constant, table.as_mut_ptr()) };
        Self { table }
    }

    /// Sets each byte of `output` to the constant times the byte of `source` at the same index.
    pub fn multiply(&mut self, source: &mut [u8], output: &mut [u8]) {
        assert!(source.len() == output.len() && source.len().is_multiple_of(ALIGNMENT));
        assert!([source.as_ptr(), output.as_ptr()].iter().all(|buffer| buffer.addr().is_multiple_of(ALIGNMENT)));
        // SAFETY: the table has 32 bytes; both buffers are borrowed exclusively and have the length
        // of `source`; length and addresses are multiples of 32, as the function requires.
        let failed = unsafe {
            gf_vect_mul(
                source.len() as c_int,
                self.table.as_mut_ptr(),
                source.as_mut_ptr().cast(),
                output.as_mut_ptr().cast(),
            )
        };
        assert_eq!(failed, 0, "ISA-L multiplies");
    }

    /// Adds the constant times each byte of `source` to the byte of `sum` at the same index.
    pub fn multiply_add(&mut self, source: &mut [u8], sum: &mut [u8]) {
        assert!(source.len() == sum.len() && source.len() >= MIN_SUM_BYTES);
        // SAFETY: the table is for one source, whose number is 0; both buffers are borrowed
        // exclusively and have the length of `source`, which is at least MIN_SUM_BYTES, as the
        // function requires.
        unsafe {
            gf_vect_mad(source.len() as c_int, 1, 0, self.table.as_mut_ptr(), source.as_mut_ptr(), sum.as_mut_ptr());
        }
    }
}
