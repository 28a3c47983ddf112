//! The rounds of one group or two for [`super::paired`].

use sealane_simd::Words;

/// Computes independent quarter rounds (RFC 8439, section 2.1) of one or two states, step by step.
macro_rules! quarter_rounds {
    ($([$v:ident $a:literal $b:literal $c:literal $d:literal])*) => {
        $($v[$a] = $v[$a].add($v[$b]);)*
        $($v[$d] = $v[$d].xor($v[$a]).rotate_left_16();)*
        $($v[$c] = $v[$c].add($v[$d]);)*
        $($v[$b] = $v[$b].xor($v[$c]).rotate_left_12();)*
        $($v[$a] = $v[$a].add($v[$b]);)*
        $($v[$d] = $v[$d].xor($v[$a]).rotate_left_8();)*
        $($v[$c] = $v[$c].add($v[$d]);)*
        $($v[$b] = $v[$b].xor($v[$c]).rotate_left_7();)*
    };
}

macro_rules! column_round {
    ($v:ident) => {
        quarter_rounds!([$v 0 4 8 12] [$v 1 5 9 13] [$v 2 6 10 14] [$v 3 7 11 15])
    };
}

macro_rules! diagonal_round {
    ($v:ident) => {
        quarter_rounds!([$v 0 5 10 15] [$v 1 6 11 12] [$v 2 7 8 13] [$v 3 4 9 14])
    };
}

/// Enters a function of its own, which all callers share. There are two, because the rounds of two
/// groups, in assembly and compiled, do not fit the registers beside each other.
macro_rules! enter_with_rounds {
    ($token:ident, $in_assembly:ident => $work:expr) => {
        if S::TUNING.rounds_in_assembly.of($token.cpu_class()) {
            const $in_assembly: bool = true;
            $token.enter_apart(
                #[inline(always)]
                |$token| $work,
            )
        } else {
            const $in_assembly: bool = false;
            $token.enter_apart(
                #[inline(always)]
                |$token| $work,
            )
        }
    };
}
pub(super) use {column_round, diagonal_round, enter_with_rounds, quarter_rounds};

/// Computes double rounds of two groups.
#[inline(always)]
pub(super) fn double_rounds<W: Words, const IN_ASSEMBLY: bool>(v: &mut [W; 16], w: &mut [W; 16], count: usize) {
    if IN_ASSEMBLY && W::double_rounds_of_two(v, w, count as u8) {
        return;
    }
    double_rounds_interleaved(
        v,
        w,
        count,
        #[inline(always)]
        || (),
    );
}

/// Computes double rounds of two groups, and does `work` beside each.
#[inline(always)]
pub(super) fn double_rounds_interleaved<W: Words>(
    v: &mut [W; 16],
    w: &mut [W; 16],
    count: usize,
    mut work: impl FnMut(),
) {
    for _ in 0..count {
        W::pin_registers(v, w);
        column_round!(v);
        column_round!(w);
        W::pin_registers(v, w);
        diagonal_round!(v);
        diagonal_round!(w);
        work();
    }
    W::pin_registers(v, w);
}
