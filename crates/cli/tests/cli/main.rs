//! The command as a person or a script uses it: flags, files, passphrases, terminals, and what goes wrong.
#![cfg(unix)]

mod cpu;
mod damage;
mod files;
mod flags;
mod identities;
mod keygen;
mod passphrase;
mod pipes;
mod plugin;
mod recipients;
mod same_file;
mod signals;
mod ssh;
mod streams;
mod support;
mod terminal;
