//! `-r` and `-R`.

use crate::support::Dir;

#[test]
fn recipients_come_from_files_with_comments() {
    let dir = Dir::with_key();
    let other = dir.keygen("other");
    let key = String::from_utf8(dir.read("key.pub")).unwrap();
    dir.write("list", format!("# friends\r\n\r\n{}\r\n#\n{other}", key.trim()));
    dir.run(["-R", "list", "-o", "out", "key.pub"]).quiet();
    for identity in ["key.txt", "other.txt"] {
        assert_eq!(dir.run(["-d", "-i", identity, "out"]).quiet().stdout, dir.read("key.pub"));
    }
}

#[test]
fn recipients_may_be_in_upper_case_and_follow_a_byte_order_mark() {
    let dir = Dir::with_key();
    let key = String::from_utf8(dir.read("key.pub")).unwrap().trim().to_owned();
    let upper = key.to_ascii_uppercase();
    dir.write("list", format!("\u{feff}{key}\r\n"));
    dir.write("upper", &upper);
    for args in [["-R", "list"], ["-R", "upper"], ["-r", &upper]] {
        dir.run(args.into_iter().chain(["-o", "out", "list"])).quiet();
        assert_eq!(dir.run(["-d", "-i", "key.txt", "out"]).quiet().stdout, dir.read("list"));
    }
    // BIP 173 forbids mixed case.
    let mixed = format!("AGE1{}", &key[4..]);
    dir.run(["-r", &mixed, "-o", "new", "list"]).fails("recipient");
    let mixed = format!("age1{}", &upper[4..]);
    dir.run(["-r", &mixed, "-o", "new", "list"]).fails("recipient");
}

#[test]
fn the_contents_of_an_invalid_list_are_not_shown() {
    let dir = Dir::with_key();
    let secret = String::from_utf8(dir.read("key.txt")).unwrap();
    let secret = secret.lines().last().unwrap().to_owned();
    for (contents, what) in [
        ("".to_owned(), "no recipients in \"list\""),
        ("# nobody\n".to_owned(), "no recipients in \"list\""),
        ("\nhunter2\n".to_owned(), "line 2: unknown type of recipient"),
        ("age1hunter2\n".to_owned(), "line 1: malformed recipient"),
        ("ssh-ed25519 hunter2\n".to_owned(), "line 1: malformed ssh public key"),
        (format!("{secret}\n"), "line 1: a private key (identity)"),
        ("-----BEGIN OPENSSH PRIVATE KEY-----\nhunter2".to_owned(), "line 1: a private key (identity)"),
        ("x".repeat(9000), "longer than 8 KiB"),
    ] {
        dir.write("list", &contents);
        let out = dir.run(["-R", "list", "-o", "out", "key.pub"]).fails(what);
        let err = String::from_utf8_lossy(&out.stderr);
        assert!(!err.contains("hunter2") && !err.contains(&secret), "{err}");
    }
    let key = String::from_utf8(dir.read("key.pub")).unwrap();
    dir.write("list", format!("{} # a friend\n", key.trim()));
    let out = dir.run(["-R", "list", "-o", "out", "key.pub"]).fails("line 1: malformed recipient");
    let hint = "hint: nothing may follow a recipient; lines that begin with # are comments";
    assert!(String::from_utf8_lossy(&out.stderr).contains(hint));
    dir.write("list", b"\xff\n");
    dir.run(["-R", "list", "-o", "out", "key.pub"]).fails("line 1 is not UTF-8 text");
    assert!(!dir.exists("out"));
}

#[test]
fn a_private_key_as_a_recipient_is_not_shown() {
    let dir = Dir::with_key();
    let secret = String::from_utf8(dir.read("key.txt")).unwrap();
    let secret = secret.lines().last().unwrap();
    let out = dir.run(["-r", secret, "-o", "out", "key.pub"]).fails("a private key (identity), where a recipient");
    assert!(!String::from_utf8_lossy(&out.stderr).contains(secret));
    assert!(String::from_utf8_lossy(&out.stderr).contains("keygen -y"));
    // The whole file, and what copying adds to the line.
    let file = String::from_utf8(dir.read("key.txt")).unwrap();
    for argument in [file, format!(" {secret}"), format!("\u{feff}{secret}"), format!("\"{secret}\"")] {
        let out =
            dir.run(["-r", &argument, "-o", "out", "key.pub"]).fails("a private key (identity), where a recipient");
        assert!(!String::from_utf8_lossy(&out.stderr).contains(secret), "{argument}");
    }
    let ssh = "-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1rZXktdjEAAAAA\n";
    for argument in [ssh, &format!("\n{ssh}")] {
        let out =
            dir.run(["-r", argument, "-o", "out", "key.pub"]).fails("a private key (identity), where a recipient");
        assert!(!String::from_utf8_lossy(&out.stderr).contains("b3BlbnN"), "{argument}");
    }
}

