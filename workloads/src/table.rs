//! The rows of the table.

#[cfg(feature = "bench")]
use sealane_measure::Work as Bound;

#[cfg(feature = "bench")]
use crate::benchmarks::*;
use crate::workload::{Family, Loop, Operation, Public, Units, Work, Workload};

/// Lengths of messages in bytes, which reach every kernel of every backend, with and without a
/// remainder.
const LENGTHS: &[usize] = &[0, 1, 64, 100, 300, 500, 512, 700, 1024, 1350, 2300, 9000, 16384];
/// Lengths of messages in bytes, at which instructions are counted.
const COUNTED: &[usize] = &[16, 64, 128, 256, 448, 512, 700, 1024, 1350, 4096, 5000, 16384];

/// Writes an operation: its name, its function, its sizes, and the values that differ from the
/// defaults.
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
                public: Public::Verdicts(0),
                loops: &[],
                #[cfg(feature = "run")]
                prepare: crate::$($path)::+ $(::<$($argument),+>)?,
            }
        }
    };
    (@path $module:ident::$function:ident) => { concat!(stringify!($module), "::", stringify!($function)) };
}

/// Writes benchmarks: the name, the title, what one operation does, the sizes, the code, and the
/// digest of the known results.
#[cfg(feature = "bench")]
macro_rules! benchmarks {
    ($($name:literal $title:literal $what:literal, $sizes:ident, $code:expr, $digest:literal;)+) => {
        &[$(Benchmark { name: $name, title: $title, what: $what, sizes: $sizes, code: $code, digest: $digest }),+]
    };
}

