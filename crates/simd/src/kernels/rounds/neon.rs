//! Double rounds with NEON on AArch64.
//!
//! A double round has 120 vector instructions: 32 additions, 32 XORs, 8 rotations of one
//! instruction (by 16) and 24 of two. They wait for each other most of the time, so instructions on
//! integers between them cost little
//! ([decision](../../../../../docs/decisions/0012-poly1305-on-integers-beside-neon.md)).

use core::arch::aarch64::uint32x4_t;
use core::arch::asm;

use super::plan::Plan;
use crate::pending_poly1305::PendingPoly1305;

/// One of the two instructions of a pair, in a block of Poly1305; nothing without a pair.
///
/// Products (low and high halves): h0 r0 in d0, d1; h1 s1 in t0, t1; h0 r1 in t0, d2; h1 r0 in t1,
/// h1. All carries fit: r0 and r1 are below 2^60, and s1 is below 5/4 of that. h2 is at most 8, and
/// at most 10 with the block, so 10 s1 plus the high halves to which it is added is below 2^64. d2
/// is below 12 times 2^60, so 5/4 of it fit too.
#[rustfmt::skip]
macro_rules! block {
    ([] $of_pair:literal) => { "" };
    ([0] 1) => { "ldp {t0}, {t1}, [{blocks}], #16\n" };
    ([0] 2) => { "adds {h0}, {h0}, {t0}\n" };
    ([1] 1) => { "adcs {h1}, {h1}, {t1}\n" };
    ([1] 2) => { "adc {h2}, {h2}, {one}\n" };
    ([2] 1) => { "mul {t0}, {h1}, {s1}\n" };
    ([2] 2) => { "mul {d0}, {h0}, {r0}\n" };
    ([3] 1) => { "umulh {d1}, {h0}, {r0}\n" };
    ([3] 2) => { "umulh {t1}, {h1}, {s1}\n" };
    ([4] 1) => { "umulh {d2}, {h0}, {r1}\n" };
    ([4] 2) => { "madd {d1}, {h2}, {s1}, {d1}\n" };
    ([5] 1) => { "adds {d0}, {d0}, {t0}\n" };
    ([5] 2) => { "mul {t0}, {h0}, {r1}\n" };
    ([6] 1) => { "adc {d1}, {d1}, {t1}\n" };
    ([6] 2) => { "mul {t1}, {h1}, {r0}\n" };
    ([7] 1) => { "umulh {h1}, {h1}, {r0}\n" };
    ([7] 2) => { "madd {d2}, {h2}, {r0}, {d2}\n" };
    ([8] 1) => { "adds {d1}, {d1}, {t0}\n" };
    ([8] 2) => { "adc {d2}, {d2}, {h1}\n" };
    ([9] 1) => { "adds {d1}, {d1}, {t1}\n" };
    ([9] 2) => { "adc {d2}, {d2}, xzr\n" };
    // The part from bit 130 on, which is d2 from bit 2 on, is added five times.
    ([10] 1) => { "and {t0}, {d2}, #-4\n" };
    ([10] 2) => { "add {t0}, {t0}, {d2}, lsr #2\n" };
    ([11] 1) => { "and {h2}, {d2}, #3\n" };
    ([11] 2) => { "adds {h0}, {d0}, {t0}\n" };
    ([12] 1) => { "adcs {h1}, {d1}, xzr\n" };
    ([12] 2) => { "adc {h2}, {h2}, xzr\n" };
}

/// A vector instruction for all four quarter rounds, and between these a pair of integer
/// instructions. `operation` writes the vector instruction.
macro_rules! four {
    ($pair:tt $operation:ident $number:tt: [$($v:tt)*] [$($w:tt)*] [$($x:tt)*] [$($y:tt)*]) => {
        concat!(
            $operation!($number $($v)*),
            $operation!($number $($w)*),
            block!($pair 1),
            $operation!($number $($x)*),
            $operation!($number $($y)*),
            block!($pair 2),
        )
    };
}

