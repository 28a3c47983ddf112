//! Every measured threshold: one table for each level, with a value for each class of CPUs where
//! the classes differ.
//!
//! A threshold changes speed, never results. "Zen 3" (AVX2), "Cascade Lake" (AVX-512 without IFMA),
//! "Granite Rapids", "Emerald Rapids" (one cycle), "Zen 4" (half width) and "Zen 5" (two cycles)
//! are the CPUs that were measured; docs/decisions and docs/performance have the figures. A
//! value without a measurement says so.
//!
//! Constants that no measurement chose stay in the code that uses them: those that limit memory,
//! the stack or the size of the code, those that keep sums within their words, and the shapes of
//! loops that are written out.
//!
//! ```
//! use sealane_simd::tuning::{ByClass, Gf8MatrixTuning, Tuning};
//! use sealane_simd::{CpuClass, Gf8Bytes, Scalar, ScalarBytes, Simd};
//!
//! let tuning: Tuning = Scalar::TUNING;
//! let threshold: ByClass<usize> = tuning.poly1305_min_bytes;
//! assert_eq!(threshold.here(), threshold.of(CpuClass::detect()));
//! let matrix: Gf8MatrixTuning = ScalarBytes::MATRIX;
//! assert!(matrix.rows <= 6);
//! ```
//!
//! Only this crate makes tables, so a later version can add a field or a class of CPUs:
//!
//! ```compile_fail,E0639
//! # use sealane_simd::{Scalar, Simd, Tuning};
//! let tuning = Tuning { vertical_sets: 2, ..Scalar::TUNING };
//! ```

use crate::class::CpuClass;

/// A threshold for each class of CPUs.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct ByClass<T> {
    /// For [`CpuClass::OneCycle`].
    pub one_cycle: T,
    /// For [`CpuClass::HalfWidth`].
    pub half_width: T,
    /// For [`CpuClass::TwoCycles`].
    pub two_cycles: T,
}

impl<T: Copy> ByClass<T> {
    /// Returns one value for all classes.
    const fn same(value: T) -> Self {
        Self { one_cycle: value, half_width: value, two_cycles: value }
    }

    /// Returns the value for `class`.
    #[inline(always)]
    #[must_use]
    pub const fn of(&self, class: CpuClass) -> T {
        match class {
            CpuClass::OneCycle => self.one_cycle,
            CpuClass::HalfWidth => self.half_width,
            CpuClass::TwoCycles => self.two_cycles,
        }
    }
}

macro_rules! here {
    ($($type:ty)*) => {$(
        impl ByClass<$type> {
            /// Returns whether all classes have one value.
            #[inline(always)]
            #[must_use]
            pub const fn is_same(&self) -> bool {
                self.one_cycle == self.half_width && self.one_cycle == self.two_cycles
            }

            /// Returns the value for this CPU. Does not detect the class if all values are equal.
            #[inline(always)]
            #[must_use]
            pub fn here(&self) -> $type {
                if self.is_same() { self.one_cycle } else { self.of(CpuClass::detect()) }
            }
        }
    )*};
}
here!(bool usize);
impl ByClass<usize> {
    /// Returns the largest value.
    #[must_use]
    pub const fn most(&self) -> usize {
        let most = if self.one_cycle > self.two_cycles { self.one_cycle } else { self.two_cycles };
        if self.half_width > most { self.half_width } else { most }
    }

    /// Returns the smallest value.
    #[must_use]
    pub const fn least(&self) -> usize {
        let least = if self.one_cycle < self.two_cycles { self.one_cycle } else { self.two_cycles };
        if self.half_width < least { self.half_width } else { least }
    }
}

