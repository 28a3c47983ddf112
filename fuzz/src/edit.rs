//! Changes to a file. Most of them make it invalid.

use arbitrary::Arbitrary;

use crate::age_file::SEALED_CHUNK;

/// One change somewhere in a file.
#[derive(Arbitrary, Clone, Debug)]
pub struct Edit {
    place: Place,
    change: Change,
}

#[derive(Arbitrary, Clone, Debug)]
enum Place {
    Start(u16),
    End(u16),
    /// Near the start of the chunk with this number.
    Chunk(u8, i8),
}

#[derive(Arbitrary, Clone, Debug)]
enum Change {
    Flip(u8),
    Set(u8),
    Insert(Vec<u8>),
    Remove(u8),
    Truncate,
    /// Repeats this many bytes at the place.
    Repeat(u16),
}

impl Edit {
    /// Changes the file. Its first chunk starts at `payload`.
    pub fn apply(&self, payload: usize, file: &mut Vec<u8>) {
        let at = match self.place {
            Place::Start(offset) => usize::from(offset),
            Place::End(offset) => file.len().saturating_sub(usize::from(offset)),
            Place::Chunk(number, offset) => {
                (payload + usize::from(number % 4) * SEALED_CHUNK).saturating_add_signed(offset.into())
            }
        };
        let at = at.min(file.len());
        match &self.change {
            Change::Flip(bits) => {
                if let Some(byte) = file.get_mut(at) {
                    *byte ^= bits;
                }
            }
            Change::Set(value) => {
                if let Some(byte) = file.get_mut(at) {
                    *byte = *value;
                }
            }
            Change::Insert(bytes) => drop(file.splice(at..at, bytes.iter().copied())),
            Change::Remove(count) => drop(file.drain(at..file.len().min(at + usize::from(*count)))),
            Change::Truncate => file.truncate(at),
            Change::Repeat(count) => {
                let end = file.len().min(at + usize::from(*count));
                file.extend_from_within(at..end);
                file[at..].rotate_right(end - at);
            }
        }
    }
}
