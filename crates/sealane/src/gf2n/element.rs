//! Elements of a field.

use core::fmt;
use core::iter::Sum;
use core::ops::{Add, AddAssign, Neg, Sub, SubAssign};

#[cfg(feature = "rand_core")]
use rand_core::{CryptoRng, TryCryptoRng};
use subtle::{Choice, ConditionallySelectable, ConstantTimeEq};
use zeroize::{DefaultIsZeroes, Zeroize};

use super::field::{Degree, Field};
#[cfg(feature = "alloc")]
use crate::declassify::declassify_limbs;

/// An element of the field `F`. [`Gf2n`] names the field by its degree.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub struct Element<F: Field>(pub(crate) F::Limbs);

/// An element of GF(2^BITS): a polynomial over GF(2) of degree below BITS, modulo the field's
/// [polynomial](Field::EXPONENTS).
///
/// Arithmetic takes the same time for all elements. Each product by an operator calls
/// [`ClmulBackend::detect`](super::ClmulBackend::detect), which costs an atomic load, a branch and
/// a call. Code that calls the functions of [`ClmulBackend`](super::ClmulBackend) on many elements,
/// or that runs a loop in [`with_field!`](crate::with_field), detects the backend only once.
///
/// An element is `Copy`, so it does not wipe itself: hold secrets in [`zeroize::Zeroizing`].
///
/// ```
/// use sealane::gf2n::Gf2n;
///
/// let x = Gf2n::<128>::from_bytes(&[7; 16]);
/// let inverse = x.invert().unwrap();
/// assert_eq!(x * inverse, Gf2n::ONE);
/// assert_eq!(x + x, Gf2n::ZERO);
/// ```
pub type Gf2n<const BITS: usize> = Element<Degree<BITS>>;

impl<F: Field> Element<F> {
    /// The neutral element of addition.
    pub const ZERO: Self = Self(F::ZERO);
    /// The neutral element of multiplication.
    pub const ONE: Self = Self(F::ONE);
    /// The length of an element in bytes: BITS / 8.
    pub const BYTES: usize = F::BITS / 8;

    /// Returns the element that these bytes encode. Every string of BITS / 8 bytes encodes one.
    ///
    /// Bit i of byte j is the coefficient of x^(8j + i): the bytes are little-endian, and the bits
    /// of a byte have the order of FIPS 197.
    #[must_use]
    pub fn from_bytes(bytes: &F::Bytes) -> Self {
        let mut element = Self::ZERO;
        for (limb, bytes) in element.0.as_mut().iter_mut().zip(bytes.as_ref().chunks(8)) {
            let mut padded = [0; 8];
            padded[..bytes.len()].copy_from_slice(bytes);
            *limb = u64::from_le_bytes(padded);
        }
        element
    }

    /// Returns the element that these bytes encode: see [`Element::from_bytes`]. Returns `None`
    /// unless there are [`Element::BYTES`] of them.
    #[must_use]
    pub fn from_slice(bytes: &[u8]) -> Option<Self> {
        if bytes.len() != Self::BYTES {
            return None;
        }
        let mut array = F::ZERO_BYTES;
        array.as_mut().copy_from_slice(bytes);
        let element = Self::from_bytes(&array);
        array.zeroize();
        Some(element)
    }

    /// Returns the bytes of the element: see [`Element::from_bytes`].
    #[must_use]
    pub fn to_bytes(&self) -> F::Bytes {
        let mut bytes = F::ZERO_BYTES;
        for (bytes, limb) in bytes.as_mut().chunks_mut(8).zip(self.0.as_ref()) {
            bytes.copy_from_slice(&limb.to_le_bytes()[..bytes.len()]);
        }
        bytes
    }

    /// Returns the element with bit i of `bits` as the coefficient of x^i, or `None` if the field
    /// has no such element.
    #[must_use]
    pub fn from_bits(bits: u64) -> Option<Self> {
        if F::BITS < 64 && bits >> F::BITS != 0 {
            return None;
        }
        let mut element = Self::ZERO;
        element.0.as_mut()[0] = bits;
        Some(element)
    }

    /// Returns a uniformly random element. It can be zero.
    #[cfg(feature = "rand_core")]
    #[must_use]
    pub fn random(rng: &mut impl CryptoRng) -> Self {
        let Ok(element) = Self::try_random(rng);
        element
    }

    /// Returns a uniformly random element from a generator that may fail. It can be zero.
    ///
    /// # Errors
    /// The error of the generator.
    #[cfg(feature = "rand_core")]
    pub fn try_random<R: TryCryptoRng>(rng: &mut R) -> Result<Self, R::Error> {
        let mut bytes = F::ZERO_BYTES;
        let drawn = rng.try_fill_bytes(bytes.as_mut()).map(|()| Self::from_bytes(&bytes));
        bytes.zeroize();
        drawn
    }

    /// Returns a uniformly random element.
    #[cfg(all(feature = "alloc", any(feature = "getrandom", feature = "rand_core")))]
    pub(crate) fn draw(random: &mut impl crate::random::Random) -> Result<Self, crate::RandomError> {
        let mut bytes = F::ZERO_BYTES;
        let drawn = random.fill(bytes.as_mut()).map(|()| Self::from_bytes(&bytes));
        bytes.zeroize();
        drawn
    }

