//! Byte arrays of fixed length.

use core::fmt::Debug;

mod sealed {
    pub trait Sealed {}
}

/// A byte array of fixed length: a nonce or a tag.
pub trait ByteArray:
    AsRef<[u8]>
    + AsMut<[u8]>
    + for<'a> TryFrom<&'a [u8], Error: Debug>
    + Copy
    + Debug
    + Default
    + Eq
    + Send
    + Sync
    + sealed::Sealed
    + 'static
{
    /// The length in bytes.
    const BYTES: usize;
}

macro_rules! byte_arrays {
    ($($bytes:literal)*) => {$(
        impl sealed::Sealed for [u8; $bytes] {}
        impl ByteArray for [u8; $bytes] {
            const BYTES: usize = $bytes;
        }
    )*};
}
byte_arrays!(12 16 24 32);
