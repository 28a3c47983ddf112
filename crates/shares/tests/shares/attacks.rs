//! Attacks by holders and makers of shares that `docs/shares.md` lists, and their limits.

use hmac::{Hmac, KeyInit, Mac};
use sealane::shamir::bytes::Combiner;
use sealane_shares::slip39::{self, Group, Mnemonic, Options};
use sealane_shares::vault::{self, VaultShare};
use sealane_shares::{CombineError, ForeignError, SetId, Share, combine, combine_to, refresh, split};

use crate::forgers::foreign_of;
use crate::support::{SECRET, checksum_key, forge, forge_payload, pattern, readers, shares};

/// Returns the share of the blinding value in a share over GF(2^8).
fn blinding(share: &Share) -> &[u8] {
    &share.as_bytes()[34..66]
}

/// A holder tries all secrets of three digits with each key that one share gives.
#[test]
fn a_guess_at_a_short_secret_cannot_be_checked() {
    let all = split(b"471", 2, 3).unwrap();
    let matches = |key: &[u8]| {
        let is_right = |guess: &u32| {
            let mut hmac = Hmac::<sha2::Sha256>::new_from_slice(key).unwrap();
            hmac.update(b"sealane.share.v1.commitment\x01\x00\x08\x00\x02");
            hmac.update(format!("{guess:03}").as_bytes());
            hmac.finalize().into_bytes()[..] == all[0].commitment()[..]
        };
        (0..1000).filter(is_right).collect::<Vec<u32>>()
    };
    assert!(matches(&[0; 32]).is_empty() && matches(&[]).is_empty());
    assert!(all.iter().all(|share| matches(blinding(share)).is_empty()));
    assert_ne!(split(b"471", 2, 3).unwrap()[0].commitment(), all[0].commitment());
    // Two shares give the key, with which the guesses can be checked.
    let mut key = [0; 32];
    Combiner::new(&[1, 2]).unwrap().combine(&[blinding(&all[0]), blinding(&all[1])], &mut key).unwrap();
    assert_eq!(matches(&key), [471]);
}

/// Returns the value of a mnemonic that shares 16 bytes.
fn value(mnemonic: &Mnemonic) -> [u8; 16] {
    let list: Vec<&str> = include_str!("../../src/foreign/slip39/wordlist.txt").lines().collect();
    let words = mnemonic.to_words();
    let number = |word: &str| list.iter().position(|listed| *listed == word).unwrap() as u128;
    let numbers: Vec<u128> = words.split(' ').map(number).collect();
    // After four words of indices and the like, 13 words have 10 bits each, the first two of which
    // are zero. Three words of the checksum follow.
    numbers[4..17].iter().fold(0, |all, number| all << 10 | number).to_be_bytes()
}

/// A digest of the secret is shared together with it. One share and a guess give the polynomial.
#[test]
fn a_guess_at_a_short_secret_can_be_checked_with_words() {
    let split = |secret: &str, threshold, count| {
        let (options, groups) = (Options::default().with_iteration_exponent(0), [Group::new(threshold, count)]);
        slip39::split_groups(secret.as_bytes(), b"", 1, &groups, options).unwrap().remove(0)
    };
    let held = value(&split("the PIN is  4711", 2, 3)[1]);
    // Members have the points 0 to 15, the digest is at 254 and the secret at 255. `Combiner`
    // accepts no share at zero, so all points are shifted.
    let digest = Combiner::at(&[1 ^ 0x80, 255 ^ 0x80], 254 ^ 0x80).unwrap();
    let is_right = |pin: &u32| {
        // A share that is enough alone is the encrypted secret.
        let guess = value(&split(&format!("the PIN is  {pin}"), 1, 1)[0]);
        let mut found = [0; 16];
        digest.combine(&[&held, &guess], &mut found).unwrap();
        let mut hmac = Hmac::<sha2::Sha256>::new_from_slice(&found[4..]).unwrap();
        hmac.update(&guess);
        hmac.finalize().into_bytes()[..4] == found[..4]
    };
    assert_eq!((4705..4715).filter(is_right).collect::<Vec<_>>(), [4711]);
}

