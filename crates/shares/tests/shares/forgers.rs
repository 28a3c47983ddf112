//! Many shares, some of them forged: who is named, and how long that takes.

use std::time::{Duration, Instant};

use proptest::prelude::*;
use sealane_shares::{CombineError, Fault, Field, Header, Points, SetId, Share, combine, combine_to, split};

use crate::hostile::make;
use crate::support::{SECRET, forge, pattern, readers, shares};

/// Forges these by changing one byte of each payload, another one at another place each.
fn forge_some(all: &[Share], forged: &[usize]) -> Vec<Share> {
    let mut list = all.to_vec();
    for (number, &at) in forged.iter().enumerate() {
        list[at] = forge(&all[at], |bytes| {
            let place = 70 + number % all[at].payload().len();
            bytes[place] ^= 1 + number as u8;
        });
    }
    list
}

fn names_them(list: &[Share], forged: &[usize], secret: &[u8]) {
    let start = Instant::now();
    let recovered = combine(list).unwrap();
    assert_eq!(&recovered.secret[..], secret);
    let named: Vec<usize> = recovered.report.bad.iter().map(|bad| bad.position).collect();
    assert_eq!(named, forged);
    assert!(recovered.report.bad.iter().all(|bad| matches!(bad.fault, Fault::Forged)));
    assert_eq!(recovered.report.used.len() + forged.len(), list.len());
    // It used to be minutes, and is a fraction of a second.
    assert!(start.elapsed() < Duration::from_secs(30), "{:?}", start.elapsed());
}

#[test]
fn few_among_many() {
    for (threshold, count, forged) in [
        (2, 255, &[0, 100, 254][..]),
        (3, 20, &[0, 1, 5, 6, 10, 15, 19]),
        (2, 60, &[3, 4, 5, 6]),
        (100, 255, &[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 200]),
        // Half of what is beyond the threshold, and, since they lie at different places, more than that.
        (3, 13, &[0, 3, 6, 9, 12]),
        (3, 13, &[0, 1, 3, 5, 6, 9, 11, 12]),
    ] {
        let list = forge_some(&shares(threshold, count), forged);
        names_them(&list, forged, SECRET);
    }
}

#[test]
fn all_at_one_place() {
    let all = shares(3, 20);
    let forged = [1, 2, 3, 4, 5, 6, 7, 8];
    let mut list = all.clone();
    for at in forged {
        list[at] = forge(&all[at], |bytes| bytes[80] ^= 0x35 ^ (at as u8 * 11));
    }
    names_them(&list, &forged, SECRET);
    // As a stream: named if they are a minority of what is beyond the threshold.
    let Err(CombineError::Bad(bad)) = combine_to(readers(&list), Vec::new()) else { panic!() };
    assert_eq!(bad.iter().map(|bad| bad.position).collect::<Vec<_>>(), forged);
    // With a majority of forgers, by trying.
    let forged: Vec<usize> = (4..20).collect();
    for &at in &forged {
        list[at] = forge(&all[at], |bytes| bytes[80] ^= 0x35 ^ (at as u8 * 11));
    }
    list[..4].clone_from_slice(&all[..4]);
    names_them(&list, &forged, SECRET);
}

#[test]
fn forgers_that_agree_with_each_other() {
    // Shares of another secret with the headers and the commitment of the first: a polynomial of their own.
    let (all, other) = (shares(3, 12), split(&pattern(SECRET.len()), 3, 12).unwrap());
    let swap = |at: usize| {
        let commitment = *all[0].commitment();
        let body = &other[at].as_bytes()[70..70 + SECRET.len()];
        make(all[at].header(), &other[at].as_bytes()[34..66], body, commitment)
    };
    for forged in [&[0, 1, 2, 3][..], &[0, 1, 2, 3, 4, 5, 6, 7], &[3, 4, 5, 6, 7, 8, 9, 10, 11]] {
        let mut list = all.clone();
        for &at in forged {
            list[at] = Share::from_bytes(&swap(at)).unwrap();
        }
        names_them(&list, forged, SECRET);
    }
}

#[test]
fn right_and_wrong_versions_of_a_share() {
    let all = shares(3, 9);
    let wrong = forge_some(&all, &[1, 4]);
    // The wrong ones first, and right ones a second time.
    let list = [&wrong[..], &[all[4].clone(), all[1].clone(), all[8].clone()]].concat();
    let recovered = combine(&list).unwrap();
    assert_eq!(&recovered.secret[..], SECRET);
    let named: Vec<usize> = recovered.report.bad.iter().map(|bad| bad.position).collect();
    assert_eq!(named, [1, 4]);
    assert_eq!(recovered.report.used, [0, 2, 3, 5, 6, 7, 8, 9, 10]);
    assert_eq!(recovered.report.repeated, [[11, 8]]);
}

