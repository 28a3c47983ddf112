//! Tests SLIP-39 with its published vectors, and cases that these leave out.

use proptest::prelude::*;
use sealane_shares::slip39::{self, Group, Mnemonic, Options, Slip39Error};
use sealane_spec::rs1024;

use crate::support::pattern;

/// Parses and combines mnemonics.
fn combine(mnemonics: &[String], passphrase: &[u8]) -> Result<Vec<u8>, Slip39Error> {
    let mnemonics: Vec<Mnemonic> = mnemonics.iter().map(|words| Mnemonic::parse(words)).collect::<Result<_, _>>()?;
    slip39::combine(&mnemonics, passphrase).map(|recovered| recovered.secret.to_vec())
}

#[test]
fn published_vectors() {
    let file = sealane_vectors::slip39();
    assert_eq!(file.vectors.len(), 45);
    for vector in file.vectors {
        let result = combine(&vector.mnemonics, b"TREZOR");
        if vector.secret.is_empty() {
            assert!(result.is_err(), "{}", vector.id);
        } else {
            assert_eq!(result.unwrap(), vector.secret[..], "{}", vector.id);
        }
        // A parsed mnemonic is written again unchanged.
        for words in &vector.mnemonics {
            if let Ok(mnemonic) = Mnemonic::parse(words) {
                assert_eq!(*mnemonic.to_words(), *words, "{}", vector.id);
            }
        }
    }
}

#[test]
fn single_groups() {
    for (threshold, count) in [(1, 1), (2, 2), (2, 3), (3, 5), (16, 16)] {
        let secret = pattern(16 + 2 * threshold);
        let mnemonics = slip39::split(&secret, b"TREZOR", threshold, count).unwrap();
        assert_eq!(mnemonics.len(), count);
        let recovered = slip39::combine(&mnemonics[count - threshold..], b"TREZOR").unwrap();
        assert_eq!(recovered.secret[..], secret[..]);
        assert_eq!(slip39::combine(&mnemonics, b"TREZOR").unwrap().secret[..], secret[..]);
        assert_ne!(slip39::combine(&mnemonics, b"").unwrap().secret[..], secret[..]);
        if threshold > 1 {
            let error = slip39::combine(&mnemonics[..threshold - 1], b"").err();
            assert!(matches!(error, Some(Slip39Error::TooFew { .. })));
        }
    }
}

#[test]
fn groups() {
    let secret = pattern(32);
    let groups = [(1, 1), (2, 3), (3, 5)].map(|(threshold, count)| Group::new(threshold, count));
    for extendable in [true, false] {
        let options = Options::default().with_extendable(extendable).with_iteration_exponent(0);
        let made = slip39::split_groups(&secret, b"", 2, &groups, options).unwrap();
        let some = [&made[1][1..], &made[2][2..]].concat();
        assert_eq!(slip39::combine(&some, b"").unwrap().secret[..], secret[..]);
        let all = made.concat();
        assert_eq!(slip39::combine(&all, b"").unwrap().secret[..], secret[..]);
        // A group with too few members is ignored.
        let incomplete = [&made[0][..], &made[1][..1], &made[2][..3]].concat();
        assert_eq!(slip39::combine(&incomplete, b"").unwrap().secret[..], secret[..]);
        let error = slip39::combine(&[&made[0][..], &made[1][..1]].concat(), b"").err();
        assert!(matches!(error, Some(Slip39Error::TooFewGroups { needed: 2, complete: 1 })));
    }
}

