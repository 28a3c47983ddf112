//! The PEM form of private keys (RFC 1421, RFC 7468), with the headers of encrypted ones.
//!
//! The available crates for PEM either refuse headers or leave copies of the key in memory.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use zeroize::Zeroizing;

/// A block between a `BEGIN` and an `END` line.
pub(super) struct Pem {
    /// The label in the `BEGIN` line, such as `RSA PRIVATE KEY`.
    pub(super) label: String,
    /// The `Name: value` lines before the body.
    headers: Vec<(String, String)>,
    pub(super) body: Zeroizing<Vec<u8>>,
}

/// The number of columns of a line of the body.
const COLUMNS: usize = 64;

impl Pem {
    /// Reads the block that `text` starts with.
    pub(super) fn parse(text: &[u8]) -> Option<Self> {
        let mut lines = std::str::from_utf8(text).ok()?.lines().map(str::trim_ascii_end);
        let label = lines.next()?.strip_prefix("-----BEGIN ")?.strip_suffix("-----")?.to_owned();
        let mut headers = Vec::new();
        let mut encoded = Zeroizing::new(String::with_capacity(text.len()));
        for line in lines {
            if let Some(end) = line.strip_prefix("-----END ") {
                let body = Zeroizing::new(BASE64_STANDARD.decode(&*encoded).ok()?);
                return (end.strip_suffix("-----")? == label).then_some(Self { label, headers, body });
            }
            match line.split_once(": ") {
                Some((name, value)) => headers.push((name.to_owned(), value.to_owned())),
                None => encoded.push_str(line.trim_ascii_start()),
            }
        }
        None
    }

    /// Returns the value of a header.
    pub(super) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(found, _)| found == name).map(|(_, value)| value.as_str())
    }

    /// Returns whether the body is encrypted (RFC 1421).
    pub(super) fn is_encrypted(&self) -> bool {
        self.header("Proc-Type").is_some_and(|value| value.contains("ENCRYPTED"))
    }
}

/// Returns `body` as a block with the label `label`.
pub(super) fn encode(label: &str, body: &[u8]) -> Zeroizing<String> {
    let encoded = Zeroizing::new(BASE64_STANDARD.encode(body));
    let len = encoded.len() + encoded.len() / COLUMNS + 2 * label.len() + 64;
    let mut text = Zeroizing::new(String::with_capacity(len));
    text.push_str(&format!("-----BEGIN {label}-----\n"));
    for at in (0..encoded.len()).step_by(COLUMNS) {
        text.push_str(&encoded[at..encoded.len().min(at + COLUMNS)]);
        text.push('\n');
    }
    text.push_str(&format!("-----END {label}-----\n"));
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_encoded_comes_back() {
        for len in [1, 47, 48, 49, 1000] {
            let body: Vec<u8> = (0..len).map(|i: usize| i.to_le_bytes()[0]).collect();
            let pem = Pem::parse(encode("X", &body).as_bytes()).unwrap();
            assert_eq!((pem.label.as_str(), &**pem.body), ("X", body.as_slice()));
        }
    }

    #[test]
    fn headers_and_line_ends() {
        let text =
            "-----BEGIN A B-----\r\nProc-Type: 4,ENCRYPTED\r\nDEK-Info: X,00\r\n\r\nAAEC\r\n-----END A B-----\r\n";
        let pem = Pem::parse(text.as_bytes()).unwrap();
        assert_eq!((pem.label.as_str(), &**pem.body), ("A B", &[0, 1, 2][..]));
        assert_eq!(pem.header("DEK-Info"), Some("X,00"));
        assert!(pem.is_encrypted());
    }

    #[test]
    fn what_is_not_whole() {
        for text in [
            "",
            "-----BEGIN A-----",
            "-----BEGIN A-----\nAAEC\n",
            "-----BEGIN A-----\nA\n-----END A-----",
            "-----BEGIN A-----\n-----END B-----",
        ] {
            assert!(Pem::parse(text.as_bytes()).is_none(), "{text}");
        }
    }
}
