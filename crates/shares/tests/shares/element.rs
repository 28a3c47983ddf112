//! Secrets that are one element of a field.

use sealane::gf2n::Gf256;
use sealane::shamir::element::{Share as ElementShare, reconstruct};
use sealane_shares::{
    CombineError, Field, ParameterError, Points, SetId, Share, SplitError, combine, combine_to, refresh, reissue,
    split_element,
};

use crate::support::{forge, forge_payload, pattern, readers};

fn element(bits: u16, points: Points) -> Field {
    Field::Element { bits, points }
}

#[test]
fn every_field_and_both_kinds_of_points() {
    for bits in Field::ELEMENT_BITS {
        for points in [Points::Compact, Points::Random] {
            let field = element(bits, points);
            let secret = pattern(field.element_len());
            let shares = split_element(&secret, field, 3, 5).unwrap();
            assert_eq!(shares.len(), 5);
            for chosen in [[0, 1, 2], [4, 2, 0], [1, 4, 3]] {
                let chosen = chosen.map(|at| shares[at].clone());
                assert_eq!(combine(&chosen).unwrap().secret[..], secret, "{field:?}");
                assert!(combine(&chosen[..2]).is_err());
            }
            // Both forms of a share work.
            let text = shares[1].to_text().unwrap();
            assert_eq!(Share::from_text(&text).unwrap(), shares[1]);
            assert!(shares.iter().all(|share| share.header().field() == field && share.header().count() == 5));
        }
    }
}

#[test]
fn shares_are_values_of_polynomials_over_the_library_s_fields() {
    let reversed = |bytes: &[u8]| Gf256::from_slice(&bytes.iter().rev().copied().collect::<Vec<_>>()).unwrap();
    for points in [Points::Compact, Points::Random] {
        let secret = pattern(32);
        let shares = split_element(&secret, element(256, points), 4, 6).unwrap();
        let element_share =
            |share: &Share| ElementShare::new(reversed(&share.header().point()), reversed(share.payload())).unwrap();
        let shares: Vec<_> = shares.iter().map(element_share).collect();
        assert_eq!(reconstruct(4, &shares[1..5]).unwrap(), reversed(&secret));
        // All shares lie on one polynomial.
        assert_eq!(reconstruct(4, &shares).unwrap(), reversed(&secret));
    }
}

#[test]
fn forged_ones_are_named() {
    let mut shares = split_element(&pattern(16), element(128, Points::Random), 2, 4).unwrap();
    shares[2] = forge_payload(&shares[2]);
    let recovered = combine(&shares).unwrap();
    assert_eq!(recovered.secret[..], pattern(16));
    assert_eq!(recovered.report.bad.iter().map(|bad| bad.position).collect::<Vec<_>>(), [2]);
    // Two shares contradict only the commitment.
    assert!(combine(&shares[1..3]).is_err());
}

#[test]
fn every_split_has_a_new_set_and_new_points() {
    let field = element(64, Points::Random);
    let sets: Vec<_> = (0..2).map(|_| split_element(&pattern(8), field, 2, 40).unwrap()).collect();
    let points =
        |shares: &[Share]| shares.iter().map(|share| share.header().point()).collect::<std::collections::HashSet<_>>();
    assert!(points(&sets[0]).is_disjoint(&points(&sets[1])));
    assert_eq!(points(&sets[0]).len(), 40);
    let set = |shares: &[Share]| -> SetId { shares[0].header().set() };
    assert_ne!(set(&sets[0]), set(&sets[1]));
    assert!(combine(&[sets[0][0].clone(), sets[1][1].clone()]).is_err());
}

#[test]
fn more_shares_than_bytes_could_have() {
    let field = element(16, Points::Random);
    let shares = split_element(&[0xab, 0xcd], field, 2, 1000).unwrap();
    assert_eq!(combine(&[shares[999].clone(), shares[255].clone()]).unwrap().secret[..], [0xab, 0xcd]);
}

/// Interpolation that starts anew for each share would take minutes.
#[test]
fn many_shares_beyond_a_high_threshold() {
    for points in [Points::Compact, Points::Random] {
        let secret = pattern(8);
        let mut shares = split_element(&secret, element(64, points), 300, 1500).unwrap();
        let recovered = combine(&shares).unwrap();
        assert_eq!(recovered.secret[..], secret);
        assert_eq!(recovered.report.used, (0..1500).collect::<Vec<_>>());
        // Some of the first 300 and some of the others.
        let forged = [0, 150, 299, 300, 1499];
        for at in forged {
            shares[at] = forge(&shares[at], |bytes| {
                let last = bytes.len() - 33;
                bytes[last] ^= 1;
            });
        }
        let recovered = combine(&shares).unwrap();
        assert_eq!(recovered.secret[..], secret);
        assert_eq!(recovered.report.bad.iter().map(|bad| bad.position).collect::<Vec<_>>(), forged);
        assert_eq!(recovered.report.used.len(), 1495);
    }
}

#[test]
fn decoding_many_forged_elements_stops_at_a_limit() {
    let mut shares = split_element(&pattern(256), element(2048, Points::Compact), 2, 1600).unwrap();
    shares[0] = forge_payload(&shares[0]);
    let read_once = |shares: &[Share]| combine_to(readers(shares), Vec::new());
    assert!(matches!(combine(&shares), Err(CombineError::GaveUp)));
    assert!(matches!(read_once(&shares), Err(CombineError::GaveUp)));
    // Fewer of them are decoded.
    let few = &shares[..20];
    assert_eq!(combine(few).unwrap().report.bad.iter().map(|bad| bad.position).collect::<Vec<_>>(), [0]);
    assert!(matches!(read_once(few), Err(CombineError::Bad(bad)) if bad.len() == 1));
    // All weights fit in the limit twice, but not with the check of a column and its wrong share.
    assert!(matches!(read_once(&shares[..700]), Err(CombineError::GaveUp)));
}

#[test]
fn secrets_that_cannot_be_elements() {
    let compact = element(128, Points::Compact);
    let refused = |secret: &[u8], field, threshold, count| match split_element(secret, field, threshold, count) {
        Err(SplitError::Parameter(error)) => error,
        other => panic!("{other:?}"),
    };
    assert_eq!(refused(&[0; 16], Field::Bytes, 2, 3), ParameterError::NotAnElement);
    assert_eq!(refused(&[0; 16], element(120, Points::Compact), 2, 3), ParameterError::FieldBits(120));
    assert_eq!(refused(&[0; 15], compact, 2, 3), ParameterError::SecretBytes(15));
    assert_eq!(refused(&[0; 17], compact, 2, 3), ParameterError::SecretBytes(17));
    assert_eq!(refused(&[0; 16], compact, 0, 3), ParameterError::ThresholdZero);
    assert_eq!(refused(&[0; 16], compact, 1, 3), ParameterError::ThresholdOne);
    assert_eq!(refused(&[0; 16], compact, 4, 3), ParameterError::ThresholdOverCount { threshold: 4, count: 3 });
    assert_eq!(refused(&[0; 16], compact, 2, 65_536), ParameterError::Count { count: 65_536, max: 65_535 });
}

#[test]
fn shares_of_an_element_are_not_refreshed() {
    let shares = split_element(&[7; 16], element(128, Points::Compact), 2, 3).unwrap();
    let refused = |result: Result<(), CombineError>| {
        assert!(matches!(result, Err(CombineError::Parameter(ParameterError::NotBytes))), "{result:?}");
    };
    refused(refresh(&shares).map(drop));
    refused(reissue(&shares, 4).map(drop));
}
