//! The thresholds of the levels of x86.

use super::{ByClass, Gf8MatrixTuning, Tuning, VECTORS_OF_128_BITS};

/// Returns a shape of products over GF(2^8). 32-bit programs have 8 registers, which hold two
/// sums.
const fn gf8_matrix(rows: usize, vectors: usize) -> Gf8MatrixTuning {
    if cfg!(target_arch = "x86_64") {
        Gf8MatrixTuning { rows, vectors }
    } else {
        Gf8MatrixTuning { rows: 2, vectors: 1 }
    }
}

// An Intel Xeon with GFNI, ten sources of 4 KiB. SSSE3: as fast as six rows and one vector for
// four and six sums, and 1.2 to 1.5 times as fast for up to three. AVX2: 1.1 to 1.3 times as
// fast as four or six rows and one vector for up to four sums, and as fast for six.
pub(crate) const GF8_MATRIX_SSSE3: Gf8MatrixTuning = gf8_matrix(4, 2);
pub(crate) const GF8_MATRIX_AVX2: Gf8MatrixTuning = gf8_matrix(4, 2);
// Two vectors are 1.2 to 1.5 times as fast as one. For six sums, six rows are 1.15 times as
// fast as two groups of three.
pub(crate) const GF8_MATRIX_GFNI: Gf8MatrixTuning = gf8_matrix(6, 2);
pub(crate) const GF8_MATRIX_AVX512: Gf8MatrixTuning = gf8_matrix(6, 2);
pub(crate) const GF8_MATRIX_GFNI512: Gf8MatrixTuning = gf8_matrix(6, 2);

/// Zen 3. Poly1305 on these vectors is slower than on integers up to 4 KiB, and no faster at 16
/// KiB.
pub(crate) const SSSE3: Tuning = Tuning { horizontal_sets: 2, most_horizontal_sets: 2, ..VECTORS_OF_128_BITS };

/// The work between the rounds is assembly of x86-64.
const INTERLEAVES: bool = cfg!(all(target_arch = "x86_64", target_pointer_width = "64"));
pub(crate) const AVX2: Tuning = Tuning {
    // Zen 3: three sets take less than a group.
    horizontal_sets: 3,
    most_horizontal_sets: 3,
    // Zen 3, with two rows in a vector.
    min_prepared_groups: 4,
    // Zen 3.
    one_set_on_narrower_vectors: true,
    // One block on integers, the whole call. Zen 5: 78 ns instead of 118 on vectors. Zen 3: 126
    // instead of 123 while the other thread of the core is idle, 190 instead of 133 while it is
    // busy. Others: not measured.
    block_on_integers: ByClass { one_cycle: false, half_width: false, two_cycles: cfg!(target_arch = "x86_64") },
    // As for AVX-512.
    slow_integers_beside_vectors: ByClass { one_cycle: false, half_width: false, two_cycles: true },
    // Granite Rapids: 320 to 384.
    poly1305_min_bytes: ByClass::same(336),
    // Granite Rapids: 1350 to 1536.
    poly1305_min_bytes_for_table: 1536,
    // Zen 3: 64 KiB in pieces of 256 bytes take 0.42 times as long, of 16 KiB 0.97 times.
    poly1305_keeps_sum_in_lanes: true,
    // Zen 3: four lanes.
    poly1305_min_messages: 3,
    // A group with block 0.
    short_max_bytes: ByClass::same(512 - 64),
    // Zen 3: two passes take 1.16 times as long from 16 KiB on, 0.92 to 0.96 times if both
    // threads of the core seal. Zen 5: two passes are slower.
    authenticate_between_rounds: INTERLEAVES,
    // Zen 3 (docs/performance/messages.md, "Messages in pieces").
    authenticate_pieces_between_rounds: INTERLEAVES,
    // Zen 3, 32 messages: 256 bytes take 0.79 times as long as alone to seal and 0.72 to open,
    // 1350 bytes 0.92 and 0.91, 2 KiB 0.88 and 0.91, 3 KiB 0.97, 4 KiB as long. Zen 5, 32
    // messages of 256 bytes to seal: 0.69 times. Messages in turn were not measured there.
    batch_max_bytes: if INTERLEAVES { Some(4096) } else { Some(200) },
    batch_min_messages: if INTERLEAVES { 8 } else { 20 },
    ..VECTORS_OF_128_BITS
};

