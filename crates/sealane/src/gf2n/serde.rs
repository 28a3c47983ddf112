//! Implements serde's traits for elements.

use serdect::array::{deserialize_hex_or_bin, serialize_hex_lower_or_bin};
use serdect::serde::de::Error as _;
use serdect::serde::{Deserialize, Deserializer, Serialize, Serializer};
use zeroize::Zeroize;

use super::{Element, Field};

/// Serializes the bytes of [`Element::to_bytes`]: as lower-case hexadecimal digits in formats that
/// people read, and as bytes in others. The encoding takes the same time for all elements, but the
/// format may not.
impl<F: Field> Serialize for Element<F> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut bytes = self.to_bytes();
        let result = serialize_hex_lower_or_bin(&bytes, serializer);
        bytes.zeroize();
        result
    }
}

/// Deserializes what [`Serialize`] writes. Digits may be in upper case. A wrong number of bytes is
/// an error.
impl<'de, F: Field> Deserialize<'de> for Element<F> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut bytes = F::ZERO_BYTES;
        // Without this check, an empty string would be read as zero.
        let result = match deserialize_hex_or_bin(bytes.as_mut(), deserializer) {
            Ok(read) if read.len() == Self::BYTES => Ok(()),
            Ok(read) => Err(D::Error::invalid_length(read.len(), &"the bytes of one element")),
            Err(error) => Err(error),
        };
        let element = Self::from_bytes(&bytes);
        bytes.zeroize();
        result.map(|()| element)
    }
}
