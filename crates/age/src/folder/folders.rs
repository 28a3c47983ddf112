//! The folders above entries.

use std::collections::BTreeMap;

use super::attributes::Attributes;
use super::name::Name;

/// Returns the folders that entries with these names need, from the top down: all folders above
/// them without attributes, and the `known` folders with theirs.
pub fn folders<'a>(
    names: impl IntoIterator<Item = &'a Name>,
    known: impl IntoIterator<Item = (&'a Name, Attributes)>,
) -> BTreeMap<Name, Attributes> {
    let above = names.into_iter().flat_map(Name::folders).filter_map(Name::new);
    let mut all: BTreeMap<_, _> = above.map(|name| (name, Attributes::default())).collect();
    all.extend(known.into_iter().map(|(name, attributes)| (name.clone(), attributes)));
    all
}
