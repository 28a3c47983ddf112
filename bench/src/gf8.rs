//! GF(2^8) slice multiplication: in place, and added to another slice.
//!
//! The peers are a loop that looks each product up in a table of 256 bytes, and ISA-L (with the
//! feature `isal`). ISA-L's field has another polynomial (0x11d), and its constant is prepared
//! beforehand. The products of all rows are compared with those of GF(2^n).

use std::hint::black_box;

use sealane::gf2n::Gf8;
use sealane::gf8::Backend;
use sealane_measure::Rounds;

use crate::targets::TIME_TARGETS;
use crate::timed::{self, Row, TimedResult};

pub const SUITE: &str = "gf8";
const CONSTANT: u8 = 0x53;
/// Sizes of blocks, packets and pages. All but the last fit the cache.
const SIZES: [usize; 6] = [64, 1350, 4096, 16 << 10, 64 << 10, 1 << 20];
const COLUMNS: [&str; SIZES.len()] = ["64 B", "1350 B", "4 KiB", "16 KiB", "64 KiB", "1 MiB"];
const MULTIPLY: &str = "multiply";
const ADD: &str = "multiply and add";
const TITLES: [(&str, &str); 2] =
    [(MULTIPLY, "bytes times a constant, in place"), (ADD, "bytes times a constant, added to others")];

/// Measures all rows at all sizes.
///
/// # Errors
/// If a row is too fast to be true, or gives a wrong product; the error names it.
pub fn measure(rounds: &Rounds, quiet: bool) -> Result<Vec<TimedResult>, String> {
    let mut results = Vec::new();
    for (column, size) in COLUMNS.into_iter().zip(SIZES) {
        let wrong = |name| format!("{SUITE}: {name} gives a wrong product, {column}");
        let data: Vec<u8> = (0..size).map(|i| (i * 31 + i / 256) as u8).collect();
        let mut rows = ours(&data).map_err(wrong)?;
        rows.extend(look_up(&data));
        #[cfg(feature = "isal")]
        rows.extend(isal(&data).map_err(wrong)?);
        results.extend(timed::measure(SUITE, column, rows, rounds, TIME_TARGETS)?);
    }
    if !quiet {
        timed::print(&results, &TITLES, &COLUMNS);
    }
    Ok(results)
}

/// Returns the products of the constant with all bytes.
fn products() -> [u8; 256] {
    std::array::from_fn(|i| (Gf8::from_bytes(&[CONSTANT]) * Gf8::from_bytes(&[i as u8])).to_bytes()[0])
}

fn ours(data: &[u8]) -> Result<Vec<Row>, String> {
    let table = products();
    let expected: Vec<u8> = data.iter().map(|byte| table[usize::from(*byte)]).collect();
    let mut rows = Vec::new();
    for backend in Backend::available().rev() {
        let (name, size) = (format!("sealane ({backend})"), data.len());
        let (mut product, mut sum, source) = (data.to_vec(), vec![0; size], data.to_vec());
        backend.multiply_slice(CONSTANT, &mut product);
        backend.multiply_add_slice(CONSTANT, data, &mut sum);
        if product != expected || sum != expected {
            return Err(name);
        }
        let multiply = Row::on_bytes(&name, MULTIPLY, size, move || {
            backend.multiply_slice(black_box(CONSTANT), black_box(&mut product));
        });
        let add = Row::on_bytes(&name, ADD, size, move || {
            backend.multiply_add_slice(black_box(CONSTANT), black_box(&source), black_box(&mut sum));
        });
        rows.extend([multiply, add].map(|row| Row { chosen: backend == Backend::detect(), ..row }));
    }
    Ok(rows)
}

/// Returns the rows of the plain loop. Its addresses depend on the data, and its table is
/// prepared beforehand.
fn look_up(data: &[u8]) -> [Row; 2] {
    const NAME: &str = "a table of 256 bytes";
    let (table, size) = (products(), data.len());
    let (mut product, mut sum, source) = (data.to_vec(), vec![0; size], data.to_vec());
    [
        Row::on_bytes(NAME, MULTIPLY, size, move || {
            let table = black_box(&table);
            black_box(&mut product).iter_mut().for_each(|byte| *byte = table[usize::from(*byte)]);
        }),
        Row::on_bytes(NAME, ADD, size, move || {
            let table = black_box(&table);
            let pairs = black_box(&mut sum).iter_mut().zip(black_box(&source));
            pairs.for_each(|(sum, byte)| *sum ^= table[usize::from(*byte)]);
        }),
    ]
}

/// Returns the rows of ISA-L's two functions. The first takes whole vectors only, and does not
/// work in place.
#[cfg(feature = "isal")]
fn isal(data: &[u8]) -> Result<Vec<Row>, String> {
    use crate::peers::isal::{ALIGNMENT, Constant};

    const NAME: &str = "ISA-L, constant prepared";
    let size = data.len();
    let expected: Vec<u8> = data.iter().map(|byte| multiply_mod_0x11d(CONSTANT, *byte)).collect();
    let aligned = move || {
        let buffer = vec![0; size + ALIGNMENT];
        let start = buffer.as_ptr().align_offset(ALIGNMENT);
        (buffer, start..start + size)
    };
    let (mut source, mut sum, mut constant) = (data.to_vec(), vec![0; size], Constant::new(CONSTANT));
    constant.multiply_add(&mut source, &mut sum);
    if sum != expected {
        return Err(NAME.into());
    }
    let mut rows = vec![Row::on_bytes(NAME, ADD, size, move || {
        constant.multiply_add(black_box(&mut source), black_box(&mut sum));
    })];
    if size.is_multiple_of(ALIGNMENT) {
        let ((mut source, from), (mut product, to)) = (aligned(), aligned());
        source[from.clone()].copy_from_slice(data);
        let mut constant = Constant::new(CONSTANT);
        constant.multiply(&mut source[from.clone()], &mut product[to.clone()]);
        if product[to.clone()] != expected {
            return Err(NAME.into());
        }
        rows.push(Row::on_bytes(NAME, MULTIPLY, size, move || {
            constant.multiply(black_box(&mut source[from.clone()]), black_box(&mut product[to.clone()]));
        }));
    }
    Ok(rows)
}

/// Multiplies in the field of ISA-L.
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
