//! Shares with correct checksums and arbitrary contents. A mutation of a valid share would fail at
//! its checksum.

use arbitrary::Arbitrary;
use sealane::Poly1305;
use sealane_shares::{MAGIC, TEXT_PREFIX, VERSION};
use sealane_spec::rs1024;
use sha2::{Digest, Sha256};

use crate::Bytes;

/// A share in Sealane's binary form.
#[derive(Arbitrary, Debug)]
pub struct AnyShare {
    scheme: u8,
    bits: Bits,
    threshold: Small,
    count: Small,
    index: Small,
    set: u8,
    /// The point, the blinding value and the payload. May be too long or too short.
    rest: Bytes<900>,
    /// The length of the header's part of `rest`, if it is not the right one.
    other_header: Option<u8>,
}

#[derive(Arbitrary, Debug)]
enum Bits {
    Fitting(u8),
    Any(u16),
}

/// A number that is often small, because the shares of a set agree in most of their numbers.
#[derive(Arbitrary, Debug)]
enum Small {
    Number(u8),
    Any(u16),
}

impl Small {
    fn number(&self) -> u16 {
        match self {
            Self::Number(number) => 1 + u16::from(number % 8),
            Self::Any(number) => *number,
        }
    }
}

impl AnyShare {
    /// Returns the share. Its contents may be impossible.
    pub fn bytes(&self) -> Vec<u8> {
        const BITS: [u16; 12] = [16, 32, 64, 128, 192, 256, 384, 512, 768, 1024, 1536, 2048];
        let scheme = match self.scheme % 8 {
            0..4 => 1,
            4 | 5 => 2,
            6 => 3,
            _ => self.scheme,
        };
        let bits = match self.bits {
            Bits::Any(bits) => bits,
            Bits::Fitting(_) if scheme == 1 => 8,
            Bits::Fitting(at) => BITS[usize::from(at) % BITS.len()],
        };
        let mut bytes = [&MAGIC[..], &[VERSION, scheme]].concat();
        for number in [bits, self.threshold.number(), self.count.number(), self.index.number()] {
            bytes.extend(number.to_be_bytes());
        }
        bytes.extend([self.set; 16]);
        let element = usize::from(bits / 8).max(1);
        let header = if scheme == 3 { element } else { 0 } + 32_usize.next_multiple_of(element);
        let header = self.other_header.map_or(header, usize::from).min(self.rest.0.len());
        let (header, rest) = self.rest.0.split_at(header);
        bytes.extend(header);
        let checksum = checksum(&bytes);
        bytes.extend(&checksum[..4]);
        bytes.extend(rest);
        let checksum = self::checksum(&bytes);
        bytes.extend(checksum);
        bytes
    }

    /// Returns the text form's digits of 5 bits, without its checksum.
    pub fn digits(&self) -> Vec<u8> {
        digits(&self.bytes()[MAGIC.len()..])
    }
}

/// Returns the bytes as digits of five bits. The last digit is padded with zero bits.
fn digits(bytes: &[u8]) -> Vec<u8> {
    let bit = |at: usize| bytes.get(at / 8).map_or(0, |byte| byte >> (7 - at % 8) & 1);
    let digit = |number: usize| (0..5).fold(0, |digit, at| digit << 1 | bit(5 * number + at));
    (0..(8 * bytes.len()).div_ceil(5)).map(digit).collect()
}

fn checksum(bytes: &[u8]) -> [u8; 16] {
    Poly1305::mac(&Sha256::digest(b"sealane.share.v1.checksum").into(), bytes)
}

/// Returns the text form of these digits of 5 bits, with the checksum of BIP-350.
pub fn bech32m(digits: &[u8]) -> String {
    const CHARACTERS: &[u8; 32] = b"qpzry9x8gf2tvdw0s3jn54khce6mua7l";
    const GENERATOR: [u32; 5] = [0x3b6a_57b2, 0x2650_8e6d, 0x1ea1_19fa, 0x3d42_33dd, 0x2a14_62b3];
    let prefix = TEXT_PREFIX.strip_suffix('1').expect("a separator").to_ascii_lowercase();
    let mut digits: Vec<u8> = digits.iter().map(|digit| digit % 32).collect();
    let high = prefix.bytes().map(|letter| letter >> 5);
    let expanded = high.chain([0]).chain(prefix.bytes().map(|letter| letter & 31));
    let all = expanded.chain(digits.iter().copied()).chain([0; 6]);
    let residue = all.fold(1_u32, |state, digit| {
        let next = (state & 0x01ff_ffff) << 5 ^ u32::from(digit);
        (0..5).filter(|bit| state >> (25 + bit) & 1 == 1).fold(next, |next, bit| next ^ GENERATOR[bit])
    }) ^ 0x2bc8_30a3;
    digits.extend((0..6).rev().map(|at| (residue >> (5 * at)) as u8 & 31));
    let text = digits.iter().map(|&digit| char::from(CHARACTERS[usize::from(digit)]).to_ascii_uppercase());
    TEXT_PREFIX.chars().chain(text).collect()
}

/// Returns SLIP-39's words for these numbers of 10 bits, with the checksum RS1024.
pub fn slip39(numbers: &[u16]) -> String {
    static WORDS: &str = include_str!("../../crates/shares/src/foreign/slip39/wordlist.txt");
    let mut numbers: Vec<u16> = numbers.iter().map(|number| number % 1024).collect();
    let extendable = numbers.get(1).is_some_and(|number| number >> 4 & 1 == 1);
    let customization = if extendable { "shamir_extendable" } else { "shamir" };
    let all = customization.bytes().map(u32::from).chain(numbers.iter().map(|&number| number.into())).chain([0; 3]);
    let residue = rs1024::polymod(1, all) ^ 1;
    numbers.extend((0..3).rev().map(|at| (residue >> (10 * at)) as u16 & 1023));
    let list: Vec<&str> = WORDS.lines().collect();
    let words: Vec<&str> = numbers.iter().map(|&number| list[usize::from(number)]).collect();
    words.join(" ")
}
