//! Haraka v2: Kölbl, Lauridsen, Mendel and Rechberger, "Haraka v2 – Efficient Short-Input Hashing
//! for Post-Quantum Applications", ePrint 2016/098, section 2. The sponge and the tweak are those
//! of SPHINCS+, submission to round 3, section 7.2.3.
//!
//! States are bytes, block after block. Each block has the order of FIPS 197: byte 4 c + r is in
//! column c and row r.

use alloc::vec;
use alloc::vec::Vec;

/// Haraka with its round constants.
#[derive(Clone, Debug)]
pub struct Haraka {
    /// RC_0, RC_1, …
    pub rc: Vec<[u8; 16]>,
}

impl Haraka {
    /// Returns Haraka with the constants of section 2.2.
    #[must_use]
    pub fn new() -> Self {
        Self { rc: round_constants(48) }
    }

    /// Returns Haraka with the round constants that SPHINCS+ derives from a seed: 640 bytes of
    /// HarakaS, split into 40 constants.
    #[must_use]
    pub fn tweaked(&self, seed: &[u8]) -> Self {
        let bytes = self.haraka_s(seed, 40 * 16);
        Self { rc: bytes.as_chunks().0.to_vec() }
    }

    /// Computes Haraka-256: the permutation of the input, XORed with the input.
    #[must_use]
    pub fn haraka256(&self, rounds: usize, input: &[u8; 32]) -> [u8; 32] {
        let mut state = *input;
        self.permute(rounds, &mut state);
        core::array::from_fn(|i| state[i] ^ input[i])
    }

    /// Computes Haraka-512: the permutation of the input, XORed with the input. The sum is
    /// truncated to columns 2, 3, 6, 7, 8, 9, 12 and 13.
    #[must_use]
    pub fn haraka512(&self, rounds: usize, input: &[u8; 64]) -> [u8; 32] {
        let mut state = *input;
        self.permute(rounds, &mut state);
        let sum: [u8; 64] = core::array::from_fn(|i| state[i] ^ input[i]);
        core::array::from_fn(|i| sum[4 * [2, 3, 6, 7, 8, 9, 12, 13][i / 4] + i % 4])
    }

    /// Computes HarakaS: `length` bytes of the sponge over the permutation of Haraka-512 with 5
    /// rounds. The rate is 32 bytes, and the padding is the same as in SHAKE.
    #[must_use]
    pub fn haraka_s(&self, message: &[u8], length: usize) -> Vec<u8> {
        let mut padded = message.to_vec();
        padded.push(0x1f);
        padded.resize(padded.len().next_multiple_of(32), 0);
        *padded.last_mut().expect("the padding") ^= 0x80;
        let mut state = [0; 64];
        for block in padded.chunks(32) {
            for (byte, other) in state.iter_mut().zip(block) {
                *byte ^= other;
            }
            self.permute(5, &mut state);
        }
        let mut output = Vec::new();
        while output.len() < length {
            output.extend_from_slice(&state[..32]);
            self.permute(5, &mut state);
        }
        output.truncate(length);
        output
    }

    /// Computes π_256 or π_512 (section 2.1), depending on the length of the state. Each round is
    /// two AES rounds on each block, then MIX.
    fn permute(&self, rounds: usize, state: &mut [u8]) {
        let blocks = state.len() / 16;
        for round in 0..rounds {
            for i in 0..2 {
                for (block, bytes) in state.chunks_mut(16).enumerate() {
                    aes_round(bytes, &self.rc[2 * blocks * round + blocks * i + block]);
                }
            }
            mix(state);
        }
    }
}

impl Default for Haraka {
    fn default() -> Self {
        Self::new()
    }
}

/// Computes MIX (section 2.1). The table lists the source of each column.
fn mix(state: &mut [u8]) {
    let from: &[usize] = match state.len() {
        32 => &[0, 4, 1, 5, 2, 6, 3, 7],
        _ => &[3, 11, 7, 15, 8, 0, 12, 4, 9, 1, 13, 5, 2, 10, 6, 14],
    };
    let before = state.to_vec();
    for (column, from) in state.chunks_mut(4).zip(from) {
        column.copy_from_slice(&before[4 * from..4 * from + 4]);
    }
}

/// Computes a round of AES: SubBytes, ShiftRows, MixColumns, AddRoundKey (FIPS 197, section 5.1).
pub fn aes_round(state: &mut [u8], key: &[u8; 16]) {
    let substituted: Vec<u8> = state.iter().map(|byte| sub_byte(*byte)).collect();
    let shifted: [u8; 16] = core::array::from_fn(|i| substituted[4 * ((i / 4 + i % 4) % 4) + i % 4]);
    for (i, byte) in state.iter_mut().enumerate() {
        let row = |below: usize| shifted[i / 4 * 4 + (i + below) % 4];
        *byte = times(2, row(0)) ^ times(3, row(1)) ^ row(2) ^ row(3) ^ key[i];
    }
}