#[test]
fn a_wrong_mnemonic_is_named() {
    let a = slip39::split(&pattern(16), b"", 2, 4).unwrap();
    let words: Vec<String> = a[1].to_words().split(' ').map(str::to_owned).collect();
    // One set in 32,768 has the same identifier, which the first two words contain.
    let same_set = |other: &[Mnemonic]| other[0].to_words().split(' ').take(2).eq(words.iter().take(2));
    let mut other = slip39::split(&pattern(16), b"x", 2, 4).unwrap();
    while same_set(&other) {
        other = slip39::split(&pattern(16), b"x", 2, 4).unwrap();
    }
    let forged = forge(&words);
    let mut list = a.clone();
    list[1] = forged.clone();
    let recovered = slip39::combine(&list, b"").unwrap();
    assert_eq!(recovered.secret[..], pattern(16)[..]);
    assert_eq!(recovered.bad, [1]);
    // Repetitions of it are named too, and those of a right one are not.
    let repeated = [&list[..], &[forged.clone(), a[0].clone(), forged.clone()]].concat();
    assert_eq!(slip39::combine(&repeated, b"").unwrap().bad, [1, 4, 6]);
    assert!(matches!(slip39::combine(&list[..2], b"").err(), Some(Slip39Error::Digest)));
    let conflict = slip39::combine(&[a[1].clone(), forged], b"").err();
    assert!(matches!(conflict, Some(Slip39Error::Conflict { positions: [0, 1] })));
    let mixed = slip39::combine(&[a[0].clone(), other[1].clone()], b"").err();
    assert!(matches!(mixed, Some(Slip39Error::DifferentSets { positions: [0, 1] })));
    assert!(matches!(slip39::combine(&[], b"").err(), Some(Slip39Error::NoMnemonics)));
}

#[test]
fn a_group_with_a_wrong_mnemonic_is_left_out() {
    let groups = [(2, 2), (2, 3), (3, 3)].map(|(threshold, count)| Group::new(threshold, count));
    let options = Options::default().with_extendable(true).with_iteration_exponent(0);
    let made = slip39::split_groups(&pattern(16), b"", 2, &groups, options).unwrap();
    let words: Vec<String> = made[0][1].to_words().split(' ').map(str::to_owned).collect();
    let mut list = made.concat();
    list[1] = forge(&words);
    let recovered = slip39::combine(&list, b"").unwrap();
    assert_eq!(recovered.secret[..], pattern(16)[..]);
    assert_eq!(recovered.bad, [0, 1]);
    // The right mnemonic of that group may be given again.
    let repeated = [&list[..], &list[..1]].concat();
    assert_eq!(slip39::combine(&repeated, b"").unwrap().bad, [0, 1, 8]);
    // Without the third group, there are too few groups.
    assert!(matches!(slip39::combine(&list[..5], b"").err(), Some(Slip39Error::Digest)));
}

/// A forger states that a mnemonic of theirs is a whole group, and that one group is enough.
#[test]
fn one_mnemonic_does_not_replace_the_secret() {
    // Our own words have one group, so they leave no room for another.
    let made = slip39::split(&pattern(16), b"", 3, 5).unwrap();
    let words = words_of(&made[4]);
    // The third word begins with the group index, and the fourth ends with the member threshold.
    let forged = changed(&words, &[(2, 1 << 6), (3, 2), (words.len() - 4, 1)]);
    assert!(matches!(Mnemonic::parse(&forged), Err(Slip39Error::GroupIndex { index: 1, count: 1 })));

    let groups = [Group::new(2, 3), Group::new(2, 2)];
    let options = Options::default().with_iteration_exponent(0);
    let made = slip39::split_groups(&pattern(16), b"", 1, &groups, options).unwrap();
    let words = words_of(&made[1][0]);
    let forged = change_words(&words, &[(3, 1), (words.len() - 4, 1)]);
    assert_eq!((forged.group_index(), forged.threshold()), (1, 1));
    let error = slip39::combine(&[&made[0][..], &[forged]].concat(), b"").err();
    assert!(matches!(error, Some(Slip39Error::TwoSecrets { positions: [0, 3] })), "{error:?}");
    // Two mnemonics of a group of which one is enough.
    let alone = |index: usize| change_words(&words, &[(3, 1 | index << 4), (words.len() - 4, index)]);
    let error = slip39::combine(&[alone(0), alone(1)], b"").err();
    assert!(matches!(error, Some(Slip39Error::TwoSecrets { positions: [0, 1] })), "{error:?}");
    // If one group is enough, no digest shows that the group without a forged mnemonic is right.
    let list = [made[0][0].clone(), forge(&words_of(&made[0][1])), made[1][0].clone(), made[1][1].clone()];
    assert!(matches!(slip39::combine(&list, b"").err(), Some(Slip39Error::Digest)));
    assert_eq!(slip39::combine(&list[2..], b"").unwrap().secret[..], pattern(16)[..]);
}

