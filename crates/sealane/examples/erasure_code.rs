//! An erasure code with four blocks of data and two of parity. Any two blocks may be lost; here,
//! two blocks of data are.
//!
//! `cargo run -p sealane --example erasure_code`

use sealane::gf2n::Gf8;
use sealane::gf8::{multiply_add_slice, multiply_slice};

fn main() {
    let data: [Vec<u8>; 4] = std::array::from_fn(|block| vec![b'a' + block as u8; 4096]);
    // The first parity block is the sum of the data blocks. The second is a sum in which block i is
    // multiplied by 2^i: these factors differ in GF(2^8).
    let factor = |block: usize| 1_u8 << block;
    let (mut p, mut q) = (vec![0; 4096], vec![0; 4096]);
    for (block, bytes) in data.iter().enumerate() {
        multiply_add_slice(1, bytes, &mut p);
        multiply_add_slice(factor(block), bytes, &mut q);
    }

    // Blocks 1 and 3 are lost. Once the others are subtracted, p = d1 + d3 and q = 2 d1 + 8 d3.
    for block in [0, 2] {
        multiply_add_slice(1, &data[block], &mut p);
        multiply_add_slice(factor(block), &data[block], &mut q);
    }
    // q + 2 p = (8 + 2) d3, where adding is XOR.
    let mut third = q;
    multiply_add_slice(factor(1), &p, &mut third);
    let inverse = Gf8::from_bytes(&[factor(1) ^ factor(3)]).invert().expect("the factors differ").to_bytes();
    multiply_slice(inverse[0], &mut third);
    let mut first = p;
    multiply_add_slice(1, &third, &mut first);

    assert_eq!((&first, &third), (&data[1], &data[3]));
    println!("two lost blocks of {} bytes are restored", first.len());
}
