//! Input, output, and progress.

pub(crate) mod input;
pub(crate) mod old_header;
pub(crate) mod output;
pub(crate) mod progress;
pub(crate) mod secret_file;
mod speed;
pub(crate) mod stdin;
