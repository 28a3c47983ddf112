//! Double rounds with SSSE3.
//!
//! Sixteen words and a temporary do not fit into sixteen registers, so word 11 stays in memory. A
//! double round has 128 operations, 16 copies (these instructions overwrite an operand, which a
//! rotation without a byte shuffle needs twice), and for word 11 four copies and four stores. The
//! compiler's code has 161 to 164 instructions and 16 accesses to the stack.

use core::arch::asm;
use core::arch::x86_64::{__m128i, _mm_setzero_si128};

/// Byte shuffles that rotate words to the left by 16 and by 8 bits.
#[repr(align(16))]
struct Masks([[u8; 16]; 2]);

static MASKS: Masks = Masks([
    [2, 3, 0, 1, 6, 7, 4, 5, 10, 11, 8, 9, 14, 15, 12, 13],
    [3, 0, 1, 2, 7, 4, 5, 6, 11, 8, 9, 10, 15, 12, 13, 14],
]);

/// A step of two quarter rounds, which ends with a rotation to the left. Registers are named by
/// their numbers.
#[rustfmt::skip]
macro_rules! two_steps {
    (16: $($registers:tt)*) => { add_shuffle!("0": $($registers)*) };
    (8: $($registers:tt)*) => { add_shuffle!("16": $($registers)*) };
    (12: $($registers:tt)*) => { add_shift!("12" "20": $($registers)*) };
    (7: $($registers:tt)*) => { add_shift!("7" "25": $($registers)*) };
}

/// `a += b; d ^= a; d <<<= mask` for two quarter rounds.
#[rustfmt::skip]
macro_rules! add_shuffle {
    ($mask:literal: $a:literal $b:literal $d:literal, $e:literal $f:literal $h:literal) => {
        concat!(
            "paddd xmm", $a, ", xmm", $b, "\n",
            "paddd xmm", $e, ", xmm", $f, "\n",
            "pxor xmm", $d, ", xmm", $a, "\n",
            "pxor xmm", $h, ", xmm", $e, "\n",
            "pshufb xmm", $d, ", [{masks} + ", $mask, "]\n",
            "pshufb xmm", $h, ", [{masks} + ", $mask, "]\n",
        )
    };
}

/// `c += d; b ^= c; b <<<= left` for two quarter rounds. The second word c may be in memory.
#[rustfmt::skip]
macro_rules! add_shift {
    ($left:literal $right:literal: $c:literal $d:literal $b:literal, memory $h:literal $f:literal) => {
        concat!(
            "paddd xmm", $c, ", xmm", $d, "\n",
            "movdqa xmm11, xmm", $h, "\n",
            "paddd xmm11, [{word_11}]\n",
            "pxor xmm", $b, ", xmm", $c, "\n",
            "movdqa [{word_11}], xmm11\n",
            "pxor xmm", $f, ", xmm11\n",
            shift!($left $right: $b),
            shift!($left $right: $f),
        )
    };
    ($left:literal $right:literal: $c:literal $d:literal $b:literal, $g:literal $h:literal $f:literal) => {
        concat!(
            "paddd xmm", $c, ", xmm", $d, "\n",
            "paddd xmm", $g, ", xmm", $h, "\n",
            "pxor xmm", $b, ", xmm", $c, "\n",
            "pxor xmm", $f, ", xmm", $g, "\n",
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
            "movdqa xmm11, xmm", $b, "\n",
            "pslld xmm", $b, ", ", $left, "\n",
            "psrld xmm11, ", $right, "\n",
            "por xmm", $b, ", xmm11\n",
        )
    };
}

/// Computes `double_rounds` double rounds of ChaCha on the words `v` of four blocks.
#[target_feature(enable = "ssse3")]
#[inline]
pub(crate) fn double_rounds(v: &mut [__m128i; 16], double_rounds: u8) {
    let [v0, v1, v2, v3, v4, v5, v6, v7, v8, v9, v10, v11, v12, v13, v14, v15] = v;
    let mut word_11 = *v11;
    // SAFETY: the assembly reads and writes `word_11` and reads both masks; they are aligned to 16
    // bytes as the instructions demand. All registers that it changes are operands; it leaves the
    // stack alone. The feature is enabled.
    unsafe {
        asm!(
            "test {count}, {count}",
            "jz 3f",
            ".p2align 5",
            "2:",
            double_round!(two_steps, memory: [] [] [] []),
            "dec {count}",
            "jnz 2b",
            "3:",
            word_11 = in(reg) &raw mut word_11,
            masks = in(reg) &raw const MASKS.0,
            count = inout(reg) u64::from(double_rounds) => _,
            inout("xmm0") *v0,
            inout("xmm1") *v1,
            inout("xmm2") *v2,
            inout("xmm3") *v3,
            inout("xmm4") *v4,
            inout("xmm5") *v5,
            inout("xmm6") *v6,
            inout("xmm7") *v7,
            inout("xmm8") *v8,
            inout("xmm9") *v9,
            inout("xmm10") *v10,
            inout("xmm12") *v12,
            inout("xmm13") *v13,
            inout("xmm14") *v14,
            inout("xmm15") *v15,
            out("xmm11") _,
            options(nostack),
        );
    }
    *v11 = word_11;
    // Wipes the operand in memory.
    word_11 = _mm_setzero_si128();
    // SAFETY: the assembly is empty.
    unsafe { asm!("/* {} */", in(reg) &raw const word_11, options(nostack, readonly, preserves_flags)) };
}
