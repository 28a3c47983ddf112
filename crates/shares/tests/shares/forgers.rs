//! Finds forged shares among many, in bounded time.

use std::io::Cursor;
use std::time::{Duration, Instant};

use proptest::prelude::*;
use sealane_shares::{
    CombineError, Fault, Field, Header, Points, SetId, Share, ShareReader, combine, combine_seek, combine_to, split,
};

use crate::hostile::make;
use crate::support::{SECRET, forge, forge_payload, pattern, readers, shares};

/// Forges the shares at the positions `forged`. In each of them, one byte of the payload is
/// changed, at a different place.
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
    // This takes a fraction of a second. A search without bounds would take minutes.
    assert!(start.elapsed() < Duration::from_secs(30), "{:?}", start.elapsed());
}

#[test]
fn few_forged_shares_among_many() {
    for (threshold, count, forged) in [
        (2, 255, &[0, 100, 254][..]),
        (3, 20, &[0, 1, 5, 6, 10, 15, 19]),
        (2, 60, &[3, 4, 5, 6]),
        (100, 255, &[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 200]),
        // More shares are forged than half of those beyond the threshold. They are found because
        // they are forged at different positions.
        (3, 13, &[0, 3, 6, 9, 12]),
        (3, 13, &[0, 1, 3, 5, 6, 9, 11, 12]),
    ] {
        let list = forge_some(&shares(threshold, count), forged);
        names_them(&list, forged, SECRET);
    }
}

#[test]
fn all_forgeries_at_one_position() {
    let all = shares(3, 20);
    let forged = [1, 2, 3, 4, 5, 6, 7, 8];
    let mut list = all.clone();
    for at in forged {
        list[at] = forge(&all[at], |bytes| bytes[80] ^= 0x35 ^ (at as u8 * 11));
    }
    names_them(&list, &forged, SECRET);
    // From streams, forged shares are named if they are at most half of those beyond the threshold.
    let Err(CombineError::Bad(bad)) = combine_to(readers(&list), Vec::new()) else { panic!() };
    assert_eq!(bad.iter().map(|bad| bad.position).collect::<Vec<_>>(), forged);
    // If forgers are the majority, the search finds them.
    let forged: Vec<usize> = (4..20).collect();
    for &at in &forged {
        list[at] = forge(&all[at], |bytes| bytes[80] ^= 0x35 ^ (at as u8 * 11));
    }
    list[..4].clone_from_slice(&all[..4]);
    names_them(&list, &forged, SECRET);
}

