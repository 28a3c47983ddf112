//! Bytes in memory that vectors are stored to and loaded from.

use core::fmt;

/// Bytes that begin with a cache line, so that no vector of them lies in two lines.
///
/// On Zen 4, a vector of 512 bits that lies in two lines makes messages of 256 bytes to 2 KiB take
/// up to 1.25 times as long.
///
/// ```
/// use sealane_simd::AlignedBytes;
///
/// let bytes = AlignedBytes([0; 256]);
/// assert_eq!(bytes.0.as_ptr() as usize % 64, 0);
/// assert_eq!(format!("{bytes:?}"), "AlignedBytes { .. }");
/// ```
#[derive(Clone, Copy)]
#[repr(align(64))]
pub struct AlignedBytes<const N: usize>(pub [u8; N]);

impl<const N: usize> AsRef<[u8]> for AlignedBytes<N> {
    #[inline(always)]
    fn as_ref(&self) -> &[u8] {
        &self.0
    }
}

impl<const N: usize> AsMut<[u8]> for AlignedBytes<N> {
    #[inline(always)]
    fn as_mut(&mut self) -> &mut [u8] {
        &mut self.0
    }
}

/// Shows no bytes, because they may be secret.
impl<const N: usize> fmt::Debug for AlignedBytes<N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AlignedBytes").finish_non_exhaustive()
    }
}