/// Parts of the names of tests that every run needs: tests of detection and of known answers.
pub const TESTS_OF_EVERY_RUN: [&str; 2] = ["backend::", "self_test::"];

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
        #[cfg(feature = "bench")]
        benchmarks: benchmarks! {
            "chacha20" "ChaCha20" "encryption in place, a new nonce for each message",
                MESSAGES, message(Bound::ChaCha20, messages::chacha20), 0xc902_a511_85bc_85f8;
        },
    },
    Workload {
        name: "poly1305",
        family: Family::ChaCha,
        tests: &["poly1305"],
        quick_test: "poly1305::every_length",
        operations: &[
            operation!("poly1305", chacha::poly1305, LENGTHS, counted: COUNTED, timed: &[2048]),
            operation!("poly1305-pieces", chacha::poly1305_pieces, LENGTHS, counted: &[1024, 16384]),
        ],
        #[cfg(feature = "bench")]
        benchmarks: benchmarks! {
            "poly1305" "Poly1305" "the tag of a message, a new key for each",
                MESSAGES, message(Bound::Poly1305, messages::poly1305), 0x0b16_55a2_59ff_2366;
            "poly1305-pieces" "Poly1305, in pieces" "the tag of a message of 64 KiB; the size is a piece's",
                PIECES, Code::Own(pieces::poly1305), 0xe2d7_89bd_9673_7825;
        },
    },
    Workload {
        name: "aead",
        family: Family::ChaCha,
        tests: &["aead", "committing", "guard_pages", "random_nonce", "rustcrypto", "vectors", "wycheproof"],
        quick_test: "aead_lengths",
        operations: &[
            operation!("seal", chacha::seal, LENGTHS, counted: COUNTED, timed: &[2048]),
            operation!("open", chacha::open, LENGTHS, counted: COUNTED, after: Some("seal"), public: Public::Verdicts(1)),
            operation!("open-forged", chacha::open_forged, LENGTHS, timed: &[256], public: Public::Verdicts(2)),
            operation!("commit-seal", chacha::commit_seal, LENGTHS, counted: &[64, 1024, 16384]),
            operation!(
                "commit-open", chacha::commit_open, LENGTHS, counted: &[64, 1024, 16384],
                after: Some("commit-seal"), public: Public::Verdicts(1)
            ),
            operation!("commit-open-forged", chacha::commit_open_forged, LENGTHS, public: Public::Verdicts(2)),
            operation!("xchacha-seal", chacha::xchacha_seal, LENGTHS, counted: &[64]),
            operation!("xchacha-open", chacha::xchacha_open, LENGTHS, counted: &[64, 1024], public: Public::Verdicts(1)),
            operation!("pieces-seal", chacha::pieces_seal<700>, LENGTHS, counted: &[1024, 16384]),
            operation!("pieces-seal-256", chacha::pieces_seal<256>, IN_PIECES, counted: IN_PIECES),
            operation!("pieces-seal-1024", chacha::pieces_seal<1024>, IN_PIECES, counted: IN_PIECES),
            operation!("pieces-open", chacha::pieces_open, LENGTHS, counted: &[1024, 16384], public: Public::Verdicts(2)),
            operation!("pieces-decrypt-256", chacha::pieces_decrypt<256>, IN_PIECES, counted: IN_PIECES),
            operation!("pieces-decrypt-1024", chacha::pieces_decrypt<1024>, IN_PIECES, counted: IN_PIECES),
            operation!("rustcrypto-seal", chacha::rustcrypto_seal, &[7]),
            operation!("chacha8-open", chacha::chacha8_open, LENGTHS, public: Public::Verdicts(2)),
            operation!("openssh", chacha::openssh, LENGTHS, public: Public::Verdicts(2)),
        ],
        #[cfg(feature = "bench")]
        benchmarks: benchmarks! {
            "chacha20poly1305-seal" "ChaCha20-Poly1305, seal" "in place, 13 bytes of associated data",
                MESSAGES, message(Bound::Aead, messages::seal), 0x9227_9c10_d500_66f5;
            "chacha20poly1305-open" "ChaCha20-Poly1305, open" "in place, 13 bytes of associated data",
                MESSAGES, opening(Bound::Aead, 1, messages::open), 0x73fa_9cea_be97_c100;
            "xchacha20poly1305-seal" "XChaCha20-Poly1305, seal" "as seal, with a nonce of 192 bits",
                MESSAGES, message(Bound::Aead, messages::extended_seal), 0x571b_c408_a539_2830;
            "chacha20poly1305-seal-pieces" "ChaCha20-Poly1305, seal in pieces" "64 KiB in place; the size is a piece's",
                PIECES, Code::Own(pieces::seal), 0x650f_7c28_8e96_21a5;
            "chacha20poly1305-decrypt-pieces" "ChaCha20-Poly1305, decrypt in pieces" "64 KiB in place; the size is a piece's",
                PIECES, Code::Own(pieces::decrypt), 0x3663_108e_2eac_c825;
        },
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
            operation!(
                "open-batch-32", chacha::open_batch, LENGTHS, counted: &[64, 256, 1350], messages: 32,
                public: Public::Verdicts(32)
            ),
            operation!("xchacha-seal-batch-32", chacha::xchacha_seal_batch, LENGTHS, messages: 32),
            operation!(
                "xchacha-open-batch-32", chacha::xchacha_open_batch, LENGTHS, messages: 32, public: Public::Verdicts(32)
            ),
            operation!(
                "header-protection-masks", chacha::header_protection_masks, PACKETS_OF_BATCH, counted: &[1, 8, 32], messages: 32
            ),
            operation!("seal-batch-mixed", chacha::seal_batch_mixed, &[40], messages: 40),
            operation!("open-batch-mixed", chacha::open_batch_mixed, &[40], messages: 40, public: Public::Verdicts(40)),
        ],
        #[cfg(feature = "bench")]
        benchmarks: benchmarks! {
            "chacha20poly1305-seal-batch" "ChaCha20-Poly1305, seal a batch" "32 messages a call; figures for one",
                PACKETS, batch(messages::seal_batch), 0x948f_b909_b8d0_b988;
            "chacha20poly1305-open-batch" "ChaCha20-Poly1305, open a batch" "32 messages a call; figures for one",
                PACKETS, opening(Bound::Copy, messages::BATCH, messages::open_batch), 0xdcdf_2264_2639_ad6b;
        },
    },
    Workload {
        name: "haraka",
        family: Family::Aes,
        tests: &["haraka", "aes"],
        quick_test: "haraka::",
        operations: &[
            operation!(
                "haraka256", haraka::haraka256, HASHES, counted: &[1, 8],
                loops: &[Loop { kernel: "haraka-256", work: Work::AesRound, units: Units::Groups(8) }]
            ),
            operation!(
                "haraka512", haraka::haraka512, HASHES, counted: &[1, 8], timed: &[16],
                loops: &[Loop { kernel: "haraka-512", work: Work::AesRound, units: Units::Groups(8) }]
            ),
            operation!("haraka-tweaked", haraka::tweaked, HASHES),
            operation!("haraka-sponge", haraka::sponge, &[0, 31, 64, 200]),
        ],
        #[cfg(feature = "bench")]
        benchmarks: benchmarks! {
            "haraka256" "Haraka-256" "by the number of inputs of a call, figures for one input",
                CALLS, Code::Own(haraka::haraka256), 0xa7a2_e953_37ad_a865;
            "haraka512" "Haraka-512" "by the number of inputs of a call, figures for one input",
                CALLS, Code::Own(haraka::haraka512), 0x38f6_d4e2_53d0_180d;
            "haraka256-tweaked" "Haraka-256, constants from a seed" "by the number of inputs of a call, figures for one input",
                CALLS, Code::Own(haraka::haraka256_tweaked), 0x232d_a9ce_2738_96d5;
            "haraka512-tweaked" "Haraka-512, constants from a seed" "by the number of inputs of a call, figures for one input",
                CALLS, Code::Own(haraka::haraka512_tweaked), 0x686e_da02_e0ca_ca95;
        },
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
            operation!("gf2n-1024", gf2n::arithmetic<1024>, ELEMENTS, counted: ELEMENTS),
            operation!("gf2n-multiply-128", gf2n::multiply<128>, ELEMENTS, counted: ELEMENTS),
            operation!("gf2n-multiply-256", gf2n::multiply<256>, ELEMENTS, counted: ELEMENTS),
            operation!("gf2n-invert-128", gf2n::invert<128>, ELEMENTS, counted: ELEMENTS),
            operation!("gf2n-invert-256", gf2n::invert<256>, ELEMENTS, counted: ELEMENTS),
            operation!("gf2n-dynamic", gf2n::dynamic, DEGREES, counted: &[64, 256]),
            operation!("gf2n-scale-128", gf2n::scale<128>, SLICE, counted: SLICE, loops: &[product("gf2n scale 128")]),
            operation!("gf2n-scale-256", gf2n::scale<256>, SLICE, counted: SLICE, timed: SLICE, loops: &[product("gf2n scale 256")]),
            operation!("gf2n-evaluate-128", gf2n::evaluate<128>, SLICE, loops: &[product("gf2n evaluate 128")]),
            operation!("gf2n-evaluate-256", gf2n::evaluate<256>, SLICE, loops: &[product("gf2n evaluate 256")]),
            operation!("gf2n-dot-product-128", gf2n::dot_product<128>, SLICE, counted: SLICE, loops: &[product("gf2n dot product 128")]),
            operation!("gf2n-dot-product-256", gf2n::dot_product<256>, SLICE, counted: SLICE, loops: &[product("gf2n dot product 256")]),
        ],
        #[cfg(feature = "bench")]
        benchmarks: benchmarks! {
            "gf2n-multiply" "GF(2^n), multiply" "products of the elements of two slices",
                FIELDS, Code::Own(gf2n::multiply), 0x78c1_e75c_e924_b733;
            "gf2n-multiply-dependent" "GF(2^n), multiply, dependent" "products that each need the previous result",
                FIELDS, Code::Own(gf2n::multiply_dependent), 0x236f_6933_2c8c_a4e7;
            "gf2n-multiply-held" "GF(2^n), multiply, dependent, held" "the same products, on a backend that is entered once",
                FIELDS, Code::Own(gf2n::multiply_held), 0x236f_6933_2c8c_a4e7;
            "gf2n-square" "GF(2^n), square" "squares, one call each",
                FIELDS, Code::Own(gf2n::square), 0x6754_7069_f332_9eb9;
            "gf2n-invert" "GF(2^n), invert" "inverses, one call each",
                FIELDS, Code::Own(gf2n::invert), 0xc12a_8874_fd26_0a5e;
            "gf2n-batch-invert" "GF(2^n), invert a slice" "inverses of a slice, for each",
                FIELDS, Code::Own(gf2n::batch_invert), 0xaf44_fbdd_7614_48d9;
            "gf2n-sum-of-products" "GF(2^n), sum of products" "the dot product of two slices, for each product",
                FIELDS, Code::Own(gf2n::sum_of_products), 0x2b69_a894_8c25_2328;
        },
    },
    Workload {
        name: "shamir_element",
        family: Family::Clmul,
        tests: &["shamir_element"],
        quick_test: "shamir_element::",
        operations: &[
            operation!("shamir-element-8", shamir::element<8>, &[4]),
            operation!("shamir-element-256", shamir::element<256>, &[4]),
            operation!("shamir-element-check-8", shamir::check_element<8>, &[4], public: Public::Syndromes),
            operation!("shamir-element-check-256", shamir::check_element<256>, &[4], public: Public::Syndromes),
            operation!("shamir-dynamic", shamir::dynamic, DEGREES, public: Public::Syndromes),
        ],
        #[cfg(feature = "bench")]
        benchmarks: benchmarks! {
            "shamir-element-split" "Sharing of an element, split" "a secret of GF(2^256) into all shares",
                SHARINGS, Code::Own(shamir::split_element), 0xf992_21cb_9492_2c3c;
            "shamir-element-reconstruct" "Sharing of an element, reconstruct" "a secret of GF(2^256) from as many shares as it takes",
                SHARINGS, Code::Own(shamir::reconstruct_element), 0xb664_5546_a420_2825;
        },
    },
    Workload {
        name: "gf8",
        family: Family::Gf8,
        tests: &["gf8"],
        quick_test: "gf8::",
        operations: &[
            operation!(
                "gf8-multiply", gf8::multiply, BYTES, counted: &[1000], timed: &[1000],
                loops: &[Loop { kernel: "gf8 multiply", work: Work::ByteProduct, units: Units::Each }]
            ),
            operation!(
                "gf8-multiply-add", gf8::multiply_add, BYTES, counted: &[1000],
                loops: &[Loop { kernel: "gf8 multiply and add", work: Work::ByteProduct, units: Units::Each }]
            ),
            // The same functions with another field.
            operation!("gf8-multiply-in", gf8::multiply_in, BYTES),
            operation!("gf8-multiply-add-in", gf8::multiply_add_in, BYTES),
            operation!(
                "gf8-matrix", gf8::matrix<false>, BYTES, counted: &[1000], timed: &[1000],
                loops: &[Loop { kernel: "gf8 matrix", work: Work::ByteProduct, units: Units::Each }]
            ),
            operation!("gf8-matrix-add", gf8::matrix<true>, BYTES),
            // Portable code on single elements, which is the same on all backends.
            operation!("gf8-elements", gf8::elements, &[16]),
        ],
        #[cfg(feature = "bench")]
        benchmarks: benchmarks! {
            "gf8-multiply" "GF(2^8), multiply" "a slice times a constant, in place",
                SLICES, Code::Own(gf8::multiply), 0x99a5_d18e_abd5_b342;
            "gf8-multiply-add" "GF(2^8), multiply and add" "a slice times a constant, added to another slice",
                SLICES, Code::Own(gf8::multiply_add), 0x99a5_d18e_abd5_b342;
            "gf8-parity" "Reed-Solomon code, parity" "four shards of parity from ten of data; the size is a shard's",
                SLICES, Code::Own(gf8::parity), 0x7605_045b_19e8_5c6e;
        },
    },
    Workload {
        name: "shamir_bytes",
        family: Family::Gf8,
        tests: &["shamir_bytes", "shamir::bytes"],
        quick_test: "shamir_bytes::",
        operations: &[
            operation!("shamir-split-1", shamir::split<1>, BYTES, loops: SPLIT),
            operation!("shamir-split-2", shamir::split<2>, BYTES, counted: &[64, 9000], loops: SPLIT),
            operation!("shamir-split-3", shamir::split<3>, BYTES, counted: &[64, 9000], timed: &[1000], loops: SPLIT),
            operation!("shamir-split-5", shamir::split<5>, BYTES, counted: &[64, 9000], loops: SPLIT),
            operation!("shamir-refresh-1", shamir::refresh<1>, BYTES),
            operation!("shamir-refresh-2", shamir::refresh<2>, BYTES),
            operation!("shamir-refresh-3", shamir::refresh<3>, BYTES),
            operation!("shamir-refresh-5", shamir::refresh<5>, BYTES),
            // Four shares are combined at once: a whole row. Loops for fewer have the same source.
            operation!(
                "shamir-combine", shamir::combine, BYTES, counted: &[64, 9000], timed: &[1000],
                loops: &[Loop { kernel: "shamir combine", work: Work::ByteProduct, units: Units::Exactly(4) }]
            ),
            operation!("shamir-check", shamir::check, &[5000], public: Public::Syndromes),
            operation!("shamir-check-wrong", shamir::check_wrong, &[1, 5000], public: Public::Syndromes),
        ],
        #[cfg(feature = "bench")]
        benchmarks: benchmarks! {
            "shamir-split" "Sharing of bytes, split" "a secret into shares, 3 of 5",
                SECRETS, Code::Own(shamir::split), 0xd635_8ca1_8049_d5a4;
            "shamir-combine" "Sharing of bytes, combine" "a secret from three shares",
                SECRETS, Code::Own(shamir::combine), 0xfed4_a5bc_fade_3abf;
        },
    },
];

