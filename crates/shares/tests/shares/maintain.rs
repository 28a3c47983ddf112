//! Refresh and reissue.

use std::io::Read;

use sealane_shares::{
    CombineError, Refresh, Share, ShareReader, combine, combine_seek, combine_to, refresh, reissue, reissue_to, split,
};

use crate::support::{SECRET, forge_payload, pattern, readers, shares};

#[test]
fn refreshed_shares_give_the_same_secret_and_do_not_mix() {
    let old = shares(3, 5);
    let new = refresh(&old[1..]).unwrap();
    assert_eq!(new.len(), 4);
    for (old, new) in old[1..].iter().zip(&new) {
        assert_eq!(old.header().index(), new.header().index());
        assert_ne!(old.payload(), new.payload());
        assert_eq!(old.commitment(), new.commitment());
    }
    assert_eq!(&combine(&new[1..]).unwrap().secret[..], SECRET);
    let mixed = combine(&[new[0].clone(), new[1].clone(), old[4].clone()]);
    assert!(matches!(mixed.err(), Some(CombineError::DifferentSets { .. })));
    // A second refresh does not change the secret either.
    assert_eq!(&combine(&refresh(&new).unwrap()).unwrap().secret[..], SECRET);
}

#[test]
fn refresh_of_long_shares() {
    let secret = pattern(150_000);
    let new = refresh(&split(&secret, 2, 3).unwrap()).unwrap();
    assert!(combine(&new).unwrap().secret[..] == secret);
}

#[test]
fn refresh_refuses() {
    let all = shares(3, 5);
    assert!(matches!(refresh(&all[..2]), Err(CombineError::TooFew { .. })));
    assert!(matches!(refresh(&[]), Err(CombineError::NoShares)));
    let repeated = [all[0].clone(), all[1].clone(), all[2].clone(), all[1].clone()];
    assert!(matches!(refresh(&repeated), Err(CombineError::Repeated { positions: [1, 3] })));
    let mut forged = all.clone();
    forged[4] = forge_payload(&all[4]);
    assert!(matches!(refresh(&forged), Err(CombineError::Inconsistent)));
}

/// What was read before would be missing from the new shares, which would look right.
#[test]
fn a_reader_that_was_read_is_refused() {
    let all = split(&pattern(150_000), 2, 3).unwrap();
    let length = all[0].payload().len() as u64;
    for bytes in [1, 100_000, length, u64::MAX] {
        let read = || {
            let mut readers = readers(&all);
            std::io::copy(&mut readers[1].by_ref().take(bytes), &mut std::io::sink()).unwrap();
            readers
        };
        let refused = |error: Option<CombineError>| matches!(error, Some(CombineError::AlreadyRead { position: 1 }));
        assert!(refused(Refresh::new(read()).err()), "{bytes} bytes");
        assert!(refused(reissue_to(read(), 2, Vec::new()).err()), "{bytes} bytes");
        assert!(refused(combine_to(read(), Vec::new()).err()), "{bytes} bytes");
        assert!(refused(combine_seek(read(), &mut Vec::new()).err()), "{bytes} bytes");
        let mut readers = read();
        readers[1].rewind().unwrap();
        let mut secret = Vec::new();
        combine_seek(readers, &mut secret).unwrap();
        assert!(secret == pattern(150_000), "{bytes} bytes");
    }
    // A call that failed has read something too.
    let mut damaged = all[0].as_bytes().to_vec();
    damaged.truncate(damaged.len() - 100_000);
    let mut reader = ShareReader::new(std::io::Cursor::new(damaged)).unwrap();
    std::io::copy(&mut reader, &mut std::io::sink()).unwrap_err();
    assert!(matches!(reissue_to(vec![reader], 2, Vec::new()), Err(CombineError::AlreadyRead { position: 0 })));
}

#[test]
fn a_reissued_share_is_the_lost_one() {
    let all = shares(3, 5);
    for lost in 0..5 {
        let others: Vec<Share> = all.iter().enumerate().filter(|&(at, _)| at != lost).map(|(_, s)| s.clone()).collect();
        let again = reissue(&others, lost as u16 + 1).unwrap();
        assert_eq!(again, all[lost]);
        assert_eq!(reissue(&others[1..], lost as u16 + 1).unwrap(), all[lost]);
    }
    // A share that is among the given ones is returned unchanged.
    assert_eq!(reissue(&all, 2).unwrap(), all[1]);
    // A sixth share, and the last possible one.
    let sixth = reissue(&all, 6).unwrap();
    let last = reissue(&all, 255).unwrap();
    assert_eq!(&combine(&[sixth, all[0].clone(), last]).unwrap().secret[..], SECRET);
    assert!(matches!(reissue(&all, 0), Err(CombineError::Parameter(_))));
    assert!(matches!(reissue(&all, 256), Err(CombineError::Parameter(_))));
    assert!(matches!(reissue(&all[..2], 5), Err(CombineError::TooFew { .. })));
}

#[test]
fn reissue_of_long_shares_and_from_damaged_ones() {
    let secret = pattern(150_000);
    let all = split(&secret, 2, 3).unwrap();
    assert_eq!(reissue(&all[..2], 3).unwrap(), all[2]);
    let forged = [all[0].clone(), forge_payload(&all[1]), all[2].clone()];
    assert!(matches!(reissue(&forged, 4), Err(CombineError::Inconsistent)));
    let mut damaged = all[1].as_bytes().to_vec();
    damaged[100_000] ^= 1;
    let mut list = readers(&all);
    list[1] = ShareReader::new(std::io::Cursor::new(damaged)).unwrap();
    let Err(CombineError::Bad(bad)) = reissue_to(list, 4, Vec::new()) else { panic!() };
    assert_eq!(bad[0].position, 1);
}
