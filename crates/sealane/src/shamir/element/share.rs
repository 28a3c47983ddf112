//! A share of an element.

use alloc::vec::Vec;
use core::fmt;

use zeroize::{Zeroize, ZeroizeOnDrop, Zeroizing};

use crate::gf2n::{Element, Field};
use crate::shamir::error::Error;

/// The value of the polynomial at an evaluation point. The point is public. The value is wiped when
/// the share is dropped.
///
/// ```
/// use sealane::gf2n::Gf256;
/// use sealane::shamir::element::Share;
///
/// let share = Share::new(Gf256::ONE, Gf256::from_bytes(&[7; 32]))?;
/// assert!(*share.point() == Gf256::ONE);
/// // The value at zero is the secret, and no share.
/// assert!(Share::new(Gf256::ZERO, Gf256::ONE).is_err());
/// assert!(Share::try_from(&share.to_bytes()[..])? == share);
/// # Ok::<(), sealane::shamir::Error>(())
/// ```
pub struct Share<F: Field> {
    point: Element<F>,
    value: Element<F>,
}

impl<F: Field> Share<F> {
    /// Returns the share with this value at this point.
    ///
    /// # Errors
    /// [`Error::ZeroPoint`] with index 0, if the point is zero.
    pub fn new(point: Element<F>, value: Element<F>) -> Result<Self, Error> {
        if point == Element::ZERO {
            return Err(Error::ZeroPoint { index: 0 });
        }
        Ok(Self { point, value })
    }

    pub(super) fn at(point: Element<F>, value: Element<F>) -> Self {
        Self { point, value }
    }

    /// Returns the evaluation point, which is public and not zero.
    #[must_use]
    pub fn point(&self) -> &Element<F> {
        &self.point
    }

    /// Returns the value, which is secret.
    #[must_use]
    pub fn value(&self) -> &Element<F> {
        &self.value
    }

    /// Returns the bytes of the point and, after them, those of the value, which are secret:
    /// 2·[`Field::BITS`]/8 bytes. `TryFrom<&[u8]>` reads them.
    #[must_use]
    pub fn to_bytes(&self) -> Zeroizing<Vec<u8>> {
        let (point, value) = (self.point.to_bytes(), Zeroizing::new(self.value.to_bytes()));
        Zeroizing::new([point.as_ref(), value.as_ref()].concat())
    }

    /// Adds a share of zero that [`zero_shares`](super::zero_shares) created for the same point.
    /// The secret stays the same. The share no longer fits shares that were not refreshed.
    ///
    /// # Errors
    /// [`Error::OtherPoint`] if the points differ.
    pub fn refresh(&mut self, zero_share: &Self) -> Result<(), Error> {
        if self.point != zero_share.point {
            return Err(Error::OtherPoint);
        }
        self.value += zero_share.value;
        Ok(())
    }
}

/// Reads what [`Share::to_bytes`] returns.
///
/// # Errors
/// [`Error::WrongShareLength`], or [`Error::ZeroPoint`] with index 0 if the point is zero.
impl<F: Field> TryFrom<&[u8]> for Share<F> {
    type Error = Error;

    fn try_from(bytes: &[u8]) -> Result<Self, Error> {
        let expected = F::BITS / 4;
        if bytes.len() != expected {
            return Err(Error::WrongShareLength { expected, given: bytes.len() });
        }
        let (point, value) = bytes.split_at(expected / 2);
        let [point, value] = [point, value].map(|half| Element::from_slice(half).expect("the length was checked"));
        Self::new(point, value)
    }
}

impl<F: Field> Clone for Share<F> {
    fn clone(&self) -> Self {
        Self { point: self.point, value: self.value }
    }
}

impl<F: Field> PartialEq for Share<F> {
    /// Compares values in constant time. Points are public.
    fn eq(&self, other: &Self) -> bool {
        self.point == other.point && self.value == other.value
    }
}

impl<F: Field> Eq for Share<F> {}

/// Serializes the point and the value.
#[cfg(feature = "serde")]
impl<F: Field> serdect::serde::Serialize for Share<F> {
    fn serialize<S: serdect::serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        (&self.point, &self.value).serialize(serializer)
    }
}

/// Deserializes what `Serialize` writes. A point that is zero is an error: its value is the secret.
#[cfg(feature = "serde")]
impl<'de, F: Field> serdect::serde::Deserialize<'de> for Share<F> {
    fn deserialize<D: serdect::serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let (point, value) = <(Element<F>, Element<F>)>::deserialize(deserializer)?;
        Self::new(point, value).map_err(serdect::serde::de::Error::custom)
    }
}

impl<F: Field> Drop for Share<F> {
    fn drop(&mut self) {
        self.value.zeroize();
    }
}

impl<F: Field> ZeroizeOnDrop for Share<F> {}

impl<F: Field> fmt::Debug for Share<F> {
    /// Does not show the value.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Share").field("bits", &F::BITS).finish_non_exhaustive()
    }
}
