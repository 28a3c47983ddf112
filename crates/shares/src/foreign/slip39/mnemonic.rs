//! One mnemonic: its fields and its words.

use std::fmt;
use std::str::{self, FromStr};

use zeroize::Zeroizing;

use super::cipher::Parameters;
use super::error::Slip39Error;
use super::words::{self, CHECKSUM_WORDS};

/// The number of words before the value: two with the identifier, the extendable flag and the
/// iteration exponent, and two with indices, thresholds and the number of groups.
const PREFIX_WORDS: usize = 4;
const MIN_SECRET_BYTES: usize = 16;
/// The largest number of words that one checksum can protect. Longer mnemonics are rejected.
const MAX_WORDS: usize = 1023;

/// One mnemonic: a member's share of a group's share of an encrypted secret. It is wiped when it is
/// dropped.
///
/// [`Display`](fmt::Display) writes the words, which are secret: they are what a member stores.
/// [`Debug`] shows only the identifier, the indices and the member threshold.
#[derive(Clone)]
pub struct Mnemonic {
    pub(crate) parameters: Parameters,
    pub(crate) group_index: u8,
    pub(crate) group_threshold: u8,
    pub(crate) group_count: u8,
    pub(crate) index: u8,
    pub(crate) threshold: u8,
    pub(crate) value: Zeroizing<Vec<u8>>,
}

impl Mnemonic {
    /// Reads words separated by white space, in upper or lower case. Each word is given in full or
    /// by at least its first four letters.
    ///
    /// # Errors
    /// If it is not a mnemonic: see [`Slip39Error`].
    pub fn parse(text: &str) -> Result<Self, Slip39Error> {
        // Allocated once, because growing leaves a copy behind that is not wiped.
        let mut numbers = Zeroizing::new(Vec::with_capacity(text.split_whitespace().take(MAX_WORDS).count()));
        for (at, word) in text.split_whitespace().enumerate() {
            if at == MAX_WORDS {
                return Err(Slip39Error::WordCount(text.split_whitespace().count()));
            }
            numbers.push(words::index(word).ok_or(Slip39Error::UnknownWord { position: at + 1 })?);
        }
        let count = numbers.len();
        let value_words = count.saturating_sub(PREFIX_WORDS + CHECKSUM_WORDS);
        let padding = value_words * 10 % 16;
        if value_words * 10 < MIN_SECRET_BYTES * 8 || padding > 8 {
            return Err(Slip39Error::WordCount(count));
        }
        let head = u32::from(numbers[0]) << 10 | u32::from(numbers[1]);
        let extendable = head >> 4 & 1 == 1;
        words::verify(&numbers, extendable)
            .map_err(|suspect| Slip39Error::Checksum { suspect: suspect.map(|at| at + 1) })?;
        let counts = u32::from(numbers[2]) << 10 | u32::from(numbers[3]);
        let nibble = |at: u32| (counts >> (4 * at)) as u8 & 15;
        let value = read_value(&numbers[PREFIX_WORDS..count - CHECKSUM_WORDS], padding)?;
        let (group_threshold, group_count) = (nibble(3) + 1, nibble(2) + 1);
        if group_threshold > group_count {
            return Err(Slip39Error::GroupThreshold { threshold: group_threshold, count: group_count });
        }
        let group_index = nibble(4);
        if group_index >= group_count {
            return Err(Slip39Error::GroupIndex { index: group_index, count: group_count });
        }
        Ok(Self {
            parameters: Parameters { identifier: (head >> 5) as u16, extendable, iteration_exponent: head as u8 & 15 },
            group_index,
            group_threshold,
            group_count,
            index: nibble(1),
            threshold: nibble(0) + 1,
            value,
        })
    }

    /// Returns the words, in lower case, separated by one space.
    #[must_use]
    pub fn to_words(&self) -> Zeroizing<String> {
        let Parameters { identifier, extendable, iteration_exponent } = self.parameters;
        let head = u32::from(identifier) << 5 | u32::from(extendable) << 4 | u32::from(iteration_exponent);
        let counts = [self.group_index, self.group_threshold - 1, self.group_count - 1, self.index, self.threshold - 1];
        let counts = counts.into_iter().fold(0, |all, nibble| all << 4 | u32::from(nibble));
        let count = (self.value.len() * 8).div_ceil(10) + PREFIX_WORDS + CHECKSUM_WORDS;
        let mut numbers = Zeroizing::new(Vec::with_capacity(count));
        for pair in [head, counts] {
            numbers.extend([(pair >> 10) as u16 & 1023, pair as u16 & 1023]);
        }
        // The padding of zeros comes first.
        let (mut bits, mut ready) = (0u32, (10 - self.value.len() * 8 % 10) % 10);
        for &byte in self.value.iter() {
            bits = (bits & 0x3ff) << 8 | u32::from(byte);
            ready += 8;
            if ready >= 10 {
                ready -= 10;
                numbers.push((bits >> ready) as u16 & 1023);
            }
        }
        words::push_checksum(&mut numbers, extendable);
        let mut text = Zeroizing::new(String::with_capacity(numbers.len() * 9));
        for (at, &number) in numbers.iter().enumerate() {
            if at > 0 {
                text.push(' ');
            }
            words::push(&mut text, number);
        }
        text
    }

