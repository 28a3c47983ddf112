//! Objects whose header is unlocked, and their cache.

use std::collections::HashMap;
use std::fmt;
use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};

use sealane_age::StreamError;
use sealane_age::stream::{NONCE_BYTES, PayloadKey, SealedRange};

/// The largest number of objects in the cache.
const CAPACITY: usize = 4096;
/// A second in microseconds.
const SECOND: i64 = 1_000_000;

/// Metadata that changes when an object is replaced.
///
/// A store may have neither tags nor versions, and times that are exact to a second only. Then an
/// object may be replaced by one with the same stamp.
#[derive(Clone, Debug)]
pub(crate) struct Stamp {
    pub(crate) e_tag: Option<String>,
    pub(crate) version: Option<String>,
    /// The time of the last change, in microseconds since 1970.
    pub(crate) modified: i64,
    /// The length of the sealed object in bytes.
    pub(crate) size: u64,
}

impl Stamp {
    /// Returns the entity tag for an `If-Match` condition, unless it is weak: a weak tag never
    /// matches (RFC 9110, 13.1.1).
    pub(crate) fn strong_tag(&self) -> Option<String> {
        self.e_tag.clone().filter(|tag| !tag.starts_with("W/"))
    }

    /// Returns whether nothing shows that the object was replaced.
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        self.has_same_length_and_version(other) && self.e_tag == other.e_tag && self.modified == other.modified
    }

    /// Returns whether `listed`, from a listing, can be the stamp of the same object. Some stores
    /// write the same metadata in two ways: Azure's listings have entity tags without quotes, and
    /// the header `Last-Modified` has whole seconds only.
    fn is_listed_as(&self, listed: &Self) -> bool {
        let is_same_time = self.modified == listed.modified
            || (self.modified % SECOND == 0 || listed.modified % SECOND == 0)
                && self.modified.div_euclid(SECOND) == listed.modified.div_euclid(SECOND);
        let [mine, theirs] = [self, listed].map(|stamp| stamp.e_tag.as_ref().map(|tag| tag.trim_matches('"')));
        is_same_time && mine == theirs && self.has_same_length_and_version(listed)
    }

    /// Compares versions only if both are known: listings have none.
    fn has_same_length_and_version(&self, other: &Self) -> bool {
        let is_other_version = self.version.as_ref().zip(other.version.as_ref()).is_some_and(|(one, two)| one != two);
        self.size == other.size && !is_other_version
    }
}

/// An object whose header is unlocked.
pub(crate) struct UnlockedObject {
    pub(crate) key: PayloadKey,
    /// The nonce of the payload. No other object has the same.
    pub(crate) nonce: [u8; NONCE_BYTES],
    pub(crate) stamp: Stamp,
    /// The position of the first chunk in the object.
    pub(crate) start: u64,
    /// The length of the plaintext, computed from the object's size. It is authentic only after the
    /// last chunk was opened.
    pub(crate) len: u64,
}

impl UnlockedObject {
    /// Returns an object whose header and nonce have `start` bytes together.
    pub(crate) fn new(
        key: PayloadKey,
        nonce: [u8; NONCE_BYTES],
        stamp: Stamp,
        start: u64,
    ) -> Result<Self, StreamError> {
        let len = plaintext_len(stamp.size, start)?;
        Ok(Self { key, nonce, stamp, start, len })
    }

    /// Returns the chunks that hold a range of plaintext.
    pub(crate) fn range(&self, plaintext: Range<u64>) -> Result<SealedRange, StreamError> {
        SealedRange::new(plaintext, self.stamp.size - self.start)
    }

    /// Returns the range of bytes of the sealed object that holds these chunks.
    pub(crate) fn stored(&self, range: &SealedRange) -> Range<u64> {
        self.start + range.sealed.start..self.start + range.sealed.end
    }
}

/// Returns the length of the plaintext of an object of `size` bytes, whose header and nonce have
/// `start` bytes together. Returns an error for a length that no payload has.
pub(crate) fn plaintext_len(size: u64, start: u64) -> Result<u64, StreamError> {
    let payload_len = size.checked_sub(start).ok_or(StreamError::Truncated)?;
    Ok(SealedRange::new(0..u64::MAX, payload_len)?.len)
}

impl fmt::Debug for UnlockedObject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("UnlockedObject").field("stamp", &self.stamp).finish_non_exhaustive()
    }
}

/// Unlocked headers by path. An entry is current while its stamp is that of the object.
#[derive(Default)]
pub(crate) struct Cache {
    entries: Mutex<Entries>,
}

#[derive(Default)]
struct Entries {
    by_path: HashMap<String, (u64, Arc<UnlockedObject>)>,
    /// The number of uses so far.
    clock: u64,
}

impl Cache {
    pub(crate) fn get(&self, path: &str) -> Option<Arc<UnlockedObject>> {
        let mut entries = self.entries.lock().unwrap_or_else(PoisonError::into_inner);
        entries.clock += 1;
        let now = entries.clock;
        let (used, object) = entries.by_path.get_mut(path)?;
        *used = now;
        Some(Arc::clone(object))
    }