/// `a += b`.
macro_rules! add {
    (_ $a:literal $b:literal) => {
        concat!("add v", $a, ".4s, v", $a, ".4s, v", $b, ".4s\n")
    };
}

/// `d ^= a`.
macro_rules! xor {
    (_ $d:literal $a:literal) => {
        concat!("eor v", $d, ".16b, v", $d, ".16b, v", $a, ".16b\n")
    };
}

/// `t = d ^ a`.
macro_rules! xor_to {
    (_ $t:literal $d:literal $a:literal) => {
        concat!("eor v", $t, ".16b, v", $d, ".16b, v", $a, ".16b\n")
    };
}

/// `d <<<= 16`.
macro_rules! rotate_16 {
    (_ $d:literal) => {
        concat!("rev32 v", $d, ".8h, v", $d, ".8h\n")
    };
}

/// `d = t << left`.
macro_rules! shift_left {
    ($left:literal $d:literal $t:literal) => {
        concat!("shl v", $d, ".4s, v", $t, ".4s, #", $left, "\n")
    };
}

/// `d += t >> right`.
macro_rules! shift_right {
    ($right:literal $d:literal $t:literal) => {
        concat!("usra v", $d, ".4s, v", $t, ".4s, #", $right, "\n")
    };
}

/// `a += b; d ^= a; d <<<= left` for all four quarter rounds, with four pairs of integer
/// instructions.
macro_rules! step {
    (
        $left:literal $right:literal: $p:tt $q:tt $r:tt $s:tt:
        $a:literal $b:literal $d:literal, $e:literal $f:literal $h:literal,
        $i:literal $j:literal $l:literal, $m:literal $n:literal $o:literal
    ) => {
        concat!(
            four!($p add _: [$a $b] [$e $f] [$i $j] [$m $n]),
            four!($q xor_to _: ["16" $d $a] ["17" $h $e] ["18" $l $i] ["19" $o $m]),
            four!($r shift_left $left: [$d "16"] [$h "17"] [$l "18"] [$o "19"]),
            four!($s shift_right $right: [$d "16"] [$h "17"] [$l "18"] [$o "19"]),
        )
    };
}

/// A round: four quarter rounds, and between their instructions up to fifteen pairs of instructions
/// of [`block!`].
macro_rules! round {
    (
        $a:literal $b:literal $c:literal $d:literal, $e:literal $f:literal $g:literal $h:literal,
        $i:literal $j:literal $k:literal $l:literal, $m:literal $n:literal $o:literal $p:literal:
        $p0:tt $p1:tt $p2:tt $p3:tt $p4:tt $p5:tt $p6:tt $p7:tt
        $p8:tt $p9:tt $p10:tt $p11:tt $p12:tt $p13:tt $p14:tt
    ) => {
        concat!(
            four!($p0 add _: [$a $b] [$e $f] [$i $j] [$m $n]),
            four!($p1 xor _: [$d $a] [$h $e] [$l $i] [$p $m]),
            four!($p2 rotate_16 _: [$d] [$h] [$l] [$p]),
            step!("12" "20": $p3 $p4 $p5 $p6: $c $d $b, $g $h $f, $k $l $j, $o $p $n),
            step!("8" "24": $p7 $p8 $p9 $p10: $a $b $d, $e $f $h, $i $j $l, $m $n $p),
            step!("7" "25": $p11 $p12 $p13 $p14: $c $d $b, $g $h $f, $k $l $j, $o $p $n),
        )
    };
}

macro_rules! column_round {
    ($($pairs:tt)*) => {
        round!("0" "4" "8" "12", "1" "5" "9" "13", "2" "6" "10" "14", "3" "7" "11" "15": $($pairs)*)
    };
}

macro_rules! diagonal_round {
    ($($pairs:tt)*) => {
        round!("0" "5" "10" "15", "1" "6" "11" "12", "2" "7" "8" "13", "3" "4" "9" "14": $($pairs)*)
    };
}

