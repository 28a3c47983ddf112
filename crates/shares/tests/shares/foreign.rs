//! SLIP-39, ssss and Vault without those programs: published vectors, round trips, errors.

use proptest::prelude::*;
use sealane_shares::ssss::{self, Options, SsssShare};
use sealane_shares::vault::{self, VaultShare};
use sealane_shares::{ForeignError, ParameterError};

use crate::support::pattern;

#[test]
fn ssss_round_trips_in_every_field() {
    for length in (1..=16).chain([23, 32, 33, 64, 127, 128]) {
        let secret = pattern(length);
        for diffusion in [true, false] {
            let options = Options::default().with_diffusion(diffusion);
            let shares = ssss::split(&secret, 3, 5, options).unwrap();
            let some = [shares[4].clone(), shares[1].clone(), shares[2].clone()];
            assert_eq!(ssss::combine(&some, 3, diffusion).unwrap()[..], secret[..], "{length}");
            assert_eq!(ssss::combine(&shares, 3, diffusion).unwrap()[..], secret[..], "{length}");
            assert!(matches!(ssss::combine(&shares, 4, diffusion), Err(ForeignError::Inconsistent)));
            assert!(matches!(ssss::combine(&shares[..2], 3, diffusion), Err(ForeignError::TooFew { .. })));
        }
    }
}

/// Interpolation that starts anew for each share would take minutes.
#[test]
fn ssss_with_many_shares_beyond_a_high_threshold() {
    let shares = ssss::split(b"ab", 300, 3000, Options::default()).unwrap();
    assert_eq!(ssss::combine(&shares, 300, true).unwrap()[..], *b"ab");
    let wrong = |share: &SsssShare| {
        let line = share.to_line(3000);
        let other = if line.ends_with('0') { "1" } else { "0" };
        SsssShare::parse(&format!("{}{other}", &line[..line.len() - 1])).unwrap()
    };
    // One of the first 300, the first and the last of the others.
    for at in [150, 300, 2999] {
        let mut list = shares.clone();
        list[at] = wrong(&shares[at]);
        assert!(matches!(ssss::combine(&list, 300, true), Err(ForeignError::Inconsistent)), "{at}");
    }
}

#[test]
fn ssss_lines() {
    let shares = ssss::split(b"secret", 2, 12, Options::default().with_token(Some("key"))).unwrap();
    let line = shares[1].to_line(12);
    assert!(line.starts_with("key-02-"));
    assert_eq!(line.len(), 7 + 12);
    let share = SsssShare::parse(&format!(" {}\n", &*line)).unwrap();
    assert_eq!((share.token(), share.index()), (Some("key"), 2));
    for bad in ["", "1", "1-", "-ab", "0-abcd", "1-abc", "1-xy", "x-abcd", "256-ab", "+1-abcd", "1-é", "65536-abcd"] {
        assert!(SsssShare::parse(bad).is_err(), "{bad}");
    }
    assert!(SsssShare::parse(&format!("1-{}", "ab".repeat(129))).is_err());
    for token in ["", "a-b", "a b", "é", &"x".repeat(129)] {
        let options = Options::default().with_token(Some(token));
        assert!(matches!(ssss::split(b"secret", 2, 2, options), Err(ForeignError::Malformed)), "{token}");
    }
}