/// The thresholds of one level.
///
/// A *set* of ChaCha20 has one block for each row of four words in a vector. A *group* has one
/// block for each word in a vector: four sets. The horizontal layout computes sets, the vertical
/// one groups. In Poly1305, a *row* has one block for each 64-bit lane of a vector.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Tuning {
    /// Sets that the horizontal layout computes side by side before one group is faster: 1 to 3,
    /// and 3 where a vector has several rows.
    pub horizontal_sets: usize,
    /// The most sets that the horizontal layout computes side by side at the end of an input, in
    /// place of a group and the rest: 5 to 7, or [`Tuning::horizontal_sets`].
    pub most_horizontal_sets: usize,
    /// Whether the end of an input is faster as up to [`Tuning::most_horizontal_sets`] sets than as
    /// a group and then the rest.
    pub prefer_sets_for_tail: ByClass<bool>,
    /// Groups that advance together: 2 where the registers hold both.
    pub vertical_sets: usize,
    /// Whether the rounds of groups take less time in assembly than as the compiler orders them,
    /// where there is [a kernel](crate::ChaCha20Rounds) for each of both.
    pub rounds_in_assembly: ByClass<bool>,
    /// The number of groups from which it pays to compute the common part of their first round
    /// once.
    pub min_prepared_groups: usize,
    /// Whether the blocks of one set of [`crate::Simd::Narrower`] are faster on those vectors.
    pub one_set_on_narrower_vectors: bool,
    /// The longest message of an AEAD in bytes that is faster on the vectors of
    /// [`crate::Simd::Narrower`]; `None` where none is.
    pub narrower_max_bytes: Option<usize>,
    /// Whether messages of an AEAD of up to one block are faster on the vectors of
    /// [`crate::Simd::Narrower`], although messages of two blocks are not.
    pub one_block_messages_on_narrower_vectors: ByClass<bool>,
    /// Whether messages of an AEAD of five or six blocks are faster on the vectors of
    /// [`crate::Simd::Narrower`], although four blocks are not.
    pub five_and_six_block_messages_on_narrower_vectors: ByClass<bool>,
    /// Whether a block takes less time on integers than on vectors, and almost none while the
    /// vectors work.
    pub block_on_integers: ByClass<bool>,
    /// Whether a block that fits into no set takes less time on integers, beside up to seven sets,
    /// than in a set of its own.
    pub block_beside_sets: ByClass<bool>,
    /// Whether vectors take less time if integers beside them do not get far ahead: see the reason
    /// in `chacha20/single.rs`.
    pub slow_integers_beside_vectors: ByClass<bool>,
    /// Whether 9 and 10 blocks of an AEAD's message, beside block 0 on integers, take less time as
    /// five sets of [`crate::Simd::Narrower`] than as three sets, and 13 to 18 blocks as a group
    /// and, if there are more than 16, such a set than as four or five sets.
    pub group_and_narrower_sets_beside_block_0: ByClass<bool>,
    /// Whether block 0 of an AEAD takes less time on integers, at the same time as the message's
    /// key stream on vectors, than in a set or a group of its own.
    pub block_0_beside_vectors: ByClass<bool>,
    /// Whether 17 to 20 blocks are fastest as a group and a set that advance together. If there
    /// are 17, block 0 is computed on integers where [`Tuning::block_0_beside_vectors`] holds.
    pub interleave_group_and_set: ByClass<bool>,
    /// Length in bytes from which Poly1305 is faster on vectors than on 64-bit integers; more than
    /// one row of blocks.
    pub poly1305_min_bytes: ByClass<usize>,
    /// The same length for the ciphertext of an AEAD whose associated data was added on integers.
    pub poly1305_min_ciphertext_bytes: ByClass<usize>,
    /// Length in bytes from which Poly1305 is faster with a table of the multiples of r's powers
    /// than with the powers alone, in limbs of 26 bits.
    pub poly1305_min_bytes_for_table: usize,
    /// Length in bytes from which a message that is authenticated in portions gains from powers of
    /// r for four rows between two carries.
    pub poly1305_min_bytes_for_four_rows: ByClass<usize>,
    /// Whether a message that is authenticated in portions takes less time if [most blocks are
    /// added on integers](crate::ChaCha20Rounds::nineteen_rounds_with_poly1305), beside pairs of
    /// groups.
    pub poly1305_beside_pairs: ByClass<bool>,
    /// Whether Poly1305 keeps its sum in lanes between the pieces of a message.
    pub poly1305_keeps_sum_in_lanes: bool,
    /// The number of messages from which Poly1305 is faster with one message in each lane than one
    /// after the other; `usize::MAX` where it never is.
    pub poly1305_min_messages: usize,
    /// The longest message in bytes whose key stream is computed in one call, before the message is
    /// authenticated.
    pub short_max_bytes: ByClass<usize>,
    /// Whether longer messages are authenticated on integers between the rounds of the cipher.
    pub authenticate_between_rounds: bool,
    /// Whether batches and the pieces of messages are authenticated in the same way. Their plans
    /// are for groups of eight blocks.
    pub authenticate_pieces_between_rounds: bool,
    /// The longest message of a batch, in bytes with its associated data, that is faster together
    /// with others than alone; `None` where none is.
    pub batch_max_bytes: Option<usize>,
    /// The number of messages from which a batch is faster than the messages one by one.
    pub batch_min_messages: usize,
    /// The same number for messages that can be processed three at a time; `None` where three at a
    /// time are always faster.
    pub batch_min_short_messages: Option<usize>,
}

