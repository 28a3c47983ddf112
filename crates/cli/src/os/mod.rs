//! The operating system: environment, directories, terminals, pipes, memory, signals.

pub(crate) mod backend;
pub(crate) mod cleanup;
pub(crate) mod config;
pub(crate) mod cpu;
pub(crate) mod dir;
pub(crate) mod disk;
#[cfg(unix)]
mod echo;
pub(crate) mod file_id;
pub(crate) mod memory;
#[cfg(unix)]
pub(crate) mod pipe;
#[cfg(unix)]
pub(crate) mod process_info;
pub(crate) mod ready;
pub(crate) mod temp_dir;
pub(crate) mod tty;
pub(crate) mod typed;