#[test]
fn ssss_refuses() {
    let split = |secret: &[u8], threshold, count| ssss::split(secret, threshold, count, Options::default()).err();
    let parameter = |error| match error {
        Some(ForeignError::Parameter(error)) => error,
        other => panic!("{other:?}"),
    };
    assert_eq!(parameter(split(b"", 2, 3)), ParameterError::SecretBytes(0));
    assert_eq!(parameter(split(&[1; 129], 2, 3)), ParameterError::SecretBytes(129));
    assert!(ParameterError::SecretBytes(129).to_string().contains("ssss takes 1 to 128 bytes"));
    assert_eq!(parameter(split(b"x", 0, 3)), ParameterError::ThresholdZero);
    assert_eq!(parameter(split(b"x", 1, 3)), ParameterError::ThresholdOne);
    assert_eq!(parameter(split(b"x", 4, 3)), ParameterError::ThresholdOverCount { threshold: 4, count: 3 });
    assert_eq!(parameter(split(b"x", 2, 256)), ParameterError::Count { count: 256, max: 255 });
    let a = ssss::split(b"secret", 2, 3, Options::default()).unwrap();
    let b = ssss::split(b"secreT", 2, 3, Options::default()).unwrap();
    let c = ssss::split(b"longer secret", 2, 3, Options::default()).unwrap();
    let named = ssss::split(b"secret", 2, 3, Options::default().with_token(Some("a"))).unwrap();
    let other = ssss::split(b"secret", 2, 3, Options::default().with_token(Some("b"))).unwrap();
    let error = ssss::combine(&[a[2].clone(), named[0].clone(), other[1].clone()], 2, true).err();
    assert!(matches!(error, Some(ForeignError::DifferentTokens { positions: [1, 2] })));
    // Someone may have left the name out.
    let unnamed = SsssShare::parse(named[1].to_line(1).strip_prefix("a-").unwrap()).unwrap();
    assert_eq!(&ssss::combine(&[named[0].clone(), unnamed], 2, true).unwrap()[..], b"secret");
    let conflict = ssss::combine(&[a[0].clone(), b[0].clone()], 2, true);
    assert!(matches!(conflict, Err(ForeignError::Conflict { positions: [0, 1] })));
    let lengths = ssss::combine(&[a[0].clone(), c[1].clone()], 2, true);
    assert!(matches!(lengths, Err(ForeignError::DifferentLengths { positions: [0, 1] })));
    assert!(matches!(ssss::combine(&[], 2, true), Err(ForeignError::TooFew { .. })));
    assert!(matches!(ssss::combine(&[a[0].clone(), a[0].clone()], 2, true), Err(ForeignError::TooFew { .. })));
}

/// A hostile file can have hundreds of thousands of lines.
#[test]
fn many_shares_do_not_take_long() {
    let start = std::time::Instant::now();
    let shares = vault::split(&pattern(16), 2, 2).unwrap();
    let mut lines = vec![shares[0].to_base64(); 200_000];
    lines.push(shares[1].to_base64());
    let lines: Vec<&str> = lines.iter().map(|line| line.as_str()).collect();
    let read = vault::parse_all(&lines).unwrap();
    assert_eq!(vault::combine(&read, None).unwrap()[..], pattern(16)[..]);
    let shares: Vec<SsssShare> =
        (1..=60_000).map(|index| SsssShare::parse(&format!("{index}-{index:04x}")).unwrap()).collect();
    assert!(matches!(ssss::combine(&shares, 2, true), Err(ForeignError::Inconsistent)));
    // The limit allows for a debug build on a busy machine, and fails for quadratic time.
    assert!(start.elapsed().as_secs() < 30, "{:?}", start.elapsed());
}

#[test]
fn vault_round_trips() {
    for length in [1, 16, 32, 100] {
        let secret = pattern(length);
        let shares = vault::split(&secret, 3, 5).unwrap();
        for share in &shares {
            assert_eq!(share.as_bytes().len(), length + 1);
            assert_eq!(VaultShare::parse(&share.to_hex()).unwrap().as_bytes(), share.as_bytes());
            assert_eq!(VaultShare::parse(&share.to_base64()).unwrap().as_bytes(), share.as_bytes());
        }
        assert_eq!(vault::combine(&shares[1..4], None).unwrap()[..], secret[..]);
        assert_eq!(vault::combine(&shares, Some(3)).unwrap()[..], secret[..]);
        let mut bytes = shares[0].as_bytes().to_vec();
        bytes[0] ^= 1;
        let wrong = VaultShare::from_bytes(&bytes).unwrap();
        let mut list = shares.clone();
        list[0] = wrong.clone();
        assert!(matches!(vault::combine(&list, Some(3)), Err(ForeignError::Inconsistent)));
        let conflict = vault::combine(&[shares[0].clone(), wrong], None);
        assert!(matches!(conflict, Err(ForeignError::Conflict { positions: [0, 1] })));
    }
}