#[test]
fn more_choices_than_are_tried() {
    // Three honest of sixty, and nobody else agrees with anybody.
    let all = shares(3, 60);
    let list: Vec<Share> = all
        .iter()
        .enumerate()
        .map(|(at, share)| {
            if at >= 57 {
                return share.clone();
            }
            forge(share, |bytes| {
                for (place, byte) in bytes[70..70 + SECRET.len()].iter_mut().enumerate() {
                    *byte ^= pattern(10_000)[at * 97 + place * 31];
                }
            })
        })
        .collect();
    assert!(matches!(combine(&list).err(), Some(CombineError::GaveUp)));
}

#[test]
fn forged_elements() {
    for bits in Field::ELEMENT_BITS {
        // A polynomial of degree 0 is one of degree below 3, too: all shares are the secret. The blinding value is zero.
        let field = Field::Element { bits, points: Points::Compact };
        let value = pattern(field.element_bytes());
        let mut message = b"sealane.share.v1.commitment\x02".to_vec();
        message.extend(bits.to_be_bytes());
        message.extend(3u16.to_be_bytes());
        message.extend(&value);
        let commitment = {
            use hmac::{Hmac, KeyInit, Mac};
            let mut hmac = Hmac::<sha2::Sha256>::new_from_slice(&[0; 32]).unwrap();
            hmac.update(&message);
            hmac.finalize().into_bytes().into()
        };
        let forged = [0, 1, 5];
        let share = |at: usize| {
            let header = Header::new(SetId([1; 16]), field, 3, 9, at as u16 + 1).unwrap();
            let mut value = value.clone();
            if forged.contains(&at) {
                value[0] ^= 1 + at as u8;
            }
            Share::from_bytes(&make(&header, &[], &value, commitment)).unwrap()
        };
        let list: Vec<Share> = (0..9).map(share).collect();
        names_them(&list, &forged, &value);
    }
}

#[test]
fn shares_of_another_set_are_left_out() {
    let (all, other) = (shares(3, 5), shares(2, 3));
    let again = shares(3, 5);
    let list = [
        other[0].clone(),
        all[0].clone(),
        again[1].clone(),
        all[2].clone(),
        all[2].clone(),
        all[4].clone(),
        again[2].clone(),
    ];
    let recovered = combine(&list).unwrap();
    assert_eq!(&recovered.secret[..], SECRET);
    assert_eq!(recovered.report.used, [1, 3, 5]);
    assert_eq!(recovered.report.repeated, [[4, 3]]);
    let named: Vec<usize> = recovered.report.bad.iter().map(|bad| bad.position).collect();
    assert_eq!(named, [0, 2, 6]);
    assert!(recovered.report.bad.iter().all(|bad| matches!(bad.fault, Fault::OtherSet)));
    let mut output = Vec::new();
    assert_eq!(combine_to(readers(&list), &mut output).unwrap().bad.len(), 3);
    assert_eq!(output, SECRET);

    // One of them forged, and one of another set before it: places are those of the list.
    let list = [&[other[0].clone()], &forge_some(&all, &[3])[..]].concat();
    let recovered = combine(&list).unwrap();
    let faults: Vec<(usize, bool)> =
        recovered.report.bad.iter().map(|bad| (bad.position, matches!(bad.fault, Fault::OtherSet))).collect();
    assert_eq!(faults, [(0, true), (4, false)]);

    // Two sets with enough of each; none with enough.
    let both = combine(&[&all[..], &other[..]].concat());
    assert!(matches!(both.err(), Some(CombineError::DifferentSets { positions: [0, 5], .. })));
    let neither = combine(&[other[0].clone(), all[0].clone(), all[1].clone()]);
    // The odd one is the second.
    assert!(matches!(neither.err(), Some(CombineError::DifferentSets { positions: [1, 0], .. })));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    /// Whoever is forged, and wherever: with enough honest shares they are named.
    #[test]
    fn any_forgers(
        (threshold, count, forged) in (2usize..=4, 4usize..=9).prop_flat_map(|(threshold, count)| {
            let all: Vec<usize> = (0..count).collect();
            (Just(threshold), Just(count), prop::sample::subsequence(all, 0..count.saturating_sub(threshold).max(1)))
        }),
        changes in prop::collection::vec((0usize..SECRET.len(), 1u8..=255), 9),
    ) {
        prop_assume!(threshold < count);
        let all = shares(threshold, count);
        let mut list = all.clone();
        for (&at, &(place, change)) in forged.iter().zip(&changes) {
            list[at] = forge(&all[at], |bytes| bytes[70 + place] ^= change);
        }
        names_them(&list, &forged, SECRET);
    }
}
