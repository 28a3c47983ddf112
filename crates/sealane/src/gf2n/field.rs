//! The fields: their degrees, polynomials and sizes.

use sealane_simd::ClmulLanes;
use zeroize::Zeroize;

use super::poly::{Block, Double, Exponents, Poly, Small, Trio, Triple};

mod sealed {
    pub trait Sealed {}
}

/// The degree of a field over GF(2), in bits, as a type.
///
/// It implements [`Field`] for 8, 16, 32, 64, 128, 192, 256, 384, 512, 768, 1024, 1536 and 2048.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Degree<const BITS: usize>;

/// A field GF(2^n) = GF(2)\[x\] / (x^n + x^a + x^b + x^c + 1).
///
/// The trait is sealed. [`Degree`] implements it.
pub trait Field: sealed::Sealed + Copy + Send + Sync + 'static {
    /// n.
    const BITS: usize;
    /// a, b and c, in descending order.
    const EXPONENTS: [u32; 3];
    /// An element in memory: `[u64; n / 64]`, or one limb if n is less than 64.
    type Limbs: Copy + Send + Sync + AsRef<[u64]> + AsMut<[u64]> + Zeroize;
    /// An element as bytes: `[u8; n / 8]`.
    type Bytes: Copy + AsRef<[u8]> + AsMut<[u8]> + Zeroize;
    #[doc(hidden)]
    const ZERO: Self::Limbs;
    #[doc(hidden)]
    const ONE: Self::Limbs;
    #[doc(hidden)]
    const ZERO_BYTES: Self::Bytes;
    #[doc(hidden)]
    type Poly<V: ClmulLanes>: Poly<V>;
    #[doc(hidden)]
    fn reduce<V: ClmulLanes>(product: <Self::Poly<V> as Poly<V>>::Product) -> Self::Poly<V>;
    #[doc(hidden)]
    fn multiply_reduced<V: ClmulLanes>(a: Self::Poly<V>, b: Self::Poly<V>) -> Self::Poly<V>;
}

macro_rules! fields {
    ($($bits:literal $exponents:expr, $limbs:literal, $poly:ty;)*) => {
        /// The degree and the exponents of each field.
        #[cfg(feature = "alloc")]
        pub(super) const FIELDS: &[(usize, Exponents)] = &[$(($bits, $exponents)),*];
    $(
        impl sealed::Sealed for Degree<$bits> {}

        impl Field for Degree<$bits> {
            const BITS: usize = $bits;
            const EXPONENTS: Exponents = $exponents;
            type Limbs = [u64; $limbs];
            type Bytes = [u8; $bits / 8];
            const ZERO: Self::Limbs = [0; $limbs];
            const ONE: Self::Limbs = {
                let mut one = [0; $limbs];
                one[0] = 1;
                one
            };
            const ZERO_BYTES: Self::Bytes = [0; $bits / 8];
            type Poly<V: ClmulLanes> = $poly;

            #[inline(always)]
            fn reduce<V: ClmulLanes>(product: <Self::Poly<V> as Poly<V>>::Product) -> Self::Poly<V> {
                <$poly as Poly<V>>::reduce::<$bits>(product, Self::EXPONENTS)
            }

            #[inline(always)]
            fn multiply_reduced<V: ClmulLanes>(a: Self::Poly<V>, b: Self::Poly<V>) -> Self::Poly<V> {
                <$poly as Poly<V>>::multiply_reduced::<$bits>(a, b, Self::EXPONENTS)
            }
        }
    )*};
}

// These are the pentanomials of Seroussi, "Table of low-weight binary irreducible polynomials"
// (HPL-98-135). GCM (NIST SP 800-38D) uses the same polynomial for 128 bits, and AES (FIPS 197) for
// 8 bits.
fields! {
    8 [4, 3, 1], 1, Small<V>;
    16 [5, 3, 1], 1, Small<V>;
    32 [7, 3, 2], 1, Small<V>;
    64 [4, 3, 1], 1, Small<V>;
    128 [7, 2, 1], 2, Block<V>;
    192 [7, 2, 1], 3, Trio<V>;
    256 [10, 5, 2], 4, Double<Block<V>>;
    384 [12, 3, 2], 6, Triple<Block<V>>;
    512 [8, 5, 2], 8, Double<Double<Block<V>>>;
    768 [19, 17, 4], 12, Double<Triple<Block<V>>>;
    1024 [19, 6, 1], 16, Double<Double<Double<Block<V>>>>;
    1536 [21, 6, 2], 24, Double<Double<Triple<Block<V>>>>;
    2048 [19, 14, 13], 32, Double<Double<Double<Double<Block<V>>>>>;
}