const SIX_SETS_BEHIND_BLOCK_0: usize = 6 * 256 - 64;

/// Pairs of groups need 32 registers, which 32-bit programs do not have.
const PAIRS: bool = cfg!(target_arch = "x86_64");

pub(crate) const AVX512: Tuning = Tuning {
    // Two ports, counted: a double round of three sets takes 45 cycles, of a group 48.
    horizontal_sets: 3,
    // 32 registers hold seven sets.
    most_horizontal_sets: 7,
    // Granite Rapids: a group fills the units, and is followed by the rest. Zen 5: more sets
    // fill them better. Zen 4: as six sets, 1350 bytes take 0.87 times as long.
    prefer_sets_for_tail: ByClass { one_cycle: !PAIRS, half_width: true, two_cycles: true },
    // Granite Rapids: as fast as one group after another. Zen 5: 0.6 times the time.
    vertical_sets: if PAIRS { 2 } else { 1 },
    // Zen 4: two groups take 0.94 times as long.
    rounds_in_assembly: ByClass { one_cycle: false, half_width: INTERLEAVES, two_cycles: false },
    // The measured value for AVX2.
    min_prepared_groups: 4,
    // Cascade Lake, whose clock is 13 % lower with vectors of 512 bits: one block takes 0.91
    // times as long, and two take 0.77 times. CPUs with IFMA use this table for ChaCha20 alone;
    // not measured there.
    one_set_on_narrower_vectors: true,
    // Cascade Lake: 4096 bytes take 0.99 times as long to seal as in two passes and 0.96 to
    // open, and 5000 bytes 1.04 and 1.03 times. The plan needs the assembly.
    narrower_max_bytes: if INTERLEAVES { Some(4352) } else { None },
    // Emerald Rapids: sealing 16 to 192 bytes takes 1.3 to 1.5 times as long. Zen 4: 64 bytes 1.19
    // times. Zen 5: 64 bytes 0.75 times.
    block_on_integers: ByClass { one_cycle: false, half_width: false, two_cycles: PAIRS },
    // Zen 4: five blocks take 0.81 times as long as in two sets. Sealing 256 bytes takes 0.83
    // times, 768 bytes 0.88, 1350 bytes 0.97.
    block_beside_sets: ByClass { one_cycle: false, half_width: PAIRS, two_cycles: PAIRS },
    // Zen 5: see `rotate_slowly` in chacha20/single.rs. Zen 4: with fast integers, sealing 256
    // bytes takes 0.93 times as long, and 512 bytes 0.97.
    slow_integers_beside_vectors: ByClass { one_cycle: false, half_width: false, two_cycles: true },
    // Granite Rapids; Zen 4: 3200 bytes take 0.97 times as long. Zen 5 prefers five sets.
    interleave_group_and_set: ByClass { one_cycle: PAIRS, half_width: PAIRS, two_cycles: false },
    // Cascade Lake: between 384 and 512.
    poly1305_min_bytes: ByClass::same(480),
    // Cascade Lake: 3 to 4 KiB.
    poly1305_min_bytes_for_table: 3584,
    // The measured value for AVX2.
    poly1305_keeps_sum_in_lanes: true,
    // Eight lanes, not measured.
    poly1305_min_messages: 4,
    // Six sets with block 0, where narrower vectors do not serve the short messages.
    short_max_bytes: ByClass::same(if INTERLEAVES { 0 } else { SIX_SETS_BEHIND_BLOCK_0 }),
    // Where narrower vectors serve the short messages, they serve batches too. Otherwise
    // counted.
    batch_max_bytes: if INTERLEAVES { AVX2.batch_max_bytes } else { Some(2048) },
    batch_min_messages: AVX2.batch_min_messages,
    ..VECTORS_OF_128_BITS
};

/// Vectors of 256 bits with the rotations of AVX-512, for the short messages of [`AVX512`].
pub(crate) const AVX512_VL: Tuning = Tuning {
    one_set_on_narrower_vectors: false,
    // Cascade Lake: vector products lower the clock by 13 %, for all messages that follow.
    // Sealing 1350 bytes takes 1.15 times as long if the end is authenticated on vectors.
    poly1305_min_bytes: ByClass::same(usize::MAX),
    ..AVX2
};

