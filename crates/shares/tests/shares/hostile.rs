//! Shares that were made to do harm: their checksums are right, and everything else is arbitrary.

use proptest::prelude::*;
use sealane_shares::{Field, Header, Points, SetId, Share, ShareError, ShareReader, combine, combine_seek, combine_to};

use crate::support::checksum_key;

/// Returns a share with this share of the blinding value, payload and commitment, and with right
/// checksums.
pub(crate) fn make(header: &Header, blinding: &[u8], payload: &[u8], commitment: [u8; 32]) -> Vec<u8> {
    let field = header.field();
    let scheme = match field {
        Field::Bytes => 1,
        Field::Element { points: Points::Compact, .. } => 2,
        Field::Element { points: Points::Random, .. } => 3,
        other => panic!("{other:?} has no scheme here"),
    };
    let mut bytes = b"\x9dsealane\x01".to_vec();
    bytes.push(scheme);
    for number in [field.bits(), header.threshold(), header.count(), header.index()] {
        bytes.extend(number.to_be_bytes());
    }
    bytes.extend(header.set().0);
    if scheme == 3 {
        bytes.extend(header.point());
    }
    let mut share = vec![0; 32usize.next_multiple_of(field.element_len())];
    for (to, from) in share.iter_mut().zip(blinding) {
        *to = *from;
    }
    bytes.extend(share);
    let checksum = sealane::Poly1305::mac(&checksum_key(), &bytes);
    bytes.extend(&checksum[..4]);
    bytes.extend(payload);
    bytes.extend(commitment);
    let checksum = sealane::Poly1305::mac(&checksum_key(), &bytes);
    bytes.extend(checksum);
    bytes
}

fn open(shares: &[Vec<u8>]) -> Vec<ShareReader<std::io::Cursor<Vec<u8>>>> {
    shares.iter().map(|bytes| ShareReader::new(std::io::Cursor::new(bytes.clone())).unwrap()).collect()
}

#[test]
fn an_element_that_is_longer_than_a_chunk() {
    let field = Field::Element { bits: 192, points: Points::Compact };
    let mut shares = Vec::new();
    for index in 1..=3 {
        let header = Header::new(SetId([7; 16]), field, 2, 3, index).unwrap();
        let mut payload = vec![0; 65_560];
        if index == 3 {
            payload[65_520..65_536].fill(1);
        }
        shares.push(make(&header, &[], &payload, [0; 32]));
    }
    assert!(matches!(Share::from_bytes(&shares[0]), Err(ShareError::PayloadBytes(bytes)) if bytes > 24));
    // A payload that is too short has the same message.
    let short = make(&Header::new(SetId([7; 16]), field, 2, 3, 1).unwrap(), &[], &[0; 23], [0; 32]);
    let error = Share::from_bytes(&short).unwrap_err();
    assert!(matches!(error, ShareError::PayloadBytes(23)));
    assert_eq!(error.to_string(), "invalid share: its payload is not exactly one element of its field");
    assert!(combine_seek(open(&shares), Vec::new()).is_err());
    assert!(combine_to(open(&shares), Vec::new()).is_err());
}

prop_compose! {
    fn any_share()(
        // There are few choices of each value, so that shares often agree.
        scheme in 1u8..=3,
        bits in prop::sample::select(vec![16u16, 192, 2048]),
        threshold in 2u16..=4,
        index in 1u16..=6,
        set in 0u8..=1,
        point in 1u8..=4,
        blinding in prop::collection::vec(0u8..=1, 0..3),
        length in prop::sample::select(vec![0usize, 1, 2, 24, 25, 256, 65_535, 65_536, 65_560]),
        fill in 0u8..=1,
        changed in prop::option::of((any::<prop::sample::Index>(), 1u8..=2)),
        commitment in 0u8..=1,
    ) -> Vec<u8> {
        let field = match scheme {
            1 => Field::Bytes,
            2 => Field::Element { bits, points: Points::Compact },
            _ => Field::Element { bits, points: Points::Random },
        };
        let point = if scheme == 3 { vec![point; field.element_len()] } else { Vec::new() };
        let header = Header::with_point(SetId([set; 16]), field, threshold, 6, index, &point).unwrap();
        // Most elements have the right length.
        let length = if scheme > 1 && length < 65_535 { field.element_len() } else { length };
        let mut payload = vec![fill; length];
        if let Some((at, value)) = changed && length > 0 {
            payload[at.index(length)] ^= value;
        }
        make(&header, &blinding, &payload, [commitment; 32])
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn nothing_panics_and_nothing_is_authentic(
        mut shares in prop::collection::vec(any_share(), 1..9),
        alike in any::<bool>(),
    ) {
        if alike {
            // Their headers say that they are of one set.
            let first = shares[0].clone();
            shares.retain(|share| share[9..16] == first[9..16] && share[18] == first[18]);
        }
        prop_assert!(combine_seek(open(&shares), Vec::new()).is_err());
        prop_assert!(combine_to(open(&shares), Vec::new()).is_err());
        let whole: Vec<Share> = shares.iter().filter_map(|bytes| Share::from_bytes(bytes).ok()).collect();
        prop_assert!(combine(&whole).is_err());
        let _ = sealane_shares::refresh(&whole);
        let _ = sealane_shares::reissue(&whole, 6);
    }
}
