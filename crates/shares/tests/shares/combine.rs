//! Splitting and combining.

use std::io::{Cursor, Read, Seek, SeekFrom, Write};

use sealane_shares::{
    CombineError, Fault, ParameterError, Share, ShareError, ShareReader, Split, SplitError, combine, combine_seek,
    combine_to, split,
};

use crate::support::{SECRET, Trickle, forge, forge_payload, pattern, readers, shares};

/// Returns the elements whose bits are set in a mask.
fn subset<T: Clone>(all: &[T], mask: usize) -> Vec<T> {
    all.iter().enumerate().filter(|(at, _)| mask >> at & 1 == 1).map(|(_, item)| item.clone()).collect()
}

#[test]
fn every_choice_of_enough_shares_gives_the_secret() {
    for (threshold, count) in [(2, 2), (2, 3), (3, 5), (5, 5), (4, 6)] {
        let all = shares(threshold, count);
        for mask in 0..1usize << count {
            let some = subset(&all, mask);
            match combine(&some) {
                Ok(recovered) => {
                    assert!(some.len() >= threshold);
                    assert_eq!(&recovered.secret[..], SECRET);
                    assert_eq!(recovered.report.used.len(), some.len());
                    assert_eq!(recovered.report.length, SECRET.len() as u64);
                }
                Err(CombineError::NoShares) => assert!(some.is_empty()),
                Err(CombineError::TooFew { needed, usable, .. }) => {
                    assert!(some.len() < threshold);
                    assert_eq!((needed, usable), (threshold, some.len()));
                }
                Err(error) => panic!("{error}"),
            }
        }
    }
}

#[test]
fn as_many_shares_as_the_field_has_points() {
    let all = split(b"x", 255, 255).unwrap();
    assert_eq!(&combine(&all).unwrap().secret[..], b"x");
    assert!(matches!(combine(&all[1..]), Err(CombineError::TooFew { needed: 255, usable: 254, .. })));
}

#[test]
fn impossible_parameters_are_errors() {
    let error = |threshold, count| match split(b"x", threshold, count) {
        Err(SplitError::Parameter(error)) => error,
        other => panic!("{other:?}"),
    };
    assert_eq!(error(0, 5), ParameterError::ThresholdZero);
    assert_eq!(error(1, 5), ParameterError::ThresholdOne);
    assert_eq!(error(6, 5), ParameterError::ThresholdOverCount { threshold: 6, count: 5 });
    assert_eq!(error(2, 256), ParameterError::Count { count: 256, max: 255 });
    assert!(matches!(error(2, usize::MAX), ParameterError::Count { .. }));
    assert!(matches!(error(usize::MAX, 2), ParameterError::ThresholdOverCount { .. }));
    let outputs = Split::new(2, 3).unwrap().write_to(vec![Vec::new()]);
    assert!(matches!(outputs.err(), Some(SplitError::Outputs { outputs: 1, count: 3 })));
}

#[test]
fn secrets_of_all_lengths_through_streams() {
    for length in [0, 1, 31, 32, 65_535, 65_536, 65_537, 200_000] {
        let secret = pattern(length);
        for piece in [1_000, 65_536, 70_000, 300_000] {
            let mut writer = Split::new(2, 3).unwrap().write_to(vec![Vec::new(); 3]).unwrap();
            for piece in secret.chunks(piece) {
                writer.write_all(piece).unwrap();
            }
            let files = writer.finish().unwrap();
            let readers = files.iter().map(|file| ShareReader::new(Trickle(&file[..], 999)).unwrap()).collect();
            let mut output = Vec::new();
            let report = combine_to(readers, &mut output).unwrap();
            assert!(output == secret, "{length} in pieces of {piece}");
            assert_eq!(report.length, length as u64);
            assert_eq!(report.used, [0, 1, 2]);
        }
    }
}

#[test]
fn a_writer_that_failed_accepts_no_more() {
    struct Full;
    impl Write for Full {
        fn write(&mut self, data: &[u8]) -> std::io::Result<usize> {
            // There is room for headers only.
            if data.len() < 1000 { Ok(data.len()) } else { Err(std::io::ErrorKind::StorageFull.into()) }
        }

        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }
    for pieces in [&[65_536][..], &[65_535, 1]] {
        let mut writer = Split::new(2, 2).unwrap().write_to(vec![Full, Full]).unwrap();
        let (last, first) = pieces.split_last().unwrap();
        first.iter().for_each(|&length| writer.write_all(&pattern(length)).unwrap());
        assert_eq!(writer.write_all(&pattern(*last)).unwrap_err().kind(), std::io::ErrorKind::StorageFull);
        assert!(writer.write(b"x").is_err() && writer.write(&pattern(100_000)).is_err());
        assert!(writer.finish().is_err());
    }
}

