//! The rows.

use crate::{Family, Loop, Operation, Units, Work, Workload};

/// Of messages, in bytes: every kernel of every backend, with and without a rest.
const LENGTHS: &[usize] = &[0, 1, 64, 100, 300, 500, 512, 700, 1024, 1350, 2300, 9000, 16384];
/// Of messages, in bytes.
const COUNTED: &[usize] = &[16, 64, 128, 256, 448, 512, 1024, 1350, 4096, 16384];

/// Writes an operation: its name, its function, its sizes, and what differs from the usual.
macro_rules! operation {
    ($name:literal, $($path:ident)::+ $(<$($argument:literal),+>)?, $sizes:expr $(, $field:ident: $value:expr)*) => {
        Operation {
            $($field: $value,)*
            ..Operation {
                name: $name,
                symbol: concat!(operation!(@path $($path)::+) $(, "::<", $($argument),+, ">")?),
                sizes: $sizes,
                counted: &[],
                timed: &[],
                messages: 1,
                after: None,
                has_verdict: false,
                loops: &[],
                #[cfg(feature = "run")]
                prepare: crate::$($path)::+ $(::<$($argument),+>)?,
            }
        }
    };
    (@path $module:ident::$function:ident) => { concat!(stringify!($module), "::", stringify!($function)) };
}

