//! Double rounds with AVX-512VL, which has rotations: a double round is 96 vector instructions, one
//! for each operation.

use core::arch::asm;
use core::arch::x86_64::{__m256i, _mm256_setzero_si256};

use super::plan::Plan;
use crate::pending_poly1305::PendingPoly1305;

macro_rules! two_steps {
    ($($step:tt)*) => { two_steps_with_rotations!("ymm" "vpxor", $($step)*) };
}

/// Computes `double_rounds` double rounds of ChaCha on the words `v` of eight blocks, and adds as
/// many blocks of `pending` as fit.
///
/// # Safety
/// The CPU has AVX-512VL, which the attribute does not enable.
#[target_feature(enable = "avx2,bmi2")]
#[inline]
pub(crate) unsafe fn double_rounds(v: &mut [__m256i; 16], double_rounds: u8, pending: &mut PendingPoly1305<'_>) {
    let plan = Plan::new(double_rounds, pending.blocks.len());
    let (taken, blocks) = pending.blocks.split_at(plan.blocks());
    // The last two words leave the assembly in memory. With all sixteen in registers, LLVM 22 loses
    // the first one in some callers: it clears a register for other code before it stores the word.
    let mut last = [v[14], v[15]];
    let mut r = pending.r;
    // SAFETY: the assembly writes both vectors of `last`, which are aligned to 32 bytes as the
    // instructions demand. The rest is what the macro says. AVX2 and BMI2 are enabled, and the
    // caller guarantees AVX-512VL.
    unsafe {
        double_rounds_in_ymm!(
            v, pending, r, taken, plan;
            loops!(two_steps, "11"), "vmovdqa [{last}], ymm14", "vmovdqa [{last} + 32], ymm15";
            last = in(reg) &raw mut last;
            inout("ymm11") v[11],
            inout("ymm14") v[14] => _,
            inout("ymm15") v[15] => _,
        );
    }
    [v[14], v[15]] = last;
    // Wipes the operands in memory.
    last = [_mm256_setzero_si256(); 2];
    r = [0; 3];
    // SAFETY: the assembly is empty.
    unsafe {
        asm!("/* {} {} */", in(reg) &raw const last, in(reg) &raw const r, options(nostack, readonly, preserves_flags));
    }
    pending.blocks = blocks;
}
