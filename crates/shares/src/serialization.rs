//! Implements serde's traits for shares. The serialized forms are secret.

use std::fmt;
use std::marker::PhantomData;
use std::str::FromStr;

use serde::de::{Deserialize, Deserializer, Visitor};
use serde::ser::{Error as _, Serialize, Serializer};
use zeroize::Zeroizing;

use crate::foreign::slip39::Mnemonic;
use crate::foreign::ssss::SsssShare;
use crate::foreign::vault::VaultShare;
use crate::format::Share;

/// Reads a share from text, which is wiped if it is owned.
struct Text<T>(PhantomData<T>);

impl<T: FromStr<Err: fmt::Display>> Visitor<'_> for Text<T> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the text of a share")
    }

    fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<T, E> {
        text.parse().map_err(E::custom)
    }

    fn visit_string<E: serde::de::Error>(self, text: String) -> Result<T, E> {
        self.visit_str(&Zeroizing::new(text))
    }
}

/// Reads a share from bytes, which are wiped if they are owned.
struct Bytes<T>(PhantomData<T>);

impl<T: for<'a> TryFrom<&'a [u8], Error: fmt::Display>> Visitor<'_> for Bytes<T> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the bytes of a share")
    }

    fn visit_bytes<E: serde::de::Error>(self, bytes: &[u8]) -> Result<T, E> {
        T::try_from(bytes).map_err(E::custom)
    }

    fn visit_byte_buf<E: serde::de::Error>(self, bytes: Vec<u8>) -> Result<T, E> {
        self.visit_bytes(&Zeroizing::new(bytes))
    }
}

/// Serializes the text form in human-readable formats, and the binary form in others.
macro_rules! text_or_bytes {
    ($share:ty, |$this:ident| $text:expr) => {
        impl Serialize for $share {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                if serializer.is_human_readable() {
                    let $this = self;
                    serializer.serialize_str(&$text.map_err(S::Error::custom)?)
                } else {
                    serializer.serialize_bytes(self.as_bytes())
                }
            }
        }

        impl<'de> Deserialize<'de> for $share {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                if deserializer.is_human_readable() {
                    deserializer.deserialize_str(Text(PhantomData))
                } else {
                    deserializer.deserialize_bytes(Bytes(PhantomData))
                }
            }
        }
    };
}

/// Serializes the text form in all formats, because these shares have no binary form.
macro_rules! text_only {
    ($share:ty, |$this:ident| $text:expr) => {
        impl Serialize for $share {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                let $this = self;
                serializer.serialize_str(&$text)
            }
        }

        impl<'de> Deserialize<'de> for $share {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                deserializer.deserialize_str(Text(PhantomData))
            }
        }
    };
}

text_or_bytes!(Share, |share| share.to_text());
text_or_bytes!(VaultShare, |share| Ok::<_, fmt::Error>(share.to_hex()));
text_only!(SsssShare, |share| share.to_line(1));
text_only!(Mnemonic, |mnemonic| mnemonic.to_words());
