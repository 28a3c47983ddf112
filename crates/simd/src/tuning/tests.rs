//! The ranges that the kernels rely on.

use super::{POLY1305_BLOCKS_PER_DOUBLE_ROUND as FEWER, POLY1305_MOST_BLOCKS_IN_DOUBLE_ROUND as MOST, *};
use crate::{ChaCha20Rounds, Level, LevelList, PendingPoly1305, Simd, U64Lanes, Words};

/// Checks the ranges that the kernels rely on.
#[inline(always)]
fn check<S: Simd>(token: S) {
    if S::TUNING.narrower_max_bytes.is_some() {
        assert!(S::Narrower::VECTORS && S::Narrower::TUNING.narrower_max_bytes.is_none(), "short messages stay there");
        check(token.for_narrower());
    }
    let on_narrower = |tuning: Tuning| {
        let values =
            [tuning.one_block_messages_on_narrower_vectors, tuning.five_and_six_block_messages_on_narrower_vectors];
        values.iter().any(|values| CpuClass::ALL.iter().any(|class| values.of(*class)))
    };
    if on_narrower(S::TUNING) {
        assert!(
            S::Narrower::VECTORS && <S::Narrower as Simd>::Words::ROWS >= 2,
            "a set has block 0 and a block of the message"
        );
        assert!(!on_narrower(S::Narrower::TUNING), "these messages stay there");
    }
    let Tuning { horizontal_sets, most_horizontal_sets, short_max_bytes, .. } = S::TUNING;
    assert!((1..=3).contains(&horizontal_sets));
    assert!(S::Words::ROWS == 1 || horizontal_sets == 3, "no group is computed for two or three sets");
    assert!(most_horizontal_sets == horizontal_sets || (5..=7).contains(&most_horizontal_sets));
    if S::TUNING.authenticate_between_rounds {
        let mut pending = PendingPoly1305 { blocks: &[[0; 16]; MOST], ..PendingPoly1305::none() };
        let mut words = [S::Words::splat(token, 0); 16];
        assert!(S::Words::double_rounds(&mut words, 1, &mut pending), "a kernel for the rounds");
        assert!(pending.blocks.is_empty(), "the kernel adds blocks");
        let blocks = S::Words::LANES * 4;
        assert!((10 * FEWER..=10 * MOST).contains(&blocks), "the rounds of a group have time for a group");
    }
    let has_pieces = S::TUNING.authenticate_pieces_between_rounds;
    assert!(!has_pieces || S::TUNING.authenticate_between_rounds && S::Words::LANES == 8, "groups of eight blocks");
    let one_call = most_horizontal_sets.max(4) * S::Words::ROWS * 64;
    for class in CpuClass::ALL {
        assert!(!S::VECTORS || short_max_bytes.of(class) + 64 <= one_call, "a key stream in one call");
        assert!(!S::MUL_ADD_52 || short_max_bytes.of(class) >= S::Words::ROWS * 64, "longer messages fill a set");
        assert!(S::TUNING.poly1305_min_bytes.of(class) >= POLY1305_LEAST_MIN_BYTES, "the least of all");
        assert!(S::TUNING.poly1305_min_bytes.of(class) > 16 * S::U64Lanes::LANES, "more than one row");
        let has_kernel = S::MUL_ADD_52 && S::TUNING.vertical_sets == 2 && S::U64Lanes::LANES == 8;
        let is_x86_64 = cfg!(all(target_arch = "x86_64", target_pointer_width = "64"));
        let has_narrower_sets = S::TUNING.group_and_narrower_sets_beside_block_0.of(class);
        assert!(
            !(has_narrower_sets && S::TUNING.slow_integers_beside_vectors.of(class)),
            "fast integers beside these sets"
        );
        assert!(!has_narrower_sets || <S::Narrower as Simd>::Words::ROWS == 2, "a narrower set has two blocks");
        assert!(!S::TUNING.poly1305_beside_pairs.of(class) || has_kernel && is_x86_64, "pairs with Poly1305");
    }
}

#[test]
fn the_kernels_can_do_what_the_table_says() {
    for level in Level::available() {
        dispatch!(level, token => check(token));
    }
}
