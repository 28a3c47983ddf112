//! Input, output and progress, the text of files, new files with keys, and the old headers that
//! `sealane rekey` keeps.

pub(crate) mod input;
pub(crate) mod old_header;
pub(crate) mod output;
pub(crate) mod progress;
pub(crate) mod secret_file;
mod speed;
pub(crate) mod stdin;
pub(crate) mod text;
