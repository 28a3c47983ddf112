//! Tries all parameters that a header can state, with checksums that fit. Those that the format
//! allows are read unchanged; all others are errors.

use sealane_shares::{Field, Share, ShareError};

use crate::support::{checksum_key, shares};

/// The positions of the numbers in a header.
const SCHEME: usize = 9;
const BITS: usize = 10;
const THRESHOLD: usize = 12;
const COUNT: usize = 14;
const INDEX: usize = 16;
/// The position of the header's checksum in a share over GF(2^8).
const CHECKSUM: usize = 66;

/// Returns the share with these numbers in its header, and checksums that fit.
fn share_with(share: &[u8], numbers: &[(usize, u16)]) -> Result<Share, ShareError> {
    let mut bytes = share.to_vec();
    for &(at, number) in numbers {
        if at == SCHEME {
            bytes[at] = number.try_into().unwrap();
        } else {
            bytes[at..at + 2].copy_from_slice(&number.to_be_bytes());
        }
    }
    let checksum = sealane::Poly1305::mac(&checksum_key(), &bytes[..CHECKSUM]);
    bytes[CHECKSUM..CHECKSUM + 4].copy_from_slice(&checksum[..4]);
    let end = bytes.len() - 16;
    let checksum = sealane::Poly1305::mac(&checksum_key(), &bytes[..end]);
    bytes[end..].copy_from_slice(&checksum);
    let read = Share::from_bytes(&bytes);
    if let Ok(share) = &read {
        assert_eq!(share.as_bytes(), bytes, "a share is read as it is");
    }
    read
}

#[test]
fn every_threshold_and_count() {
    let share = shares(2, 3).remove(0);
    let numbers = || (0..=258).chain([511, 512, 32_767, 32_768, 65_534, u16::MAX]);
    let mut allowed = 0;
    for threshold in numbers() {
        for count in numbers() {
            let read = share_with(share.as_bytes(), &[(THRESHOLD, threshold), (COUNT, count)]);
            let fits = 2 <= threshold && threshold <= count && count <= 255;
            assert_eq!(read.is_ok(), fits, "{threshold} of {count}");
            if let Ok(read) = read {
                assert_eq!((read.header().threshold(), read.header().count()), (threshold, count));
                allowed += 1;
            }
        }
    }
    assert_eq!(allowed, 254 * 255 / 2);
}

#[test]
fn every_index() {
    let share = shares(2, 3).remove(0);
    for index in 0..=u16::MAX {
        let read = share_with(share.as_bytes(), &[(INDEX, index)]);
        assert_eq!(read.is_ok(), (1..=255).contains(&index), "index {index}");
        assert!(read.is_err() || read.is_ok_and(|share| share.header().index() == index));
    }
}

/// Only GF(2^8) by bytes has a header of this length. With the numbers of another field, the share
/// cannot be read.
#[test]
fn every_scheme_and_size_of_field() {
    let share = shares(2, 3).remove(0);
    for scheme in (0..=4).chain([127, 128, 255]) {
        for bits in 0..=u16::MAX {
            let read = share_with(share.as_bytes(), &[(SCHEME, scheme), (BITS, bits)]);
            assert_eq!(read.is_ok(), (scheme, bits) == (1, 8), "scheme {scheme} with {bits} bits");
            let known = scheme == 1 && bits == 8 || matches!(scheme, 2 | 3) && Field::ELEMENT_BITS.contains(&bits);
            // Unknown numbers are reported before any other fault.
            let unknown = matches!(read, Err(ShareError::Parameter(_)));
            assert_eq!(unknown, !known, "scheme {scheme} with {bits} bits");
        }
    }
}
