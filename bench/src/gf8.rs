//! The peers of GF(2^8) slice multiplication (in place, and added to another slice), and of the
//! parity of a Reed–Solomon code.
//!
//! The peers of the multiplication are a loop that looks each product up in a table of 256 bytes,
//! and ISA-L (with the feature `isal`). The table is filled by the module `gf2n`. ISA-L's field has
//! another polynomial (0x11d), and its constant is prepared beforehand. The peer of the parity is
//! ISA-L. Our code uses ISA-L's field and the same matrix, and both prepare the matrix beforehand.

use std::hint::black_box;

use sealane::gf2n::Gf8;
use sealane_workloads::Size;
use sealane_workloads::benchmarks::data;
use sealane_workloads::benchmarks::gf8::CONSTANT;

use crate::timed::Row;

const MULTIPLY: &str = "gf8-multiply";
const PARITY: &str = "gf8-parity";

/// Returns the peers' rows. The error is the name of a row with a wrong result.
pub fn peers(benchmark: &str, size: Size) -> Result<Vec<Row>, String> {
    if benchmark == PARITY {
        #[cfg(feature = "isal")]
        return parity(size);
        #[cfg(not(feature = "isal"))]
        return Ok(Vec::new());
    }
    let data = data(size.length());
    let rows = [look_up(benchmark, &data)].into_iter();
    #[cfg(feature = "isal")]
    let rows = rows.chain(isal(benchmark, &data)?);
    Ok(rows.collect())
}

/// Returns the row of ISA-L's `ec_encode_data`.
#[cfg(feature = "isal")]
fn parity(size: Size) -> Result<Vec<Row>, String> {
    use sealane_workloads::benchmarks::gf8 as its;

    use crate::targets::ISAL;

    let (data, mut parity) = (its::shards(size.length()), vec![vec![0; size.length()]; its::PARITY]);
    let matrix = crate::peers::isal::Matrix::new(its::DATA, its::PARITY, &its::coefficients());
    matrix.apply(&data, &mut parity);
    let mut ours = its::parity("scalar", size).expect("every CPU has portable code");
    ours.call(1);
    if parity.concat() != ours.result() {
        return Err(ISAL.into());
    }
    Ok(vec![Row::new(ISAL, move || matrix.apply(black_box(&data), black_box(&mut parity)))])
}

/// Returns the products of the constant with all bytes.
fn products() -> [u8; 256] {
    std::array::from_fn(|i| (Gf8::from_bytes(&[CONSTANT]) * Gf8::from_bytes(&[i as u8])).to_bytes()[0])
}

/// Returns the row of the plain loop. Its addresses depend on the data, and its table is
/// prepared beforehand.
fn look_up(benchmark: &str, data: &[u8]) -> Row {
    const NAME: &str = "a table of 256 bytes";
    let table = products();
    let mut source = data.to_vec();
    if benchmark == MULTIPLY {
        return Row::new(NAME, move || {
            let table = black_box(&table);
            black_box(&mut source).iter_mut().for_each(|byte| *byte = table[usize::from(*byte)]);
        });
    }
    let mut sum = vec![0; data.len()];
    Row::new(NAME, move || {
        let table = black_box(&table);
        let pairs = black_box(&mut sum).iter_mut().zip(black_box(&source));
        pairs.for_each(|(sum, byte)| *sum ^= table[usize::from(*byte)]);
    })
}

/// Returns the row of ISA-L's function. For plain products there is none at lengths that are not a
/// multiple of [`ALIGNMENT`](crate::peers::isal::ALIGNMENT): that function takes only whole
/// vectors, and does not work in place. For sums there is none at shorter lengths than
/// [`MIN_SUM_BYTES`](crate::peers::isal::MIN_SUM_BYTES).
#[cfg(feature = "isal")]
fn isal(benchmark: &str, data: &[u8]) -> Result<Option<Row>, String> {
    use crate::peers::isal::{ALIGNMENT, Constant, MIN_SUM_BYTES};

    const NAME: &str = "ISA-L, constant prepared";
    let size = data.len();
    let expected: Vec<u8> = data.iter().map(|byte| multiply_mod_0x11d(CONSTANT, *byte)).collect();
    let mut constant = Constant::new(CONSTANT);
    if benchmark != MULTIPLY {
        if size < MIN_SUM_BYTES {
            return Ok(None);
        }
        let (mut source, mut sum) = (data.to_vec(), vec![0; size]);
        constant.multiply_add(&mut source, &mut sum);
        if sum != expected {
            return Err(NAME.into());
        }
        return Ok(Some(Row::new(NAME, move || constant.multiply_add(black_box(&mut source), black_box(&mut sum)))));
    }
    if !size.is_multiple_of(ALIGNMENT) {
        return Ok(None);
    }
    let aligned = || {
        let buffer = vec![0; size + ALIGNMENT];
        let start = buffer.as_ptr().align_offset(ALIGNMENT);
        (buffer, start..start + size)
    };
    let ((mut source, from), (mut product, to)) = (aligned(), aligned());
    source[from.clone()].copy_from_slice(data);
    constant.multiply(&mut source[from.clone()], &mut product[to.clone()]);
    if product[to.clone()] != expected {
        return Err(NAME.into());
    }
    Ok(Some(Row::new(NAME, move || {
        constant.multiply(black_box(&mut source[from.clone()]), black_box(&mut product[to.clone()]));
    })))
}

/// Multiplies in ISA-L's field.
#[cfg(feature = "isal")]
fn multiply_mod_0x11d(a: u8, b: u8) -> u8 {
    let doubled = |a: u8| (a << 1) ^ if a >> 7 == 1 { 0x1d } else { 0 };
    let (mut multiple, mut product) = (a, 0);
    for bit in 0..8 {
        product ^= if b >> bit & 1 == 1 { multiple } else { 0 };
        multiple = doubled(multiple);
    }
    product
}