#[test]
fn two_secrets_with_a_right_digest_are_an_error() {
    let made = slip39::split(&pattern(16), b"", 3, 6).unwrap();
    let other = slip39::split(&pattern(18)[2..], b"", 3, 6).unwrap();
    let other = with_identifier(&other, &made[0]);
    for (list, positions) in [
        ([&made[..3], &other[3..]].concat(), [0, 3]),
        ([&other[3..], &made[..3]].concat(), [0, 3]),
        ([&made[..2], &other[3..], &made[2..3]].concat(), [0, 2]),
    ] {
        let error = slip39::combine(&list, b"").err();
        assert!(matches!(error, Some(Slip39Error::TwoSecrets { positions: found }) if found == positions), "{error:?}");
    }
    // Two forged mnemonics are too few for a secret of their own.
    let recovered = slip39::combine(&[&other[3..5], &made[..3]].concat(), b"").unwrap();
    assert_eq!((&recovered.secret[..], &recovered.bad[..]), (&pattern(16)[..], &[0, 1][..]));

    // The same among groups.
    let groups = [Group::new(1, 1); 4];
    let options = Options::default().with_iteration_exponent(0);
    let split = |secret: &[u8]| slip39::split_groups(secret, b"", 2, &groups, options).unwrap().concat();
    let (made, other) = (split(&pattern(16)), split(&pattern(18)[2..]));
    let other = with_identifier(&other[2..], &made[0]);
    let error = slip39::combine(&[&made[..2], &other].concat(), b"").err();
    assert!(matches!(error, Some(Slip39Error::TwoSecrets { positions: [0, 2] })), "{error:?}");
}

#[test]
fn work_has_a_limit() {
    let group = [Group::new(2, 2)];
    let options = Options::default().with_extendable(true).with_iteration_exponent(3);
    let made = slip39::split_groups(&pattern(16), b"", 1, &group, options).unwrap().concat();
    let refused = slip39::combine_with_limit(&made, b"", 2).err();
    assert!(matches!(refused, Some(Slip39Error::TooExpensive { exponent: 3, max: 2 })));
    assert!(refused.unwrap().to_string().contains("80000 iterations"));
    assert_eq!(slip39::combine_with_limit(&made, b"", 3).unwrap().secret[..], pattern(16)[..]);
    assert_eq!(slip39::combine(&made, b"").unwrap().secret[..], pattern(16)[..]);
    // Anyone can make a mnemonic with the largest exponent. It is an error at once.
    let words: Vec<String> = made[0].to_words().split(' ').map(str::to_owned).collect();
    let costly = change_words(&words, &[(1, 3 ^ 15)]);
    let refused = slip39::combine(&[costly], b"").err();
    assert!(matches!(refused, Some(Slip39Error::TooExpensive { exponent: 15, max: slip39::MAX_ITERATION_EXPONENT })));
}

/// Returns a mnemonic with another value and a checksum that fits.
fn forge(words: &[String]) -> Mnemonic {
    change_words(words, &[(words.len() - 4, 1)])
}

/// Changes words, and makes the checksum fit.
fn change_words(words: &[String], changes: &[(usize, usize)]) -> Mnemonic {
    Mnemonic::parse(&changed(words, changes)).unwrap()
}

/// Returns the words with changes, and with a checksum that fits.
fn changed(words: &[String], changes: &[(usize, usize)]) -> String {
    let list: Vec<&str> = include_str!("../../src/foreign/slip39/wordlist.txt").lines().collect();
    let number = |word: &str| list.iter().position(|candidate| *candidate == word).unwrap();
    // The code is linear: the difference is a code word.
    let mut difference = vec![0; words.len()];
    for &(at, change) in changes {
        difference[at] = change;
    }
    let checksum = rs1024::polymod(0, difference.iter().map(|&number| number as u32)) as usize;
    for at in 0..3 {
        difference[words.len() - 3 + at] = checksum >> (10 * (2 - at)) & 1023;
    }
    let forged: Vec<&str> =
        words.iter().zip(&difference).map(|(word, difference)| list[number(word) ^ difference]).collect();
    forged.join(" ")
}

