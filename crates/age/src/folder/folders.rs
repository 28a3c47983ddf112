//! The folders that contain entries.

use std::path::Path;

use super::attributes::Attributes;
use super::name::Name;

/// Returns the `known` folders with their attributes, and without attributes all other folders
/// above them and above entries with these `names`. They are in the order of their paths, so each
/// folder comes before the folders inside it.
///
/// A name has up to [`Name::MAX_COMPONENTS`] folders, so their paths are parts of the names, not
/// copies.
pub fn folders<'a>(
    names: impl IntoIterator<Item = &'a Name>,
    known: impl IntoIterator<Item = (&'a Name, Attributes)>,
) -> Vec<(&'a Path, Attributes)> {
    let above = names.into_iter().map(|name| (name.folders().next().unwrap_or(Path::new("")), None));
    let known = known.into_iter().map(|(name, attributes)| (name.as_path(), Some(attributes)));
    let mut wanted: Vec<_> = above.chain(known).collect();
    wanted.sort_by_key(|(folder, _)| *folder);
    let mut all: Vec<(&Path, Attributes)> = Vec::new();
    for (folder, attributes) in wanted {
        // In this order, the folders above `folder` that are in `all` are also above the last one
        // there. The paths in `all` need not be compared, which would take long.
        let last = all.last().map_or(Path::new(""), |(last, _)| last);
        let shared = last.components().zip(folder.components()).take_while(|(one, other)| one == other).count();
        let (start, depth) = (all.len(), folder.components().count());
        all.extend(folder.ancestors().take(depth - shared).map(|folder| (folder, Attributes::default())));
        all[start..].reverse();
        if let (Some(attributes), Some((_, of_folder))) = (attributes, all.last_mut()) {
            *of_folder = attributes;
        }
    }
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
        let known = ["k/l", "a/b/d", "a/b"].map(name);
        let attributes = Attributes::private();
        let found = folders(&names, known.iter().map(|name| (name, attributes)));
        let expected = ["a", "a/b", "a/b/d", "a/b/d/f", "a/bb", "a/c", "a/c/c", "a!", "b", "k", "k/l"].map(Path::new);
        assert!(found.iter().map(|(folder, _)| *folder).eq(expected), "{found:?}");
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
        assert!(found.iter().all(|(folder, _)| starts.contains(&folder.as_os_str().as_encoded_bytes().as_ptr())));
    }
}
