//! Natural numbers below 2^288, in the plainest way: schoolbook multiplication, and a remainder
//! that subtracts the shifted divisor bit by bit.

use core::cmp::Ordering;
use core::ops::{Add, BitAnd, Mul, Rem, Sub};

const LIMBS: usize = 9;

/// A natural number, in limbs of 32 bits, the lowest first.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Num([u32; LIMBS]);

impl Num {
    /// Zero.
    pub const ZERO: Self = Self([0; LIMBS]);

    /// Computes le_bytes_to_num of RFC 8439, section 2.5.1.
    ///
    /// # Panics
    /// If the bytes do not fit.
    #[must_use]
    pub fn le_bytes_to_num(bytes: &[u8]) -> Self {
        let mut limbs = [0; LIMBS];
        for (i, &byte) in bytes.iter().enumerate() {
            limbs[i / 4] |= u32::from(byte) << (8 * (i % 4));
        }
        Self(limbs)
    }

    /// Computes num_to_16_le_bytes of RFC 8439, section 2.5.1: the 128 lowest bits.
    #[must_use]
    pub fn num_to_16_le_bytes(self) -> [u8; 16] {
        core::array::from_fn(|i| self.0[i / 4].to_le_bytes()[i % 4])
    }

    /// Returns 2^130 - 5.
    #[must_use]
    pub fn p() -> Self {
        Self([0xffff_fffb, 0xffff_ffff, 0xffff_ffff, 0xffff_ffff, 3, 0, 0, 0, 0])
    }
}

impl BitAnd for Num {
    type Output = Self;

    fn bitand(self, other: Self) -> Self {
        Self(core::array::from_fn(|i| self.0[i] & other.0[i]))
    }
}

impl Add for Num {
    type Output = Self;

    /// Returns the sum. Panics if it is 2^288 or more.
    fn add(self, other: Self) -> Self {
        let mut sum = [0; LIMBS];
        let mut carry = 0;
        for (i, limb) in sum.iter_mut().enumerate() {
            let t = u64::from(self.0[i]) + u64::from(other.0[i]) + carry;
            *limb = t as u32;
            carry = t >> 32;
        }
        assert!(carry == 0, "a sum does not fit");
        Self(sum)
    }
}

impl Sub for Num {
    type Output = Self;

    /// Returns the difference. Panics if it is negative.
    fn sub(self, other: Self) -> Self {
        let mut difference = [0; LIMBS];
        let mut borrow = false;
        for (i, limb) in difference.iter_mut().enumerate() {
            let t = i64::from(self.0[i]) - i64::from(other.0[i]) - i64::from(borrow);
            *limb = t as u32;
            borrow = t < 0;
        }
        assert!(!borrow, "a difference is negative");
        Self(difference)
    }
}

impl Mul for Num {
    type Output = Self;

    /// Returns the product. Panics if it is 2^288 or more.
    fn mul(self, other: Self) -> Self {
        let mut product = [0; 2 * LIMBS];
        for i in 0..LIMBS {
            let mut carry = 0;
            for j in 0..LIMBS {
                let t = u64::from(self.0[i]) * u64::from(other.0[j]) + u64::from(product[i + j]) + carry;
                product[i + j] = t as u32;
                carry = t >> 32;
            }
            product[i + LIMBS] = carry as u32;
        }
        assert!(product[LIMBS..].iter().all(|&limb| limb == 0), "a product does not fit");
        Self(core::array::from_fn(|i| product[i]))
    }
}

impl Rem for Num {
    type Output = Self;

    /// Returns the remainder by long division in base 2. The divisor must not be zero.
    fn rem(self, divisor: Self) -> Self {
        let mut remainder = Self::ZERO;
        for bit in (0..32 * LIMBS).rev() {
            remainder = remainder + remainder;
            remainder.0[0] |= self.0[bit / 32] >> (bit % 32) & 1;
            if remainder >= divisor {
                remainder = remainder - divisor;
            }
        }
        remainder
    }
}

impl Ord for Num {
    fn cmp(&self, other: &Self) -> Ordering {
        self.0.iter().rev().cmp(other.0.iter().rev())
    }
}

impl PartialOrd for Num {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}
