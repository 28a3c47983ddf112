//! The subcommands, one module each. None of them uses another.

pub(crate) mod bench;
pub(crate) mod combine;
pub(crate) mod contribute;
pub(crate) mod cpu;
pub(crate) mod decrypt;
pub(crate) mod encrypt;
pub(crate) mod generate;
pub(crate) mod inspect;
pub(crate) mod keygen;
pub(crate) mod rekey;
pub(crate) mod share;
pub(crate) mod split;
