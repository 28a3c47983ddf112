//! GF(2^n) for any n that is a multiple of 8, up to 2048: small and slow, for shares of a single element.
//!
//! Multiplication takes the same time for all elements. Inversion does not, and is for differences of evaluation points,
//! which are public.

use zeroize::{Zeroize, Zeroizing};

/// An element: the coefficient of x^i is bit i % 64 of word i / 64.
pub(crate) type Element = Zeroizing<Vec<u64>>;

/// A field by its polynomial x^bits + x^a + x^b + x^c + 1.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Gf {
    bits: usize,
    middle: [u8; 3],
}

impl Gf {
    /// `middle` are a, b and c, which must be less than 64, and less than `bits`, and make the polynomial irreducible.
    pub(crate) fn new(bits: usize, middle: [u8; 3]) -> Self {
        assert!(bits.is_multiple_of(8) && middle.iter().all(|&e| e < 64 && usize::from(e) < bits));
        Self { bits, middle }
    }

    pub(crate) fn bytes(self) -> usize {
        self.bits / 8
    }

    fn words(self) -> usize {
        self.bits.div_ceil(64)
    }

    fn low_word(self) -> u64 {
        self.middle.iter().fold(1, |word, &exponent| word | 1 << exponent)
    }

    pub(crate) fn zero(self) -> Element {
        Zeroizing::new(vec![0; self.words()])
    }

    pub(crate) fn element(self, index: u64) -> Element {
        let mut element = self.zero();
        element[0] = index;
        element
    }

    /// From big-endian bytes.
    pub(crate) fn read_bytes(self, bytes: &[u8]) -> Element {
        let mut element = self.zero();
        for (at, &byte) in bytes.iter().rev().enumerate() {
            element[at / 8] |= u64::from(byte) << (at % 8 * 8);
        }
        element
    }

    /// To big-endian bytes.
    pub(crate) fn write_bytes(self, element: &Element, bytes: &mut [u8]) {
        for (at, byte) in bytes.iter_mut().rev().enumerate() {
            *byte = (element[at / 8] >> (at % 8 * 8)) as u8;
        }
    }

    pub(crate) fn add_assign(self, a: &mut Element, b: &Element) {
        for (a, b) in a.iter_mut().zip(b.iter()) {
            *a ^= b;
        }
    }

    /// Multiplies by x.
    fn double(self, a: &mut Element) {
        let top = (self.bits - 1) % 64;
        let last = a.len() - 1;
        let overflow = 0u64.wrapping_sub((a[last] >> top) & 1);
        for at in (1..a.len()).rev() {
            a[at] = a[at] << 1 | a[at - 1] >> 63;
        }
        a[0] = (a[0] << 1) ^ (overflow & self.low_word());
        if top < 63 {
            a[last] &= (1 << (top + 1)) - 1;
        }
    }

    pub(crate) fn multiply(self, a: &Element, b: &Element) -> Element {
        let mut product = self.zero();
        for bit in (0..self.bits).rev() {
            self.double(&mut product);
            let mask = 0u64.wrapping_sub((b[bit / 64] >> (bit % 64)) & 1);
            for (p, a) in product.iter_mut().zip(a.iter()) {
                *p ^= a & mask;
            }
        }
        product
    }

    /// The inverse of a public element that is not zero, by Euclid's algorithm: the time depends on the element.
    pub(crate) fn invert_public(self, a: &Element) -> Element {
        // u = g1 * a and v = g2 * a, modulo the polynomial.
        let words = self.words() + 1;
        let mut u: Vec<u64> = a.iter().copied().chain([0]).collect();
        let mut v = vec![0; words];
        v[0] = self.low_word();
        v[self.bits / 64] |= 1 << (self.bits % 64);
        let (mut g1, mut g2) = (vec![0; words], vec![0; words]);
        g1[0] = 1;
        loop {
            let (du, dv) = (degree(&u), degree(&v));
            match (du, dv) {
                (Some(0), _) => break,
                (Some(du), Some(dv)) if du >= dv => {
                    xor_shifted(&mut u, &v, du - dv);
                    xor_shifted(&mut g1, &g2, du - dv);
                }
                (Some(_), Some(_)) => {
                    std::mem::swap(&mut u, &mut v);
                    std::mem::swap(&mut g1, &mut g2);
                }
                _ => unreachable!("a field has no divisors of zero, and zero is not inverted"),
            }
        }
        g1.truncate(self.words());
        Zeroizing::new(g1)
    }

    /// Lagrange's weights at a target: the value there is the sum of weight times share. The points must be distinct.
    pub(crate) fn weights(self, points: &[Element], target: &Element) -> Vec<Element> {
        let difference = |a: &Element, b: &Element| {
            let mut sum = a.clone();
            self.add_assign(&mut sum, b);
            sum
        };
        let weight = |(at, x): (usize, &Element)| {
            let mut above = self.element(1);
            let mut below = self.element(1);
            for (_, y) in points.iter().enumerate().filter(|&(other, _)| other != at) {
                above = self.multiply(&above, &difference(target, y));
                below = self.multiply(&below, &difference(x, y));
            }
            self.multiply(&above, &self.invert_public(&below))
        };
        points.iter().enumerate().map(weight).collect()
    }

