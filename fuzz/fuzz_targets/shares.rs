//! The parsers of shares: any input is parsed or refused, and a parsed share is written again
//! unchanged.
//!
//! Input that starts with a NUL byte describes shares with correct checksums. Other input is a
//! share.
#![no_main]

use std::io::Cursor;

use libfuzzer_sys::arbitrary::{self, Arbitrary, Unstructured};
use libfuzzer_sys::fuzz_target;
use sealane_fuzz::share::{AnyShare, bech32m, slip39};
use sealane_fuzz::{Bytes, reached};
use sealane_shares::slip39::Mnemonic;
use sealane_shares::ssss::SsssShare;
use sealane_shares::vault::{self, VaultShare};
use sealane_shares::{MAX_TEXT_PAYLOAD_BYTES, Share, ShareReader, combine, combine_seek, combine_to, reissue};

#[derive(Arbitrary, Debug)]
enum Case {
    Binary(Vec<AnyShare>),
    /// Replaces the last digit before the checksum, and adds more digits.
    Text {
        share: AnyShare,
        last: u8,
        more: Vec<u8>,
        lower: bool,
    },
    /// A SLIP-39 mnemonic with `more % 32` words beyond the fewest.
    Words {
        more: u8,
        numbers: Bytes<160>,
    },
    Ssss {
        token: Option<String>,
        index: u32,
        digits: Vec<u8>,
    },
    Vault(Vec<Vec<u8>>),
}

fuzz_target!(|data: &[u8]| match data {
    [0, rest @ ..] => {
        if let Ok(case) = Case::arbitrary_take_rest(Unstructured::new(rest)) {
            structured(case);
        }
    }
    _ => {
        binary(data);
        if let Ok(text) = str::from_utf8(data) {
            lines(text);
        }
    }
});

fn structured(case: Case) {
    match case {
        Case::Binary(shares) => {
            let all: Vec<Vec<u8>> = shares.iter().take(6).map(AnyShare::bytes).collect();
            let shares: Vec<Share> = all.iter().filter_map(|bytes| binary(bytes)).collect();
            together(&all, &shares);
        }
        Case::Text { share, last, more, lower } => {
            let mut digits = share.digits();
            if let Some(digit) = digits.last_mut() {
                *digit ^= last;
            }
            let text = bech32m(&[digits, more].concat());
            line(&if lower { text.to_ascii_lowercase() } else { text });
        }
        Case::Words { more, numbers } => {
            let numbers = numbers.0.as_chunks().0.iter().map(|number| u16::from_le_bytes(*number));
            let numbers = numbers.chain(std::iter::repeat(0)).take(17 + usize::from(more % 32));
            line(&slip39(&numbers.collect::<Vec<_>>()));
        }
        Case::Ssss { token, index, digits } => {
            let token = token.map(|token| format!("{token}-")).unwrap_or_default();
            let digits: String = digits.iter().map(|digit| format!("{digit:02x}")).collect();
            line(&format!("{token}{index}-{digits}"));
        }
        Case::Vault(shares) => of_vault(&shares),
    }
}

/// Checks that arbitrary shares cannot be combined: no commitment matches by chance.
fn together(all: &[Vec<u8>], shares: &[Share]) {
    let readers = || all.iter().filter_map(|bytes| ShareReader::new(Cursor::new(&bytes[..])).ok()).collect::<Vec<_>>();
    assert!(combine(shares).is_err());
    assert!(combine_to(readers(), Vec::new()).is_err());
    assert!(combine_seek(readers(), Vec::new()).is_err());
    let _ = reissue(shares, 7);
}

fn lines(text: &str) {
    line(text);
    let all: Vec<&str> = text.lines().collect();
    all.iter().for_each(|text| line(text));
    let together = vault::parse_all(&all);
    let each: Vec<_> = all.iter().map(|line| VaultShare::parse(line)).collect();
    assert_eq!(together.is_ok(), each.iter().all(Result::is_ok));
}

/// Parses the binary form, and checks the result.
fn binary(bytes: &[u8]) -> Option<Share> {
    let share = Share::from_bytes(bytes).ok()?;
    assert!(share.as_bytes() == bytes);
    reached!("a binary share");
    let text = share.to_text();
    assert_eq!(text.is_ok(), share.payload().len() <= MAX_TEXT_PAYLOAD_BYTES);
    if let Ok(text) = text {
        assert!(Share::from_text(&text).expect("what was written is read") == share);
        assert!(Share::from_text(&text.to_lowercase()).expect("in lower case too") == share);
    }
    Some(share)
}

/// Parses a line in every text form, and checks the result.
fn line(text: &str) {
    if let Ok(share) = Share::from_text(text) {
        let written = share.to_text().expect("as long as what was read");
        assert!(written.eq_ignore_ascii_case(text.trim()));
        assert!(binary(share.as_bytes()).is_some());
        reached!("a share as text");
    }
    if let Ok(mnemonic) = Mnemonic::parse(text) {
        // A prefix may stand for a word.
        let words: Vec<String> = text.split_whitespace().map(str::to_ascii_lowercase).collect();
        let written = mnemonic.to_words();
        reached!("a mnemonic of SLIP-39");
        assert_eq!(written.split(' ').count(), words.len());
        assert!(written.split(' ').zip(&words).all(|(whole, start)| start.len() >= 4 && whole.starts_with(start)));
    }
    if let Ok(share) = SsssShare::parse(text) {
        let written = share.to_line(1);
        reached!("a line of ssss");
        let again = SsssShare::parse(&written).expect("what was written is read");
        assert_eq!((again.index(), again.token()), (share.index(), share.token()));
        assert!(again.to_line(1) == written && share.to_line(1000) == again.to_line(1000));
        let digits = |line: &str| line.trim().rsplit('-').next().map(str::to_ascii_lowercase);
        assert!(digits(text) == digits(&written));
    }
    if let Ok(share) = VaultShare::parse(text) {
        of_vault(&[share.as_bytes().to_vec()]);
    }
}

fn of_vault(shares: &[Vec<u8>]) {
    let shares: Vec<VaultShare> = shares.iter().filter_map(|bytes| VaultShare::from_bytes(bytes).ok()).collect();
    for share in &shares {
        reached!("a share of Vault");
        let hex = VaultShare::parse(&share.to_hex()).expect("what was written is read");
        assert!(hex.as_bytes() == share.as_bytes());
        let base64 = share.to_base64();
        // The letters of base64 may also be hexadecimal digits, as the documentation says.
        let is_hex = base64.len().is_multiple_of(2) && base64.chars().all(|letter| letter.is_ascii_hexdigit());
        let base64 = VaultShare::parse(&base64).expect("what was written is read");
        assert!(is_hex || base64.as_bytes() == share.as_bytes());
    }
    let _ = vault::combine(&shares, None);
    let _ = vault::combine(&shares, Some(2));
}
