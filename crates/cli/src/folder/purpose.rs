//! The purpose of a run, which tells whether another run can continue it.

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};

use sha2::{Digest as _, Sha256};

/// The purpose of a run: a digest of its inputs and settings. Only a run with the same purpose can
/// continue it.
pub(crate) struct Purpose(Sha256);

impl Purpose {
    pub(crate) fn new(inputs: &[PathBuf]) -> Self {
        let all = inputs.iter().map(|input| place(input).unwrap_or_else(|_| input.clone().into_os_string()));
        all.fold(Self(Sha256::new()), |purpose, input| purpose.with(input.as_encoded_bytes()))
    }

    #[must_use]
    pub(crate) fn with(mut self, part: impl AsRef<[u8]>) -> Self {
        let part = part.as_ref();
        self.0.update((part.len() as u64).to_be_bytes());
        self.0.update(part);
        self
    }

    pub(super) fn text(self) -> String {
        self.0.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
    }
}

/// Returns the place of an input: its folder, whose path does not depend on the current folder and
/// has no links, and its name, which the results get. For an input that is a folder, also returns
/// the folder that a link leads to.
fn place(input: &Path) -> io::Result<OsString> {
    let Some(name) = input.file_name() else { return Ok(input.canonicalize()?.into()) };
    let parent = input.parent().filter(|parent| *parent != Path::new("")).unwrap_or(Path::new("."));
    let mut place = parent.canonicalize()?.join(name).into_os_string();
    if input.is_dir() {
        // No path contains this character.
        place.push("\0");
        place.push(input.canonicalize()?);
    }
    Ok(place)
}

#[cfg(all(test, unix))]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use super::*;

    fn purpose(input: &Path) -> String {
        Purpose::new(&[input.to_owned()]).text()
    }

    #[test]
    fn a_purpose_is_of_the_inputs_and_not_of_their_spelling() {
        let root = tempfile::tempdir().unwrap();
        let path = |name: &str| root.path().join(name);
        for folder in ["a/x", "b/x"] {
            fs::create_dir_all(path(folder)).unwrap();
        }
        symlink("a", path("link")).unwrap();
        for same in ["a/x", "a/./x", "a/../a/x", "link/x", "a/x/"] {
            assert_eq!(purpose(&path(same)), purpose(&path("a/x")), "{same}");
        }
        for other in ["b/x", "a", "link", "missing"] {
            assert_ne!(purpose(&path(other)), purpose(&path("a/x")), "{other}");
        }
        // The results have the name of the link.
        assert_ne!(purpose(&path("link")), purpose(&path("a")));
        let before = purpose(&path("link"));
        fs::remove_file(path("link")).unwrap();
        symlink("b", path("link")).unwrap();
        assert_ne!(purpose(&path("link")), before);
    }
}