    /// The sum of weight times share.
    pub(crate) fn weighted_sum(self, weights: &[Element], shares: &[Element]) -> Element {
        let mut sum = self.zero();
        for (weight, share) in weights.iter().zip(shares) {
            // The weight is public, but this order makes no difference to the time either.
            let mut product = self.multiply(share, weight);
            self.add_assign(&mut sum, &product);
            product.zeroize();
        }
        sum
    }
}

fn degree(a: &[u64]) -> Option<usize> {
    let word = a.iter().rposition(|&word| word != 0)?;
    Some(word * 64 + 63 - a[word].leading_zeros() as usize)
}

/// a += b * x^shift
fn xor_shifted(a: &mut [u64], b: &[u64], shift: usize) {
    let (words, bits) = (shift / 64, shift % 64);
    for at in (words..a.len()).rev() {
        let low = b[at - words] << bits;
        let carry = if bits > 0 && at > words { b[at - words - 1] >> (64 - bits) } else { 0 };
        a[at] ^= low | carry;
    }
}

#[cfg(test)]
impl Gf {
    /// Rabin's test.
    pub(crate) fn is_irreducible(self) -> bool {
        // x^(2^bits) is x, and x^(2^(bits / p)) - x has no common divisor with the polynomial for any prime p.
        let x = self.element(2);
        let primes = (2..=self.bits).filter(|p| self.bits.is_multiple_of(*p) && (2..*p).all(|d| !p.is_multiple_of(d)));
        let exponents: Vec<usize> = primes.map(|p| self.bits / p).collect();
        let mut power = x.clone();
        for exponent in 1..=self.bits {
            power = self.square(&power);
            let mut difference = power.clone();
            self.add_assign(&mut difference, &x);
            if exponents.contains(&exponent) && !self.is_coprime(&difference) {
                return false;
            }
        }
        *power == *x
    }

    /// Bits go apart, and those above fold down. Much quicker than [`multiply`](Self::multiply), which it is compared with.
    fn square(self, a: &Element) -> Element {
        let words = 2 * self.words() + 2;
        let mut wide = vec![0u64; words];
        for bit in (0..self.bits).filter(|bit| a[bit / 64] >> (bit % 64) & 1 == 1) {
            wide[2 * bit / 64] |= 1 << (2 * bit % 64);
        }
        while degree(&wide) >= Some(self.bits) {
            let mut high = vec![0; words];
            for bit in (self.bits..64 * words).filter(|bit| wide[bit / 64] >> (bit % 64) & 1 == 1) {
                high[(bit - self.bits) / 64] |= 1 << ((bit - self.bits) % 64);
            }
            for exponent in self.middle.into_iter().map(usize::from).chain([0, self.bits]) {
                xor_shifted(&mut wide, &high, exponent);
            }
        }
        wide.truncate(self.words());
        let square = Zeroizing::new(wide);
        debug_assert!(self.bits > 64 || *square == *self.multiply(a, a));
        square
    }

    fn is_coprime(self, a: &Element) -> bool {
        let mut u: Vec<u64> = a.iter().copied().chain([0]).collect();
        let mut v = vec![0; u.len()];
        v[0] = self.low_word();
        v[self.bits / 64] |= 1 << (self.bits % 64);
        loop {
            match (degree(&u), degree(&v)) {
                (None, dv) => return dv == Some(0),
                (Some(du), Some(dv)) if du >= dv => xor_shifted(&mut u, &v, du - dv),
                _ => std::mem::swap(&mut u, &mut v),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn aes_field() {
        let field = Gf::new(8, [4, 3, 1]);
        // FIPS 197, section 4.2: {57} times {83} is {c1}.
        assert_eq!(field.multiply(&field.element(0x57), &field.element(0x83))[0], 0xc1);
        for a in 1..256 {
            let a = field.element(a);
            assert_eq!(field.multiply(&a, &field.invert_public(&a))[0], 1);
        }
    }

    #[test]
    fn inverses_in_wide_fields() {
        for (bits, middle) in [(64, [4, 3, 1]), (72, [10, 9, 3]), (256, [10, 5, 2]), (1024, [19, 6, 1])] {
            let field = Gf::new(bits, middle);
            let mut a = field.zero();
            for (at, word) in a.iter_mut().enumerate() {
                *word = 0x9e37_79b9_7f4a_7c15u64.wrapping_mul(at as u64 + 1);
            }
            let mut bytes = vec![0; field.bytes()];
            field.write_bytes(&a, &mut bytes);
            let a = field.read_bytes(&bytes);
            assert_eq!(*field.multiply(&a, &field.invert_public(&a)), *field.element(1), "{bits}");
        }
    }
}
