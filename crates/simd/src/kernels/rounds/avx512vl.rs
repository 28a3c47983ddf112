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
    let [v0, v1, v2, v3, v4, v5, v6, v7, v8, v9, v10, v11, v12, v13, v14, v15] = v;
    // The last two words leave the assembly in memory. With all sixteen in registers, LLVM 22 loses
    // the first one in some callers: it clears a register for other code before it stores the word.
    let mut last = [*v14, *v15];
    let mut r = pending.r;
    let [h0, h1, h2] = &mut pending.h;
    // SAFETY: the assembly writes both vectors of `last`, which are aligned to 32 bytes as the
    // instructions demand; it reads the three words of `r`, and 16 bytes for each of the
    // `plan.blocks()` blocks in `taken`, four in each turn of the first loop and three in each of
    // the second. All registers that it changes are operands; it leaves the stack alone. AVX2
    // and BMI2 are enabled, and the caller guarantees AVX-512VL.
    unsafe {
        asm!(
            loops!(two_steps, "11"),
            "vmovdqa [{last}], ymm14",
            "vmovdqa [{last} + 32], ymm15",
            last = in(reg) &raw mut last,
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
            inout("ymm8") *v8,
            inout("ymm9") *v9,
            inout("ymm10") *v10,
            inout("ymm11") *v11,
            inout("ymm12") *v12,
            inout("ymm13") *v13,
            inout("ymm14") *v14 => _,
            inout("ymm15") *v15 => _,
            options(nostack),
        );
    }
    [*v14, *v15] = last;
    // Wipes the operands in memory.
    last = [_mm256_setzero_si256(); 2];
    r = [0; 3];
    // SAFETY: the assembly is empty.
    unsafe {
        asm!("/* {} {} */", in(reg) &raw const last, in(reg) &raw const r, options(nostack, readonly, preserves_flags));
    }
    pending.blocks = blocks;
}
