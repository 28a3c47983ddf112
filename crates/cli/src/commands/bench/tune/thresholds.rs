//! The thresholds of a backend, each with the question that judges it.

use std::fmt::Debug;

use sealane_simd::tuning::{self, ByClass, Tuning};
use sealane_simd::{CpuClass, Level, Simd, Words, dispatch};
use sealane_workloads::benchmarks::MakeProcessing;
use sealane_workloads::benchmarks::messages::{chacha20, poly1305, seal};

use super::measurement::Question;
use super::measurement::Question::{BetweenRounds, Class, Length, Nothing, Together};

const BLOCK_BYTES: usize = 64;

/// A threshold of the tuning table.
pub(super) struct Threshold {
    /// The name in `sealane_simd::tuning`.
    pub(super) name: &'static str,
    /// The value on this CPU.
    pub(super) value: String,
    pub(super) question: Question,
}

const KERNEL: &str = "a kernel of its own; there is no other to compare with";
const EQUAL: &str = "all classes of CPUs have the same value";
const UNUSED: &str = "not used by this backend";
const PIECES: &str = "of pieces, not of a message";
const INNER: &str = "inside a plan, and not reached alone";

/// Returns all thresholds of a backend.
pub(super) fn of(level: Level) -> Vec<Threshold> {
    // The test `tuning_lists_every_threshold` fails if a field is missing.
    let Tuning {
        horizontal_sets,
        most_horizontal_sets,
        prefer_sets_for_tail,
        vertical_sets,
        rounds_in_assembly,
        min_prepared_groups,
        one_set_on_narrower_vectors,
        narrower_max_bytes,
        one_block_messages_on_narrower_vectors,
        five_and_six_block_messages_on_narrower_vectors,
        block_on_integers,
        block_beside_sets,
        slow_integers_beside_vectors,
        group_and_narrower_sets_beside_block_0,
        block_0_beside_vectors,
        interleave_group_and_set,
        poly1305_min_bytes,
        poly1305_min_ciphertext_bytes,
        poly1305_min_bytes_for_table,
        poly1305_min_bytes_for_four_rows,
        poly1305_beside_pairs,
        poly1305_keeps_sum_in_lanes,
        poly1305_min_messages,
        short_max_bytes,
        authenticate_between_rounds,
        authenticate_pieces_between_rounds,
        batch_max_bytes,
        batch_min_messages,
        batch_min_short_messages,
        ..
    } = *level.tuning();
    let class = CpuClass::detect();
    let rows = dispatch!(level, token => rows_of(token));
    let (set, group) = (rows * BLOCK_BYTES, 4 * rows * BLOCK_BYTES);
    // A row of Poly1305 has two blocks of 16 bytes for each row of a vector.
    let mac_row = 2 * rows * 16;
    let is_vector = level.tuning().batch_max_bytes.is_some();

    let cipher = |from, step| Length { name: "chacha20", make: chacha20, from, step };
    let mac = |from, step| length("poly1305", poly1305, from, step);
    let sealed = |from, step| length("seal", seal, from, step);
    let compared = |values: ByClass<bool>, name, make, blocks: usize| {
        if values.is_same() { Nothing(EQUAL) } else { Class { name, make, length: blocks * BLOCK_BYTES, values } }
    };
    let by_class = |values, blocks| compared(values, "chacha20", chacha20, blocks);
    let sealed_by_class = |values, blocks| compared(values, "seal", seal, blocks);
    let sets = if is_vector { cipher((horizontal_sets + 1) * set, set) } else { Nothing(UNUSED) };
    let most_sets = if most_horizontal_sets > horizontal_sets {
        cipher((most_horizontal_sets + 1) * set, set)
    } else {
        Nothing("the same as horizontal_sets")
    };
    let together = |messages: Option<usize>, length| match messages {
        Some(messages) if messages < usize::MAX => Together { messages, length },
        _ => Nothing(UNUSED),
    };
    let short = batch_max_bytes.unwrap_or(0).min(256);
    let portable_single = tuning::PORTABLE_MAX_SINGLE_BLOCKS * BLOCK_BYTES;

    vec![
        threshold("horizontal_sets", horizontal_sets, sets),
        threshold("most_horizontal_sets", most_horizontal_sets, most_sets),
        threshold("prefer_sets_for_tail", prefer_sets_for_tail.of(class), by_class(prefer_sets_for_tail, 5 * rows)),
        threshold("vertical_sets", vertical_sets, Nothing(KERNEL)),
        threshold("rounds_in_assembly", rounds_in_assembly.of(class), by_class(rounds_in_assembly, 64)),
        threshold("min_prepared_groups", min_prepared_groups, cipher(min_prepared_groups * group, group)),
        threshold("one_set_on_narrower_vectors", one_set_on_narrower_vectors, Nothing(KERNEL)),
        threshold(
            "narrower_max_bytes",
            narrower_max_bytes,
            narrower_max_bytes.map_or(Nothing(UNUSED), |max| sealed(after(max), BLOCK_BYTES)),
        ),
        threshold(
            "one_block_messages_on_narrower_vectors",
            one_block_messages_on_narrower_vectors.of(class),
            sealed_by_class(one_block_messages_on_narrower_vectors, 1),
        ),
        threshold(
            "five_and_six_block_messages_on_narrower_vectors",
            five_and_six_block_messages_on_narrower_vectors.of(class),
            sealed_by_class(five_and_six_block_messages_on_narrower_vectors, 6),
        ),
        threshold("block_on_integers", block_on_integers.of(class), by_class(block_on_integers, 1)),
        threshold("block_beside_sets", block_beside_sets.of(class), by_class(block_beside_sets, rows + 1)),
        threshold(
            "slow_integers_beside_vectors",
            slow_integers_beside_vectors.of(class),
            sealed_by_class(slow_integers_beside_vectors, 4),
        ),
        threshold(
            "group_and_narrower_sets_beside_block_0",
            group_and_narrower_sets_beside_block_0.of(class),
            sealed_by_class(group_and_narrower_sets_beside_block_0, 10),
        ),
        threshold(
            "block_0_beside_vectors",
            block_0_beside_vectors.of(class),
            sealed_by_class(block_0_beside_vectors, 32),
        ),
        threshold(
            "interleave_group_and_set",
            interleave_group_and_set.of(class),
            by_class(interleave_group_and_set, 20),
        ),
        threshold("poly1305_min_bytes", poly1305_min_bytes.of(class), mac(poly1305_min_bytes.of(class), mac_row)),
        threshold(
            "poly1305_min_ciphertext_bytes",
            poly1305_min_ciphertext_bytes.of(class),
            if poly1305_min_ciphertext_bytes.of(class) > short_max_bytes.of(class) {
                Nothing(UNUSED)
            } else {
                sealed(poly1305_min_ciphertext_bytes.of(class), mac_row)
            },
        ),
        threshold(
            "poly1305_min_bytes_for_table",
            poly1305_min_bytes_for_table,
            mac(poly1305_min_bytes_for_table, 2 * mac_row),
        ),
        threshold(
            "poly1305_min_bytes_for_four_rows",
            poly1305_min_bytes_for_four_rows.of(class),
            sealed(poly1305_min_bytes_for_four_rows.of(class), mac_row),
        ),
        threshold(
            "poly1305_beside_pairs",
            poly1305_beside_pairs.of(class),
            sealed_by_class(poly1305_beside_pairs, 256),
        ),
        threshold("poly1305_keeps_sum_in_lanes", poly1305_keeps_sum_in_lanes, Nothing(PIECES)),
        threshold("poly1305_min_messages", poly1305_min_messages, Nothing(INNER)),
        threshold(
            "short_max_bytes",
            short_max_bytes.of(class),
            if five_and_six_block_messages_on_narrower_vectors.of(class) {
                Nothing("the next messages are on narrower vectors")
            } else {
                sealed(after(short_max_bytes.of(class)), BLOCK_BYTES)
            },
        ),
        threshold(
            "authenticate_between_rounds",
            authenticate_between_rounds,
            if authenticate_between_rounds {
                BetweenRounds { length: 16 << 10, max_aad: tuning::SHORT_MAX_AAD_BYTES }
            } else {
                Nothing("no kernel of this backend does it")
            },
        ),
        threshold("authenticate_pieces_between_rounds", authenticate_pieces_between_rounds, Nothing(KERNEL)),
        threshold(
            "batch_max_bytes",
            batch_max_bytes,
            together(batch_max_bytes.map(|_| 32), batch_max_bytes.unwrap_or(0)),
        ),
        threshold("batch_min_messages", batch_min_messages, together(Some(batch_min_messages), short)),
        threshold(
            "batch_min_short_messages",
            batch_min_short_messages,
            together(batch_min_short_messages, 2 * BLOCK_BYTES),
        ),
        threshold(
            "PORTABLE_MAX_SINGLE_BLOCKS",
            tuning::PORTABLE_MAX_SINGLE_BLOCKS,
            if is_vector || portable_single == group {
                Nothing(UNUSED)
            } else {
                cipher(after(portable_single), BLOCK_BYTES)
            },
        ),
        threshold(
            "POLY1305_MIN_BLOCKS_FOR_TWO_CHAINS",
            tuning::POLY1305_MIN_BLOCKS_FOR_TWO_CHAINS,
            if poly1305_min_bytes.of(class) > tuning::POLY1305_MIN_BLOCKS_FOR_TWO_CHAINS * 16 {
                mac(tuning::POLY1305_MIN_BLOCKS_FOR_TWO_CHAINS * 16, 64)
            } else {
                Nothing("messages of this length are on vectors")
            },
        ),
        threshold(
            "POLY1305_LEAST_MIN_BYTES",
            tuning::POLY1305_LEAST_MIN_BYTES,
            Nothing("the least poly1305_min_bytes"),
        ),
        threshold("POLY1305_MIN_ROWS_FOR_TABLE", tuning::POLY1305_MIN_ROWS_FOR_TABLE, Nothing(INNER)),
        threshold("POLY1305_MIN_ROWS_FOR_TWO", tuning::POLY1305_MIN_ROWS_FOR_TWO, Nothing(INNER)),
        threshold("POLY1305_MIN_ROWS_FOR_FOUR", tuning::POLY1305_MIN_ROWS_FOR_FOUR, Nothing(INNER)),
        threshold("POLY1305_MIN_BYTES_BEFORE_LANES", tuning::POLY1305_MIN_BYTES_BEFORE_LANES, Nothing(PIECES)),
        threshold("POLY1305_MIN_PIECES_BEFORE_LANES", tuning::POLY1305_MIN_PIECES_BEFORE_LANES, Nothing(PIECES)),
        threshold("POLY1305_MIN_ROWS_FOR_SQUARE", tuning::POLY1305_MIN_ROWS_FOR_SQUARE, Nothing(INNER)),
        threshold("INTERLEAVED_HORIZONTAL_SETS", tuning::INTERLEAVED_HORIZONTAL_SETS, Nothing(INNER)),
        threshold("INTERLEAVED_MAX_HEAD_BLOCKS", tuning::INTERLEAVED_MAX_HEAD_BLOCKS, Nothing(INNER)),
        threshold(
            "MIN_GROUPS_TO_DECRYPT_WITHOUT_WAITING",
            tuning::MIN_GROUPS_TO_DECRYPT_WITHOUT_WAITING,
            Nothing(INNER),
        ),
        threshold("BATCH_MAX_BYTES_IN_LANES", tuning::BATCH_MAX_BYTES_IN_LANES, Nothing(INNER)),
        threshold("INTERLEAVED_BLOCKS", tuning::INTERLEAVED_BLOCKS, Nothing(KERNEL)),
        threshold("POLY1305_BLOCKS_PER_DOUBLE_ROUND", tuning::POLY1305_BLOCKS_PER_DOUBLE_ROUND, Nothing(KERNEL)),
        threshold(
            "POLY1305_MOST_BLOCKS_IN_DOUBLE_ROUND",
            tuning::POLY1305_MOST_BLOCKS_IN_DOUBLE_ROUND,
            Nothing(KERNEL),
        ),
        threshold("TWO_PASS_FIRST_BLOCKS", tuning::TWO_PASS_FIRST_BLOCKS, Nothing(INNER)),
        threshold("TWO_PASS_PIECE_BYTES", tuning::TWO_PASS_PIECE_BYTES, Nothing(INNER)),
        threshold("SHORT_MAX_AAD_BYTES", tuning::SHORT_MAX_AAD_BYTES, Nothing("of associated data, not of a message")),
        threshold(
            "NARROWER_MAX_BYTES_OF_PIECES",
            tuning::NARROWER_MAX_BYTES_OF_PIECES,
            Nothing("of a piece, not of a message"),
        ),
        threshold("MIN_PAIRS_OF_PIECES", tuning::MIN_PAIRS_OF_PIECES, Nothing(PIECES)),
        threshold("OTHER_VARIANTS_PIECE_BYTES", tuning::OTHER_VARIANTS_PIECE_BYTES, Nothing(INNER)),
        threshold("GF8_MATRIX_BLOCK_BYTES", tuning::GF8_MATRIX_BLOCK_BYTES, Nothing(INNER)),
        threshold("SHAMIR_COEFFICIENT_BLOCKS", tuning::SHAMIR_COEFFICIENT_BLOCKS, Nothing(INNER)),
        threshold("SHAMIR_COMBINE_PIECE_BYTES", tuning::SHAMIR_COMBINE_PIECE_BYTES, Nothing(INNER)),
    ]
}

fn threshold(name: &'static str, value: impl Debug, question: Question) -> Threshold {
    let value = format!("{value:?}");
    let never = usize::MAX.to_string();
    Threshold { name, value: if value == never { "never".into() } else { value }, question }
}

/// Returns the number of 128-bit rows in a vector.
fn rows_of<S: Simd>(_: S) -> usize {
    S::Words::ROWS
}

/// Returns the first length beyond `longest`, or 0 if `longest` is 0.
fn after(longest: usize) -> usize {
    if longest == 0 { 0 } else { longest + 1 }
}

/// Returns the question for a threshold at length `from`, if lengths on both sides can be measured.
fn length(name: &'static str, make: MakeProcessing, from: usize, step: usize) -> Question {
    /// Longer messages would take too long to measure.
    const LONGEST: usize = 1 << 20;
    if (3..=LONGEST).contains(&from) { Length { name, make, from, step } } else { Nothing(UNUSED) }
}
