//! ChaCha's double rounds on four blocks, in assembly.
//!
//! Sixteen words and temporaries do not fit into sixteen registers. Compilers do not find the best
//! words to keep in memory: two words of the third row are in registers and two in memory, and the
//! two pairs change places twice in a double round. That takes four stores and four loads. The
//! other instructions are the 128 operations, 16 copies (these instructions overwrite an operand,
//! which a rotation without a byte shuffle needs twice) and the loop. The compiler's code has 161
//! to 164 instructions and 16 accesses to the stack.
//!
//! The rounds are the same as in the safe code for other backends; the tests compare them with
//! plain integers.

use core::arch::asm;
use core::arch::x86_64::{__m128i, _mm_setzero_si128};

/// Byte shuffles that rotate words to the left by 16 and by 8 bits.
#[repr(align(16))]
struct Masks([[u8; 16]; 2]);

static MASKS: Masks = Masks([
    [2, 3, 0, 1, 6, 7, 4, 5, 10, 11, 8, 9, 14, 15, 12, 13],
    [3, 0, 1, 2, 7, 4, 5, 6, 11, 8, 9, 10, 15, 12, 13, 14],
]);

/// `a += b; d ^= a; d <<<= mask` for two quarter rounds. Registers are named by their numbers.
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

/// `c += d; b ^= c; b <<<= left` for two quarter rounds, whose c are in registers 8 and 9.
#[rustfmt::skip]
macro_rules! add_shift {
    ($left:literal $right:literal: $d:literal $b:literal, $h:literal $f:literal) => {
        concat!(
            "paddd xmm8, xmm", $d, "\n",
            "paddd xmm9, xmm", $h, "\n",
            "pxor xmm", $b, ", xmm8\n",
            "pxor xmm", $f, ", xmm9\n",
            "movdqa xmm10, xmm", $b, "\n",
            "movdqa xmm11, xmm", $f, "\n",
            "pslld xmm", $b, ", ", $left, "\n",
            "pslld xmm", $f, ", ", $left, "\n",
            "psrld xmm10, ", $right, "\n",
            "psrld xmm11, ", $right, "\n",
            "por xmm", $b, ", xmm10\n",
            "por xmm", $f, ", xmm11\n",
        )
    };
}

/// Two quarter rounds, whose c are in registers 8 and 9.
macro_rules! two_quarter_rounds {
    ($a:literal $b:literal $d:literal, $e:literal $f:literal $h:literal) => {
        concat!(
            add_shuffle!("0": $a $b $d, $e $f $h),
            add_shift!("12" "20": $d $b, $h $f),
            add_shuffle!("16": $a $b $d, $e $f $h),
            add_shift!("7" "25": $d $b, $h $f),
        )
    };
}

/// Exchanges the words of the third row in registers with those that wait in memory.
#[rustfmt::skip]
macro_rules! exchange {
    ($to:literal, $from:literal) => {
        concat!(
            "movdqa [{waiting} + ", $to, "], xmm8\n",
            "movdqa [{waiting} + ", $to, " + 16], xmm9\n",
            "movdqa xmm8, [{waiting} + ", $from, "]\n",
            "movdqa xmm9, [{waiting} + ", $from, " + 16]\n",
        )
    };
}

