//! Factors for even and odd lanes.

/// A factor, as wide as the multiplication instruction takes it.
#[cfg(not(any(target_arch = "aarch64", target_arch = "arm")))]
type Factor = u64;
#[cfg(any(target_arch = "aarch64", target_arch = "arm"))]
type Factor = u32;

/// Two factors, for the even and the odd lanes.
#[derive(Clone, Copy, Default)]
#[cfg_attr(not(any(target_arch = "aarch64", target_arch = "arm")), repr(align(16)))]
#[cfg_attr(any(target_arch = "aarch64", target_arch = "arm"), repr(align(8)))]
pub struct Pair(pub(crate) [Factor; 2]);

impl Pair {
    /// Returns a pair of both factors, each truncated to the width of a `Factor`.
    #[allow(clippy::unnecessary_cast, reason = "a factor has 32 bits on Arm")]
    #[inline(always)]
    pub(crate) fn new(even: u64, odd: u64) -> Self {
        Self([even as Factor, odd as Factor])
    }

    /// Returns the factor for even lanes.
    #[allow(clippy::useless_conversion, reason = "a factor has 32 bits on Arm")]
    #[must_use]
    #[inline(always)]
    pub fn even(self) -> u64 {
        self.0[0].into()
    }

    /// Returns the factor for odd lanes.
    #[allow(clippy::useless_conversion, reason = "as above")]
    #[must_use]
    #[inline(always)]
    pub fn odd(self) -> u64 {
        self.0[1].into()
    }
}
