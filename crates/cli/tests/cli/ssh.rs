//! ssh keys, made by ssh-keygen (package openssh-client).

use std::process::Command;

use crate::support::{Dir, Run, finish};

fn ssh_keygen(dir: &Dir, args: &[&str]) {
    let mut command = Command::new("ssh-keygen");
    command.args(args).args(["-q", "-C", "me@example"]).current_dir(dir.root());
    finish(command).ok();
}

fn with(dir: &Dir, passphrase: &str, args: &[&str]) -> Run {
    let mut command = dir.without_terminal(args);
    command.env("AGE_PASSPHRASE", passphrase);
    finish(command)
}

#[test]
fn both_types_as_argument_file_and_identity() {
    let dir = Dir::new();
    dir.write("in", "secret");
    ssh_keygen(&dir, &["-t", "ed25519", "-N", "", "-f", "ed25519"]);
    ssh_keygen(&dir, &["-t", "rsa", "-b", "2048", "-N", "", "-f", "rsa"]);
    ssh_keygen(&dir, &["-t", "rsa", "-b", "2048", "-m", "PEM", "-N", "", "-f", "rsa-pem"]);
    for name in ["ed25519", "rsa", "rsa-pem"] {
        let public = format!("{name}.pub");
        let recipient = String::from_utf8(dir.read(&public)).unwrap();
        let encryptions: &[&[&str]] = &[
            &["-R", &public, "-o", "out", "in"],
            &["-r", recipient.trim(), "-o", "out", "in"],
            &["-e", "-i", name, "-o", "out", "in"],
        ];
        for args in encryptions {
            dir.run(*args).quiet();
            assert_eq!(dir.run(["-d", "-i", name, "out"]).quiet().stdout, b"secret");
        }
        let converted = dir.run(["keygen", "-y", name]).quiet().stdout;
        assert!(recipient.as_bytes().starts_with(converted.trim_ascii()), "{recipient}");
    }
    dir.run(["-R", "rsa.pub", "-o", "out", "in"]).quiet();
    dir.run(["-d", "-i", "ed25519", "-i", "rsa-pem", "-o", "new", "out"]).fails("no identity matches");
    assert_eq!(dir.run(["-d", "-i", "ed25519", "-i", "rsa", "out"]).quiet().stdout, b"secret");
}

#[test]
fn an_encrypted_key_is_asked_for_only_when_the_file_names_it() {
    let dir = Dir::with_key();
    dir.write("in", "secret");
    ssh_keygen(&dir, &["-t", "ed25519", "-N", "correct horse", "-f", "key"]);
    ssh_keygen(&dir, &["-t", "ed25519", "-N", "", "-f", "other"]);
    dir.run(["-R", "key.pub", "-o", "out", "in"]).quiet();
    assert_eq!(with(&dir, "correct horse", &["-d", "-i", "key", "out"]).quiet().stdout, b"secret");
    with(&dir, "wrong", &["-d", "-i", "key", "-o", "new", "out"]).fails("does not open ssh key \"key\"");
    let mut command = dir.without_terminal(["-d", "-i", "key", "-o", "new", "out"]);
    command.env_remove("AGE_PASSPHRASE");
    finish(command).fails("there is no terminal");
    // Encrypting needs the public half only, which is not encrypted.
    with(&dir, "", &["-e", "-i", "key", "-o", "out2", "in"]).quiet();
    // A file for others, in stanzas of every type: not a word about the passphrase.
    dir.run(["-r", &dir.keygen("x"), "-R", "other.pub", "-o", "out3", "in"]).quiet();
    with(&dir, "", &["-d", "-i", "key", "-o", "new", "out3"]).fails("no identity matches");
    assert_eq!(with(&dir, "", &["-d", "-i", "key", "-i", "other", "out3"]).quiet().stdout, b"secret");
    assert!(!dir.exists("new"));
}

#[test]
fn a_damaged_stanza_is_not_somebody_elses() {
    let dir = Dir::new();
    dir.write("in", "secret");
    for kind in ["ed25519", "rsa"] {
        ssh_keygen(&dir, &["-t", kind, "-N", "", "-f", kind]);
        dir.run(["-R", &format!("{kind}.pub"), "-o", "out", "in"]).quiet();
        let mut file = dir.read("out");
        // The first character of the stanza's body.
        let lines: Vec<_> = file.iter().enumerate().filter(|(_, b)| **b == b'\n').map(|(at, _)| at + 1).collect();
        file[lines[1]] = if file[lines[1]] == b'A' { b'B' } else { b'A' };
        dir.write("bad", file);
        dir.run(["-d", "-i", kind, "-o", "new", "bad"]).fails("the file names an identity that was given, but");
    }
    assert!(!dir.exists("new"));
}

#[test]
fn keys_of_other_types() {
    let dir = Dir::new();
    dir.write("in", "secret");
    ssh_keygen(&dir, &["-t", "ecdsa", "-N", "", "-f", "ecdsa"]);
    ssh_keygen(&dir, &["-t", "ed25519", "-N", "", "-f", "ed25519"]);
    ssh_keygen(&dir, &["-t", "rsa", "-b", "1024", "-N", "", "-f", "weak"]);
    ssh_keygen(&dir, &["-t", "rsa", "-b", "2048", "-m", "PEM", "-N", "passphrase", "-f", "old"]);
    // In a list like authorized_keys they are passed over, with a word; alone they are not enough.
    dir.write("list", [dir.read("ecdsa.pub"), dir.read("ed25519.pub")].concat());
    let run = dir.run(["-R", "list", "-o", "out", "in"]);
    assert!(run.err().contains("line 1: ssh key of type ecdsa-sha2-nistp256 is not used"), "{}", run.err());
    run.ok();
    assert_eq!(dir.run(["-d", "-i", "ed25519", "out"]).quiet().stdout, b"secret");
    dir.run(["-R", "ecdsa.pub", "-o", "new", "in"]).fails("no recipients in");
    let ecdsa = String::from_utf8(dir.read("ecdsa.pub")).unwrap();
    dir.run(["-r", ecdsa.trim(), "-o", "new", "in"]).failed_somehow();
    dir.run(["-d", "-i", "ecdsa", "-o", "new", "out"]).fails("ssh key \"ecdsa\" is of type");
    let weak = String::from_utf8(dir.read("weak.pub")).unwrap();
    dir.run(["-r", weak.trim(), "-o", "new", "in"]).fails("less than 2048 bits");
    let run = dir.run(["-d", "-i", "old", "-o", "new", "out"]).fails("encrypted in the old PEM form");
    assert!(String::from_utf8_lossy(&run.stderr).contains("ssh-keygen -p"));
    assert!(!dir.exists("new"));
}
