//! The rounds of two groups with AVX-512, and 96 blocks of Poly1305 on integers beside them.
//!
//! 512-bit vectors start two operations in a cycle at most, which leaves the other four or more
//! slots of the core to integers. A block of Poly1305 is a chain of some 15 cycles, so two chains
//! advance in turns: each has half of the blocks, and an accumulator of its own.

use core::arch::x86_64::__m512i;

use crate::kernels::groups512::{asm_on_group, asm_on_two_groups};

/// The number of blocks that are added to each of the two accumulators.
const BLOCKS: usize = crate::kernels::POLY1305_BLOCKS_PER_PAIR / 2;
/// The number of double rounds in the loop, each with five blocks for each accumulator.
const TURNS: usize = 9;
const _: () = assert!(BLOCKS == 3 + 5 * TURNS, "the diagonal round has three blocks for each");

/// A step of four quarter rounds, two at a time.
macro_rules! step {
    ($left:literal: $a:literal $b:literal $d:literal, $e:literal $f:literal $h:literal) => {
        two_steps_with_rotations!("zmm" "vpxord", $left: $a $b $d, $e $f $h)
    };
    (
        $left:literal: $a:literal $b:literal $d:literal, $e:literal $f:literal $h:literal,
        $($others:literal)+, $($last:literal)+
    ) => {
        concat!(step!($left: $a $b $d, $e $f $h), step!($left: $($others)+, $($last)+))
    };
}

/// A block of Poly1305, or nothing. `offset` is its offset in memory.
macro_rules! whole_block {
    () => { "" };
    ($offset:literal, $h0:literal $h1:literal $h2:literal) => {
        concat!(
            block!(0: $offset, $h0 $h1 $h2 "t0" "t1"),
            block!(1: $offset, $h0 $h1 $h2 "t0" "t1"),
            block!(2: $offset, $h0 $h1 $h2 "t0" "t1"),
            block!(3: $offset, $h0 $h1 $h2 "t0" "t1"),
            "mov {", $h0, "}, {t0}\n",
            "mov {", $h1, "}, {t1}\n",
        )
    };
}

/// A round of one group.
macro_rules! round_of_one {
    ($($a:literal $b:literal $c:literal $d:literal),*) => {
        concat!(
            step!("16": $($a $b $d),*),
            step!("12": $($c $d $b),*),
            step!("8": $($a $b $d),*),
            step!("7": $($c $d $b),*),
        )
    };
}

/// A round of two groups, whose steps take turns. After each step there is a block of Poly1305, or
/// nothing.
macro_rules! round {
    (
        $($a:literal $b:literal $c:literal $d:literal),*; $($e:literal $f:literal $g:literal $h:literal),*;
        [$($b0:tt)*] [$($b1:tt)*] [$($b2:tt)*] [$($b3:tt)*] [$($b4:tt)*] [$($b5:tt)*] [$($b6:tt)*] [$($b7:tt)*]
    ) => {
        concat!(
            step!("16": $($a $b $d),*), whole_block!($($b0)*),
            step!("16": $($e $f $h),*), whole_block!($($b1)*),
            step!("12": $($c $d $b),*), whole_block!($($b2)*),
            step!("12": $($g $h $f),*), whole_block!($($b3)*),
            step!("8": $($a $b $d),*), whole_block!($($b4)*),
            step!("8": $($e $f $h),*), whole_block!($($b5)*),
            step!("7": $($c $d $b),*), whole_block!($($b6)*),
            step!("7": $($g $h $f),*), whole_block!($($b7)*),
        )
    };
}

macro_rules! column_round {
    ($($blocks:tt)*) => {
        round!(
            "0" "4" "8" "12", "1" "5" "9" "13", "2" "6" "10" "14", "3" "7" "11" "15";
            "16" "20" "24" "28", "17" "21" "25" "29", "18" "22" "26" "30", "19" "23" "27" "31";
            $($blocks)*
        )
    };
}

macro_rules! diagonal_round {
    ($($blocks:tt)*) => {
        round!(
            "0" "5" "10" "15", "3" "4" "9" "14", "1" "6" "11" "12", "2" "7" "8" "13";
            "16" "21" "26" "31", "19" "20" "25" "30", "17" "22" "27" "28", "18" "23" "24" "29";
            $($blocks)*
        )
    };
}