/// Numbers of inputs that reach the groups of every size, and single hashes.
const HASHES: &[usize] = &[1, 2, 8, 13, 31, 100];
/// The length in bytes of a message in pieces. The kernels are those of `pieces-seal` and
/// `pieces-open`, which have all lengths.
const IN_PIECES: &[usize] = &[16384];
/// Numbers of QUIC packets that fill groups of every size, with and without a rest.
const PACKETS_OF_BATCH: &[usize] = &[0, 1, 4, 8, 13, 16, 37];
/// Numbers of elements.
const ELEMENTS: &[usize] = &[9];
const SLICE: &[usize] = &[100];
/// Degrees with less than a limb, with one and with many.
const DEGREES: &[usize] = &[8, 64, 256, 2048];
/// Lengths in bytes with and without a part of a vector or block, and with both buffers for
/// coefficients.
const BYTES: &[usize] = &[0, 1, 16, 31, 64, 100, 1000, 9000];
/// A threshold of 2 or 3 takes three products: with 2, with 4 and with the high bits of the points.
/// Other thresholds take one product for each coefficient. LLVM may unroll both loops.
const SPLIT: &[Loop] = &[
    Loop { kernel: "shamir threshold 2 or 3", work: Work::ByteProduct, units: Units::EachOfMultiple(3) },
    Loop { kernel: "shamir any threshold", work: Work::ByteProduct, units: Units::Each },
];

/// Returns a loop whose turns process one element in each lane.
const fn product(kernel: &'static str) -> Loop {
    Loop { kernel, work: Work::CarrylessProduct, units: Units::One }
}

impl Family {
    /// Returns the family's rows of the table.
    pub fn workloads(self) -> impl Iterator<Item = &'static Workload> {
        WORKLOADS.iter().filter(move |workload| workload.family == self)
    }
}

#[cfg(feature = "bench")]
impl Benchmark {
    /// Returns all benchmarks, each with its family.
    pub fn all() -> impl DoubleEndedIterator<Item = (Family, &'static Self)> {
        WORKLOADS.iter().flat_map(|workload| workload.benchmarks.iter().map(|benchmark| (workload.family, benchmark)))
    }

    /// Returns whether a filter selects this benchmark. A complete name selects only that
    /// benchmark; other filters select every name that contains them.
    #[must_use]
    pub fn matches(&self, filter: &str) -> bool {
        let is_name = Self::all().any(|(_, benchmark)| benchmark.name == filter);
        if is_name { self.name == filter } else { self.name.contains(filter) }
    }
}