    /// Returns the object if it is cached with this stamp.
    pub(crate) fn same(&self, path: &str, stamp: &Stamp) -> Option<Arc<UnlockedObject>> {
        self.get(path).filter(|object| object.stamp.is_same(stamp))
    }

    /// Returns the object if it is cached with the stamp that a listing has for it.
    pub(crate) fn listed(&self, path: &str, stamp: &Stamp) -> Option<Arc<UnlockedObject>> {
        self.get(path).filter(|object| object.stamp.is_listed_as(stamp))
    }

    pub(crate) fn insert(&self, path: &str, object: &Arc<UnlockedObject>) {
        let mut entries = self.entries.lock().unwrap_or_else(PoisonError::into_inner);
        entries.clock += 1;
        let now = entries.clock;
        if entries.by_path.len() >= CAPACITY && !entries.by_path.contains_key(path) {
            // The least recently used half is evicted at once, so that eviction is rare.
            let mut times: Vec<_> = entries.by_path.values().map(|(used, _)| *used).collect();
            let (_, middle, _) = times.select_nth_unstable(CAPACITY / 2);
            let middle = *middle;
            entries.by_path.retain(|_, (used, _)| *used > middle);
        }
        entries.by_path.insert(path.to_owned(), (now, Arc::clone(object)));
    }

    pub(crate) fn remove(&self, path: &str) {
        self.entries.lock().unwrap_or_else(PoisonError::into_inner).by_path.remove(path);
    }
}

impl fmt::Debug for Cache {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Cache").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use sealane_age::{Backend, FileKey};

    use super::*;

    fn object(e_tag: &str) -> Arc<UnlockedObject> {
        let key = PayloadKey::new(&FileKey::new(Box::new([7; 16])), &[1; 16], Backend::detect());
        let stamp = Stamp { e_tag: Some(e_tag.to_owned()), version: None, modified: 0, size: 116 };
        Arc::new(UnlockedObject::new(key, [1; 16], stamp, 100).unwrap())
    }

    #[test]
    fn stamps_of_other_objects() {
        let stamp = object("a").stamp.clone();
        let of_version = |version: &str| Stamp { version: Some(version.to_owned()), ..stamp.clone() };
        assert!(stamp.is_same(&stamp));
        for other in [
            Stamp { e_tag: None, ..stamp.clone() },
            Stamp { modified: 1, ..stamp.clone() },
            Stamp { size: 117, ..stamp.clone() },
        ] {
            assert!(!stamp.is_same(&other), "{other:?}");
        }
        assert!(of_version("1").is_same(&of_version("1")) && !of_version("1").is_same(&of_version("2")));
        // A listing has no version.
        assert!(of_version("1").is_same(&stamp) && stamp.is_same(&of_version("1")));
    }

    #[test]
    fn stamps_in_listings() {
        let stamp = |e_tag: &str, modified| Stamp {
            e_tag: Some(e_tag.to_owned()),
            version: Some("1".to_owned()),
            modified,
            size: 116,
        };
        let known = stamp("\"0x8D\"", 7 * SECOND);
        for listed in [
            stamp("0x8D", 7 * SECOND),
            stamp("\"0x8D\"", 8 * SECOND - 1),
            Stamp { version: None, ..stamp("0x8D", 7 * SECOND + 1) },
        ] {
            assert!(known.is_listed_as(&listed) && listed.is_listed_as(&known), "{listed:?}");
        }
        for listed in [
            stamp("0x8E", 7 * SECOND),
            stamp("0x8D", 8 * SECOND),
            stamp("0x8D", 7 * SECOND - 1),
            Stamp { e_tag: None, ..known.clone() },
            Stamp { size: 117, ..known.clone() },
        ] {
            assert!(!known.is_listed_as(&listed), "{listed:?}");
        }
        // Both times are exact.
        assert!(!stamp("a", 7 * SECOND + 1).is_listed_as(&stamp("a", 7 * SECOND + 2)));
        // A time before 1970.
        assert!(stamp("a", -SECOND).is_listed_as(&stamp("a", -1)) && !stamp("a", 0).is_listed_as(&stamp("a", -1)));
    }

    #[test]
    fn the_longest_unused_half_makes_room() {
        let cache = Cache::default();
        (0..CAPACITY).for_each(|i| cache.insert(&i.to_string(), &object("a")));
        assert!(cache.get("0").is_some());
        cache.insert("new", &object("b"));
        assert!(cache.get("new").is_some() && cache.get("0").is_some());
        assert!(cache.get("1").is_none() && cache.get(&(CAPACITY - 1).to_string()).is_some());
        assert!(cache.entries.lock().unwrap().by_path.len() <= CAPACITY / 2 + 1);
        assert!(cache.same("new", &object("b").stamp).is_some());
        assert!(cache.same("new", &object("c").stamp).is_none());
        cache.remove("new");
        assert!(cache.get("new").is_none());
    }
}
