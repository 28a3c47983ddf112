//! The registers of one group or two with AVX-512: word i of the first is in zmm i, and word i of
//! the second in zmm 16 + i.

/// Writes assembly that changes the words of a group, with other operands and options.
#[rustfmt::skip]
macro_rules! asm_on_group {
    ([$($template:tt)*] $v:ident [$($operands:tt)*] $($option:ident)*) => {
        core::arch::asm!(
            $($template)*
            $($operands)*
            inout("zmm0") $v[0], inout("zmm1") $v[1], inout("zmm2") $v[2], inout("zmm3") $v[3],
            inout("zmm4") $v[4], inout("zmm5") $v[5], inout("zmm6") $v[6], inout("zmm7") $v[7],
            inout("zmm8") $v[8], inout("zmm9") $v[9], inout("zmm10") $v[10], inout("zmm11") $v[11],
            inout("zmm12") $v[12], inout("zmm13") $v[13], inout("zmm14") $v[14], inout("zmm15") $v[15],
            options($($option),*),
        )
    };
}

/// Does the same as [`asm_on_group`] for two groups.
#[rustfmt::skip]
macro_rules! asm_on_two_groups {
    ([$($template:tt)*] $v:ident $w:ident [$($operands:tt)*] $($option:ident)*) => {
        crate::kernels::groups512::asm_on_group!([$($template)*] $v [
            $($operands)*
            inout("zmm16") $w[0], inout("zmm17") $w[1], inout("zmm18") $w[2], inout("zmm19") $w[3],
            inout("zmm20") $w[4], inout("zmm21") $w[5], inout("zmm22") $w[6], inout("zmm23") $w[7],
            inout("zmm24") $w[8], inout("zmm25") $w[9], inout("zmm26") $w[10], inout("zmm27") $w[11],
            inout("zmm28") $w[12], inout("zmm29") $w[13], inout("zmm30") $w[14], inout("zmm31") $w[15],
        ] $($option)*)
    };
}
pub(crate) use {asm_on_group, asm_on_two_groups};