/// The primitives.
pub const WORKLOADS: &[Workload] = &[
    Workload {
        name: "chacha20",
        family: Family::ChaCha,
        tests: &["chacha20", "rng"],
        quick_test: "chacha20_lengths",
        operations: &[
            operation!("chacha20", chacha::chacha20, LENGTHS, counted: COUNTED, timed: &[2048]),
            operation!("chacha12", chacha::chacha12, &[16384]),
            operation!("chacha8", chacha::chacha8, &[16384]),
            operation!("chacha20-original", chacha::chacha20_original, LENGTHS),
            operation!("xchacha20", chacha::xchacha20, LENGTHS),
        ],
    },
    Workload {
        name: "poly1305",
        family: Family::ChaCha,
        tests: &["poly1305"],
        quick_test: "poly1305::every_length",
        operations: &[operation!("poly1305", chacha::poly1305, LENGTHS, counted: COUNTED, timed: &[2048])],
    },
    Workload {
        name: "aead",
        family: Family::ChaCha,
        tests: &["aead", "committing", "guard_pages", "random_nonce", "rustcrypto", "vectors", "wycheproof"],
        quick_test: "aead_lengths",
        operations: &[
            operation!("seal", chacha::seal, LENGTHS, counted: COUNTED, timed: &[2048]),
            operation!("open", chacha::open, LENGTHS, counted: COUNTED, after: Some("seal"), has_verdict: true),
            operation!("open-forged", chacha::open_forged, LENGTHS, timed: &[256], has_verdict: true),
            operation!("commit-seal", chacha::commit_seal, LENGTHS, counted: &[64, 1024, 16384]),
            operation!(
                "commit-open", chacha::commit_open, LENGTHS, counted: &[64, 1024, 16384],
                after: Some("commit-seal"), has_verdict: true
            ),
            operation!("commit-open-forged", chacha::commit_open_forged, LENGTHS, has_verdict: true),
            operation!("xchacha-seal", chacha::xchacha_seal, LENGTHS, counted: &[64]),
            operation!("xchacha-open", chacha::xchacha_open, LENGTHS, has_verdict: true),
            operation!("pieces-seal", chacha::pieces_seal, LENGTHS),
            operation!("pieces-open", chacha::pieces_open, LENGTHS, has_verdict: true),
            operation!("rustcrypto-seal", chacha::rustcrypto_seal, &[7]),
        ],
    },
    Workload {
        name: "batch",
        family: Family::ChaCha,
        tests: &["batch"],
        quick_test: "batch::",
        operations: &[
            operation!(
                "seal-batch-32", chacha::seal_batch, LENGTHS, counted: &[64, 256, 1350], messages: 32
            ),
            operation!("open-batch-32", chacha::open_batch, LENGTHS, messages: 32, has_verdict: true),
            operation!("xchacha-seal-batch-32", chacha::xchacha_seal_batch, LENGTHS, messages: 32),
            operation!(
                "xchacha-open-batch-32", chacha::xchacha_open_batch, LENGTHS, messages: 32, has_verdict: true
            ),
            operation!("seal-batch-mixed", chacha::seal_batch_mixed, &[40], messages: 40),
            operation!("open-batch-mixed", chacha::open_batch_mixed, &[40], messages: 40, has_verdict: true),
        ],
    },
    Workload {
        name: "haraka",
        family: Family::Aes,
        tests: &["haraka", "aes"],
        quick_test: "haraka::",
        operations: &[
            operation!(
                "haraka256", haraka::haraka256, HASHES,
                loops: &[Loop { kernel: "haraka-256", work: Work::AesRound, units: Units::Groups(8) }]
            ),
            operation!(
                "haraka512", haraka::haraka512, HASHES, timed: &[16],
                loops: &[Loop { kernel: "haraka-512", work: Work::AesRound, units: Units::Groups(8) }]
            ),
            operation!("haraka-tweaked", haraka::tweaked, HASHES),
            operation!("haraka-sponge", haraka::sponge, &[0, 31, 64, 200]),
        ],
    },
    Workload {
        name: "gf2n",
        family: Family::Clmul,
        tests: &["gf2n", "clmul"],
        quick_test: "gf2n::",
        operations: &[
            operation!("gf2n-8", gf2n::arithmetic<8>, ELEMENTS),
            operation!("gf2n-64", gf2n::arithmetic<64>, ELEMENTS),
            operation!("gf2n-128", gf2n::arithmetic<128>, ELEMENTS),
            operation!("gf2n-192", gf2n::arithmetic<192>, ELEMENTS),
            operation!("gf2n-256", gf2n::arithmetic<256>, ELEMENTS, timed: &[1]),
            operation!("gf2n-384", gf2n::arithmetic<384>, ELEMENTS),
            operation!("gf2n-1024", gf2n::arithmetic<1024>, ELEMENTS),
            operation!("gf2n-scale-128", gf2n::scale<128>, SLICE, loops: &[product("gf2n scale 128")]),
            operation!("gf2n-scale-256", gf2n::scale<256>, SLICE, timed: SLICE, loops: &[product("gf2n scale 256")]),
            operation!("gf2n-evaluate-128", gf2n::evaluate<128>, SLICE, loops: &[product("gf2n evaluate 128")]),
            operation!("gf2n-evaluate-256", gf2n::evaluate<256>, SLICE, loops: &[product("gf2n evaluate 256")]),
            operation!("gf2n-dot-product-128", gf2n::dot_product<128>, SLICE, loops: &[product("gf2n dot product 128")]),
            operation!("gf2n-dot-product-256", gf2n::dot_product<256>, SLICE, loops: &[product("gf2n dot product 256")]),
        ],
    },
    Workload {
        name: "shamir_element",
        family: Family::Clmul,
        tests: &["shamir_element"],
        quick_test: "shamir_element::",
        operations: &[
            operation!("shamir-element-8", shamir::element<8>, &[4]),
            operation!("shamir-element-256", shamir::element<256>, &[4]),
        ],
    },
    Workload {
        name: "gf8",
        family: Family::Gf8,
        tests: &["gf8"],
        quick_test: "gf8::",
        operations: &[
            operation!(
                "gf8-multiply", gf8::multiply, BYTES, timed: &[1000],
                loops: &[Loop { kernel: "gf8 multiply", work: Work::ByteProduct, units: Units::Each }]
            ),
            operation!(
                "gf8-multiply-add", gf8::multiply_add, BYTES,
                loops: &[Loop { kernel: "gf8 multiply and add", work: Work::ByteProduct, units: Units::Each }]
            ),
        ],
    },
    Workload {
        name: "shamir_bytes",
        family: Family::Gf8,
        tests: &["shamir_bytes", "shamir::bytes"],
        quick_test: "shamir_bytes::",
        operations: &[
            operation!("shamir-split-1", shamir::split<1>, BYTES, loops: SPLIT),
            operation!("shamir-split-2", shamir::split<2>, BYTES, loops: SPLIT),
            operation!("shamir-split-3", shamir::split<3>, BYTES, timed: &[1000], loops: SPLIT),
            operation!("shamir-split-5", shamir::split<5>, BYTES, loops: SPLIT),
            operation!("shamir-refresh-1", shamir::refresh<1>, BYTES),
            operation!("shamir-refresh-2", shamir::refresh<2>, BYTES),
            operation!("shamir-refresh-3", shamir::refresh<3>, BYTES),
            operation!("shamir-refresh-5", shamir::refresh<5>, BYTES),
            // Four shares are combined at once: a whole row. Loops for fewer have the same source.
            operation!(
                "shamir-combine", shamir::combine, BYTES, timed: &[1000],
                loops: &[Loop { kernel: "shamir combine", work: Work::ByteProduct, units: Units::Exactly(4) }]
            ),
            operation!("shamir-check", shamir::check, &[5000], has_verdict: true),
            operation!("shamir-check-wrong", shamir::check_wrong, &[1, 5000], has_verdict: true),
        ],
    },
];

/// Numbers of inputs that reach the groups of every size, and single hashes.
const HASHES: &[usize] = &[1, 2, 8, 13, 31, 100];
/// Numbers of elements.
const ELEMENTS: &[usize] = &[9];
const SLICE: &[usize] = &[100];
/// Lengths in bytes with and without a part of a vector or block, and with both buffers for
/// coefficients.
const BYTES: &[usize] = &[0, 1, 16, 31, 64, 100, 1000, 9000];
/// With a threshold of 2 or 3, three products with 2, 4 and the high bits of the points, or twice
/// as many; with any other, one product for each coefficient, which LLVM may unroll.
const SPLIT: &[Loop] = &[
    Loop { kernel: "shamir threshold 2 or 3", work: Work::ByteProduct, units: Units::EachOfMultiple(3) },
    Loop { kernel: "shamir any threshold", work: Work::ByteProduct, units: Units::Each },
];

/// A turn, which is one element in each lane.
const fn product(kernel: &'static str) -> Loop {
    Loop { kernel, work: Work::CarrylessProduct, units: Units::Turn }
}
