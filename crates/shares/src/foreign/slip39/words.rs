//! The word list and the checksum RS1024.

use zeroize::Zeroizing;

/// SLIP-39's list: 1,024 words of 4 to 8 letters, sorted. The file `LICENSE` has its source and
/// licence.
static LIST: &str = include_str!("wordlist.txt");

/// The number of checksum words in a mnemonic.
pub(crate) const CHECKSUM_WORDS: usize = 3;

/// The number of letters that identify a word: no two words begin with the same four.
const UNIQUE_LETTERS: usize = 4;

/// Returns the index of a word, which is given in full or by at least its first four letters. Not
/// constant time.
pub(crate) fn index(word: &str) -> Option<u16> {
    if word.len() < UNIQUE_LETTERS {
        return None;
    }
    let word = Zeroizing::new(word.to_ascii_lowercase());
    LIST.lines().position(|candidate| candidate.starts_with(&**word)).map(|at| at as u16)
}

/// Appends the word with a secret index. Looks at all words, so that only the length of the
/// appended word leaks.
pub(crate) fn push(text: &mut String, index: u16) {
    let mut found = Zeroizing::new([0u8; 8]);
    for (candidate, word) in (0u16..).zip(LIST.lines()) {
        // All ones if the numbers are equal.
        let mask = (u32::from(candidate ^ index).wrapping_sub(1) >> 16) as u8;
        for (to, letter) in found.iter_mut().zip(word.bytes()) {
            *to |= letter & mask;
        }
    }
    text.extend(found.iter().filter(|&&letter| letter != 0).map(|&letter| char::from(letter)));
}

/// Returns the customization string of the checksum.
fn customization(extendable: bool) -> &'static [u8] {
    if extendable { b"shamir_extendable" } else { b"shamir" }
}

/// Appends the checksum.
pub(crate) fn push_checksum(words: &mut Vec<u16>, extendable: bool) {
    let residue = polymod(extendable, words.iter().copied().chain([0; CHECKSUM_WORDS])) ^ 1;
    words.extend((0..CHECKSUM_WORDS).rev().map(|at| (residue >> (10 * at)) as u16 & 1023));
}

/// Checks the checksum. The error is the position, from 0, of the one wrong word that explains it,
/// if there is one.
pub(crate) fn verify(words: &[u16], extendable: bool) -> Result<(), Option<usize>> {
    let residue = polymod(extendable, words.iter().copied()) ^ 1;
    if residue == 0 {
        return Ok(());
    }
    // Beyond the code's length of 1,023 words, the position of an error is not unique.
    if words.len() <= 1023 {
        for error in 1..1024u32 {
            let mut effect = error;
            for at in (0..words.len()).rev() {
                if effect == residue {
                    return Err(Some(at));
                }
                effect = step(effect, 0);
            }
        }
    }
    Err(None)
}

fn polymod(extendable: bool, words: impl Iterator<Item = u16>) -> u32 {
    customization(extendable).iter().map(|&byte| u16::from(byte)).chain(words).fold(1, step)
}

fn step(state: u32, word: u16) -> u32 {
    const GENERATOR: [u32; 10] = [
        0x00e0_e040,
        0x01c1_c080,
        0x0383_8100,
        0x0707_0200,
        0x0e0e_0009,
        0x1c0c_2412,
        0x3808_6c24,
        0x3090_fc48,
        0x21b1_f890,
        0x03f3_f120,
    ];
    let top = state >> 20;
    let next = (state & 0xf_ffff) << 10 ^ u32::from(word);
    (0..10).fold(next, |next, bit| next ^ GENERATOR[bit] & 0u32.wrapping_sub((top >> bit) & 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list() {
        let words: Vec<&str> = LIST.lines().collect();
        assert_eq!(words.len(), 1024);
        assert!(words.is_sorted());
        assert!(words.iter().all(|word| (4..=8).contains(&word.len())));
        for (at, word) in words.iter().enumerate() {
            let mut text = String::new();
            push(&mut text, at as u16);
            assert_eq!(&text, word);
            // A word is identified by its first four letters or more.
            for letters in UNIQUE_LETTERS..=word.len() {
                assert_eq!(index(&word[..letters]), Some(at as u16));
                assert_eq!(words.iter().filter(|other| other.starts_with(&word[..letters])).count(), 1);
            }
            assert_eq!(index(&word[..3]), None);
            assert_eq!(index(&format!("{word}x")), None);
        }
        assert_eq!(index("zzzz"), None);
        assert_eq!(index("ACAD"), index("academic"));
    }
}
