//! What is kept of a file besides its content.

use std::fs::{File, FileTimes, Metadata};
use std::io;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};

/// Seconds since 1970 began, and nanoseconds after them.
type Time = (i64, u32);

/// A file's mode and time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Attributes {
    /// Who may do what: the lowest nine bits. What would give away rights of the owner (set-user-ID and the like) is not among them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    mode: Option<u32>,
    /// When the content was changed last.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    modified: Option<Time>,
}

impl Attributes {
    pub(crate) fn of(metadata: &Metadata) -> Self {
        #[cfg(unix)]
        let mode = Some(std::os::unix::fs::PermissionsExt::mode(&metadata.permissions()) & 0o777);
        #[cfg(not(unix))]
        let mode = None;
        Self { mode, modified: metadata.modified().ok().and_then(to_time) }
    }

    /// Without the mode: that of a file that others keep is theirs.
    pub(crate) fn without_mode(self) -> Self {
        Self { mode: None, ..self }
    }

    /// A folder that is being worked on.
    pub(super) fn private() -> Self {
        Self { mode: Some(0o700), modified: None }
    }

    /// The mode of something new: `private` if it will get another one, otherwise what the umask leaves of `usual`.
    pub(super) fn first_mode(self, private: u32, usual: u32) -> u32 {
        if self.mode.is_some() { private } else { usual }
    }

    /// Those of two folders that become one: what both allow.
    pub(super) fn and(self, other: Self) -> Self {
        let mode = self.mode.zip(other.mode).map(|(one, two)| one & two);
        Self { mode: mode.or(self.mode).or(other.mode), ..self }
    }

    /// Whether a file with `metadata` was changed last when these say, as far as its file system
    /// remembers: some do so in steps of 100 nanoseconds, and some in steps of up to two seconds.
    pub(super) fn has_time_of(self, metadata: &Metadata) -> bool {
        let Some(expected) = self.modified.and_then(from_time) else { return true };
        let Ok(found) = metadata.modified() else { return false };
        let apart = found.duration_since(expected).unwrap_or_else(|earlier| earlier.duration());
        let in_whole_seconds = to_time(found).is_some_and(|(_, nanos)| nanos == 0);
        apart <= if in_whole_seconds { Duration::from_secs(2) } else { Duration::from_nanos(100) }
    }

    /// Gives them to a file or a folder.
    pub(crate) fn apply(self, file: &File) -> io::Result<()> {
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

/// By which a file that was changed is told from what it was.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Stamp {
    len: u64,
    modified: Option<Time>,
}

impl Stamp {
    pub(crate) fn of(metadata: &Metadata) -> Self {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_before_1970_too() {
        for time in [(0, 0), (0, 1), (-1, 999_999_999), (-1, 0), (-2, 1), (1_700_000_000, 123_456_789)] {
            assert_eq!(to_time(from_time(time).unwrap()), Some(time));
        }
        // Whatever a manifest says.
        let _ = [from_time((i64::MIN, u32::MAX)), from_time((i64::MAX, u32::MAX))];
    }
}