#[test]
fn vault_lines_of_short_secrets() {
    // Base64 of a few bytes is often valid hexadecimal too: about one line in a few hundred.
    let mut ambiguous = 0;
    for round in 0..4_000u32 {
        let secret = pattern(2 + round as usize % 4);
        let shares = vault::split(&secret, 2, 3).unwrap();
        let base64: Vec<_> = shares.iter().map(VaultShare::to_base64).collect();
        let hex: Vec<_> = shares.iter().map(VaultShare::to_hex).collect();
        ambiguous += base64.iter().filter(|line| line.bytes().all(|byte| byte.is_ascii_hexdigit())).count();
        for lines in [base64, hex] {
            let lines: Vec<&str> = lines.iter().map(|line| line.as_str()).collect();
            let read = vault::parse_all(&lines).unwrap();
            assert!(read.iter().zip(&shares).all(|(a, b)| a.as_bytes() == b.as_bytes()), "{secret:?}");
            assert_eq!(vault::combine(&read, Some(2)).unwrap()[..], secret[..]);
        }
    }
    assert!(ambiguous > 0);
}

#[test]
fn vault_lines() {
    assert!(vault::parse_all::<&str>(&[]).unwrap().is_empty());
    // One line is repeated, with white space.
    let read = vault::parse_all(&["0a0b01", " 0A0B01\n", "0c0d02"]).unwrap();
    assert_eq!(read[1].as_bytes(), [10, 11, 1]);
    // Both encodings fit: base64 with the points 1 and 2, and hexadecimal with 0xab and 0xac.
    let read = vault::parse_all(&["AAAB", "BAAC"]).unwrap();
    assert_eq!(read[0].as_bytes(), [0, 0, 1]);
    let read = vault::parse_all(&["aaab", "baac"]).unwrap();
    assert_eq!(read[0].as_bytes(), [0xaa, 0xab]);
    // The lines have different encodings.
    let read = vault::parse_all(&["0a0b01", "not="]).err();
    assert!(matches!(read, Some((1, ForeignError::Malformed))));
    let read = vault::parse_all(&["0a0b01", "DA0C"]).unwrap();
    assert_eq!(read.len(), 2);
}

#[test]
fn long_hexadecimal_digits_are_not_base64() {
    // As base64, these digits would be a share of 24 bytes that Vault reads as one of 16.
    let (right, at_zero) = (format!("{}01", "5a".repeat(15)), format!("{}00", "5a".repeat(15)));
    let is_zero = |error: &ForeignError| matches!(error, ForeignError::Parameter(ParameterError::ZeroPoint));
    assert!(VaultShare::parse(&at_zero).is_err_and(|error| is_zero(&error)));
    assert!(vault::parse_all(&[&right, &at_zero]).is_err_and(|(at, error)| at == 1 && is_zero(&error)));
    // Vault has no shorter keys. These four characters are base64 of three bytes.
    assert_eq!(VaultShare::parse("5a00").unwrap().as_bytes(), [0xe5, 0xad, 0x34]);
}

#[test]
fn vault_refuses() {
    assert!(matches!(vault::split(b"", 2, 3), Err(ForeignError::Parameter(ParameterError::SecretBytes(0)))));
    assert!(matches!(vault::split(b"x", 2, 256), Err(ForeignError::Parameter(ParameterError::Count { .. }))));
    assert!(matches!(VaultShare::from_bytes(&[1, 2, 0]), Err(ForeignError::Parameter(ParameterError::ZeroPoint))));
    assert!(matches!(VaultShare::from_bytes(&[1]), Err(ForeignError::Malformed)));
    for bad in ["", "zz!", "a", "é"] {
        assert!(VaultShare::parse(bad).is_err(), "{bad}");
    }
    let one = vault::split(b"x", 2, 3).unwrap();
    for (threshold, expected) in [(0, ParameterError::ThresholdZero), (1, ParameterError::ThresholdOne)] {
        let error = vault::combine(&one, Some(threshold)).err();
        assert!(matches!(error, Some(ForeignError::Parameter(error)) if error == expected), "{threshold}");
    }
    assert!(matches!(vault::combine(&one[..1], None), Err(ForeignError::TooFew { needed: 2, usable: 1 })));
    assert!(matches!(vault::combine(&[], None), Err(ForeignError::TooFew { .. })));
}

proptest! {
    #[test]
    fn any_line(line in ".{0,300}", digits in "[0-9]{0,12}-[0-9a-fA-F]{0,300}") {
        let _ = SsssShare::parse(&line);
        let _ = VaultShare::parse(&line);
        if let Ok(share) = SsssShare::parse(&digits) {
            prop_assert!(share.index() > 0);
            prop_assert_eq!(SsssShare::parse(&share.to_line(1)).unwrap().index(), share.index());
        }
    }
}
