//! Double rounds with AVX2: sixteen words in sixteen registers, which also have to hold
//! temporaries.
//!
//! Two words of the third row are in registers and two in memory. The two pairs change places twice
//! in a double round. Loads are operands of additions, and no other word is stored. A double round
//! has 132 vector instructions, four more than it has operations; the compiler's code has 148.

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

/// `a += b; d ^= a; d <<<= mask` for two quarter rounds. Registers are named by their numbers.
macro_rules! add_shuffle {
    ($mask:literal: $a:literal $b:literal $d:literal, $e:literal $f:literal $h:literal) => {
        concat!(
            "vpaddd ymm",
            $a,
            ", ymm",
            $a,
            ", ymm",
            $b,
            "\n",
            "vpaddd ymm",
            $e,
            ", ymm",
            $e,
            ", ymm",
            $f,
            "\n",
            "vpxor ymm",
            $d,
            ", ymm",
            $d,
            ", ymm",
            $a,
            "\n",
            "vpxor ymm",
            $h,
            ", ymm",
            $h,
            ", ymm",
            $e,
            "\n",
            "vpshufb ymm",
            $d,
            ", ymm",
            $d,
            ", [{masks} + ",
            $mask,
            "]\n",
            "vpshufb ymm",
            $h,
            ", ymm",
            $h,
            ", [{masks} + ",
            $mask,
            "]\n",
        )
    };
}

/// `c = old + d; b ^= c; b <<<= left` for two quarter rounds. The new words c go to registers 8 and
/// 9; `old` is these registers, or words of the state in memory.
macro_rules! add_shift {
    ($left:literal $right:literal: $c:literal $d:literal $b:literal, $g:literal $h:literal $f:literal) => {
        concat!(
            "vpaddd ymm8, ymm",
            $d,
            ", ",
            $c,
            "\n",
            "vpaddd ymm9, ymm",
            $h,
            ", ",
            $g,
            "\n",
            "vpxor ymm",
            $b,
            ", ymm",
            $b,
            ", ymm8\n",
            "vpxor ymm",
            $f,
            ", ymm",
            $f,
            ", ymm9\n",
            "vpslld ymm10, ymm",
            $b,
            ", ",
            $left,
            "\n",
            "vpslld ymm11, ymm",
            $f,
            ", ",
            $left,
            "\n",
            "vpsrld ymm",
            $b,
            ", ymm",
            $b,
            ", ",
            $right,
            "\n",
            "vpsrld ymm",
            $f,
            ", ymm",
            $f,
            ", ",
            $right,
            "\n",
            "vpor ymm",
            $b,
            ", ymm",
            $b,
            ", ymm10\n",
            "vpor ymm",
            $f,
            ", ymm",
            $f,
            ", ymm11\n",
        )
    };
}

/// Two quarter rounds, with a quarter of a Poly1305 block, or nothing, after each of their steps.
macro_rules! two_quarter_rounds {
    ($a:literal $b:literal $c:literal $d:literal, $e:literal $f:literal $g:literal $h:literal; $($block:tt)*) => {
        concat!(
            add_shuffle!("0": $a $b $d, $e $f $h),
            block!(0: $($block)*),
            add_shift!("12" "20": $c $d $b, $g $h $f),
            block!(1: $($block)*),
            add_shuffle!("32": $a $b $d, $e $f $h),
            block!(2: $($block)*),
            add_shift!("7" "25": "ymm8" $d $b, "ymm9" $h $f),
            block!(3: $($block)*),
        )
    };
}

/// A double round, with a Poly1305 block, or nothing, in each of its four parts. Words 0 to 9 and
/// 12 to 15 are in the registers with these numbers, words 10 and 11 in memory.
macro_rules! double_round {
    ([$($p:tt)*] [$($q:tt)*] [$($r:tt)*] [$($s:tt)*]) => {
        concat!(
            two_quarter_rounds!("0" "4" "ymm8" "12", "1" "5" "ymm9" "13"; $($p)*),
            "vmovdqa [{waiting}], ymm8\n",
            "vmovdqa [{waiting} + 1*32], ymm9\n",
            two_quarter_rounds!("2" "6" "[{waiting} + 2*32]" "14", "3" "7" "[{waiting} + 3*32]" "15"; $($q)*),
            two_quarter_rounds!("0" "5" "ymm8" "15", "1" "6" "ymm9" "12"; $($r)*),
            "vmovdqa [{waiting} + 2*32], ymm8\n",
            "vmovdqa [{waiting} + 3*32], ymm9\n",
            two_quarter_rounds!("2" "7" "[{waiting}]" "13", "3" "4" "[{waiting} + 1*32]" "14"; $($s)*),
        )
    };
}

/// Computes `double_rounds` double rounds of ChaCha on the words `v` of eight blocks, and adds as
/// many blocks of `pending` as fit.
#[target_feature(enable = "avx2,bmi2")]
#[inline]
pub(crate) fn double_rounds(v: &mut [__m256i; 16], double_rounds: usize, pending: &mut PendingPoly1305<'_>) {
    let plan = Plan::new(double_rounds, pending.blocks.len());
    let (taken, blocks) = pending.blocks.split_at(plan.blocks());
    let [v0, v1, v2, v3, v4, v5, v6, v7, v8, v9, v10, v11, v12, v13, v14, v15] = v;
    let mut third_row = [*v8, *v9, *v10, *v11];
    let mut r = pending.r;
    let [h0, h1, h2] = &mut pending.h;
    // SAFETY: the assembly reads and writes the four vectors of `third_row`, which are aligned to
    // 32 bytes as the instructions demand; it reads both masks, which are aligned too, the three
    // words of `r`, and 16 bytes for each of the `plan.blocks()` blocks in `taken`, four in each
    // turn of the first loop and three in each of the second. All registers that it changes are
    // operands; it leaves the stack alone. The features are enabled.
    unsafe {
        asm!(
            loops!(double_round),
            "vmovdqa [{waiting}], ymm8",
            "vmovdqa [{waiting} + 1*32], ymm9",
            waiting = in(reg) &raw mut third_row,
            masks = in(reg) &raw const MASKS.0,
            r = in(reg) &raw const r,
            blocks = inout(reg) taken.as_ptr() => _,
            turns = inout(reg) plan.packed() => _,
            h0 = inout(reg) *h0,
            h1 = inout(reg) *h1,
            h2 = inout(reg) *h2,
            t0 = out(reg) _,
            t1 = out(reg) _,
            t2 = out(reg) _,
            t3 = out(reg) _,
            out("rdx") _,
            inout("ymm0") *v0,
            inout("ymm1") *v1,
            inout("ymm2") *v2,
            inout("ymm3") *v3,
            inout("ymm4") *v4,
            inout("ymm5") *v5,
            inout("ymm6") *v6,
            inout("ymm7") *v7,
            inout("ymm12") *v12,
            inout("ymm13") *v13,
            inout("ymm14") *v14,
            inout("ymm15") *v15,
            inout("ymm8") *v8 => _,
            inout("ymm9") *v9 => _,
            out("ymm10") _,
            out("ymm11") _,
            options(nostack),
        );
    }
    [*v8, *v9, *v10, *v11] = third_row;
    // Wipes the operands in memory.
    third_row = [_mm256_setzero_si256(); 4];
    r = [0; 3];
    // SAFETY: the assembly is empty.
    unsafe {
        asm!("/* {} {} */", in(reg) &raw const third_row, in(reg) &raw const r, options(nostack, readonly, preserves_flags));
    }
    pending.blocks = blocks;
}