#[test]
fn a_repeated_share_is_ignored() {
    let all = shares(2, 3);
    let recovered = combine(&[all[1].clone(), all[1].clone(), all[2].clone(), all[1].clone()]).unwrap();
    assert_eq!(&recovered.secret[..], SECRET);
    assert_eq!(recovered.report.used, [0, 2]);
    assert_eq!(recovered.report.repeated, [[1, 0], [3, 0]]);
    let twice = combine(&[all[1].clone(), all[1].clone()]);
    assert!(matches!(twice.err(), Some(CombineError::TooFew { needed: 2, usable: 1, .. })));
}

#[test]
fn shares_of_different_sets_do_not_combine() {
    let (a, b) = (shares(2, 3), shares(2, 3));
    let mixed = combine(&[a[0].clone(), b[1].clone()]);
    let Some(CombineError::DifferentSets { sets }) = mixed.err() else { panic!() };
    let found: Vec<_> = sets.iter().map(|set| (set.set, &set.positions[..])).collect();
    assert_eq!(found, [(a[0].header().set(), &[0][..]), (b[0].header().set(), &[1])]);
}

#[test]
fn shares_that_say_different_things_do_not_combine() {
    let all = shares(2, 3);
    // Forges the threshold in the header, and makes the header's checksum fit.
    let other = forge(&all[1], |bytes| {
        bytes[13] = 3;
        let checksum = sealane::Poly1305::mac(&crate::support::checksum_key(), &bytes[..66]);
        bytes[66..70].copy_from_slice(&checksum[..4]);
    });
    let mixed = combine(&[all[0].clone(), other.clone()]);
    let Some(CombineError::DifferentParameters { sets }) = mixed.err() else { panic!() };
    let found: Vec<_> = sets.iter().map(|set| (set.threshold, set.count, &set.positions[..])).collect();
    assert_eq!(found, [(2, 3, &[0][..]), (3, 3, &[1])]);
    // The other shares would be enough, but nothing shows that they are the right ones.
    let mixed = combine(&[other, all[0].clone(), all[2].clone()]);
    assert!(matches!(mixed.err(), Some(CombineError::DifferentParameters { .. })));
}

#[test]
fn a_forged_share_among_just_enough_is_noticed() {
    let all = shares(3, 5);
    let forged = [all[0].clone(), forge_payload(&all[1]), all[2].clone()];
    assert!(matches!(combine(&forged).err(), Some(CombineError::NotAuthentic)));
    assert!(matches!(combine_to(readers(&forged), Vec::new()).err(), Some(CombineError::NotAuthentic)));
}

#[test]
fn a_forged_blinding_value_is_noticed() {
    let all = shares(2, 3);
    let forged = forge(&all[1], |bytes| {
        bytes[34] ^= 1;
        let checksum = sealane::Poly1305::mac(&crate::support::checksum_key(), &bytes[..66]);
        bytes[66..70].copy_from_slice(&checksum[..4]);
    });
    assert!(matches!(combine(&[all[0].clone(), forged.clone()]).err(), Some(CombineError::NotAuthentic)));
    let recovered = combine(&[forged, all[0].clone(), all[2].clone()]).unwrap();
    assert_eq!(recovered.report.bad[0].position, 0);
}

#[test]
fn forged_shares_are_named_with_one_to_spare() {
    let all = shares(3, 7);
    for (good, forged) in [(3, 1), (3, 2), (3, 4), (4, 1), (4, 3), (5, 2)] {
        for rotation in 0..7 {
            let mut some: Vec<(Share, bool)> = Vec::new();
            for (at, share) in all.iter().enumerate().take(good + forged) {
                let bad = at >= good;
                some.push((if bad { forge_payload(share) } else { share.clone() }, bad));
            }
            some.rotate_left(rotation % (good + forged));
            let list: Vec<Share> = some.iter().map(|(share, _)| share.clone()).collect();
            // Each forgery differs: k shares with the same change would be valid shares of another
            // secret.
            let recovered = combine(&list).unwrap();
            assert_eq!(&recovered.secret[..], SECRET);
            let named: Vec<usize> = recovered.report.bad.iter().map(|bad| bad.position).collect();
            let expected: Vec<usize> = (0..some.len()).filter(|&at| some[at].1).collect();
            assert_eq!(named, expected, "{good} good, {forged} forged");
            assert!(recovered.report.bad.iter().all(|bad| matches!(bad.fault, Fault::Forged)));
        }
    }
}

