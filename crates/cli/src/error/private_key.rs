//! Keeps secrets out of messages, which quote arguments: a private key may have been given in place
//! of a path or a recipient.

use std::borrow::Cow;

/// The beginnings of private keys, of parts and of shares, in lower case. The character `1` and the
/// secret follow, for some of them after a name.
const PRIVATE_KEYS: [&str; 2] = ["age-secret-key-", "age-plugin-"];
const PARTS_AND_SHARES: [&str; 2] = ["sealane-part-", "sealane-share-"];

/// The end of the line before an ssh private key, in lower case.
const PEM: &str = "private key-----";

/// The fewest characters of a secret. Names of files and plugins have fewer after the `1`.
const SECRET_CHARACTERS: usize = 16;

/// Returns whether the text contains a private key.
pub(crate) fn holds_private_key(text: &str) -> bool {
    find(text, &PRIVATE_KEYS).is_some()
}

/// Returns the message with `…` in place of secrets. Each is left out up to the end of its
/// quotation, because it may be on several lines.
pub(crate) fn without_secrets(message: &str) -> Cow<'_, str> {
    let prefixes = [PRIVATE_KEYS, PARTS_AND_SHARES].concat();
    let (mut shown, mut rest) = (String::new(), message);
    while let Some(start) = find(rest, &prefixes) {
        shown.push_str(&rest[..start]);
        shown.push('…');
        rest = &rest[start..];
        rest = &rest[rest.find(['"', '\'']).unwrap_or(rest.len())..];
    }
    if shown.is_empty() { message.into() } else { (shown + rest).into() }
}

/// Returns the position of the first secret, after its prefix. Upper and lower case are the same.
fn find(text: &str, prefixes: &[&str]) -> Option<usize> {
    let text = text.to_ascii_lowercase();
    let ssh = text.find(PEM).map(|start| start + PEM.len());
    let named = prefixes.iter().flat_map(|prefix| text.match_indices(prefix));
    named.filter_map(|(start, prefix)| secret_after(&text, start + prefix.len())).chain(ssh).min()
}

/// Returns the position of the secret after a prefix that ends at `start`.
fn secret_after(text: &str, start: usize) -> Option<usize> {
    let is_name = |c: char| c.is_ascii_alphanumeric() || "+-._".contains(c);
    let len = text[start..].find(|c| !is_name(c)).unwrap_or(text.len() - start);
    let word = &text[start..start + len];
    let is_secret = |rest: &str| rest.bytes().take_while(u8::is_ascii_alphanumeric).count() >= SECRET_CHARACTERS;
    let mut separators = word.match_indices('1').map(|(at, _)| at + 1);
    separators.find(|&at| is_secret(&word[at..])).map(|at| start + at)
}

#[cfg(test)]
mod tests {
    use super::*;

    const KEY: &str = "AGE-SECRET-KEY-1QQQSYQCYQ5RQWZQFPG9SCRGWPUGPZYSNZS23V9CCRYDPK8QARC0JQ5XQ2Z";

    #[test]
    fn secrets_are_found_anywhere_and_in_any_case() {
        let lower = KEY.to_ascii_lowercase();
        for text in [
            KEY,
            &lower,
            &format!(" {KEY}"),
            &format!("\u{feff}\"{KEY}\""),
            &format!("# created: 2026\n# public key: age1x\n{KEY}\n"),
            "AGE-SECRET-KEY-PQ-1QQQSYQCYQ5RQWZQF",
            "AGE-PLUGIN-YUBIKEY-1QQQSYQCYQ5RQWZQF",
            "-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1rZXktdjEAAAAA\n",
        ] {
            assert!(holds_private_key(text), "{text}");
            let message = format!("cannot open {text:?}: why 'not'");
            let shown = without_secrets(&message).into_owned();
            assert!(shown.starts_with("cannot open \"") && shown.ends_with("\": why 'not'"), "{shown}");
            assert!(!shown.to_ascii_lowercase().contains("qqqsy") && !shown.contains("b3Bl"), "{shown}");
        }
        assert_eq!(without_secrets(&format!("unexpected '{KEY}' found")), "unexpected 'AGE-SECRET-KEY-1…' found");
        let both = format!("{KEY:?} and \"SEALANE-PART-1QQQSYQCYQ5RQWZQF\" and SEALANE-SHARE-1QQQSYQCYQ5RQWZQF");
        assert_eq!(without_secrets(&both), "\"AGE-SECRET-KEY-1…\" and \"SEALANE-PART-1…\" and SEALANE-SHARE-1…");
    }

    #[test]
    fn names_and_public_texts_are_shown() {
        for text in [
            "",
            "age1xmwwc06ly3ee5rytxm9mflaz2u56jjj36s0mypdrwsvlul66mv4q47ryeg",
            "age-secret-key-1.txt",
            "backup/age-secret-key-20261126.txt",
            "plugin age-plugin-yubikey not found in PATH",
            "age-plugin-1password/identity.txt",
            "AGE-PLUGIN-TEST-10Q32NLXM",
            "identities look like AGE-SECRET-KEY-1…, AGE-SECRET-KEY-PQ-1… or AGE-PLUGIN-NAME-1…",
            "-----BEGIN PUBLIC KEY-----",
        ] {
            assert!(!holds_private_key(text), "{text}");
            assert_eq!(without_secrets(text), text);
        }
    }
}