    /// Returns whether the element is zero.
    #[must_use]
    pub fn is_zero(&self) -> Choice {
        self.ct_eq(&Self::ZERO)
    }

    /// Tells a constant-time checker that the element depends on no secret.
    #[cfg(feature = "alloc")]
    pub(crate) fn declassify(&mut self) {
        declassify_limbs(self.0.as_mut());
    }

    /// Clears the bits above an element of fewer than 64 bits in its limb. Factors must not have
    /// such bits.
    #[inline(always)]
    pub(crate) fn mask(&mut self) {
        if F::BITS < 64 {
            self.0.as_mut()[0] &= (1 << (F::BITS % 64)) - 1;
        }
    }

    /// Returns a mask with all bits set, or with none if the element is zero.
    #[inline(always)]
    fn nonzero_mask(&self) -> u64 {
        let any = self.0.as_ref().iter().fold(0, |any, limb| any | limb);
        // `black_box` wraps the finished mask. If it wrapped the mask's input, the compiler could
        // still introduce a branch.
        core::hint::black_box(((any | any.wrapping_neg()) >> 63).wrapping_neg())
    }

    /// Returns the element, or 1 if it is zero.
    #[inline(always)]
    pub(super) fn or_one(&self) -> Self {
        let mut element = *self;
        element.0.as_mut()[0] |= !self.nonzero_mask() & 1;
        element
    }

    /// Returns the other element, or 0 if this one is 0.
    #[inline(always)]
    pub(super) fn zero_or(&self, other: &Self) -> Self {
        let mask = self.nonzero_mask();
        let mut element = *other;
        element.0.as_mut().iter_mut().for_each(|limb| *limb &= mask);
        element
    }
}

impl<F: Field> Default for Element<F> {
    fn default() -> Self {
        Self::ZERO
    }
}

impl<F: Field> DefaultIsZeroes for Element<F> {}

impl<F: Field> fmt::Debug for Element<F> {
    /// Does not show the value, which may be secret.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Gf2n<{}>(..)", F::BITS)
    }
}

impl<F: Field> ConstantTimeEq for Element<F> {
    fn ct_eq(&self, other: &Self) -> Choice {
        self.0.as_ref().ct_eq(other.0.as_ref())
    }
}

impl<F: Field> PartialEq for Element<F> {
    /// Compares in constant time. The result is public.
    fn eq(&self, other: &Self) -> bool {
        self.ct_eq(other).into()
    }
}

impl<F: Field> Eq for Element<F> {}

impl<F: Field> ConditionallySelectable for Element<F> {
    fn conditional_select(a: &Self, b: &Self, choice: Choice) -> Self {
        let mut element = *a;
        for (limb, b) in element.0.as_mut().iter_mut().zip(b.0.as_ref()) {
            limb.conditional_assign(b, choice);
        }
        element
    }
}

impl<F: Field> AddAssign for Element<F> {
    #[inline(always)]
    #[allow(clippy::suspicious_op_assign_impl, reason = "the sum of polynomials over GF(2)")]
    fn add_assign(&mut self, other: Self) {
        for (limb, other) in self.0.as_mut().iter_mut().zip(other.0.as_ref()) {
            *limb ^= other;
        }
    }
}

impl<F: Field> SubAssign for Element<F> {
    /// Adds: in characteristic 2, subtraction is the same.
    #[inline(always)]
    #[allow(clippy::suspicious_op_assign_impl, reason = "in characteristic 2, subtraction is addition")]
    fn sub_assign(&mut self, other: Self) {
        *self += other;
    }
}

impl<F: Field> Neg for Element<F> {
    type Output = Self;

    /// Returns the element itself.
    #[inline(always)]
    fn neg(self) -> Self {
        self
    }
}

/// Implements operators for values and references, given the assigning operator for values.
macro_rules! operators {
    ($($operator:ident $method:ident $assign_operator:ident $assign:ident;)*) => {$(
        impl<F: Field> $operator for Element<F> {
            type Output = Self;

            #[inline(always)]
            fn $method(mut self, other: Self) -> Self {
                self.$assign(other);
                self
            }
        }

        impl<F: Field> $operator<&Self> for Element<F> {
            type Output = Self;

            #[inline(always)]
            fn $method(self, other: &Self) -> Self {
                self.$method(*other)
            }
        }

        impl<F: Field> $operator for &Element<F> {
            type Output = Element<F>;

            #[inline(always)]
            fn $method(self, other: Self) -> Element<F> {
                (*self).$method(*other)
            }
        }

        impl<F: Field> $assign_operator<&Self> for Element<F> {
            #[inline(always)]
            fn $assign(&mut self, other: &Self) {
                self.$assign(*other);
            }
        }
    )*};
}

pub(super) use operators;

operators! {
    Add add AddAssign add_assign;
    Sub sub SubAssign sub_assign;
}

impl<F: Field> Sum for Element<F> {
    fn sum<I: Iterator<Item = Self>>(elements: I) -> Self {
        elements.fold(Self::ZERO, |sum, element| sum + element)
    }
}
