//! Identities, recipients, contributed parts and passphrases of the command line, and the plugins
//! that provide keys.

pub(crate) mod cached;
pub(crate) mod contributed_parts;
pub(crate) mod encrypt_to;
mod failures;
pub(crate) mod file_keys;
pub(crate) mod holders;
pub(crate) mod identities;
pub(crate) mod passphrase;
mod pinentry;
pub(crate) mod plugin;
pub(crate) mod post_quantum;
pub(crate) mod recipients;
pub(crate) mod same_file;
pub(crate) mod scrypt;