/// Returns the mnemonics with the identifier of `like`.
fn with_identifier(mnemonics: &[Mnemonic], like: &Mnemonic) -> Vec<Mnemonic> {
    let list: Vec<&str> = include_str!("../../src/foreign/slip39/wordlist.txt").lines().collect();
    let number = |word: &str| list.iter().position(|candidate| *candidate == word).unwrap();
    let like = words_of(like);
    let change = |mnemonic: &Mnemonic| {
        let words = words_of(mnemonic);
        let changes = [0, 1].map(|at| (at, number(&words[at]) ^ number(&like[at])));
        change_words(&words, &changes)
    };
    mnemonics.iter().map(change).collect()
}

fn words_of(mnemonic: &Mnemonic) -> Vec<String> {
    mnemonic.to_words().split(' ').map(str::to_owned).collect()
}

#[test]
fn a_wrong_word_is_located() {
    let words = slip39::split(&pattern(32), b"", 2, 2).unwrap()[0].to_words();
    let list: Vec<&str> = words.split(' ').collect();
    for at in 0..list.len() {
        let mut changed = list.clone();
        changed[at] = if changed[at] == "academic" { "acid" } else { "academic" };
        match Mnemonic::parse(&changed.join(" ")) {
            Err(Slip39Error::Checksum { suspect }) => {
                // The second word has the extendable flag, which selects the kind of checksum, so
                // an error there may not be located.
                assert!(suspect == Some(at + 1) || at == 1, "{at}: {suspect:?}");
            }
            other => panic!("{other:?}"),
        }
        changed[at] = "sealane";
        let error = Mnemonic::parse(&changed.join(" ")).err();
        assert!(matches!(error, Some(Slip39Error::UnknownWord { position }) if position == at + 1));
    }
    assert!(matches!(
        Mnemonic::parse(&list[1..].join(" ")),
        Err(Slip39Error::WordCount(32) | Slip39Error::Checksum { .. })
    ));
    assert!(matches!(Mnemonic::parse(""), Err(Slip39Error::WordCount(0))));
    assert_eq!(*Mnemonic::parse(&words.to_ascii_uppercase()).unwrap().to_words(), *words);
}

#[test]
fn refuses() {
    let split = |secret: &[u8], passphrase: &[u8], k, n| slip39::split(secret, passphrase, k, n).err();
    for length in [0, 14, 17, 33] {
        assert!(matches!(split(&pattern(length), b"", 2, 3), Some(Slip39Error::SecretBytes(found)) if found == length));
    }
    for (k, n) in [(0, 1), (0, 0), (1, 2), (3, 2), (2, 17)] {
        assert!(matches!(split(&pattern(16), b"", k, n), Some(Slip39Error::Counts { .. })), "{k} of {n}");
    }
    assert!(matches!(split(&pattern(16), "ü".as_bytes(), 2, 3), Some(Slip39Error::Passphrase)));
    let options = Options::default().with_extendable(true).with_iteration_exponent(16);
    let group = [Group::new(2, 2)];
    let error = slip39::split_groups(&pattern(16), b"", 1, &group, options).err();
    assert!(matches!(error, Some(Slip39Error::IterationExponent)));
    let error = slip39::split_groups(&pattern(16), b"", 2, &group, Options::default()).err();
    assert!(matches!(error, Some(Slip39Error::GroupCounts { threshold: 2, count: 1 })));
}

proptest! {
    #[test]
    fn any_words(text in ".{0,200}", words in proptest::collection::vec("(academic|acid|zero|leaf|tricycle|x)", 0..70)) {
        let _ = Mnemonic::parse(&text);
        let _ = Mnemonic::parse(&words.join(" "));
    }
}