/// Computes `double_rounds` double rounds of ChaCha on the words `v` of four blocks.
#[target_feature(enable = "ssse3")]
#[inline]
pub(crate) fn double_rounds(v: &mut [__m128i; 16], double_rounds: usize) {
    let [v0, v1, v2, v3, v4, v5, v6, v7, v8, v9, v10, v11, v12, v13, v14, v15] = v;
    let mut third_row = [*v8, *v9, *v10, *v11];
    // SAFETY: the assembly reads and writes the four vectors of `third_row` and reads both masks;
    // they are aligned to 16 bytes as the instructions demand. All registers that it changes are
    // operands; it leaves the stack alone. The feature is enabled.
    unsafe {
        asm!(
            "test {count}, {count}",
            "jz 3f",
            ".p2align 5",
            "2:",
            two_quarter_rounds!("0" "4" "12", "1" "5" "13"),
            exchange!("0", "32"),
            two_quarter_rounds!("2" "6" "14", "3" "7" "15"),
            two_quarter_rounds!("0" "5" "15", "1" "6" "12"),
            exchange!("32", "0"),
            two_quarter_rounds!("2" "7" "13", "3" "4" "14"),
            "dec {count}",
            "jnz 2b",
            "3:",
            "movdqa [{waiting}], xmm8",
            "movdqa [{waiting} + 16], xmm9",
            waiting = in(reg) &raw mut third_row,
            masks = in(reg) &raw const MASKS.0,
            count = inout(reg) double_rounds => _,
            inout("xmm0") *v0,
            inout("xmm1") *v1,
            inout("xmm2") *v2,
            inout("xmm3") *v3,
            inout("xmm4") *v4,
            inout("xmm5") *v5,
            inout("xmm6") *v6,
            inout("xmm7") *v7,
            inout("xmm12") *v12,
            inout("xmm13") *v13,
            inout("xmm14") *v14,
            inout("xmm15") *v15,
            inout("xmm8") *v8 => _,
            inout("xmm9") *v9 => _,
            out("xmm10") _,
            out("xmm11") _,
            options(nostack),
        );
    }
    [*v8, *v9, *v10, *v11] = third_row;
    // Wipes the operands in memory.
    third_row = [_mm_setzero_si128(); 4];
    // SAFETY: the assembly is empty.
    unsafe { asm!("/* {} */", in(reg) &raw const third_row, options(nostack, readonly, preserves_flags)) };
}

#[cfg(test)]
mod tests {
    //! Compares the assembly with RFC 8439 on plain integers.

    extern crate std;

    use core::arch::x86_64::{__m128i, _mm_cvtsi128_si32, _mm_setr_epi32, _mm_shuffle_epi32};

    use super::double_rounds;
    use crate::x86::Ssse3;

    /// The words of four blocks: `[i][lane]` is word i of the block in that lane.
    type Words = [[u32; 4]; 16];

    #[target_feature(enable = "ssse3")]
    fn run(words: &Words, count: usize) -> Words {
        let mut v: [__m128i; 16] = words.map(|lanes| {
            let [a, b, c, d] = lanes.map(u32::cast_signed);
            _mm_setr_epi32(a, b, c, d)
        });
        double_rounds(&mut v, count);
        v.map(|v| {
            let lanes = [
                _mm_cvtsi128_si32(v),
                _mm_cvtsi128_si32(_mm_shuffle_epi32::<1>(v)),
                _mm_cvtsi128_si32(_mm_shuffle_epi32::<2>(v)),
                _mm_cvtsi128_si32(_mm_shuffle_epi32::<3>(v)),
            ];
            lanes.map(i32::cast_unsigned)
        })
    }

    /// Computes a quarter round (RFC 8439, section 2.1) of one lane.
    fn quarter_round(v: &mut Words, lane: usize, [a, b, c, d]: [usize; 4]) {
        for (sum, term, turned, left) in [(a, b, d, 16), (c, d, b, 12), (a, b, d, 8), (c, d, b, 7)] {
            v[sum][lane] = v[sum][lane].wrapping_add(v[term][lane]);
            v[turned][lane] = (v[turned][lane] ^ v[sum][lane]).rotate_left(left);
        }
    }

    #[test]
    fn rounds_are_those_of_plain_integers() {
        const COLUMNS: [[usize; 4]; 4] = [[0, 4, 8, 12], [1, 5, 9, 13], [2, 6, 10, 14], [3, 7, 11, 15]];
        const DIAGONALS: [[usize; 4]; 4] = [[0, 5, 10, 15], [1, 6, 11, 12], [2, 7, 8, 13], [3, 4, 9, 14]];
        if Ssse3::detect().is_none() {
            let named = std::env::var("SEALANE_BACKEND").unwrap_or_default();
            let needs = |name| ["ssse3", "avx2", "avx512", "avx512ifma"].contains(&name);
            assert!(!named.split(',').any(needs), "SEALANE_BACKEND={named}: this CPU has no SSSE3");
            return;
        }
        let words: Words = core::array::from_fn(|i| {
            core::array::from_fn(|lane| 0x9e37_79b9_u32.wrapping_mul((4 * i + lane + 1) as u32).rotate_left(7))
        });
        let mut expected = words;
        for count in 0..=12 {
            // SAFETY: SSSE3 has been detected above.
            assert!(unsafe { run(&words, count) } == expected, "{count} double rounds");
            for lane in 0..4 {
                COLUMNS.into_iter().chain(DIAGONALS).for_each(|indices| quarter_round(&mut expected, lane, indices));
            }
        }
    }
}