#[test]
fn a_forged_commitment_is_named() {
    let all = shares(2, 3);
    let forged = forge(&all[0], |bytes| {
        let at = bytes.len() - 1;
        bytes[at] ^= 1;
    });
    let recovered = combine(&[forged.clone(), all[1].clone(), all[2].clone()]).unwrap();
    assert_eq!(recovered.report.bad.len(), 1);
    assert_eq!(recovered.report.bad[0].position, 0);
    let error = combine(&[forged, all[1].clone()]).err();
    assert!(matches!(error, Some(CombineError::Inconsistent)), "{error:?}");
}

#[test]
fn a_repetition_with_a_forged_commitment_is_named() {
    let all = shares(2, 3);
    let forged = forge(&all[0], |bytes| *bytes.last_mut().unwrap() ^= 1);
    // The order does not matter.
    for (list, wrong) in [([&all[0], &forged, &all[1], &all[0]], 1), ([&forged, &all[0], &all[1], &all[0]], 0)] {
        let list = list.map(Clone::clone);
        let report = combine(&list).unwrap().report;
        assert_eq!(report.bad.iter().map(|bad| bad.position).collect::<Vec<_>>(), [wrong]);
        assert!(matches!(report.bad[0].fault, Fault::Forged));
        assert_eq!((report.used, report.repeated), (vec![1 - wrong, 2], vec![[3, 1 - wrong]]));
        // From streams, nothing shows which of the two is right.
        assert!(matches!(combine_to(readers(&list), Vec::new()), Err(CombineError::Inconsistent)));
    }
}

#[test]
fn a_forged_length_is_named() {
    let all = shares(2, 3);
    let longer = forge(&all[1], |bytes| {
        let at = bytes.len() - 32;
        bytes.splice(at..at, [1, 2, 3]);
    });
    let recovered = combine(&[all[0].clone(), longer.clone(), all[2].clone()]).unwrap();
    assert_eq!(&recovered.secret[..], SECRET);
    assert_eq!(recovered.report.bad[0].position, 1);
    assert!(combine(&[all[0].clone(), longer]).is_err());
}

#[test]
fn two_versions_of_one_share() {
    let all = shares(2, 3);
    let other = forge_payload(&all[0]);
    // Only the commitment shows which one is right.
    let recovered = combine(&[other.clone(), all[0].clone(), all[1].clone()]).unwrap();
    assert_eq!(&recovered.secret[..], SECRET);
    assert_eq!(recovered.report.bad[0].position, 0);
    // A stream cannot be read again to try both.
    let conflict = combine_to(readers(&[other.clone(), all[0].clone(), all[1].clone()]), Vec::new());
    assert!(matches!(conflict.err(), Some(CombineError::Conflict { positions: [0, 1] })));
    // Both are wrong.
    let another = forge(&all[0], |bytes| bytes.splice(80..81, [9]).for_each(drop));
    assert!(combine(&[other, another, all[1].clone()]).is_err());
}

#[test]
fn a_damaged_share_is_left_out() {
    let all = shares(2, 4);
    let mut bytes: Vec<Vec<u8>> = all.iter().map(|share| share.as_bytes().to_vec()).collect();
    bytes[1][80] ^= 1;
    bytes[2].pop();
    let open = |bytes: &[Vec<u8>]| {
        bytes.iter().map(|bytes| ShareReader::new(Cursor::new(bytes.clone())).unwrap()).collect::<Vec<_>>()
    };
    let mut output = Vec::new();
    let report = combine_seek(open(&bytes), &mut output).unwrap();
    assert_eq!(output, SECRET);
    assert_eq!(report.used, [0, 3]);
    let positions: Vec<usize> = report.bad.iter().map(|bad| bad.position).collect();
    assert_eq!(positions, [1, 2]);
    assert!(report.bad.iter().all(|bad| matches!(bad.fault, Fault::Share(ShareError::Checksum))));
    // From streams, damaged shares are named but not left out.
    let Err(CombineError::Bad(bad)) = combine_to(open(&bytes), Vec::new()) else { panic!() };
    let positions: Vec<usize> = bad.iter().map(|bad| bad.position).collect();
    assert_eq!(positions, [1, 2]);
    // Too few shares are left, and the bad ones are still named.
    let Err(CombineError::TooFew { usable: 1, bad, .. }) = combine_seek(open(&bytes[..3]), &mut output) else {
        panic!()
    };
    assert_eq!(bad.len(), 2);
}

