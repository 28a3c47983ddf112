//! The folders that contain entries.

use std::collections::BTreeMap;

use super::attributes::Attributes;
use super::name::Name;

/// Returns the `known` folders with their attributes, and all other folders above entries with
/// these `names`, without attributes. Each folder comes before the folders inside it.
pub fn folders<'a>(
    names: impl IntoIterator<Item = &'a Name>,
    known: impl IntoIterator<Item = (&'a Name, Attributes)>,
) -> BTreeMap<Name, Attributes> {
    let above = names.into_iter().flat_map(Name::folders).filter_map(Name::new);
    let mut all: BTreeMap<_, _> = above.map(|name| (name, Attributes::default())).collect();
    all.extend(known.into_iter().map(|(name, attributes)| (name.clone(), attributes)));
    all
}