    /// Returns the identifier of the set: 15 random bits.
    #[must_use]
    pub fn identifier(&self) -> u16 {
        self.parameters.identifier
    }

    /// Returns whether the encryption is independent of the identifier.
    #[must_use]
    pub fn extendable(&self) -> bool {
        self.parameters.extendable
    }

    /// Returns the iteration exponent e: PBKDF2 runs for 10,000 times 2^e iterations in total.
    #[must_use]
    pub fn iteration_exponent(&self) -> u8 {
        self.parameters.iteration_exponent
    }

    /// Returns the index of the group, from 0.
    #[must_use]
    pub fn group_index(&self) -> u8 {
        self.group_index
    }

    /// Returns the number of groups needed.
    #[must_use]
    pub fn group_threshold(&self) -> u8 {
        self.group_threshold
    }

    /// Returns the number of groups.
    #[must_use]
    pub fn group_count(&self) -> u8 {
        self.group_count
    }

    /// Returns the index of the mnemonic in its group, from 0.
    #[must_use]
    pub fn index(&self) -> u8 {
        self.index
    }

    /// Returns the number of mnemonics of its group that are needed.
    #[must_use]
    pub fn threshold(&self) -> u8 {
        self.threshold
    }

    /// Returns the length of the secret in bytes.
    #[must_use]
    pub fn secret_len(&self) -> usize {
        self.value.len()
    }

    /// Returns the fields that are the same in all mnemonics from one split.
    pub(crate) fn common(&self) -> (u16, bool, u8, u8, u8, usize) {
        let Parameters { identifier, extendable, iteration_exponent } = self.parameters;
        (identifier, extendable, iteration_exponent, self.group_threshold, self.group_count, self.value.len())
    }
}

impl fmt::Debug for Mnemonic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Mnemonic")
            .field("identifier", &self.identifier())
            .field("group_index", &self.group_index)
            .field("index", &self.index)
            .field("threshold", &self.threshold)
            .finish_non_exhaustive()
    }
}

impl fmt::Display for Mnemonic {
    /// Writes the words, which are secret.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.to_words())
    }
}

impl FromStr for Mnemonic {
    type Err = Slip39Error;

    /// Does the same as [`Mnemonic::parse`].
    fn from_str(words: &str) -> Result<Self, Slip39Error> {
        Self::parse(words)
    }
}

impl TryFrom<&[u8]> for Mnemonic {
    type Error = Slip39Error;

    /// Reads words in ASCII. The format has no binary form.
    fn try_from(words: &[u8]) -> Result<Self, Slip39Error> {
        match str::from_utf8(words) {
            Ok(text) => Self::parse(text),
            Err(fault) => {
                let before = &words[..fault.valid_up_to()];
                let is_begun = before.last().is_some_and(|byte| !byte.is_ascii_whitespace());
                let words = before.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty()).count();
                Err(Slip39Error::UnknownWord { position: words + usize::from(!is_begun) })
            }
        }
    }
}

fn read_value(numbers: &[u16], padding: usize) -> Result<Zeroizing<Vec<u8>>, Slip39Error> {
    let mut value = Zeroizing::new(Vec::with_capacity(numbers.len() * 10 / 8));
    if padding > 0 && numbers[0] >> (10 - padding) != 0 {
        return Err(Slip39Error::Padding);
    }
    // The first word begins with the padding. The first byte follows the padding.
    let (mut bits, mut ready) = (0u32, 0);
    for (at, &number) in numbers.iter().enumerate() {
        bits = (bits & 0xff) << 10 | u32::from(number);
        ready += if at == 0 { 10 - padding } else { 10 };
        while ready >= 8 {
            ready -= 8;
            value.push((bits >> ready) as u8);
        }
    }
    Ok(value)
}
