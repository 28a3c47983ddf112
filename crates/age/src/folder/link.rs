//! Finds symbolic links that lead out of their folder.

use std::path::{Component, Path, PathBuf};

use super::name::Name;

/// Returns whether the symbolic link `link` to `target`, or a link that leads through it, may lead
/// out of the folder. `is_folder` returns whether a path, relative to the folder, is a known folder
/// within it.
///
/// A link stays inside if its target is relative, goes up no further than the folder, and goes up
/// only from known folders: the parent of another link may be anywhere.
pub fn leads_out(link: &Name, target: &Path, is_folder: impl Fn(&Path) -> bool) -> bool {
    let mut at = link.folders().next().map(PathBuf::from).unwrap_or_default();
    let mut went_down = false;
    for component in target.components() {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_that_stay_and_links_that_leave() {
        let name = |name: &str| Name::new(Path::new(name)).unwrap();
        let folders = [name("a"), name("a/b"), name("c")];
        let is_folder = |path: &Path| folders.iter().any(|folder| folder.as_path() == path);
        let leaves = |link: &str, target: &str| leads_out(&name(link), Path::new(target), is_folder);
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
            assert!(!leaves(link, target), "{link} -> {target}");
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
            assert!(leaves(link, target), "{link} -> {target}");
        }
    }
}
