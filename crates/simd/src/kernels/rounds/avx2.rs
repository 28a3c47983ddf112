//! Double rounds with AVX2.
//!
//! Sixteen words and a temporary do not fit into sixteen registers, so word 11 stays in memory. Its
//! loads are operands of additions. A double round has 132 vector instructions: 128 operations, and
//! four stores of word 11. The compiler's code has 148.

use core::arch::asm;
use core::arch::x86_64::{__m256i, _mm256_setzero_si256};

use super::plan::Plan;
use crate::pending_poly1305::PendingPoly1305;

/// Byte shuffles that rotate words to the left by 16 and by 8 bits.
#[repr(align(32))]
struct Masks([[u8; 32]; 2]);

static MASKS: Masks = Masks([rotation_mask(2), rotation_mask(1)]);

const fn rotation_mask(bytes: usize) -> [u8; 32] {
    let mut mask = [0; 32];
    let mut i = 0;
    while i < 32 {
        mask[i] = (i % 16 / 4 * 4 + (i + 4 - bytes) % 4) as u8;
        i += 1;
    }
    mask
}

/// A step of two quarter rounds, which ends with a rotation to the left. Registers are named by
/// their numbers.
macro_rules! two_steps {
    (16: $($registers:tt)*) => { add_shuffle!("0": $($registers)*) };
    (8: $($registers:tt)*) => { add_shuffle!("32": $($registers)*) };
    (12: $($registers:tt)*) => { add_shift!("12" "20": $($registers)*) };
    (7: $($registers:tt)*) => { add_shift!("7" "25": $($registers)*) };
}

/// `a += b; d ^= a; d <<<= mask` for two quarter rounds.
#[rustfmt::skip]
macro_rules! add_shuffle {
    ($mask:literal: $a:literal $b:literal $d:literal, $e:literal $f:literal $h:literal) => {
        concat!(
            "vpaddd ymm", $a, ", ymm", $a, ", ymm", $b, "\n",
            "vpaddd ymm", $e, ", ymm", $e, ", ymm", $f, "\n",
            "vpxor ymm", $d, ", ymm", $d, ", ymm", $a, "\n",
            "vpxor ymm", $h, ", ymm", $h, ", ymm", $e, "\n",
            "vpshufb ymm", $d, ", ymm", $d, ", [{masks} + ", $mask, "]\n",
            "vpshufb ymm", $h, ", ymm", $h, ", [{masks} + ", $mask, "]\n",
        )
    };
}

/// `c += d; b ^= c; b <<<= left` for two quarter rounds. The second word c may be in memory.
#[rustfmt::skip]
macro_rules! add_shift {
    ($left:literal $right:literal: $c:literal $d:literal $b:literal, memory $h:literal $f:literal) => {
        concat!(
            "vpaddd ymm", $c, ", ymm", $c, ", ymm", $d, "\n",
            "vpaddd ymm11, ymm", $h, ", [{word_11}]\n",
            "vpxor ymm", $b, ", ymm", $b, ", ymm", $c, "\n",
            "vmovdqa [{word_11}], ymm11\n",
            "vpxor ymm", $f, ", ymm", $f, ", ymm11\n",
            shift!($left $right: $b),
            shift!($left $right: $f),
        )
    };
    ($left:literal $right:literal: $c:literal $d:literal $b:literal, $g:literal $h:literal $f:literal) => {
        concat!(
            "vpaddd ymm", $c, ", ymm", $c, ", ymm", $d, "\n",
            "vpaddd ymm", $g, ", ymm", $g, ", ymm", $h, "\n",
            "vpxor ymm", $b, ", ymm", $b, ", ymm", $c, "\n",
            "vpxor ymm", $f, ", ymm", $f, ", ymm", $g, "\n",
            shift!($left $right: $b),
            shift!($left $right: $f),
        )
    };
}

/// `b <<<= left`, with the temporary in register 11.
#[rustfmt::skip]
macro_rules! shift {
    ($left:literal $right:literal: $b:literal) => {
        concat!(
            "vpslld ymm11, ymm", $b, ", ", $left, "\n",
            "vpsrld ymm", $b, ", ymm", $b, ", ", $right, "\n",
            "vpor ymm", $b, ", ymm", $b, ", ymm11\n",
        )
    };
}

/// Computes `double_rounds` double rounds of ChaCha on the words `v` of eight blocks, and adds as
/// many blocks of `pending` as fit.
#[target_feature(enable = "avx2,bmi2")]
#[inline]
pub(crate) fn double_rounds(v: &mut [__m256i; 16], double_rounds: u8, pending: &mut PendingPoly1305<'_>) {
    let plan = Plan::new(double_rounds, pending.blocks.len());
    let (taken, blocks) = pending.blocks.split_at(plan.blocks());
    let mut word_11 = v[11];
    let mut r = pending.r;
    // SAFETY: the assembly reads and writes `word_11`, which is aligned to 32 bytes as the
    // instructions demand; it reads both masks, which are aligned too. The rest is what the macro
    // says. The features are enabled.
    unsafe {
        double_rounds_in_ymm!(
            v, pending, r, taken, plan;
            loops!(two_steps, memory);
            word_11 = in(reg) &raw mut word_11,
            masks = in(reg) &raw const MASKS.0;
            inout("ymm14") v[14],
            inout("ymm15") v[15],
            out("ymm11") _,
        );
    }
    v[11] = word_11;
    // Wipes the operands in memory.
    word_11 = _mm256_setzero_si256();
    r = [0; 3];
    // SAFETY: the assembly is empty.
    unsafe {
        asm!("/* {} {} */", in(reg) &raw const word_11, in(reg) &raw const r, options(nostack, readonly, preserves_flags));
    }
    pending.blocks = blocks;
}
