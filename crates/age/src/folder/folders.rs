//! The folders that contain entries.

use std::collections::BTreeMap;
use std::path::Path;

use super::attributes::Attributes;
use super::name::Name;

/// Returns the `known` folders with their attributes, and all other folders above entries with
/// these `names`, without attributes. Each folder comes before the folders inside it.
///
/// A name has up to [`Name::MAX_COMPONENTS`] folders, so their paths are parts of the names, not
/// copies.
pub fn folders<'a>(
    names: impl IntoIterator<Item = &'a Name>,
    known: impl IntoIterator<Item = (&'a Name, Attributes)>,
) -> BTreeMap<&'a Path, Attributes> {
    let mut names: Vec<_> = names.into_iter().collect();
    names.sort();
    // In this order, most folders above a name are also above the name before it. The others are
    // added from the top down, so `all` is sorted too, and the map is made without further work.
    let mut all = Vec::new();
    let mut last = Path::new("");
    for name in names {
        let folder = name.folders().next().unwrap_or(Path::new(""));
        let shared = last.components().zip(folder.components()).take_while(|(one, other)| one == other).count();
        let start = all.len();
        let new = name.folders().take(folder.components().count() - shared);
        all.extend(new.map(|folder| (folder, Attributes::default())));
        all[start..].reverse();
        last = folder;
    }
    let mut all: BTreeMap<_, _> = all.into_iter().collect();
    all.extend(known.into_iter().map(|(name, attributes)| (name.as_path(), attributes)));
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(text: &str) -> Name {
        Name::new(Path::new(text)).unwrap()
    }

    #[test]
    fn folders_of_all_names() {
        let names = ["z", "a/b/c", "a/b", "a!/x", "a/b/d/e", "a/bb/x", "a/b/d/f/g", "b/a", "a/c/c/c"].map(name);
        let known = [name("k/l"), name("a/b/d")];
        let attributes = Attributes::private();
        let found = folders(&names, known.iter().map(|name| (name, attributes)));
        let expected = ["a", "a/b", "a/b/d", "a/b/d/f", "a/bb", "a/c", "a/c/c", "a!", "b", "k/l"].map(Path::new);
        assert_eq!(found.keys().copied().collect::<Vec<_>>(), expected);
        for (folder, found) in found {
            let is_known = known.iter().any(|name| name.as_path() == folder);
            assert_eq!(found, if is_known { attributes } else { Attributes::default() }, "{folder:?}");
        }
        assert!(folders([], []).is_empty());
    }

    /// Copies of these paths would be a hundred times as long as the names.
    #[test]
    fn paths_are_not_copied() {
        let deep = |start: String| name(&[start, vec!["d".repeat(15); Name::MAX_COMPONENTS - 1].join("/")].join("/"));
        let names: Vec<_> = (0..20).map(|i| deep(i.to_string())).collect();
        let found = folders(&names, []);
        assert_eq!(found.len(), names.len() * (Name::MAX_COMPONENTS - 1));
        let starts: Vec<_> = names.iter().map(|name| name.as_path().as_os_str().as_encoded_bytes().as_ptr()).collect();
        assert!(found.keys().all(|folder| starts.contains(&folder.as_os_str().as_encoded_bytes().as_ptr())));
    }
}
