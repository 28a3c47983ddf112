//! ssh keys, made by ssh-keygen (package openssh-client) and openssl.

use std::process::Command;

use crate::support::{Dir, Run, finish};

fn ssh_keygen(dir: &Dir, args: &[&str]) {
    let mut command = Command::new("ssh-keygen");
    command.args(args).args(["-q", "-C", "me@example"]).current_dir(dir.root());
    finish(command).ok();
}

fn run_with(dir: &Dir, passphrase: &str, args: &[&str]) -> Run {
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
fn the_passphrase_of_a_key_is_requested_only_if_the_file_names_the_key() {
    let dir = Dir::with_key();
    dir.write("in", "secret");
    ssh_keygen(&dir, &["-t", "ed25519", "-N", "correct horse", "-f", "key"]);
    ssh_keygen(&dir, &["-t", "ed25519", "-N", "", "-f", "other"]);
    dir.run(["-R", "key.pub", "-o", "out", "in"]).quiet();
    assert_eq!(run_with(&dir, "correct horse", &["-d", "-i", "key", "out"]).quiet().stdout, b"secret");
    run_with(&dir, "wrong", &["-d", "-i", "key", "-o", "new", "out"]).fails("does not open ssh key \"key\"");
    let mut command = dir.without_terminal(["-d", "-i", "key", "-o", "new", "out"]);
    command.env_remove("AGE_PASSPHRASE");
    finish(command).fails("there is no terminal");
    // Encrypting needs only the public half, which is not encrypted.
    run_with(&dir, "", &["-e", "-i", "key", "-o", "out2", "in"]).quiet();
    // A file for others, with stanzas of every type: the passphrase is not mentioned.
    dir.run(["-r", &dir.keygen("x"), "-R", "other.pub", "-o", "out3", "in"]).quiet();
    run_with(&dir, "", &["-d", "-i", "key", "-o", "new", "out3"]).fails("no identity matches");
    assert_eq!(run_with(&dir, "", &["-d", "-i", "key", "-i", "other", "out3"]).quiet().stdout, b"secret");
    assert!(!dir.exists("new"));
}

#[test]
fn a_damaged_stanza_is_not_taken_for_one_of_another_recipient() {
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
        dir.run(["-d", "-i", kind, "-o", "new", "bad"])
            .fails("an identity matches the file, but cannot unwrap its key");
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
    // In a list like authorized_keys such keys are skipped with a message. A list with no other
    // keys is an error.
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
    openssl(&dir, &["genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256", "-out", "ec8"]);
    dir.run(["-d", "-i", "ec8", "-o", "new", "out"]).fails("ssh key \"ec8\" is of type ecdsa");
    openssl(&dir, &["genpkey", "-algorithm", "ED25519", "-aes256", "-pass", "pass:x", "-out", "encrypted8"]);
    dir.run(["-d", "-i", "encrypted8", "-o", "new", "out"]).fails("is encrypted in PKCS #8, which is not supported");
    assert!(!dir.exists("new"));
}

fn openssl(dir: &Dir, args: &[&str]) {
    let mut command = Command::new("openssl");
    command.args(args).current_dir(dir.root());
    finish(command).ok();
}

/// Writes the public key of a key that ssh-keygen can read to the file beside it.
fn write_public(dir: &Dir, name: &str) {
    let mut command = Command::new("ssh-keygen");
    command.args(["-y", "-f", name]).current_dir(dir.root());
    dir.set_mode(name, 0o600);
    dir.write(&format!("{name}.pub"), finish(command).ok().stdout);
}

#[test]
fn keys_in_pkcs8() {
    let dir = Dir::new();
    dir.write("in", "secret");
    openssl(&dir, &["genpkey", "-algorithm", "RSA", "-pkeyopt", "rsa_keygen_bits:2048", "-out", "rsa"]);
    openssl(&dir, &["genpkey", "-algorithm", "ED25519", "-out", "ed25519"]);
    write_public(&dir, "rsa");
    for name in ["rsa", "ed25519"] {
        assert!(dir.read(name).starts_with(b"-----BEGIN PRIVATE KEY-----"), "{name}");
        dir.run(["-e", "-i", name, "-o", "out", "in"]).quiet();
        assert_eq!(dir.run(["-d", "-i", name, "out"]).quiet().stdout, b"secret", "{name}");
        // The file has CR LF, and empty lines before the key.
        let text = String::from_utf8(dir.read(name)).unwrap();
        dir.write("other", format!("\n\n{}", text.replace('\n', "\r\n")));
        assert_eq!(dir.run(["-d", "-i", "other", "out"]).quiet().stdout, b"secret", "{name}");
        dir.write("other", text.replacen('M', "N", 3));
        dir.run(["-d", "-i", "other", "-o", "new", "out"]).fails("is not a private key in a supported form");
    }
    // The public key equals the one that ssh-keygen derives from the same private key.
    let public = String::from_utf8(dir.read("rsa.pub")).unwrap();
    let converted = String::from_utf8(dir.run(["keygen", "-y", "rsa"]).quiet().stdout).unwrap();
    assert!(public.starts_with(converted.trim()), "{converted}");
    // The key of RFC 8410, section 10.3, and its public key in ssh's form.
    dir.write(
        "rfc8410",
        "-----BEGIN PRIVATE KEY-----\nMC4CAQAwBQYDK2VwBCIEINTuctv5E1hK1bbY8fdp+K06/nwoy/HU++CXqI9EdVhC\n-----END PRIVATE KEY-----\n",
    );
    let converted = String::from_utf8(dir.run(["keygen", "-y", "rfc8410"]).quiet().stdout).unwrap();
    assert_eq!(converted, "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIBm/RAlphM3+hUG6wWfcO5bIUIaqMLa2ywxcOK1wMWbh\n");
}

#[test]
fn keys_that_are_encrypted_in_pem() {
    let dir = Dir::new();
    dir.write("in", "secret");
    ssh_keygen(&dir, &["-t", "rsa", "-b", "2048", "-m", "PEM", "-N", "", "-f", "plain"]);
    for cipher in ["des3", "aes128", "aes192", "aes256", "des"] {
        let mut args = vec!["rsa", "-in", "plain", "-traditional", "-passout", "pass:correct horse", "-out", "key"];
        let flag = format!("-{cipher}");
        args.push(&flag);
        if cipher == "des" {
            args.extend(["-provider", "legacy", "-provider", "default"]);
        }
        openssl(&dir, &args);
        assert!(dir.read("key").windows(9).any(|window| window == b"DEK-Info:"), "{cipher}");
        // The public key is in a file beside it, as ssh-keygen leaves it.
        dir.write("key.pub", dir.read("plain.pub"));
        run_with(&dir, "", &["-e", "-i", "key", "-o", "out", "in"]).quiet();
        assert_eq!(run_with(&dir, "correct horse", &["-d", "-i", "key", "out"]).quiet().stdout, b"secret", "{cipher}");
        run_with(&dir, "wrong", &["-d", "-i", "key", "-o", "new", "out"]).fails("does not open ssh key \"key\"");
    }
    // A file for others: the passphrase is not mentioned.
    dir.run(["-r", &dir.keygen("x"), "-o", "out2", "in"]).quiet();
    run_with(&dir, "", &["-d", "-i", "key", "-o", "new", "out2"]).fails("no identity matches");
    // The file beside it holds another key, or is missing.
    ssh_keygen(&dir, &["-t", "rsa", "-b", "2048", "-N", "", "-f", "other"]);
    dir.write("key.pub", dir.read("other.pub"));
    run_with(&dir, "", &["-e", "-i", "key", "-o", "out3", "in"]).quiet();
    run_with(&dir, "correct horse", &["-d", "-i", "key", "-o", "new", "out3"]).fails("do not belong together");
    std::fs::remove_file(dir.path("key.pub")).unwrap();
    run_with(&dir, "correct horse", &["-d", "-i", "key", "-o", "new", "out"]).fails("cannot read \"key.pub\"");
    let unknown = String::from_utf8(dir.read("key")).unwrap().replace("DES-CBC", "RC2-CBC");
    dir.write("key", unknown);
    run_with(&dir, "correct horse", &["-d", "-i", "key", "-o", "new", "out"]).fails("\"RC2-CBC");
    assert!(!dir.exists("new"));
}