/// Computes the S-box (FIPS 197, section 5.1.1): the inverse, which is the 254th power, and then an
/// affine map.
#[must_use]
pub fn sub_byte(byte: u8) -> u8 {
    // 254 = 2 + 4 + 8 + … + 128.
    let (inverse, _) =
        (0..7).fold((1, times(byte, byte)), |(product, power), _| (times(product, power), times(power, power)));
    (0..5).fold(0x63, |sum, i| sum ^ inverse.rotate_left(i))
}

/// Returns the product modulo x^8 + x^4 + x^3 + x + 1 (FIPS 197, section 4.2).
fn times(a: u8, b: u8) -> u8 {
    let mut product = 0;
    for i in (0..8).rev() {
        product = (product << 1) ^ if product >> 7 == 1 { 0x1b } else { 0 };
        if b >> i & 1 == 1 {
            product ^= a;
        }
    }
    product
}

/// Returns the first `count` round constants (section 2.2). Bit i of RC_j is the parity of decimal
/// 128 j + i of π. Decimal 0 is the first digit after the decimal point.
fn round_constants(count: usize) -> Vec<[u8; 16]> {
    let digits = digits_of_pi(128 * count);
    let byte = |digits: &[u8]| (0..8).fold(0, |byte, i| byte | (digits[i] & 1) << i);
    let constant = |digits: &[u8]| core::array::from_fn(|i| byte(&digits[8 * i..8 * i + 8]));
    digits.chunks(128).map(constant).collect()
}

/// The number of digits in a word of a [`Fraction`].
const DIGITS: u32 = 9;
const BASE: u64 = 10u64.pow(DIGITS);

/// A number in base 10^9: the integer part, and the words after the point, the most significant
/// first.
struct Fraction(Vec<u64>);

impl Fraction {
    /// Divides, rounding down.
    fn divide(&mut self, divisor: u64) {
        let mut remainder = 0;
        for word in &mut self.0 {
            let dividend = remainder * BASE + *word;
            *word = dividend / divisor;
            remainder = dividend % divisor;
        }
    }

    /// Adds `other` times `sign`, which is 1 or -1.
    fn add(&mut self, sign: i64, other: &Self) {
        let mut carry = 0;
        for (word, other) in self.0.iter_mut().zip(&other.0).rev() {
            let sum = word.cast_signed() + sign * other.cast_signed() + carry;
            carry = sum.div_euclid(BASE.cast_signed());
            *word = sum.rem_euclid(BASE.cast_signed()).cast_unsigned();
        }
    }
}

/// Returns the first `count` decimals of π, by Machin's formula:
/// π = 16 arctan(1/5) - 4 arctan(1/239).
fn digits_of_pi(count: usize) -> Vec<u8> {
    // Four extra words absorb the rounding errors: there are several thousand terms, each wrong by
    // a few units in the last place at most.
    let words = count.div_ceil(DIGITS as usize) + 5;
    let mut pi = Fraction(vec![0; words]);
    for (factor, x, sign) in [(16, 5, 1), (4, 239, -1)] {
        let mut power = Fraction(vec![0; words]);
        power.0[0] = factor;
        power.divide(x);
        let (mut k, mut sign) = (1, sign);
        while power.0.iter().any(|word| *word != 0) {
            let mut term = Fraction(power.0.clone());
            term.divide(k);
            pi.add(sign, &term);
            power.divide(x * x);
            (k, sign) = (k + 2, -sign);
        }
    }
    let digit = |i: usize| (pi.0[1 + i / 9] / 10u64.pow(DIGITS - 1 - (i % 9) as u32) % 10) as u8;
    (0..count).map(digit).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pi_has_known_digits() {
        assert_eq!(digits_of_pi(15), [1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 3]);
        // The Feynman point: six nines from digit 762 on.
        assert_eq!(digits_of_pi(770)[760..768], [4, 9, 9, 9, 9, 9, 9, 8][..]);
    }

    #[test]
    fn the_s_box_gives_the_values_of_fips_197() {
        // FIPS 197, section 5.1.1, figure 7: corners, and the example {53}.
        assert_eq!([0x00, 0x0f, 0x53, 0xf0, 0xff].map(sub_byte), [0x63, 0x76, 0xed, 0x8c, 0x16]);
    }
}