/// The loops over the double rounds with two blocks, with one, and with none. Each of the three
/// lowest bytes of `turns` counts the turns of a loop.
macro_rules! loops {
    () => {
        concat!(
            "ands {turn:w}, {turns:w}, #0xff\n",
            "b.eq 3f\n",
            ".p2align 4\n",
            "2:\n",
            column_round!([0] [1] [2] [3] [4] [5] [6] [7] [8] [9] [10] [11] [12] [] []),
            diagonal_round!([0] [1] [2] [3] [4] [5] [6] [7] [8] [9] [10] [11] [12] [] []),
            "subs {turn:w}, {turn:w}, #1\n",
            "b.ne 2b\n",
            "3:\n",
            "ubfx {turn:w}, {turns:w}, #8, #8\n",
            "cbz {turn:w}, 5f\n",
            ".p2align 4\n",
            "4:\n",
            column_round!([0] [] [1] [] [2] [] [3] [] [4] [] [5] [] [6] [] [7]),
            diagonal_round!([] [8] [] [9] [] [10] [] [11] [] [12] [] [] [] [] []),
            "subs {turn:w}, {turn:w}, #1\n",
            "b.ne 4b\n",
            "5:\n",
            "lsr {turn:w}, {turns:w}, #16\n",
            "cbz {turn:w}, 7f\n",
            ".p2align 4\n",
            "6:\n",
            column_round!([] [] [] [] [] [] [] [] [] [] [] [] [] [] []),
            diagonal_round!([] [] [] [] [] [] [] [] [] [] [] [] [] [] []),
            "subs {turn:w}, {turn:w}, #1\n",
            "b.ne 6b\n",
            "7:\n",
        )
    };
}

/// Computes `double_rounds` double rounds of ChaCha on the words `v` of four blocks, and adds as
/// many blocks of `pending` as fit.
#[target_feature(enable = "neon")]
#[inline]
pub(crate) fn double_rounds(v: &mut [uint32x4_t; 16], double_rounds: u8, pending: &mut PendingPoly1305<'_>) {
    let plan = Plan::new(double_rounds, pending.blocks.len());
    let (taken, blocks) = pending.blocks.split_at(plan.blocks());
    let [v0, v1, v2, v3, v4, v5, v6, v7, v8, v9, v10, v11, v12, v13, v14, v15] = v;
    let [r0, r1, s1] = pending.r;
    let [h0, h1, h2] = &mut pending.h;
    // SAFETY: the assembly reads 16 bytes, without alignment, for each of the `plan.blocks()`
    // blocks in `taken`: two in each turn of the first loop and one in each of the second. It
    // writes no memory. All registers that it changes are operands; it leaves the stack alone. The
    // feature is enabled.
    unsafe {
        asm!(
            loops!(),
            blocks = inout(reg) taken.as_ptr() => _,
            turns = in(reg) plan.packed(),
            turn = out(reg) _,
            one = in(reg) 1_u64,
            r0 = in(reg) r0,
            r1 = in(reg) r1,
            s1 = in(reg) s1,
            h0 = inout(reg) *h0,
            h1 = inout(reg) *h1,
            h2 = inout(reg) *h2,
            d0 = out(reg) _,
            d1 = out(reg) _,
            d2 = out(reg) _,
            t0 = out(reg) _,
            t1 = out(reg) _,
            inout("v0") *v0,
            inout("v1") *v1,
            inout("v2") *v2,
            inout("v3") *v3,
            inout("v4") *v4,
            inout("v5") *v5,
            inout("v6") *v6,
            inout("v7") *v7,
            inout("v8") *v8,
            inout("v9") *v9,
            inout("v10") *v10,
            inout("v11") *v11,
            inout("v12") *v12,
            inout("v13") *v13,
            inout("v14") *v14,
            inout("v15") *v15,
            out("v16") _,
            out("v17") _,
            out("v18") _,
            out("v19") _,
            options(nostack, readonly),
        );
    }
    pending.blocks = blocks;
}
