//! Identity files, plain and encrypted.

use crate::support::Dir;

#[test]
fn any_of_several_identities_opens_the_file() {
    let dir = Dir::with_key();
    dir.keygen("other");
    dir.encrypt(b"secret", "out");
    assert_eq!(dir.run(["-d", "-i", "other.txt", "-i", "key.txt", "out"]).quiet().stdout, b"secret");
    let both = [dir.read("other.txt"), b"\n# a comment\r\n".to_vec(), dir.read("key.txt")].concat();
    dir.write("both", both);
    assert_eq!(dir.run(["-d", "-i", "both", "out"]).quiet().stdout, b"secret");
    dir.run(["-d", "-i", "other.txt", "-o", "new", "out"]).fails("no identity matches");
    dir.run(["-d", "-o", "new", "out"]).fails("an identity is needed");
    assert!(!dir.exists("new"));
}

#[test]
fn a_byte_order_mark_does_no_harm() {
    let dir = Dir::with_key();
    dir.encrypt(b"secret", "out");
    let bom = |data: &[u8]| ["\u{feff}".as_bytes(), data].concat();
    dir.write("bom.txt", bom(&dir.read("key.txt")));
    assert_eq!(dir.run(["-d", "-i", "bom.txt", "out"]).quiet().stdout, b"secret");
    let run_with_passphrase = |args: &[&str]| {
        let mut command = dir.command(args);
        command.env("AGE_PASSPHRASE", "pass");
        crate::support::finish(command).quiet().stdout
    };
    // A byte order mark inside an encrypted file, and before one.
    run_with_passphrase(&["-p", "-a", "-o", "bom.age", "bom.txt"]);
    dir.write("bom.age", bom(&dir.read("bom.age")));
    assert_eq!(run_with_passphrase(&["-d", "-i", "bom.age", "out"]), b"secret");
}

#[test]
fn invalid_identities_are_not_shown() {
    let dir = Dir::with_key();
    dir.encrypt(b"secret", "out");
    for (contents, what) in [
        ("", "no identities in \"bad\""),
        ("# only a comment\n", "no identities in \"bad\""),
        ("# one\nhunter2\n", "line 2: not an identity"),
        ("AGE-SECRET-KEY-1HUNTER2\n", "malformed secret key"),
        ("AGE-SECRET-KEY-PQ-1HUNTER2\n", "malformed secret key"),
        ("age1hunter2\n", "a recipient (public key), where an identity"),
        ("ssh-ed25519 hunter2\n", "a recipient (public key), where an identity"),
        (
            "-----BEGIN OPENSSH PRIVATE KEY-----\nhunter2\n-----END OPENSSH PRIVATE KEY-----\n",
            "not a private key in a supported form",
        ),
        ("-----BEGIN PRIVATE KEY-----\nhunter2\n", "not a private key in a supported form"),
    ] {
        dir.write("bad", contents);
        let out = dir.run(["-d", "-i", "bad", "out"]).fails(what);
        assert!(!String::from_utf8_lossy(&out.stderr).to_lowercase().contains("hunter2"), "{contents}");
    }
    dir.write("bad", b"\xff\xfe\x00");
    dir.run(["-d", "-i", "bad", "out"]).fails("is not UTF-8 text");
    dir.write("bad", vec![b'#'; (16 << 20) + 1]);
    dir.run(["-d", "-i", "bad", "out"]).fails("longer than 16 MiB");
}

/// Returns a folder in which `key.age` is `key.txt`, encrypted with a passphrase.
fn with_encrypted_key(armor: bool) -> Dir {
    let dir = Dir::with_key();
    let mut command = dir.command(["-p", "-o", "key.age", "key.txt"]);
    if armor {
        command.arg("-a");
    }
    crate::support::finish({
        command.env("AGE_PASSPHRASE", "correct horse");
        command
    })
    .quiet();
    dir
}

#[test]
fn an_encrypted_identity_file() {
    for armor in [false, true] {
        let dir = with_encrypted_key(armor);
        dir.encrypt(b"secret", "out");
        let run_with_passphrase = |passphrase: &str, args: &[&str]| {
            let mut command = dir.command(args);
            command.env("AGE_PASSPHRASE", passphrase);
            crate::support::finish(command)
        };
        assert_eq!(run_with_passphrase("correct horse", &["-d", "-i", "key.age", "out"]).quiet().stdout, b"secret");
        run_with_passphrase("wrong", &["-d", "-i", "key.age", "-o", "new", "out"])
            .fails("incorrect passphrase for identity file \"key.age\"");
        // A passphrase that is not needed is not requested.
        assert_eq!(
            run_with_passphrase("wrong", &["-d", "-i", "key.txt", "-i", "key.age", "out"]).quiet().stdout,
            b"secret"
        );
        // Encrypts to the encrypted identity file.
        run_with_passphrase("correct horse", &["-e", "-i", "key.age", "-o", "out2", "key.pub"]).quiet();
        assert_eq!(dir.run(["-d", "-i", "key.txt", "out2"]).quiet().stdout, dir.read("key.pub"));
        run_with_passphrase("wrong", &["-e", "-i", "key.age", "-o", "new", "key.pub"]).fails("incorrect passphrase");
        // Prints its recipients.
        assert_eq!(
            run_with_passphrase("correct horse", &["keygen", "-y", "key.age"]).quiet().stdout,
            dir.read("key.pub")
        );
        // A file for other recipients causes a warning and a failure.
        dir.keygen("other");
        dir.run(["-R", "other.pub", "-o", "out3", "key.pub"]).quiet();
        let run = run_with_passphrase("correct horse", &["-d", "-i", "key.age", "-o", "new", "out3"]);
        assert!(run.err().contains("warning: no identity in \"key.age\" matches"), "{}", run.err());
        run.fails("no identity matches");
        assert!(!dir.exists("new"));
    }
}

