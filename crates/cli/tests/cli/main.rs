//! Tests of the command as users and scripts run it: flags, files, passphrases, terminals, errors.
#![cfg(unix)]

mod access;
mod batches;
mod bench;
mod cctv;
mod cpu;
mod damage;
mod default_identity;
mod files;
mod flags;
mod folder;
mod folder_attacks;
mod folder_complete;
mod folder_disk;
mod folder_faults;
mod folder_links;
mod folder_modes;
mod folder_names;
mod folder_resume;
mod folder_unfinished;
mod generate;
mod identities;
mod inspect;
mod io_errors;
mod keygen;
mod kills;
mod memory;
mod part_files;
mod passphrase;
mod pinentry;
mod pipes;
mod plugin;
mod plugin_faults;
mod programs;
mod range;
mod readme;
mod recipients;
mod rekey;
mod rekey_attacks;
mod rekey_faults;
mod repeated_holders;
mod salvage;
mod same_file;
mod session;
mod share_mistakes;
mod share_text;
mod share_unreadable;
mod share_words;
mod shares;
mod sheets;
mod signals;
mod split_limits;
mod ssh;
mod support;
mod terminal;
mod terminal_jobs;
mod threshold;
mod typed_shares;
mod verify;

/// The reader of the CCTV vectors, shared with the tests of sealane-age.
#[path = "../../../age/tests/format/vector.rs"]
mod vector;
