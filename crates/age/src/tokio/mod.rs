//! Reads and writes files through tokio's readers and writers, without blocking.
//!
//! [`Sealer`](crate::stream::Sealer) and [`Opener`](crate::stream::Opener) seal and open the
//! chunks, as in [`stream`](crate::stream). Nothing here depends on a runtime.

mod decryptor;
mod reader;
mod seek;
mod seeking;
mod writer;

pub use self::reader::AsyncStreamReader;
pub use self::writer::AsyncStreamWriter;

#[cfg(test)]
mod tests;