#[test]
fn a_damaged_or_odd_encrypted_identity_file() {
    let dir = with_encrypted_key(false);
    dir.encrypt(b"secret", "out");
    let run_with_passphrase = |args: &[&str]| {
        let mut command = dir.command(args);
        command.env("AGE_PASSPHRASE", "correct horse");
        crate::support::finish(command)
    };
    let mut bad = dir.read("key.age");
    let last = bad.len() - 1;
    bad[last] ^= 1;
    dir.write("bad.age", &bad);
    run_with_passphrase(&["-d", "-i", "bad.age", "out"]).fails("identity file \"bad.age\"");
    dir.write("bad.age", &bad[..60]);
    run_with_passphrase(&["-d", "-i", "bad.age", "out"]).fails("identity file \"bad.age\"");
    // The identity file is encrypted to a key instead of with a passphrase.
    dir.run(["-R", "key.pub", "-o", "bad.age", "key.txt"]).quiet();
    run_with_passphrase(&["-d", "-i", "bad.age", "out"]).fails("not with a passphrase");
    // It contains something other than identities.
    run_with_passphrase(&["-p", "-o", "bad.age", "key.pub"]).quiet();
    run_with_passphrase(&["-d", "-i", "bad.age", "out"]).fails("line 1: a recipient (public key)");
}

#[test]
fn a_private_key_in_place_of_a_name_is_not_shown() {
    let dir = Dir::with_key();
    dir.encrypt(b"secret", "x");
    let file = String::from_utf8(dir.read("key.txt")).unwrap();
    let key = file.lines().last().unwrap();
    let plugin = "AGE-PLUGIN-TEST-1QQQSYQCYQ5RQWZQFPG9SCRGWPUGPZY";
    let part = "SEALANE-PART-1QQQSYQCYQ5RQWZQFPG9SCRGWPUGPZY";
    let not_a_path = "a private key, where the path of an identity file is expected";
    let no_file = "No such file";
    for (args, what) in [
        (&["-d", "-i", key, "x"][..], not_a_path),
        (&["-d", "-i", &file, "x"], not_a_path),
        (&["-d", "-i", plugin, "x"], not_a_path),
        (&["-e", "-i", key, "x"], not_a_path),
        (&["keygen", "-y", key], not_a_path),
        (&["-d", "-j", key, "x"], "a private key, where the name of a plugin is expected"),
        (&["-d", "-j", plugin, "x"], "a private key, where the name of a plugin is expected"),
        (&["-R", key, "x"], no_file),
        (&["-d", "-i", "key.txt", "--part", part, "x"], no_file),
        (&["-d", "-i", "key.txt", "--part", key, "x"], no_file),
        (&["-d", "-i", "key.txt", key], no_file),
        (&["inspect", key], no_file),
        (&["combine", key], no_file),
        (&["-d", "-i", "key.txt", "-o", &format!("missing/{key}"), "x"], no_file),
        (&[key], "unknown command or file"),
        (&["cpu", key], "unexpected argument"),
        (&["decrypt", "--range", key, "x"], "invalid value"),
    ] {
        let run = dir.run(args);
        assert!(!run.status.success(), "{args:?}");
        let shown = (run.text() + &run.err()).to_ascii_uppercase();
        assert!(shown.contains(&what.to_ascii_uppercase()), "{args:?}: {shown}");
        for secret in [key, plugin, part] {
            let secret = &secret[secret.len() - 12..];
            assert!(!shown.contains(secret), "{args:?}: {shown}");
        }
    }
    let mut command = dir.command(["-d", "x"]);
    command.env("SEALANE_IDENTITY", key);
    let err = crate::support::finish(command).fails(not_a_path).stderr;
    assert!(!String::from_utf8_lossy(&err).contains(key));
    // The program `age` prints some errors in Go's form.
    std::os::unix::fs::symlink(crate::support::SEALANE, dir.path("age")).unwrap();
    let run = dir.sh(&format!("./age -{key}"));
    assert!(run.err().starts_with("flag provided but not defined: -AGE-SECRET-KEY-1…\n"), "{}", run.err());
}
