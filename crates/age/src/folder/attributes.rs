//! The attributes of files and folders that an encrypted folder preserves.

use std::fs::{File, FileTimes, Metadata};
use std::io;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};

/// Seconds since 1970, and nanoseconds.
type Time = (i64, u32);

/// The mode of a file or a folder, and the time of its last change.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Attributes {
    /// The lowest nine bits of the mode. Bits that would give the owner's rights to others, such as
    /// set-user-ID, are left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    mode: Option<u32>,
    /// The time of the last change.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    modified: Option<Time>,
}

impl Attributes {
    /// Returns the attributes of a file or a folder.
    pub fn of(metadata: &Metadata) -> Self {
        #[cfg(unix)]
        let mode = Some(std::os::unix::fs::PermissionsExt::mode(&metadata.permissions()) & 0o777);
        #[cfg(not(unix))]
        let mode = None;
        Self { mode, modified: metadata.modified().ok().and_then(to_time) }
    }

    /// Returns the attributes without the mode, which may give others rights that they must not
    /// have: an encrypted file's mode does not apply to its plaintext.
    pub fn without_mode(self) -> Self {
        Self { mode: None, ..self }
    }

    /// Returns the attributes of a folder that only its owner can use.
    #[must_use]
    pub fn private() -> Self {
        Self { mode: Some(0o700), modified: None }
    }

    /// Returns the mode with which to create a file or a folder: `private` if [`Attributes::apply`]
    /// sets another mode later, otherwise `usual`, which the umask reduces.
    pub fn first_mode(self, private: u32, usual: u32) -> u32 {
        if self.mode.is_some() { private } else { usual }
    }

    /// Returns the attributes for a folder that combines two: the rights that both grant, or the
    /// only mode if one of them has none, and the time of `self`.
    pub fn and(self, other: Self) -> Self {
        let mode = self.mode.zip(other.mode).map(|(one, two)| one & two);
        Self { mode: mode.or(self.mode).or(other.mode), ..self }
    }

    /// Returns whether the file with `metadata` has the time in `self`, within the precision of the
    /// file system: from 100 nanoseconds to two seconds. Returns true if `self` has no time, and
    /// false if the system cannot represent it.
    pub fn has_time_of(self, metadata: &Metadata) -> bool {
        let Some(modified) = self.modified else { return true };
        let Some(expected) = from_time(modified) else { return false };
        let Ok(found) = metadata.modified() else { return false };
        let apart = found.duration_since(expected).unwrap_or_else(|earlier| earlier.duration());
        to_time(found).is_some_and(|(_, nanos)| apart <= precision(nanos))
    }

    /// Sets the time and the mode of a file or a folder, as far as `self` has them.
    ///
    /// # Errors
    /// The errors of the system.
    pub fn apply(self, file: &File) -> io::Result<()> {
        if let Some(modified) = self.modified.and_then(from_time) {
            file.set_times(FileTimes::new().set_modified(modified))?;
        }
        #[cfg(unix)]
        if let Some(mode) = self.mode {
            file.set_permissions(std::os::unix::fs::PermissionsExt::from_mode(mode & 0o777))?;
        }
        Ok(())
    }
}

/// The length and time of a file. If they differ later, the file was changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stamp {
    len: u64,
    modified: Option<Time>,
}

impl Stamp {
    /// Returns the stamp of a file.
    pub fn of(metadata: &Metadata) -> Self {
        Self { len: metadata.len(), modified: metadata.modified().ok().and_then(to_time) }
    }
}

fn to_time(time: SystemTime) -> Option<Time> {
    match time.duration_since(UNIX_EPOCH) {
        Ok(after) => Some((i64::try_from(after.as_secs()).ok()?, after.subsec_nanos())),
        Err(error) => {
            let before = error.duration();
            let seconds = i64::try_from(before.as_secs()).ok()?;
            Some(match before.subsec_nanos() {
                0 => (-seconds, 0),
                nanos => (-seconds - 1, 1_000_000_000 - nanos),
            })
        }
    }
}

fn from_time((seconds, nanos): Time) -> Option<SystemTime> {
    let whole = Duration::from_secs(seconds.unsigned_abs());
    let second = if seconds < 0 { UNIX_EPOCH.checked_sub(whole) } else { UNIX_EPOCH.checked_add(whole) };
    second?.checked_add(Duration::from_nanos(nanos.into()))
}

/// Returns the precision of a file system that gives a file a time with these nanoseconds.
fn precision(nanos: u32) -> Duration {
    match nanos {
        // FAT.
        0 => Duration::from_secs(2),
        // exFAT.
        _ if nanos.is_multiple_of(10_000_000) => Duration::from_millis(10),
        // UDF.
        _ if nanos.is_multiple_of(1_000) => Duration::from_micros(1),
        // NTFS.
        _ => Duration::from_nanos(100),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_compared_within_the_precision_of_the_file_system() {
        let file = tempfile::tempfile().unwrap();
        let (second, nanos) = (1_700_000_001, 123_456_789);
        let expected = Attributes { mode: None, modified: Some((second, nanos)) };
        for (found, has_time) in [
            ((second, nanos), true),
            ((second, 123_456_700), true),
            ((second, 123_456_688), false),
            ((second, 123_456_000), true),
            ((second, 123_457_000), true),
            ((second, 123_455_000), false),
            ((second, 120_000_000), true),
            ((second, 130_000_000), true),
            ((second, 110_000_000), false),
            ((second - 1, 0), true),
            ((second + 2, 0), true),
            ((second - 2, 0), false),
        ] {
            file.set_modified(from_time(found).unwrap()).unwrap();
            assert_eq!(expected.has_time_of(&file.metadata().unwrap()), has_time, "{found:?}");
        }
    }

    #[test]
    fn times_before_1970() {
        for time in [(0, 0), (0, 1), (-1, 999_999_999), (-1, 0), (-2, 1), (1_700_000_000, 123_456_789)] {
            assert_eq!(to_time(from_time(time).unwrap()), Some(time));
        }
        // Times that a manifest may contain, but the system may not represent, cause no panic.
        let _ = [from_time((i64::MIN, u32::MAX)), from_time((i64::MAX, u32::MAX))];
    }

    #[test]
    fn no_file_has_a_time_that_the_system_cannot_represent() {
        let metadata = tempfile::tempfile().unwrap().metadata().unwrap();
        let modified = Some((i64::MAX, u32::MAX));
        assert!(!Attributes { mode: None, modified }.has_time_of(&metadata));
        assert!(Attributes::default().has_time_of(&metadata));
    }
}
