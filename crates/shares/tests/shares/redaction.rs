//! `Debug` output contains no secrets.

use std::fmt::Debug;
use std::io::{Read as _, Write as _};

use sealane_shares::{Refresh, Share, ShareReader, Split, WipedVec, combine, slip39, split, ssss, vault};

use crate::support::pattern;

/// Returns whether `output` contains three consecutive bytes of `secret`, in a form that `Debug`
/// could write.
fn shows(output: &str, secret: &[u8]) -> bool {
    let output = output.to_lowercase().replace([' ', '\n'], "");
    secret.windows(3).any(|bytes| {
        let hex: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
        let list = bytes.iter().map(u8::to_string).collect::<Vec<_>>().join(",");
        output.contains(&hex) || output.contains(&list)
    })
}

/// Asserts that the output has no 3 consecutive bytes of the secret, and no 12 consecutive
/// characters of its text, in upper or lower case. A shorter part of the text can occur in the
/// output by chance, such as
/// ` identif` from the words of a mnemonic.
#[track_caller]
fn assert_redacted(value: &impl Debug, secret: &[u8], text: &str) {
    for output in [format!("{value:?}"), format!("{value:#?}")] {
        assert!(!shows(&output, secret), "{output}");
        let has = |part: &[u8]| output.as_bytes().windows(12).any(|other| part.eq_ignore_ascii_case(other));
        let has_text = text.as_bytes().windows(12).any(has);
        assert!(!has_text, "{output}");
    }
}

#[test]
fn a_secret_would_be_found() {
    let secret = b"secret".to_vec();
    for output in [format!("{secret:?}"), format!("{secret:#?}"), format!("{secret:x?}").replace(", ", "")] {
        assert!(shows(&output, b"secret"), "{output}");
    }
    for text in ["secret words", "SECRET WORDS"] {
        assert!(std::panic::catch_unwind(|| assert_redacted(&"my secret words", &[], text)).is_err());
    }
    assert!(!shows("Share { index: 1, .. }", b"secret"));
}

#[test]
fn debug_output_of_shares() {
    let secret = pattern(64);
    let shares = split(&secret, 2, 3).unwrap();
    for share in &shares {
        assert_redacted(share, share.payload(), "");
        let mut reader = ShareReader::new(share.as_bytes()).unwrap();
        reader.read_exact(&mut [0; 8]).unwrap();
        assert_redacted(&reader, share.payload(), "");
        assert!(format!("{reader:?}").contains("payload_len: 8"));
    }
    assert_redacted(&combine(&shares).unwrap(), &secret, "");
    let refresh = Refresh::new(shares.iter().cloned().map(Share::into_reader).collect()).unwrap();
    for share in &shares {
        assert_redacted(&refresh, share.payload(), "");
    }
    let mut writer = Split::new(2, 3).unwrap().write_to(vec![Vec::new(), Vec::new(), Vec::new()]).unwrap();
    writer.write_all(&secret).unwrap();
    assert_redacted(&writer, &secret, "");
    let mut vec = WipedVec::default();
    vec.write_all(&secret).unwrap();
    assert_redacted(&vec, &secret, "");
}

#[test]
fn debug_output_of_foreign_shares() {
    let secret = pattern(32);
    for share in vault::split(&secret, 2, 3).unwrap() {
        assert_redacted(&share, &share.as_bytes()[..32], &share.to_base64());
        assert_redacted(&share, &[], &share.to_hex());
    }
    for share in ssss::split(&secret, 2, 3, ssss::Options::default()).unwrap() {
        assert_redacted(&share, &[], &share.to_line(1));
    }
    let mnemonics = slip39::split(&secret, b"", 2, 3).unwrap();
    for mnemonic in &mnemonics {
        assert_redacted(mnemonic, &[], &mnemonic.to_words());
    }
    assert_redacted(&slip39::combine(&mnemonics, b"").unwrap(), &secret, "");
}