#[test]
fn a_stream_names_a_forged_share_with_two_to_spare() {
    let all = shares(3, 5);
    let mut list = all.clone();
    list[3] = forge_payload(&all[3]);
    let Err(CombineError::Bad(bad)) = combine_to(readers(&list), Vec::new()) else { panic!() };
    assert_eq!(bad.len(), 1);
    assert_eq!(bad[0].position, 3);
    // With one share to spare, any of them could be wrong.
    assert!(matches!(combine_to(readers(&list[..4]), Vec::new()).err(), Some(CombineError::Inconsistent)));
}

#[test]
fn forgers_in_different_chunks() {
    let secret = pattern(300_000);
    let all = split(&secret, 3, 6).unwrap();
    let mut list = all.clone();
    for (share, at) in [(1, 100), (3, 100_000), (5, 290_000)] {
        list[share] = forge(&all[share], |bytes| bytes[at] ^= 0xff);
    }
    let recovered = combine(&list).unwrap();
    assert!(recovered.secret[..] == secret);
    let named: Vec<usize> = recovered.report.bad.iter().map(|bad| bad.position).collect();
    assert_eq!(named, [1, 3, 5]);
}

/// A share may be a part of a larger file.
#[test]
fn a_share_is_read_again_from_its_own_start() {
    let list = shares(2, 3);
    let reader = |share: &Share, damage: usize| {
        let mut file = b"before the share".to_vec();
        let start = file.len() as u64;
        file.extend_from_slice(share.as_bytes());
        let last = file.len() - 1;
        file[last] ^= damage as u8;
        let mut file = Cursor::new(file);
        file.set_position(start);
        ShareReader::new(file).unwrap()
    };
    let readers = list.iter().enumerate().map(|(at, share)| reader(share, usize::from(at == 1))).collect();
    let mut secret = Vec::new();
    let report = combine_seek(readers, &mut secret).unwrap();
    assert_eq!((report.used, &secret[..]), (vec![0, 2], SECRET));
}

#[test]
fn a_share_that_changes_is_named() {
    let list = shares(2, 2);
    let file = std::cell::RefCell::new(Cursor::new(list[0].as_bytes().to_vec()));
    let mut reader = ShareReader::new(Shared(&file)).unwrap();
    file.borrow_mut().get_mut().copy_from_slice(list[1].as_bytes());
    let error = reader.rewind().unwrap_err();
    assert!(matches!(error, ShareError::Changed), "{error}");
}

/// A file that is changed while it is read.
struct Shared<'a>(&'a std::cell::RefCell<Cursor<Vec<u8>>>);

impl Read for Shared<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        self.0.borrow_mut().read(buffer)
    }
}

impl Seek for Shared<'_> {
    fn seek(&mut self, position: SeekFrom) -> std::io::Result<u64> {
        self.0.borrow_mut().seek(position)
    }
}

#[test]
fn nothing_is_left_of_a_secret_that_is_not_authentic() {
    let secret = pattern(200_000);
    let mut list = split(&secret, 2, 2).unwrap();
    list[0] = forge(&list[0], |bytes| bytes[150_000] ^= 1);
    let mut output = Vec::new();
    assert!(matches!(combine_seek(readers(&list), &mut output), Err(CombineError::NotAuthentic)));
    assert!(output.is_empty(), "{} bytes", output.len());
}

#[test]
fn any_error_empties_the_output() {
    let (list, other) = (split(b"secret", 2, 2).unwrap(), split(b"secret", 2, 2).unwrap());
    for shares in [&[][..], &list[..1], &[list[0].clone(), other[1].clone()]] {
        let mut output = b"older".to_vec();
        combine_seek(readers(shares), &mut output).unwrap_err();
        assert!(output.is_empty(), "{} shares", shares.len());
    }
}

#[test]
fn a_failed_attempt_leaves_no_output() {
    let secret = pattern(200_000);
    let mut list = split(&secret, 2, 3).unwrap();
    list[0] = forge(&list[0], |bytes| bytes[150_000] ^= 1);
    let file = std::fs::File::options()
        .read(true)
        .write(true)
        .create(true)
        .truncate(true)
        .open(std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("restart"))
        .unwrap();
    let report = combine_seek(readers(&list), &file).unwrap();
    assert_eq!(report.used, [1, 2]);
    let written = std::fs::read(std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("restart")).unwrap();
    assert!(written == secret);
}