impl Tuning {
    /// Returns whether batches and pieces are authenticated on integers between the rounds of the
    /// cipher, on these vectors or on those of [`crate::Simd::Narrower`].
    #[must_use]
    pub const fn interleaves_short_messages(&self) -> bool {
        self.authenticate_pieces_between_rounds || self.narrower_max_bytes.is_some()
    }
}

/// The most blocks of ChaCha20 that portable code computes one by one, and not in a group of four,
/// which the compiler computes on vectors. Zen 5: two blocks take 140 ns one by one, and 194 ns in
/// a group. Targets other than x86-64 were not measured. Without vectors, a group has no advantage.
pub const PORTABLE_MAX_SINGLE_BLOCKS: usize = if cfg!(target_arch = "x86_64") {
    2
} else if cfg!(any(target_feature = "sse2", target_feature = "neon", target_feature = "simd128")) {
    1
} else {
    4
};
/// The number of blocks from which Poly1305 on 64-bit integers is faster in two chains, whose
/// combination needs a power of r, than in one. Zen 3.
pub const POLY1305_MIN_BLOCKS_FOR_TWO_CHAINS: usize = 48;
/// The least [`Tuning::poly1305_min_bytes`] of all levels and classes. Shorter messages skip the
/// look-up.
pub const POLY1305_LEAST_MIN_BYTES: usize = 208;
/// Rows on limbs of 26 bits from which a table of powers pays. Zen 3: with fewer rows, one row at a
/// time is as fast.
pub const POLY1305_MIN_ROWS_FOR_TABLE: usize = 12;
/// Rows on limbs of 44 bits (52-bit products) from which two share a carry. Granite Rapids and Zen
/// 5.
pub const POLY1305_MIN_ROWS_FOR_TWO: usize = 3;
/// Rows on limbs of 44 bits (52-bit products) from which four share a carry, where the message
/// comes in one piece. Granite Rapids and Zen 5.
pub const POLY1305_MIN_ROWS_FOR_FOUR: usize = 9;
/// Bytes of a message in pieces after which Poly1305 keeps its sum in lanes. On integers, half as
/// many bytes take as long as computing the powers of r. Zen 3.
pub const POLY1305_MIN_BYTES_BEFORE_LANES: u64 = 1024;
/// Pieces after which Poly1305 keeps its sum in lanes. A message, its padding and the lengths are
/// no more pieces than that. Zen 3.
pub const POLY1305_MIN_PIECES_BEFORE_LANES: u32 = 4;
/// Rows from which r² pays when many messages are authenticated together. AVX2 on Zen 3.
pub const POLY1305_MIN_ROWS_FOR_SQUARE: usize = 10;
/// Sets that the horizontal layout computes before the vertical one is faster, where Poly1305 is
/// interleaved: a group takes little longer than three sets and has time for more blocks of
/// Poly1305. Zen 3. NEON: counted, not measured.
pub const INTERLEAVED_HORIZONTAL_SETS: usize = 2;
/// The most blocks of an interleaved message to open that are computed beside block 0. Zen 3: six
/// blocks and their authentication take as long as a group. NEON: they are at most three, which
/// fill a group with block 0.
pub const INTERLEAVED_MAX_HEAD_BLOCKS: usize = 5;
/// The average length in bytes up to which messages that are sealed together share the lanes of
/// vectors. Longer messages share them for blocks 0 only, and then have groups of their own. Zen 3.
pub const BATCH_MAX_BYTES_IN_LANES: usize = 384;
/// The number of groups in a piece to decrypt from which each group is authenticated beside its own
/// rounds, so that none waits for the next one. A group that waited before the piece is then
/// authenticated without other work. Zen 3.
pub const MIN_GROUPS_TO_DECRYPT_WITHOUT_WAITING: usize = 8;
/// The longest piece of a message in bytes, without what the window serves, that is processed on
/// the vectors of [`crate::Simd::Narrower`]. The window always is. Cascade Lake: 3 KiB take as long
/// on either vectors, and 4 KiB take 1.05 times as long.
pub const NARROWER_MAX_BYTES_OF_PIECES: usize = 3072;
/// The number of pairs of groups from which a piece of a message gains from Poly1305 beside them.
/// Beside the first pair, only the piece itself could be authenticated, and only to decrypt it. Zen
/// 4: with two pairs, sealing takes 1.03 times as long, with three 0.99.
pub const MIN_PAIRS_OF_PIECES: usize = 3;
/// Blocks of Poly1305 in each double round of the horizontal layout, whose instructions wait for
/// each other most of the time. Zen 3. NEON: 16 blocks need 1.6; counted, not measured.
pub const INTERLEAVED_BLOCKS: usize = 2;
/// Blocks of Poly1305 that a double round of a group adds at almost no cost. Zen 3: 30 blocks in
/// ten double rounds take 9 cycles more than the rounds alone. 32 blocks, four in each of eight
/// double rounds, take 71 more. NEON: a group has 16 blocks, so six of ten double rounds add two.
pub const POLY1305_BLOCKS_PER_DOUBLE_ROUND: usize = if cfg!(target_arch = "aarch64") { 1 } else { 3 };
/// The most blocks of Poly1305 that a double round of a group adds. On AVX2, their chain of
/// dependent instructions is longer than the round's. On NEON, it is not (llvm-mca, not measured).
pub const POLY1305_MOST_BLOCKS_IN_DOUBLE_ROUND: usize = POLY1305_BLOCKS_PER_DOUBLE_ROUND + 1;
/// Blocks of ChaCha20 that the first call computes for a message in two passes, block 0 among them.
/// Zen 3.
pub const TWO_PASS_FIRST_BLOCKS: usize = 8;
/// Bytes that each of the two passes processes before the other takes its turn: they stay in the
/// first-level cache. Zen 3.
pub const TWO_PASS_PIECE_BYTES: usize = 16_384;
/// The same for sealing with fewer rounds, or with a block counter of 64 bits: whole blocks. Not
/// measured.
pub const OTHER_VARIANTS_PIECE_BYTES: usize = 8192;
/// The longest associated data in bytes that is authenticated block by block in registers. Zen 3.
pub const SHORT_MAX_AAD_BYTES: usize = 512;

