//! Damage is noticed, and nothing panics.

use proptest::prelude::*;
use sealane_shares::{MAX_TEXT_PAYLOAD_BYTES, Share, ShareError, TextError, split};

use crate::support::shares;

#[test]
fn every_changed_byte_of_a_binary_share_is_noticed() {
    let share = &shares(2, 3)[0];
    for at in 0..share.as_bytes().len() {
        for change in 1..=255 {
            let mut bytes = share.as_bytes().to_vec();
            bytes[at] ^= change;
            assert!(Share::from_bytes(&bytes).is_err(), "byte {at} changed by {change}");
        }
    }
}

#[test]
fn every_truncation_and_extension_is_noticed() {
    let share = &shares(2, 3)[0];
    let bytes = share.as_bytes();
    for length in 0..bytes.len() {
        assert!(Share::from_bytes(&bytes[..length]).is_err());
    }
    assert!(Share::from_bytes(&[bytes, &[0]].concat()).is_err());
}

#[test]
fn every_changed_character_of_a_text_share_is_noticed_and_located() {
    let text = shares(2, 3)[0].to_text().unwrap();
    for at in 0..text.len() {
        for letter in ('0'..='9').chain('A'..='Z').chain('a'..='z').chain(['-', ' ', 'é']) {
            let mut characters: Vec<char> = text.chars().collect();
            // White space at the end is not part of the share.
            if characters[at] == letter || (at + 1 == text.len() && letter == ' ') {
                continue;
            }
            characters[at] = letter;
            let changed: String = characters.into_iter().collect();
            let error = Share::from_text(&changed).expect_err(&changed);
            let ShareError::Text(error) = error else { panic!("{error}") };
            match error {
                TextError::Prefix => assert!(at < 15),
                TextError::MixedCase { position } => assert!(position == at + 1 || at == 0, "{at}: {position}"),
                TextError::Character { position } => assert_eq!(position, at + 1),
                TextError::Checksum { suspect } => assert_eq!(suspect, Some(at + 1)),
                other => panic!("{other}"),
            }
        }
    }
}

#[test]
fn the_longest_text() {
    let shares = split(&vec![7; MAX_TEXT_PAYLOAD_BYTES], 2, 2).unwrap();
    let text = shares[0].to_text().unwrap();
    assert!(text.len() < 4096);
    assert_eq!(Share::from_text(&text).unwrap(), shares[0]);
    // In a text that is longer than the code's period, damage is found but not located.
    for at in (15..text.len()).step_by(97) {
        let mut changed = text.to_string().into_bytes();
        changed[at] = if changed[at] == b'Q' { b'P' } else { b'Q' };
        let changed = String::from_utf8(changed).unwrap();
        assert!(Share::from_text(&changed).is_err());
    }
    let too_long = split(&vec![7; MAX_TEXT_PAYLOAD_BYTES + 1], 2, 2).unwrap();
    assert!(matches!(too_long[0].to_text(), Err(ShareError::TooLarge)));
}

#[test]
fn case() {
    let share = &shares(2, 3)[1];
    let text = share.to_text().unwrap();
    assert_eq!(*text, text.to_ascii_uppercase());
    assert_eq!(&Share::from_text(&text.to_ascii_lowercase()).unwrap(), share);
    assert_eq!(&Share::from_text(&format!("  {}\n", &*text)).unwrap(), share);
    let mut mixed = text.to_string();
    let at = mixed.rfind(|c: char| c.is_ascii_alphabetic()).unwrap();
    let lower = mixed[at..=at].to_ascii_lowercase();
    mixed.replace_range(at..=at, &lower);
    let error = Share::from_text(&mixed);
    assert!(matches!(error, Err(ShareError::Text(TextError::MixedCase { position })) if position == at + 1));
}

proptest! {
    #[test]
    fn any_bytes(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
        prop_assert!(Share::from_bytes(&bytes).is_err());
        let with_magic = [&sealane_shares::MAGIC[..], &[1, 1, 0, 8], &bytes].concat();
        prop_assert!(Share::from_bytes(&with_magic).is_err());
    }

    #[test]
    fn any_text(text in ".{0,300}") {
        prop_assert!(Share::from_text(&text).is_err());
        let with_prefix = format!("SEALANE-SHARE-1{text}");
        prop_assert!(Share::from_text(&with_prefix).is_err());
    }

    #[test]
    fn any_digits(text in "[qpzry9x8gf2tvdw0s3jn54khce6mua7l]{0,300}") {
        let with_prefix = format!("sealane-share-1{text}");
        prop_assert!(Share::from_text(&with_prefix).is_err());
    }

    #[test]
    fn round_trip(secret in proptest::collection::vec(any::<u8>(), 0..300), k in 2usize..6, spare in 0usize..4) {
        let shares = split(&secret, k, k + spare).unwrap();
        for share in &shares {
            prop_assert_eq!(&Share::from_bytes(share.as_bytes()).unwrap(), share);
            prop_assert_eq!(&Share::from_text(&share.to_text().unwrap()).unwrap(), share);
        }
        let recovered = sealane_shares::combine(&shares[spare..]).unwrap();
        prop_assert_eq!(&recovered.secret[..], &secret[..]);
    }
}
