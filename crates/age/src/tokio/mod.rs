//! Files through tokio's readers and writers, which do not block.
//!
//! The chunks are those of [`stream`](crate::stream): [`Sealer`](crate::stream::Sealer) and [`Opener`](crate::stream::Opener) make and open
//! them here too. Nothing here depends on a runtime.

mod decryptor;
mod reader;
mod seek;
mod writer;

pub use self::reader::AsyncStreamReader;
pub use self::writer::AsyncStreamWriter;

#[cfg(test)]
mod tests;