/// The shape of one step in the multiplication by a matrix over GF(2^8).
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Gf8MatrixTuning {
    /// Rows of the matrix whose sums are computed together: each source is read once for them. At
    /// most 6.
    pub rows: usize,
    /// Vectors of each source and each sum in a step: 1 or 2.
    pub vectors: usize,
}

/// Portable code: a source's bits are computed once for all rows. Other shapes were not measured.
pub(crate) const GF8_MATRIX_SCALAR: Gf8MatrixTuning = Gf8MatrixTuning { rows: 4, vectors: 1 };

/// Vectors of 128 bits with table look-ups. Counted, not measured.
#[allow(dead_code, reason = "for Arm")]
pub(crate) const GF8_MATRIX_NEON: Gf8MatrixTuning = Gf8MatrixTuning { rows: 6, vectors: 2 };
/// The same for WebAssembly, whose engines may run on CPUs with 16 registers. Not measured.
#[allow(dead_code, reason = "for WebAssembly")]
pub(crate) const GF8_MATRIX_SIMD128: Gf8MatrixTuning = Gf8MatrixTuning { rows: 4, vectors: 1 };

/// The multiplication by a matrix over GF(2^8) divides its sources into blocks, which several
/// groups of rows read one after the other. This is the number of bytes of all sources in a block:
/// they stay in the first-level cache. An Intel Xeon with GFNI, 50 sources and 20 sums of 64 KiB:
/// 1.1 (AVX2) to 1.5 (GFNI, 512 bits) times as fast as without blocks.
pub const GF8_MATRIX_BLOCK_BYTES: usize = 16_384;
/// Blocks of random coefficients that secret sharing of bytes computes at once: 16 KiB, half of a
/// first-level cache. At least 254, which a threshold of 255 needs. Zen 3: 4 KiB at a time would be
/// 1.18 times as fast for 1 KiB, and 0.95 to 0.97 times from 16 KiB on.
pub const SHAMIR_COEFFICIENT_BLOCKS: usize = 256;
/// Bytes of each share that a linear combination of shares of bytes works on at once: the sums and
/// the pieces of a group of shares stay in the first-level cache. Not measured.
pub const SHAMIR_COMBINE_PIECE_BYTES: usize = 4096;