pub(crate) const AVX512_IFMA: Tuning = Tuning {
    narrower_max_bytes: None,
    // Emerald Rapids: sealing 16 bytes takes 0.95 times as long, and 64 bytes 0.98. Zen 4: 16 bytes
    // take 0.91 times as long, and 64 bytes 0.96.
    one_block_messages_on_narrower_vectors: ByClass {
        one_cycle: INTERLEAVES,
        half_width: INTERLEAVES,
        two_cycles: false,
    },
    // Zen 4: 320 bytes take 0.91 times as long, 384 bytes 0.97.
    five_and_six_block_messages_on_narrower_vectors: ByClass {
        one_cycle: false,
        half_width: INTERLEAVES,
        two_cycles: false,
    },
    // Emerald Rapids: with the plan of one call, sealing 512 bytes takes 0.95 times as long, 1 KiB
    // and 2 KiB 0.85. Zen 4: 2 KiB 0.78. Zen 5: a set beside a pair of groups costs almost nothing.
    block_0_beside_vectors: ByClass { one_cycle: PAIRS, half_width: PAIRS, two_cycles: false },
    // Zen 4: sealing 640 bytes takes 0.91 times as long, 1 KiB 0.95, 1152 bytes 0.93; opening the
    // same. Zen 5: not measured.
    group_and_narrower_sets_beside_block_0: ByClass {
        one_cycle: false,
        half_width: INTERLEAVES && PAIRS,
        two_cycles: false,
    },
    // Granite Rapids: 208 to 224; Emerald Rapids: 208 of a ciphertext; Zen 4: 320 to 336, which the
    // ciphertexts that this threshold is for do not reach; Zen 5: 177 to 208.
    poly1305_min_bytes: ByClass { one_cycle: 224, half_width: 336, two_cycles: 208 },
    poly1305_min_ciphertext_bytes: ByClass { one_cycle: 208, half_width: 320, two_cycles: 177 },
    // Granite Rapids: the tag of 64 KiB in pieces of 4 KiB takes 0.82 times as long.
    poly1305_keeps_sum_in_lanes: true,
    // Granite Rapids: for shorter messages, the powers of two rows cost less. Zen 4: no difference
    // from 2 to 4 KiB. Zen 5: from nine rows on.
    poly1305_min_bytes_for_four_rows: ByClass { one_cycle: 4096, half_width: 4096, two_cycles: 1152 },
    // Zen 4: sealing 64 KiB takes 0.83 times as long. Granite Rapids: 1.07 times. Zen 5: not
    // measured.
    poly1305_beside_pairs: ByClass { one_cycle: false, half_width: INTERLEAVES, two_cycles: false },
    // Granite Rapids: a group with block 0. Zen 4 and 5: one set beside block 0 on integers.
    short_max_bytes: if PAIRS {
        ByClass { one_cycle: 1024 - 64, half_width: 256, two_cycles: 256 }
    } else {
        ByClass::same(SIX_SETS_BEHIND_BLOCK_0)
    },
    // Zen 5, 32 messages of 2 KiB take 0.81 times as long as alone, of 4 KiB 0.90 times, of 8 KiB
    // 0.95 times. Emerald Rapids: 0.95, 0.95 and 1.0 times. Without pairs, a longer message is
    // authenticated faster alone, on vectors of its own.
    batch_max_bytes: Some(if PAIRS { 8256 } else { 544 }),
    // 8 messages of 256 bytes take 0.82 times as long as alone, of 1350 bytes 0.98 (Zen 5); 0.84
    // and 0.94 (Emerald Rapids).
    batch_min_messages: if PAIRS { 8 } else { VECTORS_OF_128_BITS.batch_min_messages },
    // Zen 5: 16 messages of 64 bytes take 0.75 (seal) and 0.92 (open) times as long as three at a
    // time, 13 take 0.86 and 1.06. Emerald Rapids: 32 messages of 96 bytes take 0.88 times. Granite
    // Rapids: 32 messages of 64 bytes take 0.86 times, of 16 bytes 1.06. Zen 4: of 64 bytes 0.90
    // and 0.95, of 16 bytes 1.06 and 1.08.
    batch_min_short_messages: if PAIRS { Some(16) } else { None },
    ..AVX512
};
