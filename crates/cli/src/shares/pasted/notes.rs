//! Comments beside shares.

/// Comments in a share's file, for people and for [`combine`](crate::commands::combine).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Notes {
    /// The public keys of the identity that was split. Other comments are not passed on.
    pub(crate) public_keys: Vec<String>,
    /// Whether the words were made with a passphrase.
    pub(crate) passphrase: bool,
}

/// The comment, without `#`, which says that words were made with a passphrase.
pub(crate) const PASSPHRASE_NOTE: &str = "with a passphrase";
/// The text before a public key in a comment.
pub(crate) const PUBLIC_KEY_NOTE: &str = "public key: ";

/// The length of the public keys that are kept of one file, in bytes: enough for four post-quantum
/// keys.
const MAX_KEYS_BYTES: usize = 8 << 10;

impl Notes {
    /// Adds the information in a comment.
    pub(super) fn add(&mut self, comment: &str) {
        if comment.starts_with(PASSPHRASE_NOTE) {
            self.passphrase = true;
        }
        if let Some(key) = comment.strip_prefix(PUBLIC_KEY_NOTE).map(str::trim)
            && is_recipient(key)
            && !self.public_keys.iter().any(|known| known == key)
            && self.public_keys.iter().map(String::len).sum::<usize>() + key.len() <= MAX_KEYS_BYTES
        {
            self.public_keys.push(key.to_owned());
        }
    }
}

fn is_recipient(key: &str) -> bool {
    // A post-quantum recipient has 1,959 letters.
    key.starts_with("age1") && key.len() < 2048 && key.bytes().all(|b| b.is_ascii_alphanumeric())
}

/// Returns the text of a line that is a comment. "#1" is a number, not a comment.
pub(crate) fn comment(line: &str) -> Option<&str> {
    let text = line.trim_start().strip_prefix('#')?;
    if text.starts_with(|c: char| c.is_ascii_digit()) { None } else { Some(text.trim_start_matches('#').trim()) }
}
