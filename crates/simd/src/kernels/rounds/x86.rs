//! The parts of double rounds that the kernels of x86-64 share.
//!
//! The words take all sixteen registers. AVX2 and SSSE3 need one for a temporary, so one word is in
//! memory.

/// The quarters of one block of Poly1305. The limbs of h are in h0, h1 and h2 before, and in t0, t1
/// and h2 after. `offset` is the block's offset in memory.
///
/// Products (low and high halves): h0 r0 in t0, t2; h0 r1 in t1, t3; h1 s1 and then h1 r0 in h0,
/// h1. `imul` changes the flags, so it ends a carry chain. All carries fit: r0 and r1 are below
/// 2^60, and s1 is below 5/4 of that. h2 is at most 8, and at most 10 with the block, so 10 s1 plus
/// the high halves to which it is added is below 2^64.
#[rustfmt::skip]
macro_rules! block {
    ($quarter:literal:) => { "" };
    // After an odd number of blocks, the limbs go back to h0 and h1.
    (0: copy) => { "mov {h0}, {t0}\n" };
    (1: copy) => { "mov {h1}, {t1}\n" };
    ($quarter:literal: copy) => { "" };
    (0: $offset:literal, $h0:literal $h1:literal $h2:literal $t0:literal $t1:literal) => {
        concat!(
            "add {", $h0, "}, [{blocks} + ", $offset, "]\n",
            "adc {", $h1, "}, [{blocks} + ", $offset, " + 8]\n",
            "adc {", $h2, "}, 1\n",
            "mov rdx, {", $h0, "}\n",
            "mulx {t2}, {", $t0, "}, [{r}]\n",
            "mulx {t3}, {", $t1, "}, [{r} + 8]\n",
            "mov rdx, {", $h1, "}\n",
        )
    };
    (1: $offset:literal, $h0:literal $h1:literal $h2:literal $t0:literal $t1:literal) => {
        concat!(
            "mulx {", $h1, "}, {", $h0, "}, [{r} + 16]\n",
            "add {", $t0, "}, {", $h0, "}\n",
            "adc {t2}, {", $h1, "}\n",
            "mulx {", $h1, "}, {", $h0, "}, [{r}]\n",
            "add {", $t1, "}, {", $h0, "}\n",
            "adc {t3}, {", $h1, "}\n",
            "mov rdx, {", $h2, "}\n",
        )
    };
    (2: $offset:literal, $h0:literal $h1:literal $h2:literal $t0:literal $t1:literal) => {
        concat!(
            "imul rdx, [{r} + 16]\n",
            "imul {", $h2, "}, [{r}]\n",
            "add {t2}, rdx\n",
            "add {", $t1, "}, {t2}\n",
            "adc {t3}, {", $h2, "}\n",
            "mov rdx, {t3}\n",
            "mov {", $h2, "}, {t3}\n",
        )
    };
    // The part from bit 130 on, which is t3 from bit 2 on, is added five times.
    (3: $offset:literal, $h0:literal $h1:literal $h2:literal $t0:literal $t1:literal) => {
        concat!(
            "shr rdx, 2\n",
            "and {t3}, -4\n",
            "add rdx, {t3}\n",
            "and {", $h2, ":e}, 3\n",
            "add {", $t0, "}, rdx\n",
            "adc {", $t1, "}, 0\n",
            "adc {", $h2, "}, 0\n",
        )
    };
}

/// `a += b; d ^= a; d <<<= left` for two quarter rounds, with the rotations of AVX-512. `xor` is
/// the mnemonic for registers whose names begin with `register`, and end with the numbers.
#[rustfmt::skip]
macro_rules! two_steps_with_rotations {
    (
        $register:literal $xor:literal,
        $left:literal: $a:literal $b:literal $d:literal, $e:literal $f:literal $h:literal
    ) => {
        concat!(
            "vpaddd ", $register, $a, ", ", $register, $a, ", ", $register, $b, "\n",
            "vpaddd ", $register, $e, ", ", $register, $e, ", ", $register, $f, "\n",
            $xor, " ", $register, $d, ", ", $register, $d, ", ", $register, $a, "\n",
            $xor, " ", $register, $h, ", ", $register, $h, ", ", $register, $e, "\n",
            "vprold ", $register, $d, ", ", $register, $d, ", ", $left, "\n",
            "vprold ", $register, $h, ", ", $register, $h, ", ", $left, "\n",
        )
    };
}

