//! The age format.

pub(crate) mod bytes;
pub(crate) mod chunk_file;
pub(crate) mod chunks;
pub(crate) mod contribute;
pub(crate) mod file;
pub(crate) mod identity;
pub(crate) mod part;
pub(crate) mod payload;
pub(crate) mod python_file;
pub(crate) mod reader;
pub(crate) mod recipient;
pub(crate) mod rekey;
pub(crate) mod sealer;
pub(crate) mod stream;
pub(crate) mod threads;
