//! Names of files, folders and links within a folder.

use std::ffi::OsStr;
use std::fmt;
use std::path::{Component, Path, PathBuf};

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use super::path_form;
use super::usable::is_usable;

/// The name of the encrypted manifest in its folder.
pub const MANIFEST: &str = "sealane-manifest.age";

/// The name of the journal that the command `sealane` keeps in its output folder. If an encrypted
/// folder has one, the run is still at work, was interrupted, or could not encrypt all files.
pub const JOURNAL: &str = ".sealane-resume";

/// The end of the name of an encrypted file.
const SUFFIX: &str = ".age";

/// The reason why a manifest cannot list a name.
pub(super) const TOO_LONG: &str = "a name has more than 4096 bytes or 256 components";

/// A relative path to a place within a folder.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Name(PathBuf);

impl Name {
    /// The largest length in a manifest, in bytes. Systems have limits of about 4096 bytes.
    pub const MAX_BYTES: usize = 4096;

    /// The largest number of components in a manifest. Each component but the last is a folder, so
    /// this limits the number of folders that an entry creates. Anyone can write a manifest.
    pub const MAX_COMPONENTS: usize = 256;

    /// Checks `path`. Returns `None` if it is empty or does not lead to a place within the folder,
    /// or if the system cannot have the name. No system allows the character NUL. Windows reserves
    /// names for devices, such as `aux` and `nul.txt`, does not allow some other characters, such
    /// as `:`, and no dot or space at the end.
    pub fn new(path: &Path) -> Option<Self> {
        let down = |component| match component {
            Component::Normal(name) if is_usable(&name.to_string_lossy()) => Some(name),
            _ => None,
        };
        let path: PathBuf = path.components().map(down).collect::<Option<_>>()?;
        (!path.as_os_str().is_empty()).then_some(Self(path))
    }

    /// Returns the path.
    pub fn as_path(&self) -> &Path {
        &self.0
    }

    /// Returns whether a manifest can list the name: it has at most [`Name::MAX_BYTES`] and
    /// [`Name::MAX_COMPONENTS`].
    pub fn fits(&self) -> bool {
        let few = |path: &Path| path.components().nth(Self::MAX_COMPONENTS).is_none();
        self.0.as_os_str().len() <= Self::MAX_BYTES && few(&self.0)
    }

    /// Returns the name of the encrypted file.
    pub fn sealed(&self) -> PathBuf {
        let mut sealed = self.0.clone().into_os_string();
        sealed.push(SUFFIX);
        sealed.into()
    }

    /// Returns the name of the decrypted file, if `sealed` is an encrypted file's name.
    pub fn opened(sealed: &Path) -> Option<Self> {
        let stem = Path::new(sealed.file_name()?);
        let opened = match stem.extension() {
            Some(extension) if extension == OsStr::new(&SUFFIX[1..]) => stem.file_stem()?,
            _ => return None,
        };
        Self::new(&sealed.with_file_name(opened))
    }

    /// Returns whether a file of this name, or its encrypted form, would be mistaken for the
    /// manifest or the journal. Upper and lower case count as the same, as on many file systems.
    /// Check the names of files to encrypt. Encrypted files with other cases of these names can
    /// exist where the file system distinguishes them.
    pub fn is_reserved(&self) -> bool {
        // Some file systems treat other letters as equal too, such as the long s (U+017F) and s.
        let is_own = |path: &Path| {
            let path = path.to_str().map(str::to_uppercase);
            [MANIFEST, JOURNAL].iter().any(|own| path.as_ref().is_some_and(|path| *path == own.to_uppercase()))
        };
        is_own(&self.0) || is_own(&self.sealed())
    }

    /// Returns the folders that contain the entry of this name, from the lowest to the highest.
    pub fn folders(&self) -> impl Iterator<Item = &Path> {
        self.0.ancestors().skip(1).filter(|path| !path.as_os_str().is_empty())
    }
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", self.0.display().to_string())
    }
}

/// Returns the start of a path, for a message.
fn shortened(path: &Path) -> String {
    const SHOWN: usize = 200;
    let text = path.display().to_string();
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{:?}…", &text[..end]),
        None => format!("{text:?}"),
    }
}

