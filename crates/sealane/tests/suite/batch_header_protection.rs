//! QUIC's header protection, one packet at a time and in batches, against the reference and RFC
//! 9001.

use sealane::quic::{HeaderProtectionKey, Sample};
use sealane_spec::quic::header_protection;
use sealane_vectors as vectors;

use crate::common::{array, backends};

/// More packets than three groups of the widest vectors.
const MANY: usize = 50;

#[test]
fn vectors_of_rfc_9001() {
    for v in vectors::rfc9001_header_protection().vectors {
        for backend in backends() {
            let key = HeaderProtectionKey::with_backend(&v.key.array(), backend);
            assert_eq!(key.backend(), backend);
            assert_eq!(key.header_protection_mask(&v.sample.array()), v.mask.array(), "{} on {backend}", v.id);
        }
        let key = HeaderProtectionKey::new(&v.key.array());
        assert_eq!(key.header_protection_mask(&v.sample.array()), v.mask.array(), "{}", v.id);
    }
}

/// The samples hold small and large block counters, among them the largest.
#[test]
fn every_number_of_packets() {
    let hp_key = array(1);
    let mut samples: Vec<Sample> = (0..MANY).map(|i| array(2 + i as u64)).collect();
    samples[3] = [0xff; 16];
    samples[17] = [0; 16];
    let expected: Vec<_> = samples.iter().map(|sample| header_protection(&hp_key, sample)).collect();
    for backend in backends() {
        let key = HeaderProtectionKey::with_backend(&hp_key, backend);
        for count in 0..=MANY {
            // The first and the last samples, so that each sample is in several lanes.
            for range in [0..count, MANY - count..MANY] {
                let mut masks = vec![[0x55; 5]; count];
                key.header_protection_masks(&samples[range.clone()], &mut masks);
                assert!(masks == expected[range], "{count} packets on {backend}");
            }
        }
        let single = |sample| key.header_protection_mask(sample);
        assert!(samples.iter().map(single).eq(expected.iter().copied()), "one by one on {backend}");
    }
}

#[test]
#[should_panic(expected = "the numbers of samples and masks differ")]
fn different_numbers_of_samples_and_masks() {
    HeaderProtectionKey::new(&[1; 32]).header_protection_masks(&[[0; 16]; 3], &mut [[0; 5]; 2]);
}

#[test]
fn debug_output_has_no_key() {
    let key = HeaderProtectionKey::new(&[0xab; 32]);
    let text = format!("{key:?}");
    assert!(text.starts_with("HeaderProtectionKey { backend: "), "{text}");
    assert!(!text.contains("171") && !text.to_lowercase().contains("abab"), "{text}");
}
