//! Finds symbolic links that lead out of their folder.

use std::path::{Component, Path, PathBuf};

use super::Name;
use super::plan::Link;

/// Returns whether `link`, or a link that leads through it, may lead out of the folder. `is_folder`
/// tells folders from links.
///
/// A link stays inside if its target is relative, goes up no further than the folder, and goes up
/// only from known folders: the parent of another link may be anywhere.
pub(crate) fn leaves(link: &Link, is_folder: impl Fn(&Path) -> bool) -> bool {
    let mut at = link.name.folders().next().map(PathBuf::from).unwrap_or_default();
    let mut went_down = false;
    for component in link.target.components() {
        match component {
            Component::CurDir => {}
            Component::Normal(name) => {
                at.push(name);
                went_down = true;
            }
            Component::ParentDir => {
                // The names above a link are folders.
                if (went_down && !is_folder(&at)) || !at.pop() {
                    return true;
                }
            }
            Component::RootDir | Component::Prefix(_) => return true,
        }
    }
    false
}

/// Returns a test for the names of known folders.
pub(crate) fn is_among<'a>(folders: impl IntoIterator<Item = &'a Name>) -> impl Fn(&Path) -> bool {
    let folders: std::collections::HashSet<PathBuf> =
        folders.into_iter().map(|name| name.as_path().to_owned()).collect();
    move |path| folders.contains(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_that_stay_and_links_that_leave() {
        let name = |name: &str| Name::new(Path::new(name)).unwrap();
        let folders = [name("a"), name("a/b"), name("c")];
        let is_folder = is_among(&folders);
        let leads_out =
            |link: &str, target: &str| leaves(&Link { name: name(link), target: target.into() }, &is_folder);
        for (link, target) in [
            ("x", "a"),
            ("x", "nowhere/at/all"),
            ("x", "."),
            ("a/x", ".."),
            ("a/b/x", "../../c/file"),
            ("a/b/x", "../b/../../c"),
            ("a/x", "b/../b"),
            ("x", "./a/./b"),
        ] {
            assert!(!leads_out(link, target), "{link} -> {target}");
        }
        for (link, target) in [
            ("x", "/etc/passwd"),
            ("x", ".."),
            ("x", "../x"),
            ("a/x", "../.."),
            ("a/b/x", "../../../c"),
            ("a/x", "b/../../.."),
            // The parent of a link, or of a name that may become one, is unknown.
            ("x", "other/.."),
            ("x", "a/other/../../b"),
        ] {
            assert!(leads_out(link, target), "{link} -> {target}");
        }
    }
}
