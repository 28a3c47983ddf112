//! The kernel of AArch64.

use core::arch::aarch64::{vld1q_u32, vst1q_u32};

use super::super::neon;
use super::{Kernel, Lanes, runs};
use crate::arm::Neon;
use crate::pending_poly1305::PendingPoly1305;

/// Blocks in a vector.
pub(super) const LANES: usize = 4;

/// Runs the kernel on words in memory.
#[target_feature(enable = "neon")]
fn with_neon(words: &Lanes<LANES>, count: u8, pending: &mut PendingPoly1305<'_>) -> Lanes<LANES> {
    // SAFETY: each array has the 16 bytes of a vector, and the load needs no more than its
    // alignment.
    let mut v = words.map(|lanes| unsafe { vld1q_u32(lanes.as_ptr()) });
    neon::double_rounds(&mut v, count, pending);
    v.map(|vector| {
        let mut lanes = [0; LANES];
        // SAFETY: the array has the 16 bytes of a vector, and the store needs no more than its
        // alignment.
        unsafe { vst1q_u32(lanes.as_mut_ptr(), vector) };
        lanes
    })
}

/// Returns the kernels that add blocks of Poly1305 and whose instructions this CPU has.
pub(super) fn kernels() -> impl Iterator<Item = Kernel> {
    runs(Neon::detect().is_some(), &["neon"]).then_some(with_neon as Kernel).into_iter()
}
