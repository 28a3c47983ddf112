//! Checks the format byte by byte, and its text form with the decoder of the crate `bech32`.

use bech32::primitives::decode::CheckedHrpstring;
use bech32::{Bech32m, Checksum};
use sealane_shares::{Field, Header, ParameterError, Points, SetId, Share, ShareError};

use crate::support::{SECRET, checksum_key, shares};

#[test]
fn the_layout_is_as_documented() {
    let share = &shares(3, 5)[3];
    let bytes = share.as_bytes();
    assert_eq!(&bytes[..8], b"\x9dsealane");
    assert_eq!(bytes[8..18], [1, 1, 0, 8, 0, 3, 0, 5, 0, 4]);
    assert_eq!(bytes[18..34], share.header().set().0);
    // Bytes 34 to 65 are the share of the blinding value.
    assert_eq!(bytes[66..70], sealane::Poly1305::mac(&checksum_key(), &bytes[..66])[..4]);
    let end = 70 + SECRET.len();
    assert_eq!(&bytes[70..end], share.payload());
    assert_eq!(&bytes[end..end + 32], share.commitment());
    assert_eq!(bytes[end + 32..], sealane::Poly1305::mac(&checksum_key(), &bytes[..end + 32]));
}

#[test]
fn the_text_is_bech32m() {
    let share = &shares(3, 5)[0];
    let text = share.to_text().unwrap();
    let checked = CheckedHrpstring::new::<Long>(&text).unwrap();
    assert_eq!(checked.hrp().to_lowercase(), "sealane-share-");
    let bytes: Vec<u8> = checked.byte_iter().collect();
    assert_eq!(bytes, share.as_bytes()[8..]);
}

/// Bech32m with a limit of 5,000 characters instead of 90.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
enum Long {}

impl Checksum for Long {
    type MidstateRepr = u32;
    type CorrectionField = <Bech32m as Checksum>::CorrectionField;
    const ROOT_GENERATOR: Self::CorrectionField = Bech32m::ROOT_GENERATOR;
    const ROOT_EXPONENTS: std::ops::RangeInclusive<usize> = Bech32m::ROOT_EXPONENTS;
    const CODE_LENGTH: usize = 5000;
    const CHECKSUM_LENGTH: usize = Bech32m::CHECKSUM_LENGTH;
    const GENERATOR_SH: [u32; 5] = Bech32m::GENERATOR_SH;
    const TARGET_RESIDUE: u32 = Bech32m::TARGET_RESIDUE;
}

#[test]
fn impossible_headers_are_errors() {
    let set = SetId([7; 16]);
    let new = |field, threshold, count, index| Header::new(set, field, threshold, count, index);
    let compact = |bits| Field::Element { bits, points: Points::Compact };
    assert_eq!(new(Field::Bytes, 2, 3, 0), Err(ParameterError::ZeroPoint));
    assert_eq!(new(Field::Bytes, 2, 3, 256), Err(ParameterError::Index { index: 256, max: 255 }));
    assert_eq!(new(Field::Bytes, 2, 256, 1), Err(ParameterError::Count { count: 256, max: 255 }));
    assert_eq!(new(Field::Bytes, 4, 3, 1), Err(ParameterError::ThresholdOverCount { threshold: 4, count: 3 }));
    assert_eq!(new(compact(8), 2, 3, 1), Err(ParameterError::FieldBits(8)));
    assert_eq!(new(compact(250), 2, 3, 1), Err(ParameterError::FieldBits(250)));
    assert!(new(compact(256), 2, 60_000, 60_000).is_ok());
    let random = Field::Element { bits: 128, points: Points::Random };
    assert_eq!(new(random, 2, 3, 1), Err(ParameterError::PointBytes(0)));
    assert_eq!(Header::with_point(set, random, 2, 3, 1, &[0; 16]), Err(ParameterError::ZeroPoint));
    assert!(Header::with_point(set, random, 2, 3, 1, &[1; 16]).is_ok());
    assert_eq!(Header::with_point(set, Field::Bytes, 2, 3, 1, &[1]), Err(ParameterError::PointBytes(1)));
}

#[test]
fn a_later_version_is_named() {
    let mut bytes = shares(2, 2)[0].as_bytes().to_vec();
    bytes[8] = 2;
    assert!(matches!(Share::from_bytes(&bytes), Err(ShareError::Version(2))));
    assert!(matches!(Share::from_bytes(b"age-encryption.org/v1"), Err(ShareError::NotAShare)));
    assert!(matches!(Share::from_bytes(b""), Err(ShareError::NotAShare)));
}

#[test]
fn debug_output_is_public() {
    let share = &shares(2, 2)[0];
    let shown = format!("{share:?}");
    assert!(shown.contains("threshold: 2"));
    assert!(!shown.contains("payload") && !shown.contains("bytes"));
}
