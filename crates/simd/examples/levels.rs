//! Lists the instruction sets of each kind of kernel, and the widest one that this CPU has.
//!
//! `cargo run --release -p sealane-simd --example levels`

use sealane_simd::{AesLevel, ClmulLevel, Gf8Level, Level, LevelList};

fn print<L: LevelList>(kind: &str) {
    // Detection is cached: later calls read one atomic.
    let available: Vec<&str> = L::available().map(LevelList::name).collect();
    println!("{kind}: {} of {}", available.join(" "), L::NAMES.join(" "));
    println!("  widest: {}", L::detect().name());

    // Portable code runs on every CPU, and the widest level is the last one.
    assert_eq!(available.first(), Some(&"scalar"));
    assert_eq!(available.last(), Some(&L::detect().name()));
}

fn main() {
    print::<Level>("32-bit words and 64-bit lanes");
    print::<ClmulLevel>("carry-less products");
    print::<AesLevel>("rounds of AES");
    print::<Gf8Level>("bytes of GF(2^8)");
}