impl Serialize for Name {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        path_form::serialize(&self.0, serializer)
    }
}

impl<'de> Deserialize<'de> for Name {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let path = path_form::deserialize(deserializer)?;
        match Self::new(&path) {
            Some(name) if name.fits() => Ok(name),
            Some(_) => Err(de::Error::custom(TOO_LONG)),
            None => Err(de::Error::custom(format!("not a name within a folder: {}", shortened(&path)))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(path: &str) -> Option<Name> {
        Name::new(Path::new(path))
    }

    #[test]
    fn names_stay_below_the_folder() {
        assert_eq!(name("a/b").unwrap().as_path(), Path::new("a/b"));
        assert_eq!(name("a/./b/").unwrap().as_path(), Path::new("a/b"));
        for bad in ["", ".", "..", "/", "/a", "a/../b", "../a", "./a/..", "a\0b", "a/\0"] {
            assert!(name(bad).is_none(), "{bad}");
            assert!(serde_json::from_value::<Name>(bad.into()).is_err(), "{bad}");
        }
    }

    #[test]
    fn names_of_devices_are_refused_where_there_are_such_devices() {
        for device in ["aux", "a/NUL.txt", "a./b", "a:b", "con /b"] {
            assert_eq!(name(device).is_none(), cfg!(windows), "{device}");
            assert_eq!(serde_json::from_value::<Name>(device.into()).is_err(), cfg!(windows), "{device}");
        }
    }

    #[test]
    fn names_have_a_largest_length() {
        let deep = |components: usize| vec!["a"; components].join("/");
        for (path, fits) in [
            (deep(Name::MAX_COMPONENTS), true),
            (deep(Name::MAX_COMPONENTS + 1), false),
            ("n".repeat(Name::MAX_BYTES), true),
            ("n".repeat(Name::MAX_BYTES + 1), false),
        ] {
            assert_eq!(name(&path).unwrap().fits(), fits);
            assert_eq!(serde_json::from_value::<Name>(path.into()).is_ok(), fits);
        }
        let limits = format!("{} bytes or {} components", Name::MAX_BYTES, Name::MAX_COMPONENTS);
        assert!(TOO_LONG.ends_with(&limits));
        let error = serde_json::from_value::<Name>(format!("../{}", "é".repeat(1 << 20)).into()).unwrap_err();
        assert!(error.to_string().len() < 1000, "{error}");
    }

    #[test]
    fn reserved_names_are_reserved_only_in_their_place() {
        for own in [
            ".sealane-resume",
            "sealane-manifest",
            "sealane-manifest.age",
            "SEALANE-MANIFEST",
            "Sealane-Manifest.AGE",
            ".Sealane-Resume",
            "\u{17f}ealane-manife\u{fb06}",
        ] {
            assert!(name(own).unwrap().is_reserved(), "{own}");
            assert!(!name(&format!("x/{own}")).unwrap().is_reserved(), "{own}");
        }
        for other in ["manifest", "sealane_manifest", "sealane-resume", ".sealane-resume.age"] {
            assert!(!name(other).unwrap().is_reserved(), "{other}");
        }
    }

    #[test]
    fn sealed_and_open() {
        for (open, sealed) in [("a", "a.age"), ("x/a.age", "x/a.age.age"), ("a b.txt", "a b.txt.age"), (".x", ".x.age")]
        {
            assert_eq!(name(open).unwrap().sealed(), Path::new(sealed));
            assert_eq!(Name::opened(Path::new(sealed)), name(open));
        }
        for other in ["a", ".age", "x/.age", "a.ag", "a.age.txt", "..", ""] {
            assert_eq!(Name::opened(Path::new(other)), None, "{other}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn names_that_are_not_text() {
        let odd = Name::new(&path_form::from_bytes(b"a/\xff\n".to_vec())).unwrap();
        let json = serde_json::to_string(&odd).unwrap();
        assert_eq!(json, r#"{"base64":"YS//Cg=="}"#);
        assert_eq!(serde_json::from_str::<Name>(&json).unwrap(), odd);
        assert!(serde_json::from_str::<Name>(r#"{"base64":"Li4="}"#).is_err());
        assert_eq!(serde_json::to_string(&name("a/ü").unwrap()).unwrap(), "\"a/ü\"");
    }
}
