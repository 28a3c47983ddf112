//! Shares as text, as bytes, and in two formats of serde: a human-readable one and a binary one.

use std::fmt::{Debug, Display};
use std::str::FromStr;

use sealane_shares::slip39::{self, Mnemonic};
use sealane_shares::ssss::{self, SsssShare};
use sealane_shares::vault::{self, VaultShare};
use sealane_shares::{MAX_TEXT_PAYLOAD_BYTES, Share, ShareError, split};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::support::pattern;

/// Checks that a share survives conversion to text, JSON and a binary format and back. The binary
/// format has a length and then `binary`.
fn comes_back<T>(share: &T, text: &str, binary: &[u8])
where
    T: Display + Debug + FromStr<Err: Debug> + for<'a> TryFrom<&'a [u8], Error: Debug> + Serialize + DeserializeOwned,
{
    assert_eq!(share.to_string(), text);
    assert_eq!(text.parse::<T>().unwrap().to_string(), text);
    assert_eq!(T::try_from(binary).unwrap().to_string(), text);

    let json = serde_json::to_string(share).unwrap();
    assert_eq!(json, format!("{text:?}"));
    assert_eq!(serde_json::from_str::<T>(&json).unwrap().to_string(), text);
    // From a reader, the text is owned.
    assert_eq!(serde_json::from_reader::<_, T>(json.as_bytes()).unwrap().to_string(), text);

    let bytes = postcard::to_allocvec(share).unwrap();
    assert!(bytes.ends_with(binary) && bytes.len() <= binary.len() + 2, "a length and the bytes");
    assert_eq!(postcard::from_bytes::<T>(&bytes).unwrap().to_string(), text);
    for wrong in ["\"\"", "\"no-text\"", "7", "[1, 2]", "null"] {
        let error = serde_json::from_str::<T>(wrong).unwrap_err();
        assert!(!error.to_string().contains("no-text"), "{error}");
    }
    for wrong in [&[][..], &[0], &bytes[..bytes.len() - 1]] {
        assert!(postcard::from_bytes::<T>(wrong).is_err(), "{wrong:?}");
    }
}

#[test]
fn our_shares() {
    for share in split(&pattern(40), 2, 3).unwrap() {
        comes_back(&share, &share.to_text().unwrap(), share.as_bytes());
        let mut damaged = share.as_bytes().to_vec();
        *damaged.last_mut().unwrap() ^= 1;
        assert!(matches!(Share::try_from(&damaged[..]), Err(ShareError::Checksum)));
        let mut text = share.to_string();
        let last = text.pop().unwrap();
        text.push(if last == 'Q' { 'P' } else { 'Q' });
        assert!(matches!(text.parse::<Share>(), Err(ShareError::Text(_))));
    }
}

#[test]
fn a_share_that_is_too_long_for_a_text() {
    let [share, _] = &split(&pattern(MAX_TEXT_PAYLOAD_BYTES + 1), 2, 2).unwrap()[..] else { panic!("two") };
    let mut text = String::new();
    assert!(std::fmt::Write::write_fmt(&mut text, format_args!("{share}")).is_err());
    assert_eq!(text, "");
    assert!(serde_json::to_string(share).is_err());
    // The binary form has no limit.
    let bytes = postcard::to_allocvec(share).unwrap();
    assert!(postcard::from_bytes::<Share>(&bytes).unwrap() == *share);
}

#[test]
fn shares_of_other_programs() {
    let secret = pattern(32);
    for share in vault::split(&secret, 2, 3).unwrap() {
        comes_back::<VaultShare>(&share, &share.to_hex(), share.as_bytes());
    }
    // Short hexadecimal text can look like base64, and the reverse. `Display` writes hexadecimal,
    // which is always read correctly.
    for share in vault::split(b"abc", 2, 255).unwrap() {
        assert_eq!(share.to_string().parse::<VaultShare>().unwrap().as_bytes(), share.as_bytes());
    }
    for token in [None, Some("name")] {
        let options = ssss::Options::default().with_token(token);
        for share in ssss::split(&secret, 2, 12, options).unwrap() {
            let line = share.to_line(1);
            comes_back::<SsssShare>(&share, &line, line.as_bytes());
        }
    }
    for mnemonic in slip39::split(&secret, b"", 2, 3).unwrap() {
        let words = mnemonic.to_words();
        comes_back::<Mnemonic>(&mnemonic, &words, words.as_bytes());
    }
    assert!(SsssShare::try_from(&b"1-ab\xff"[..]).is_err());
    let error = Mnemonic::try_from(&b"academic acid \xff"[..]).unwrap_err();
    assert_eq!(error.to_string(), "word 3 is not in SLIP-39's list");
    let error = Mnemonic::try_from(&b"academic ac\xff"[..]).unwrap_err();
    assert_eq!(error.to_string(), "word 2 is not in SLIP-39's list");
}
