//! Paths in manifests: text, or bytes in base64.

use std::path::{Path, PathBuf};

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de, ser};

/// The serialised form of a path: text with `/` between names, or bytes if the path is not UTF-8.
#[derive(Serialize, Deserialize)]
#[serde(untagged)]
pub(super) enum PathForm {
    Text(String),
    Bytes { base64: String },
}

impl PathForm {
    /// Decodes the bytes of a path.
    pub(super) fn decode(base64: &str) -> Result<Vec<u8>, base64::DecodeError> {
        BASE64_STANDARD.decode(base64)
    }
}

/// Serialises any path. On a system other than Unix, fails if the path is not Unicode.
pub(super) fn serialize<S: Serializer>(path: &impl AsRef<Path>, serializer: S) -> Result<S::Ok, S::Error> {
    let path = path.as_ref();
    let form = match path.to_str() {
        Some(text) if cfg!(windows) => PathForm::Text(text.replace('\\', "/")),
        Some(text) => PathForm::Text(text.to_owned()),
        None => PathForm::Bytes { base64: BASE64_STANDARD.encode(bytes(path).ok_or_else(|| not_unicode(path))?) },
    };
    form.serialize(serializer)
}

/// Deserialises any path. On a system other than Unix, bytes that are not UTF-8 are replaced.
pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<PathBuf, D::Error> {
    match PathForm::deserialize(deserializer)? {
        PathForm::Text(text) => Ok(text.into()),
        PathForm::Bytes { base64 } => PathForm::decode(&base64).map(from_bytes).map_err(de::Error::custom),
    }
}

fn not_unicode<E: ser::Error>(path: &Path) -> E {
    E::custom(format!("the name {:?} is not Unicode", path.display().to_string()))
}

#[cfg(unix)]
fn bytes(path: &Path) -> Option<&[u8]> {
    Some(std::os::unix::ffi::OsStrExt::as_bytes(path.as_os_str()))
}

#[cfg(not(unix))]
fn bytes(_: &Path) -> Option<&[u8]> {
    None
}

#[cfg(unix)]
pub(super) fn from_bytes(bytes: Vec<u8>) -> PathBuf {
    let name: std::ffi::OsString = std::os::unix::ffi::OsStringExt::from_vec(bytes);
    name.into()
}

#[cfg(not(unix))]
pub(super) fn from_bytes(bytes: Vec<u8>) -> PathBuf {
    String::from_utf8_lossy(&bytes).into_owned().into()
}