/// Computes `count` double rounds on the words `v` of a group.
#[target_feature(enable = "avx512f")]
#[inline]
pub(crate) fn double_rounds(v: &mut [__m512i; 16], count: u8) {
    if count == 0 {
        return;
    }
    // SAFETY: all registers that the assembly changes are operands. It has no access to memory.
    // AVX-512F is enabled.
    unsafe {
        asm_on_group!([
            ".p2align 5",
            "2:",
            round_of_one!("0" "4" "8" "12", "1" "5" "9" "13", "2" "6" "10" "14", "3" "7" "11" "15"),
            round_of_one!("0" "5" "10" "15", "3" "4" "9" "14", "1" "6" "11" "12", "2" "7" "8" "13"),
            "dec {count:e}",
            "jnz 2b",
        ] v [count = inout(reg) u32::from(count) => _,] pure nomem nostack);
    }
}

/// Computes `count` double rounds on the words `v` and `w` of two groups.
#[target_feature(enable = "avx512f")]
#[inline]
pub(crate) fn double_rounds_of_two(v: &mut [__m512i; 16], w: &mut [__m512i; 16], count: u8) {
    if count == 0 {
        return;
    }
    // SAFETY: all registers that the assembly changes are operands. It has no access to memory.
    // AVX-512F is enabled.
    unsafe {
        asm_on_two_groups!([
            ".p2align 5",
            "2:",
            column_round!([] [] [] [] [] [] [] []),
            diagonal_round!([] [] [] [] [] [] [] []),
            "dec {count:e}",
            "jnz 2b",
        ] v w [count = inout(reg) u32::from(count) => _,] pure nomem nostack);
    }
}

/// Computes a diagonal round and nine double rounds of ChaCha on the words `v` and `w` of two
/// groups. Starts two accumulators, adds the first half of `blocks` to one and the second half to
/// the other, and returns them. `r` is the low and the high half of the clamped r, and 5/4 of the
/// high half.
#[target_feature(enable = "avx512f,bmi2")]
#[inline]
pub(crate) fn nineteen_rounds_with_poly1305(
    v: &mut [__m512i; 16],
    w: &mut [__m512i; 16],
    [r0, r1, s1]: [u64; 3],
    blocks: &[[u8; 16]; 2 * BLOCKS],
) -> [[u64; 3]; 2] {
    let ([mut a0, mut a1, mut a2], [mut b0, mut b1, mut b2]) = ([0_u64; 3], [0_u64; 3]);
    // The end of the first half. No register is left for it.
    let end = (&raw const blocks[BLOCKS]).expose_provenance() as u64;
    let mut factors = [r0, r1, s1, end];
    // SAFETY: the assembly reads the four words of `factors`, clears the first three, and reads 16
    // bytes for each of the blocks: `blocks` points three blocks further after the first round, and
    // five after each turn, until it has passed the first half. The offset of the second half is
    // 768 bytes, its length. All registers that it changes are operands. It leaves the stack alone.
    // AVX-512F and BMI2 are enabled.
    unsafe {
        asm_on_two_groups!([
            diagonal_round!(
                ["0", "a0" "a1" "a2"] ["768", "b0" "b1" "b2"] ["16", "a0" "a1" "a2"] ["784", "b0" "b1" "b2"]
                ["32", "a0" "a1" "a2"] [] ["800", "b0" "b1" "b2"] []
            ),
            "add {blocks}, 48",
            ".p2align 5",
            "2:",
            column_round!(
                ["0", "a0" "a1" "a2"] [] ["768", "b0" "b1" "b2"] ["16", "a0" "a1" "a2"]
                [] ["784", "b0" "b1" "b2"] [] ["32", "a0" "a1" "a2"]
            ),
            diagonal_round!(
                ["800", "b0" "b1" "b2"] [] ["48", "a0" "a1" "a2"] ["816", "b0" "b1" "b2"]
                [] ["64", "a0" "a1" "a2"] [] ["832", "b0" "b1" "b2"]
            ),
            "add {blocks}, 80",
            "cmp {blocks}, [{r} + 24]",
            "jne 2b",
            // Wipes r in memory. To do so, the compiler would clear a vector register, and all of
            // them still hold words.
            "mov qword ptr [{r}], 0",
            "mov qword ptr [{r} + 8], 0",
            "mov qword ptr [{r} + 16], 0",
        ] v w [
            r = in(reg) &raw mut factors,
            blocks = inout(reg) blocks.as_ptr() => _,
            a0 = inout(reg) a0,
            a1 = inout(reg) a1,
            a2 = inout(reg) a2,
            b0 = inout(reg) b0,
            b1 = inout(reg) b1,
            b2 = inout(reg) b2,
            t0 = out(reg) _,
            t1 = out(reg) _,
            t2 = out(reg) _,
            t3 = out(reg) _,
            out("rdx") _,
        ] nostack);
    }
    [[a0, a1, a2], [b0, b1, b2]]
}