/// The secret is a sum of multiples of the shares, so a holder who knows the points of the others
/// can add chosen bytes to it.
#[test]
fn a_holder_changes_chosen_bytes_of_a_secret_of_vault_and_not_of_ours() {
    let (secret, wanted) = (b"pay 100 to Bob", b"pay 900 to Eve");
    let combiner = Combiner::new(&[1, 2]).unwrap();
    let change = |by: u8| {
        let adds = |change: &u8| {
            let mut sum = [0];
            combiner.combine(&[&[*change], &[0]], &mut sum).unwrap();
            sum[0] == by
        };
        (0..=255).find(adds).unwrap()
    };
    let changes: Vec<u8> = secret.iter().zip(wanted).map(|(old, new)| change(old ^ new)).collect();
    let add = |bytes: &mut [u8]| bytes.iter_mut().zip(&changes).for_each(|(byte, change)| *byte ^= change);

    let all = vault::split(secret, 2, 3).unwrap();
    let mut bytes = all[0].as_bytes().to_vec();
    add(&mut bytes);
    let forged = VaultShare::from_bytes(&bytes).unwrap();
    assert_eq!(vault::combine(&[forged.clone(), all[1].clone()], None).unwrap()[..], wanted[..]);
    let checked = vault::combine(&[forged, all[1].clone(), all[2].clone()], Some(2));
    assert!(matches!(checked, Err(ForeignError::Inconsistent)));

    let all = split(secret, 2, 3).unwrap();
    let forged = forge(&all[0], |bytes| add(&mut bytes[70..70 + secret.len()]));
    let list = [forged, all[1].clone()];
    assert!(matches!(combine(&list), Err(CombineError::NotAuthentic)));
    // Only the commitment prevents it.
    let mut output = Vec::new();
    assert!(combine_to(readers(&list), &mut output).is_err());
    assert_eq!(output, wanted);
}

#[test]
fn as_many_forgers_as_are_needed_choose_the_secret() {
    let all = shares(3, 5);
    let wanted = pattern(SECRET.len());
    let forged = foreign_of(&all, &wanted);
    assert_eq!(combine(&forged[1..4]).unwrap().secret[..], wanted);
    // With an honest share in the place of one of theirs, they cannot.
    let list = [forged[1].clone(), forged[2].clone(), all[3].clone()];
    assert!(matches!(combine(&list), Err(CombineError::Inconsistent)));
}

/// The maker of shares gives two of four holders shares that look right and fit no others.
#[test]
fn shares_that_fit_no_others_look_right_until_they_are_combined() {
    let all = shares(2, 4);
    let made = [all[0].clone(), all[1].clone(), forge_payload(&all[2]), forge_payload(&all[3])];
    for share in &made {
        let read = Share::from_bytes(share.as_bytes()).unwrap();
        assert_eq!((read.header().set(), read.commitment()), (all[0].header().set(), all[0].commitment()));
    }
    for one in 0..4 {
        for other in one + 1..4 {
            let result = combine(&[made[one].clone(), made[other].clone()]);
            match (one, other) {
                (0, 1) => assert_eq!(result.unwrap().secret[..], *SECRET),
                _ => assert!(matches!(result, Err(CombineError::NotAuthentic)), "{one} {other}"),
            }
        }
    }
    // Nor does a second commitment make one holder's share give another secret.
    let other = foreign_of(&all, &pattern(SECRET.len()));
    assert!(matches!(combine(&[made[0].clone(), other[1].clone()]), Err(CombineError::Inconsistent)));
}

/// Returns the share with the identifier of another set, which anyone can write.
fn in_set(share: &Share, set: SetId) -> Share {
    forge(share, |bytes| {
        bytes[18..34].copy_from_slice(&set.0);
        let checksum = sealane::Poly1305::mac(&checksum_key(), &bytes[..66]);
        bytes[66..70].copy_from_slice(&checksum[..4]);
    })
}

/// The identifiers of the sets differ, but a thief can change them. The values do not fit either.
#[test]
fn old_shares_with_the_id_of_the_new_set_do_not_combine_with_new_ones() {
    let old = shares(3, 5);
    // The last share is left out.
    let new = refresh(&old[..4]).unwrap();
    let old: Vec<Share> = old.iter().map(|share| in_set(share, new[0].header().set())).collect();
    for list in [[&old[0], &old[1], &new[2]], [&old[0], &new[1], &new[2]], [&old[4], &new[1], &new[2]]] {
        let list = list.map(Clone::clone);
        assert!(matches!(combine(&list), Err(CombineError::NotAuthentic)));
        // The thief does not need the check.
        let mut output = Vec::new();
        assert!(combine_to(readers(&list), &mut output).is_err());
        assert_eq!(output.len(), SECRET.len());
        assert_ne!(output, SECRET);
    }
    // Among enough new shares, the old one is named.
    let recovered = combine(&[&old[4..], &new].concat()).unwrap();
    assert_eq!(recovered.secret[..], *SECRET);
    assert_eq!(recovered.report.bad.iter().map(|bad| bad.position).collect::<Vec<_>>(), [0]);
    // As many old shares as are needed still give the secret.
    assert_eq!(combine(&old[2..]).unwrap().secret[..], *SECRET);
}