#[test]
fn forgers_that_agree_with_each_other() {
    // The forgeries are shares of another secret, with the headers and the commitment of the first.
    // They lie on a polynomial of their own.
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
fn correct_and_wrong_versions_of_a_share() {
    let all = shares(3, 9);
    let wrong = forge_some(&all, &[1, 4]);
    // The wrong shares come first, and right ones are repeated.
    let list = [&wrong[..], &[all[4].clone(), all[1].clone(), all[8].clone()]].concat();
    let recovered = combine(&list).unwrap();
    assert_eq!(&recovered.secret[..], SECRET);
    let named: Vec<usize> = recovered.report.bad.iter().map(|bad| bad.position).collect();
    assert_eq!(named, [1, 4]);
    assert_eq!(recovered.report.used, [0, 2, 3, 5, 6, 7, 8, 9, 10]);
    assert_eq!(recovered.report.repeated, [[11, 8]]);
}

#[test]
fn the_search_gives_up_after_its_limit() {
    // Three of sixty are honest, and no others agree with each other.
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

/// Two forgers know the commitment. They hide the two honest shares among many with the same
/// commitment, and give more shares of another secret.
#[test]
fn a_second_secret_that_was_not_searched_to_the_end_is_an_error() {
    let all = shares(2, 125);
    let random = |at: usize| {
        forge(&all[at], |bytes| {
            for (place, byte) in bytes[70..70 + SECRET.len()].iter_mut().enumerate() {
                *byte ^= pattern(20_000)[at * 97 + place * 31];
            }
        })
    };
    let hidden: Vec<Share> = (63..123).map(random).collect();
    let other = foreign(&all)[..63].to_vec();
    let list = [&other[..], &hidden, &all[123..]].concat();
    let error = combine(&list).err();
    assert!(matches!(error, Some(CombineError::GaveUp)), "{error:?}");
    // With fewer of them, the search finds both secrets.
    let list = [&other[..], &hidden[..20], &all[123..]].concat();
    assert!(matches!(combine(&list).err(), Some(CombineError::TwoSecrets { positions: [0, _] })));
}

#[test]
fn forged_elements() {
    for bits in Field::ELEMENT_BITS {
        // The constant polynomial has a degree below 3, as the threshold of 3 requires, so all
        // shares are equal to the secret. The blinding value is zero.
        let field = Field::Element { bits, points: Points::Compact };
        let value = pattern(field.element_len());
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

/// Returns readers of the shares. Those with the same number come from one source.
fn from(shares: &[(usize, &Share)]) -> Vec<ShareReader<Cursor<Vec<u8>>>> {
    let reader = |&(source, share): &(usize, &Share)| {
        ShareReader::new(Cursor::new(share.as_bytes().to_vec())).unwrap().from_source(source)
    };
    shares.iter().map(reader).collect()
}

/// Returns shares of another secret with the headers of these. One forger can make any number of
/// them.
fn foreign(all: &[Share]) -> Vec<Share> {
    foreign_of(all, b"another secret")
}

/// Returns shares of this secret with the headers of the given ones.
pub(crate) fn foreign_of(all: &[Share], secret: &[u8]) -> Vec<Share> {
    let other = split(secret, all[0].header().threshold().into(), all.len()).unwrap();
    let swap = |(own, other): (&Share, &Share)| {
        let bytes = make(own.header(), &other.as_bytes()[34..66], other.payload(), *other.commitment());
        Share::from_bytes(&bytes).unwrap()
    };
    all.iter().zip(&other).map(swap).collect()
}

#[test]
fn one_place_never_outvotes_others() {
    let all = shares(3, 5);
    let forged = foreign(&all);
    // Two holders give one share each. The file of a third has three shares of another secret, with
    // right headers.
    let list = [(0, &all[0]), (1, &all[1]), (2, &forged[2]), (2, &forged[3]), (2, &forged[4])];
    let mut output = Vec::new();
    let error = combine_seek(from(&list), &mut output).err();
    assert!(
        matches!(&error, Some(CombineError::FewSources { positions, .. }) if positions[..] == [2, 3, 4]),
        "{error:?}"
    );
    let error = combine_to(from(&list), Vec::new()).err();
    assert!(matches!(error, Some(CombineError::Inconsistent)), "{error:?}");

    // With a third honest holder, the honest shares are preferred, although there are more forged
    // ones.
    let list =
        [(2, &forged[1]), (2, &forged[2]), (2, &forged[3]), (2, &forged[4]), (0, &all[0]), (1, &all[1]), (3, &all[2])];
    let report = combine_seek(from(&list), &mut output).unwrap();
    assert_eq!(output, SECRET);
    assert_eq!(report.used, [4, 5, 6]);
    assert_eq!(report.bad.iter().map(|bad| bad.position).collect::<Vec<_>>(), [0, 1, 2, 3]);

    // All shares come from one source, and no share contradicts another.
    let list = [(7, &all[0]), (7, &all[1]), (7, &all[2])];
    output.clear();
    combine_seek(from(&list), &mut output).unwrap();
    assert_eq!(output, SECRET);
}

#[test]
fn one_place_does_not_replace_damaged_shares() {
    let all = shares(3, 5);
    let forged = foreign(&all);
    let damaged = |source: usize, share: &Share| {
        let mut bytes = share.as_bytes().to_vec();
        *bytes.last_mut().unwrap() ^= 1;
        ShareReader::new(Cursor::new(bytes)).unwrap().from_source(source)
    };
    let hostile = [(2, &forged[2]), (2, &forged[3]), (2, &forged[4])];
    let with_damaged = |others: &[(usize, &Share)]| {
        [vec![damaged(0, &all[0]), damaged(1, &all[1])], from(others)].into_iter().flatten().collect::<Vec<_>>()
    };
    let mut output = Vec::new();
    let error = combine_seek(with_damaged(&hostile), &mut output).err();
    let Some(CombineError::FewSources { positions, bad }) = error else { panic!("{error:?}") };
    assert_eq!((positions, bad.len()), (vec![2, 3, 4], 2));

    // A share that contradicts the others and has their commitment changes nothing.
    let wrong = forge_payload(&forged[1]);
    let error = combine_seek(with_damaged(&[&hostile[..], &[(2, &wrong)]].concat()), &mut output).err();
    let Some(CombineError::FewSources { positions, bad }) = error else { panic!("{error:?}") };
    assert_eq!((positions, bad.len()), (vec![2, 3, 4, 5], 2));

    // Three sources prevail, and a repetition supports the share that it repeats.
    let several = [(2, &all[2]), (2, &all[3]), (2, &all[4]), (3, &all[3]), (4, &all[4])];
    output.clear();
    let report = combine_seek(with_damaged(&several), &mut output).unwrap();
    assert_eq!((&output[..], report.bad.len()), (SECRET, 2));

    // A source with good shares may have damaged ones too.
    let mut alone = from(&[(7, &all[0]), (7, &all[1]), (7, &all[2])]);
    alone.push(damaged(7, &all[3]));
    output.clear();
    combine_seek(alone, &mut output).unwrap();
    assert_eq!(output, SECRET);
}

#[test]
fn two_secrets_with_enough_shares_each_are_an_error() {
    let all = shares(2, 5);
    let forged = foreign(&all);
    let list = [forged[0].clone(), all[1].clone(), forged[2].clone(), all[3].clone(), forged[4].clone()];
    let error = combine(&list).err();
    assert!(matches!(error, Some(CombineError::TwoSecrets { positions: [0, 1] })), "{error:?}");
    // A single forged share is not enough for a second secret.
    assert_eq!(&combine(&list[1..4]).unwrap().secret[..], SECRET);
}

#[test]
fn no_set_is_preferred_to_another() {
    let (all, other) = (shares(3, 5), shares(2, 3));
    // Only one secret has enough sources, in either order. In the last case, neither has enough.
    for (list, expected) in [
        (vec![&other[0], &all[0], &all[1], &all[2], &all[2]], vec![vec![0], vec![1, 2, 3, 4]]),
        (vec![&all[0], &all[1], &other[0], &other[1]], vec![vec![0, 1], vec![2, 3]]),
        (vec![&all[0], &other[0]], vec![vec![0], vec![1]]),
    ] {
        let list: Vec<Share> = list.into_iter().cloned().collect();
        let Some(CombineError::DifferentSets { sets }) = combine(&list).err() else { panic!() };
        assert_eq!(sets.iter().map(|set| set.positions.clone()).collect::<Vec<_>>(), expected);
        let mut output = Vec::new();
        assert!(matches!(combine_to(readers(&list), &mut output).err(), Some(CombineError::DifferentSets { .. })));
        assert!(output.is_empty());
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    /// Any forged shares are named if there are enough honest ones.
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