/// Returns the number of rows between two carries of Poly1305 on limbs of 26 bits, for `count` rows
/// after the first and `lanes` lanes. With more rows, more powers of r pay. Zen 3, with four lanes.
#[must_use]
pub const fn poly1305_rows_per_carry(count: usize, lanes: usize) -> usize {
    let rows = match count {
        0..31 => 4,
        31..127 => 8,
        _ => 16,
    };
    if rows < lanes { lanes } else { rows }
}

/// Portable code: integers, or the vectors that the compiler makes of them.
pub(crate) const SCALAR: Tuning = Tuning {
    // Zen 3 without vector instructions of its own.
    horizontal_sets: 2,
    most_horizontal_sets: 2,
    prefer_sets_for_tail: ByClass::same(false),
    vertical_sets: 1,
    rounds_in_assembly: ByClass::same(false),
    min_prepared_groups: 2,
    one_set_on_narrower_vectors: false,
    narrower_max_bytes: None,
    one_block_messages_on_narrower_vectors: ByClass::same(false),
    five_and_six_block_messages_on_narrower_vectors: ByClass::same(false),
    block_on_integers: ByClass::same(false),
    block_beside_sets: ByClass::same(false),
    slow_integers_beside_vectors: ByClass::same(false),
    group_and_narrower_sets_beside_block_0: ByClass::same(false),
    block_0_beside_vectors: ByClass::same(false),
    interleave_group_and_set: ByClass::same(false),
    // The compiler's vectors are never faster.
    poly1305_min_bytes: ByClass::same(usize::MAX),
    poly1305_min_ciphertext_bytes: ByClass::same(usize::MAX),
    poly1305_min_bytes_for_table: 0,
    poly1305_min_bytes_for_four_rows: ByClass::same(usize::MAX),
    poly1305_beside_pairs: ByClass::same(false),
    poly1305_keeps_sum_in_lanes: false,
    // Two lanes are never faster.
    poly1305_min_messages: usize::MAX,
    short_max_bytes: ByClass::same(0),
    authenticate_between_rounds: false,
    authenticate_pieces_between_rounds: false,
    // Zen 3: without vectors, messages share no work.
    batch_max_bytes: None,
    batch_min_messages: usize::MAX,
    batch_min_short_messages: None,
};

/// Values for vectors of 128 bits, from SSSE3 on Zen 3. The tables of all levels with vectors start
/// with them.
#[allow(dead_code, reason = "some targets have no vectors")]
const VECTORS_OF_128_BITS: Tuning = Tuning {
    // One row in a vector: from two groups on.
    min_prepared_groups: 2,
    // A group with block 0.
    short_max_bytes: ByClass::same(256 - 64),
    // A message of two blocks fills half a group.
    batch_max_bytes: Some(128),
    // AVX2 on Zen 3.
    batch_min_messages: 20,
    ..SCALAR
};

#[cfg(all(target_feature = "sse2", not(target_env = "sgx")))]
mod x86;
#[cfg(all(target_feature = "sse2", not(target_env = "sgx")))]
pub(crate) use x86::*;

/// Counted instructions, not measured on hardware.
#[allow(dead_code, reason = "for Arm and WebAssembly")]
pub(crate) const OTHER_VECTORS_OF_128_BITS: Tuning = Tuning {
    horizontal_sets: 3,
    most_horizontal_sets: 3,
    poly1305_min_bytes: ByClass::same(512),
    poly1305_keeps_sum_in_lanes: true,
    ..VECTORS_OF_128_BITS
};

/// The work between the rounds is assembly of AArch64.
#[allow(dead_code, reason = "for Arm")]
pub(crate) const NEON: Tuning = Tuning {
    // Models of the Cortex-A76, Neoverse N1, V1 and V2 and of Apple's cores (llvm-mca): long
    // messages take 0.85 to 0.90 times as long as in two passes. Not measured on any CPU.
    authenticate_between_rounds: cfg!(all(target_arch = "aarch64", target_pointer_width = "64")),
    ..OTHER_VECTORS_OF_128_BITS
};

/// Returns the thresholds for lanes that are upper bounds: vectors are used from the shortest
/// length that the kernels allow.
#[cfg(any(test, feature = "bounds"))]
pub(crate) const fn of_bounds(lanes: usize) -> Tuning {
    Tuning { poly1305_min_bytes: ByClass::same(2 * 16 * lanes), ..SCALAR }
}

#[cfg(test)]
mod tests;
