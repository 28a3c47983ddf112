//! Intrinsics of AArch64, built from 32-bit Arm's intrinsics, so that one source serves both.

use core::arch::arm::*;
use core::arch::asm;

/// Writes functions that take two vectors.
macro_rules! by_a32 {
    ($($(#[$feature:meta])* $name:ident($a:ident, $b:ident: $vector:ty) -> $ret:ty = $body:expr;)*) => {$(
        #[inline]
        #[target_feature(enable = "neon,v7")]
        $(#[$feature])*
        pub(super) fn $name($a: $vector, $b: $vector) -> $ret {
            $body
        }
    )*};
}

by_a32! {
    vtrn1q_u32(a, b: uint32x4_t) -> uint32x4_t = vtrnq_u32(a, b).0;
    vtrn2q_u32(a, b: uint32x4_t) -> uint32x4_t = vtrnq_u32(a, b).1;
    vtrn1q_u64(a, b: uint64x2_t) -> uint64x2_t = vcombine_u64(vget_low_u64(a), vget_low_u64(b));
    vtrn2q_u64(a, b: uint64x2_t) -> uint64x2_t = vcombine_u64(vget_high_u64(a), vget_high_u64(b));
    vzip1q_u32(a, b: uint32x4_t) -> uint32x4_t = vzipq_u32(a, b).0;
    vzip2q_u32(a, b: uint32x4_t) -> uint32x4_t = vzipq_u32(a, b).1;
    vzip1q_u64(a, b: uint64x2_t) -> uint64x2_t = vtrn1q_u64(a, b);
    vzip2q_u64(a, b: uint64x2_t) -> uint64x2_t = vtrn2q_u64(a, b);
    vqtbl1q_u8(table, index: uint8x16_t) -> uint8x16_t = {
        let table = uint8x8x2_t(vget_low_u8(table), vget_high_u8(table));
        vcombine_u8(vtbl2_u8(table, vget_low_u8(index)), vtbl2_u8(table, vget_high_u8(index)))
    };
    #[target_feature(enable = "aes,v8")]
    multiply_low(a, b: uint64x2_t) -> uint64x2_t = multiply(vget_low_u64(a), vget_low_u64(b));
    #[target_feature(enable = "aes,v8")]
    multiply_high(a, b: uint64x2_t) -> uint64x2_t = multiply(vget_high_u64(a), vget_high_u64(b));
}

/// Returns the carry-less product. Rust has no intrinsic for it.
#[inline]
#[target_feature(enable = "neon,aes,v8")]
fn multiply(a: uint64x1_t, b: uint64x1_t) -> uint64x2_t {
    let product;
    // SAFETY: the function has the feature of the instruction, which affects only its operands.
    unsafe {
        asm!(
            "vmull.p64 {product}, {a}, {b}",
            product = lateout(qreg) product,
            a = in(dreg) a,
            b = in(dreg) b,
            options(pure, nomem, nostack, preserves_flags),
        );
    }
    product
}