/// A round: four quarter rounds in two pairs, which take turns. After each of their eight steps,
/// there is a quarter of a block of Poly1305, or nothing. `two_steps` writes a step of a pair.
macro_rules! round {
    (
        $two_steps:ident:
        $a:literal $b:literal $c:literal $d:literal, $e:literal $f:literal $g:literal $h:literal,
        $i:literal $j:literal $k:literal $l:literal, $m:literal $n:literal $o:tt $p:literal;
        [$($first:tt)*] [$($second:tt)*]
    ) => {
        concat!(
            $two_steps!(16: $a $b $d, $e $f $h),
            block!(0: $($first)*),
            $two_steps!(16: $i $j $l, $m $n $p),
            block!(1: $($first)*),
            $two_steps!(12: $c $d $b, $g $h $f),
            block!(2: $($first)*),
            $two_steps!(12: $k $l $j, $o $p $n),
            block!(3: $($first)*),
            $two_steps!(8: $a $b $d, $e $f $h),
            block!(0: $($second)*),
            $two_steps!(8: $i $j $l, $m $n $p),
            block!(1: $($second)*),
            $two_steps!(7: $c $d $b, $g $h $f),
            block!(2: $($second)*),
            $two_steps!(7: $k $l $j, $o $p $n),
            block!(3: $($second)*),
        )
    };
}

/// A double round, with up to four blocks of Poly1305. Words are named by their registers, except
/// for `word_11`. A quarter round ends with one of the words 4 to 7. The first pair of each round
/// uses those of the first pair before it, which are ready first: with the diagonals in ascending
/// order, ten double rounds with AVX2 take 520 cycles instead of 502 (Cascade Lake).
macro_rules! double_round {
    ($two_steps:ident, $word_11:tt: $p:tt $q:tt $r:tt $s:tt) => {
        concat!(
            round!($two_steps: "0" "4" "8" "12", "1" "5" "9" "13", "2" "6" "10" "14", "3" "7" $word_11 "15"; $p $q),
            round!($two_steps: "0" "5" "10" "15", "3" "4" "9" "14", "2" "7" "8" "13", "1" "6" $word_11 "12"; $r $s),
        )
    };
}

/// The loops over the double rounds with four blocks, with three, and with none. Each of the three
/// lowest bytes of `turns` counts the turns of a loop.
macro_rules! loops {
    ($two_steps:ident, $word_11:tt) => {
        concat!(
            "test {turns:l}, {turns:l}\n",
            "jz 3f\n",
            ".p2align 5\n",
            "2:\n",
            double_round!($two_steps, $word_11:
                ["0", "h0" "h1" "h2" "t0" "t1"]
                ["16", "t0" "t1" "h2" "h0" "h1"]
                ["32", "h0" "h1" "h2" "t0" "t1"]
                ["48", "t0" "t1" "h2" "h0" "h1"]
            ),
            "add {blocks}, 64\n",
            "dec {turns:l}\n",
            "jnz 2b\n",
            "3:\n",
            "shr {turns}, 8\n",
            "test {turns:l}, {turns:l}\n",
            "jz 5f\n",
            ".p2align 5\n",
            "4:\n",
            double_round!($two_steps, $word_11:
                ["0", "h0" "h1" "h2" "t0" "t1"]
                ["16", "t0" "t1" "h2" "h0" "h1"]
                ["32", "h0" "h1" "h2" "t0" "t1"]
                [copy]
            ),
            "add {blocks}, 48\n",
            "dec {turns:l}\n",
            "jnz 4b\n",
            "5:\n",
            "shr {turns}, 8\n",
            "jz 7f\n",
            ".p2align 5\n",
            "6:\n",
            double_round!($two_steps, $word_11: [] [] [] []),
            "dec {turns:l}\n",
            "jnz 6b\n",
            "7:\n",
        )
    };
}

/// The assembly of double rounds on the words `$v` of eight blocks. `$taken` are the blocks of
/// Poly1305 that it adds, and `$r` is a copy of the limbs of r. Words 11, 14 and 15 and the
/// operands in memory are the caller's.
///
/// # Safety
/// The assembly reads the three words of `$r`, and 16 bytes for each of the `$plan.blocks()` blocks
/// in `$taken`, four in each turn of the first loop and three in each of the second. All registers
/// that it changes are operands. It leaves the stack alone.
macro_rules! double_rounds_in_ymm {
    (
        $v:ident, $pending:ident, $r:ident, $taken:ident, $plan:ident;
        $($template:expr),*;
        $($memory:ident = in(reg) $address:expr),*;
        $($operands:tt)*
    ) => {
        asm!(
            $($template,)*
            $($memory = in(reg) $address,)*
            r = in(reg) &raw const $r,
            blocks = inout(reg) $taken.as_ptr() => _,
            turns = inout(reg) $plan.packed() => _,
            h0 = inout(reg) $pending.h[0],
            h1 = inout(reg) $pending.h[1],
            h2 = inout(reg) $pending.h[2],
            t0 = out(reg) _,
            t1 = out(reg) _,
            t2 = out(reg) _,
            t3 = out(reg) _,
            out("rdx") _,
            inout("ymm0") $v[0],
            inout("ymm1") $v[1],
            inout("ymm2") $v[2],
            inout("ymm3") $v[3],
            inout("ymm4") $v[4],
            inout("ymm5") $v[5],
            inout("ymm6") $v[6],
            inout("ymm7") $v[7],
            inout("ymm8") $v[8],
            inout("ymm9") $v[9],
            inout("ymm10") $v[10],
            inout("ymm12") $v[12],
            inout("ymm13") $v[13],
            $($operands)*
            options(nostack),
        )
    };
}
