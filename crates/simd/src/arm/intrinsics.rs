//! The vector intrinsics, under the names that they have on AArch64.

#[cfg(target_arch = "arm")]
pub(super) use super::a32::*;
#[cfg(target_arch = "aarch64")]
pub(super) use core::arch::aarch64::*;
#[cfg(target_arch = "arm")]
pub(super) use core::arch::arm::*;
