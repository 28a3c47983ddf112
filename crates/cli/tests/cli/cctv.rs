//! The CCTV age vectors through the command: status 0 only for success, and exactly the bytes that
//! may be released.

use std::collections::BTreeMap;

use sha2::{Digest as _, Sha256};

use crate::support::{Dir, Run, feed, finish};
use crate::vector::{self, Vector, hex};

/// Returns the command for `vector`, whose identities are in the file `identities`.
fn command(dir: &Dir, vector: &Vector, args: &[&str]) -> std::process::Command {
    let mut command = dir.without_terminal(["-d"]);
    if !vector.identities.is_empty() {
        command.args(["-i", "identities"]);
    }
    if let Some(passphrase) = vector.passphrases.first() {
        command.env("AGE_PASSPHRASE", passphrase);
    }
    command.args(args);
    command
}

/// Checks the exit status, and that the error has one or two lines.
#[track_caller]
fn check_status(vector: &Vector, run: Run) -> Vec<u8> {
    if vector.expect == "success" { run.quiet().stdout } else { run.fails("").stdout }
}

#[test]
fn every_vector_from_files_and_pipes_on_one_thread_and_more() {
    let dir = Dir::new();
    let mut run = BTreeMap::new();
    for vector in vector::all() {
        // The environment has one passphrase; the one vector that has two is refused before any is
        // tried.
        assert!(vector.passphrases.len() <= 1 || vector.name == "scrypt_double", "{}", vector.name);
        *run.entry(vector.expect.clone()).or_insert(0) += 1;
        dir.write("identities", vector.identities.join("\n"));
        dir.write("file", &vector.file);
        let names = dir.names();

        for run in [
            feed(command(&dir, &vector, &[]), &vector.file),
            feed(command(&dir, &vector, &["-t", "1"]), &vector.file),
            finish(command(&dir, &vector, &["-t", "3", "file"])),
        ] {
            let released = check_status(&vector, run);
            match &vector.payload {
                Some(hash) => assert_eq!(hex(&Sha256::digest(&released)), *hash, "{}", vector.name),
                // In all vectors with damaged armor, less than a chunk is before the damage.
                None => assert!(released.is_empty(), "{}", vector.name),
            }
        }
        // To a file: all or nothing.
        for args in [&["-o", "out", "-t", "3", "file"][..], &["-o", "out", "-t", "1", "file"], &["-o", "out"]] {
            // Standard input is not read if a file is named.
            check_status(&vector, feed(command(&dir, &vector, args), &vector.file));
            if vector.expect == "success" {
                let payload = vector.payload.as_ref().expect("a success has a payload");
                assert_eq!(hex(&Sha256::digest(dir.read("out"))), *payload, "{}", vector.name);
                std::fs::remove_file(dir.path("out")).unwrap();
            }
            assert_eq!(dir.names(), names, "{}", vector.name);
        }
    }
    let expected = [
        ("HMAC failure", 1),
        ("armor failure", 26),
        ("header failure", 62),
        ("no match", 13),
        ("payload failure", 19),
        ("success", 26),
    ];
    assert_eq!(run, BTreeMap::from(expected.map(|(status, n)| (status.to_owned(), n))));
}
