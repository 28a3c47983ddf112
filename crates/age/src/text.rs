//! Keys as text: Bech32 (BIP 173) without its limit on the length.

use age_core::primitives::{bech32_decode, bech32_encode};
use age_core::secrecy::SecretString;
use bech32::Hrp;
use zeroize::Zeroizing;

/// Encodes a secret, in upper case as age does.
pub(crate) fn encode_secret(prefix: Hrp, bytes: &[u8]) -> SecretString {
    let mut text = bech32_encode(prefix, bytes);
    text.make_ascii_uppercase();
    SecretString::from(text)
}

/// Decodes the bytes of a text with this prefix.
pub(crate) fn decode(text: &str, prefix: Hrp) -> Option<Zeroizing<Vec<u8>>> {
    bech32_decode(
        text,
        |_| (),
        |found| if found == prefix { Ok(()) } else { Err(()) },
        // The vector is allocated once: growing would leave a copy behind.
        |_, bytes| {
            let mut all = Zeroizing::new(Vec::with_capacity(text.len()));
            all.extend(bytes);
            Ok(all)
        },
    )
    .ok()
}