#[test]
fn arguments_that_are_not_recipients_get_a_hint() {
    let dir = Dir::with_key();
    for (recipient, what) in [
        ("key.pub", "use -R"),
        ("github:FiloSottile", "not fetched"),
        ("https://github.com/FiloSottile.keys", "not fetched"),
        ("age1xmwwc06ly3ee5rytxm9mflaz2u56jjj36s0mypdrwsvlul66mv4q47ryeg", "malformed recipient"),
        ("age1", "malformed recipient"),
        ("", "unknown type of recipient"),
        ("bob", "a recipient looks like age1"),
    ] {
        dir.run(["-r", recipient, "-o", "out", "key.pub"]).fails(what);
    }
    assert!(!dir.exists("out"));
}

#[test]
fn more_than_fit_a_header() {
    let dir = Dir::new();
    dir.run(["keygen", "--pq", "-o", "pq.txt"]).ok();
    // Each stanza is about 1.5 KB long.
    let recipient = dir.run(["keygen", "-y", "pq.txt"]).text();
    dir.write("list", recipient.repeat(1025));
    let names = dir.names();
    dir.run(["-R", "list", "-o", "out", "pq.txt"]).fails("too many recipients: at most 1024 stanzas");
    dir.write("most", recipient.repeat(1024));
    dir.run(["-R", "most", "-o", "fits", "pq.txt"]).ok();
    dir.run(["-d", "-i", "pq.txt", "fits"]).ok();
    for name in ["most", "fits"] {
        std::fs::remove_file(dir.path(name)).unwrap();
    }
    let key = dir.keygen("key");
    dir.write("list", format!("{key}\n").repeat(1025));
    dir.run(["-R", "list", "-o", "out", "pq.txt"]).fails("too many recipients: at most 1024 stanzas");
    for name in ["key.txt", "key.pub"] {
        std::fs::remove_file(dir.path(name)).unwrap();
    }
    assert_eq!(dir.names(), names);
}

/// Recipients of hardware keys (<https://c2sp.org/age#the-p256tag-recipient-type>), from the tests
/// of the crate `age`. Only the hardware could open the files.
const TAG: &str = "age1tag1qt8lw0ual6avlwmwatk888yqnmdamm7xfd0wak53ut6elz5c4swx2yqdj4e";
const TAG_PQ: &str = include_str!("tagpq.pub");

#[test]
fn recipients_with_tags_are_accepted() {
    let dir = Dir::with_key();
    dir.run(["keygen", "--pq", "-o", "pq.txt"]).ok();
    let pq = dir.run(["keygen", "-y", "pq.txt"]).text();
    let key = String::from_utf8(dir.read("key.pub")).unwrap();
    for (tag, kind, same, other, post_quantum) in
        [(TAG, "p256tag", &key, &pq, "no"), (TAG_PQ.trim(), "mlkem768p256tag", &pq, &key, "yes")]
    {
        dir.run(["-r", tag, "-r", same.trim(), "-o", "out", "key.pub"]).quiet();
        let report: serde_json::Value = serde_json::from_str(&dir.run(["inspect", "--json", "out"]).text()).unwrap();
        assert_eq!(
            (&report["recipients"][kind], &report["post_quantum"]),
            (&1.into(), &post_quantum.into()),
            "{report}"
        );
        let identity = if same == &key { "key.txt" } else { "pq.txt" };
        assert_eq!(dir.run(["-d", "-i", identity, "out"]).quiet().stdout, key.as_bytes());
        // If a quantum computer can break one recipient, the whole file is open.
        dir.run(["-r", tag, "-r", other.trim(), "-o", "no", "key.pub"]).fails("encrypt the file twice");
    }
    assert!(!dir.exists("no"));
    dir.run(["-r", &TAG.replace("qt8", "qt9"), "-o", "no", "key.pub"]).fails("malformed recipient");
}
