//! Files for several holders: `-k`, `contribute` and `--part`.

use crate::support::{Dir, bytes};

/// Generates five keys a to e, and encrypts the file `x`, which any three of them open. Returns the
/// plaintext too.
pub(crate) fn dir() -> (Dir, Vec<u8>) {
    let dir = Dir::new();
    let keys = ["a", "b", "c", "d", "e"].map(|name| dir.keygen(name));
    let data = bytes(100_000);
    dir.write("plain", &data);
    let recipients = keys.iter().flat_map(|key| ["-r", key]);
    dir.run(["encrypt", "-k", "3", "-o", "x"].into_iter().chain(recipients).chain(["plain"])).quiet();
    (dir, data)
}

#[test]
fn any_three_of_five_open_it_together() {
    let (dir, data) = dir();
    for holders in [["a", "b", "c"], ["e", "c", "a"], ["b", "d", "e"]] {
        let keys = holders.map(|name| format!("{name}.txt"));
        let args = keys.iter().flat_map(|key| ["-i", key]);
        assert!(dir.run(["decrypt"].into_iter().chain(args).chain(["x"])).quiet().stdout == data);
    }
    let two =
        dir.run(["-d", "-i", "a.txt", "-i", "e.txt", "x"]).fails("3 of 5 holders together, and 2 of them are here");
    assert!(String::from_utf8_lossy(&two.stderr).contains("sealane contribute"));
    dir.run(["-d", "-i", "b.txt", "x"]).fails("1 of them is here");
    dir.keygen("stranger");
    dir.run(["-d", "-i", "stranger.txt", "x"]).fails("no identity matches");
    // Holders can also be named in a list with one on each line.
    dir.sh("cat a.pub b.pub > list; \"$SEALANE\" -k 2 -R list -o y plain").quiet();
    assert!(dir.run(["-d", "-i", "a.txt", "-i", "b.txt", "y"]).quiet().stdout == data);
    dir.run(["-d", "-i", "a.txt", "y"]).fails("2 of 2 holders");
    // Ranges work as in any file.
    let part = dir.run(["-d", "-i", "a.txt", "-i", "b.txt", "-i", "c.txt", "--range", "70000:10", "x"]).quiet();
    assert!(part.stdout == data[70_000..70_010]);
}

#[test]
fn holders_who_answer_at_different_times() {
    let (dir, data) = dir();
    dir.run(["contribute", "-y", "-i", "d.txt", "-o", "part-d", "x"]).quiet();
    assert_eq!(dir.mode("part-d"), 0o600);
    let text = String::from_utf8(dir.read("part-d")).unwrap();
    let lines: Vec<_> = text.lines().collect();
    assert_eq!(lines[0], "# part 4 of 5; any 3 open the file: a secret");
    assert!(lines[1].starts_with("# share set ") && lines[1].ends_with(", label none"), "{text}");
    assert!(lines[2].starts_with("SEALANE-PART-1") && lines.len() == 3, "{text}");
    let part_b = dir.run(["contribute", "-y", "-i", "b.txt", "x"]).quiet().stdout;
    dir.write("part-b", &part_b);
    dir.run(["-d", "--part", "part-d", "--part", "part-b", "x"]).fails("2 of them are here");
    let args = ["-d", "--part", "part-d", "--part", "part-b", "-i", "a.txt", "x"];
    assert!(dir.run(args).quiet().stdout == data);
    // All parts come from other holders, in one file and on standard input.
    let part_c = dir.run(["contribute", "-y", "-i", "c.txt", "x"]).quiet().stdout;
    let all = [&dir.read("part-d")[..], &part_b, &part_c].concat();
    assert!(dir.run_with(&all, ["-d", "--part", "-", "x"]).quiet().stdout == data);
    // The part is encrypted to the person who opens the file.
    let sent = dir
        .sh("\"$SEALANE\" contribute -y -i c.txt x | \"$SEALANE\" -R a.pub | \"$SEALANE\" -d -i a.txt")
        .quiet()
        .stdout;
    assert_eq!(sent, part_c);
    // As editors on Windows save it, also several in one file.
    let marked =
        [&dir.read("part-d")[..], &part_b, &part_c].map(|part| ["\u{feff}".as_bytes(), part].concat()).concat();
    assert!(dir.run_with(&marked, ["-d", "--part", "-", "x"]).quiet().stdout == data);
    let text = format!("\u{feff}{text}").replace('\n', "\r\n");
    let utf16 = |bytes: fn(u16) -> [u8; 2]| text.encode_utf16().flat_map(bytes).collect::<Vec<u8>>();
    dir.write("little", utf16(u16::to_le_bytes));
    dir.write("big", utf16(u16::to_be_bytes));
    for part in ["little", "big"] {
        let args = ["-d", "--part", part, "--part", "part-b", "-i", "a.txt", "x"];
        assert!(dir.run(args).quiet().stdout == data, "{part}");
    }
    // A part that is given twice counts once.
    dir.run(["-d", "--part", "part-d", "--part", "part-d", "-i", "d.txt", "x"]).fails("1 of them is here");
}

#[test]
fn wrong_parts_are_named() {
    let (dir, _) = dir();
    dir.run(["contribute", "-y", "-i", "d.txt", "-o", "part", "x"]).quiet();
    dir.sh("\"$SEALANE\" -k 2 -R a.pub -R d.pub -o other plain").quiet();
    dir.run(["-d", "--part", "part", "-i", "a.txt", "other"]).fails("\"part\": a part is of another file");
    dir.run(["-d", "--part", "part", "-i", "a.txt", "-i", "d.txt", "other"]).quiet();
    dir.run(["contribute", "-y", "-i", "d.txt", "-o", "right", "other"]).quiet();
    dir.run(["-d", "--part", "right", "--part", "part", "other"]).fails("\"part\": a part is of another file");
    dir.run(["-d", "--part", "part", "--part", "right", "-i", "a.txt", "other"]).quiet();
    let text = String::from_utf8(dir.read("part")).unwrap();
    dir.write("bad", text.replace("PART-1", "PART-1Q"));
    dir.run(["-d", "--part", "bad", "-i", "a.txt", "x"]).fails("not a part");
    dir.write("none", "# nothing\n");
    dir.run(["-d", "--part", "none", "-i", "a.txt", "x"]).fails("no part in");
    dir.run(["-d", "--part", "missing", "x"]).fails("cannot open");
    dir.keygen("stranger");
    dir.run(["contribute", "-y", "-i", "stranger.txt", "x"]).fails("no identity holds a part");
    dir.encrypt_to("a.pub", b"secret", "plain.age");
    dir.run(["contribute", "-y", "-i", "a.txt", "plain.age"]).fails("no identity holds a part");
    std::fs::create_dir(dir.path("folder")).unwrap();
    dir.run(["contribute", "-y", "-i", "a.txt", "folder"])
        .fails("\"folder\" is a folder, and a part belongs to one file");
}

#[test]
fn flags_that_exclude_each_other() {
    let (dir, _) = dir();
    let before = dir.names();
    dir.run(["-k", "1", "-R", "a.pub", "-R", "b.pub", "-o", "y", "plain"]).misused("not possible");
    dir.run(["-k", "3", "-R", "a.pub", "-R", "b.pub", "-o", "y", "plain"]).misused("3 of 2 recipients");
    dir.run(["-k", "2", "-p", "plain"]).misused("-k/--threshold can't be combined with -p");
    dir.run(["-d", "-k", "2", "-i", "a.txt", "x"]).misused("-k/--threshold can't be used to decrypt");
    dir.run(["-R", "a.pub", "--part", "p", "plain"]).misused("--part can't be used to encrypt");
    dir.run(["contribute", "x"]).misused("missing identity");
    dir.run(["contribute", "-y", "-i", "a.txt"]).misused("arguments were not provided: <FILE>");
    dir.run(["contribute", "-y", "-i", "a.txt", "-"]).misused("missing FILE");
    dir.run(["contribute", "-i", "a.txt", "-p", "x"]).misused("'-p'");
    dir.run(["contribute", "-i", "a.txt", "-a", "x"]).misused("-a/--armor is for an encrypted part");
    dir.run(["-R", "a.pub", "--label", "x", "-o", "y", "plain"]).misused("--label needs -k/--threshold");
    dir.run(["rekey", "-i", "a.txt", "-R", "a.pub", "--label", "x", "x"]).misused("--label needs -k/--threshold");
    let holders = ["-k", "2", "-R", "a.pub", "-R", "b.pub", "--label", "x"];
    std::fs::create_dir(dir.path("folder")).unwrap();
    for several in [&["-o", "sealed", "folder"][..], &["-o", "sealed", "plain", "a.txt"]] {
        dir.run(holders.iter().chain(several)).misused("--label can't be used with several files");
    }
    dir.run(["rekey", "-i", "a.txt"].iter().chain(&holders).chain(&["plain", "folder"]))
        .misused("--label can't be used with several files");
    std::fs::remove_dir(dir.path("folder")).unwrap();
    dir.run(["-d", "-i", "a.txt", "--label", "x", "x"]).misused("--label can't be used to decrypt");
    let long = "x".repeat(101);
    for label in ["", " x", "a\nb", "a\u{202e}b", &long] {
        dir.run(["-k", "2", "-R", "a.pub", "-R", "b.pub", "--label", label, "-o", "y", "plain"]).misused("label");
    }
    dir.run(["keygen", "--pq", "-o", "pq.txt"]).ok();
    let pq = dir.run(["keygen", "-y", "pq.txt"]).text();
    dir.run(["-k", "2", "-r", pq.trim(), "-R", "a.pub", "-o", "y", "plain"]).fails("");
    std::fs::remove_file(dir.path("pq.txt")).unwrap();
    assert_eq!(dir.names(), before);
}

/// Returns a PATH in which the command has the name `age-plugin-sealane`.
fn with_plugin(dir: &Dir) -> std::ffi::OsString {
    std::fs::create_dir(dir.path("bin")).unwrap();
    std::os::unix::fs::symlink(crate::support::SEALANE, dir.path("bin/age-plugin-sealane")).unwrap();
    let others = std::env::var_os("PATH").unwrap();
    std::env::join_paths(std::iter::once(dir.path("bin")).chain(std::env::split_paths(&others))).unwrap()
}

#[test]
fn the_command_as_a_plugin() {
    let (dir, data) = dir();
    let path = with_plugin(&dir);
    dir.run(["contribute", "-y", "-i", "d.txt", "-o", "part", "x"]).quiet();
    for (name, files) in [("two", &["a.txt", "part"][..]), ("three", &["b.txt", "part", "a.txt"])] {
        let line = dir.run(["keygen", "--plugin", "-o", name].iter().chain(files)).quiet();
        assert!(line.stdout.is_empty());
        let line = dir.read(name);
        assert!(line.starts_with(b"AGE-PLUGIN-SEALANE-1") && line.iter().filter(|&&byte| byte == b'\n').count() == 1);
        assert_eq!(dir.mode(name), 0o600);
    }
    let open = |identities: &str, file: &str| {
        // The payload is like any age file's, so every program that supports plugins opens it.
        let mut command = dir.without_terminal(["-d", "-i", identities, file]);
        command.env("PATH", &path);
        crate::support::finish(command)
    };
    assert!(open("three", "x").quiet().stdout == data);
    open("two", "x").fails("2 of them are here");
    dir.encrypt_to("a.pub", b"secret", "plain.age");
    open("three", "plain.age").fails("no identity matches");

    dir.write("bad", "hunter2");
    let out = dir.run(["keygen", "--plugin", "a.txt", "bad"]).fails("not an identity");
    assert!(String::from_utf8_lossy(&out.stderr).contains("\"bad\""));
    assert!(!String::from_utf8_lossy(&out.stderr).contains("hunter2"));
    dir.run(["keygen", "--plugin", "-y", "a.txt"]).misused("");
    // A part that is encrypted to a recipient is refused. An identity file with a passphrase is
    // accepted.
    dir.run(["contribute", "-y", "-i", "e.txt", "-R", "a.pub", "-o", "part.age", "x"]).quiet();
    dir.run(["keygen", "--plugin", "part.age"]).fails("\"part.age\": a file is encrypted, but not with a passphrase");
    let mut command = dir.without_terminal(["-p", "-o", "a.age", "a.txt"]);
    command.env("AGE_PASSPHRASE", "one");
    crate::support::finish(command).ok();
    dir.run(["keygen", "--plugin", "a.age"]).quiet();
    // A holder whose identity file has a passphrase gets no misleading message.
    let mut command = dir.without_terminal(["contribute", "-y", "-i", "a.age", "x"]);
    command.env("AGE_PASSPHRASE", "one");
    crate::support::finish(command).quiet();
    let mut command = dir.without_terminal(["-e", "-i", "two", "-o", "new", "x"]);
    command.env("PATH", &path);
    crate::support::finish(command).fails("sealane -k makes files for holders");
    assert!(!dir.exists("new"));
    dir.run(["--age-plugin=recipient-v1"]).fails("cannot talk to the client of the plugin");
    dir.run(["--age-plugin=nonsense"]).fails("plugin");
}

#[test]
fn holders_are_shown_and_replaced() {
    let (dir, data) = dir();
    let report: serde_json::Value =
        serde_json::from_slice(&dir.run(["inspect", "--json", "x"]).quiet().stdout).unwrap();
    assert_eq!(report["recipients"], serde_json::json!({ "sealane/threshold": 5 }));
    let sets = report["share_sets"].as_array().unwrap();
    assert_eq!((sets.len(), sets[0]["id"].as_str().unwrap().len()), (1, 32));
    assert_eq!(
        (&sets[0]["needed"], &sets[0]["of"], &sets[0]["label"]),
        (&3.into(), &5.into(), &serde_json::Value::Null)
    );
    assert_eq!(sets[0]["types"], serde_json::json!({ "X25519": 5 }));
    assert_eq!(report["post_quantum"], "no");
    assert!(dir.run(["inspect", "x"]).text().contains("any 3 of 5 together (5 X25519)"));
    // From several holders to one recipient, and back.
    dir.run(["rekey", "-i", "a.txt", "-i", "b.txt", "-i", "c.txt", "-R", "d.pub", "x"]).ok();
    assert!(dir.run(["-d", "-i", "d.txt", "x"]).quiet().stdout == data);
    dir.run(["rekey", "-i", "d.txt", "-k", "2", "-R", "a.pub", "-R", "b.pub", "x"]).ok();
    assert!(dir.run(["-d", "-i", "a.txt", "-i", "b.txt", "x"]).quiet().stdout == data);
    dir.run(["-d", "-i", "d.txt", "x"]).fails("no identity matches");
    // Parts for the old header are not valid for the new one, even if it is written in place.
    dir.run(["contribute", "-y", "-i", "a.txt", "-o", "part", "x"]).quiet();
    dir.run(["rekey", "-i", "a.txt", "-i", "b.txt", "-k", "2", "-R", "a.pub", "-R", "b.pub", "x"]).ok();
    dir.run(["-d", "--part", "part", "-i", "b.txt", "x"]).fails("of another file");
}

/// Encrypts the file `y` with a label. Any two of a, b and c open it.
fn labelled() -> (Dir, Vec<u8>) {
    let (dir, data) = dir();
    let holders = ["-R", "a.pub", "-R", "b.pub", "-R", "c.pub"];
    dir.run(["-k", "2", "--label", "budget 2027", "-o", "y"].iter().chain(&holders).chain(&["plain"])).quiet();
    (dir, data)
}

#[test]
fn the_label_says_what_is_asked_for() {
    let (dir, data) = labelled();
    assert!(dir.run(["inspect", "y"]).text().contains(", label \"budget 2027\""));
    let report: serde_json::Value = serde_json::from_slice(&dir.run(["inspect", "--json", "y"]).ok().stdout).unwrap();
    assert_eq!(report["share_sets"][0]["label"], "budget 2027");
    let contribute = ["contribute", "-y", "-i", "a.txt", "-o", "part", "--label"];
    dir.run(contribute.iter().chain(&["party", "y"])).fails("no part has the label \"party\"");
    dir.run(contribute.iter().chain(&["party", "x"])).fails("no part has the label \"party\"");
    assert!(!dir.exists("part"));
    dir.run(contribute.iter().chain(&["budget 2027", "y"])).quiet();
    assert!(String::from_utf8(dir.read("part")).unwrap().contains(", label \"budget 2027\"\n"));
    assert!(dir.run(["-d", "-i", "b.txt", "--part", "part", "y"]).quiet().stdout == data);
    // The label was changed on the way: no holder contributes a part, and the file does not open.
    let old = b" YnVkZ2V0IDIwMjc\n";
    let changed: Vec<u8> = String::from_utf8_lossy(&dir.read("y")[..2000])
        .replace(std::str::from_utf8(old).unwrap(), " cGFydHk\n")
        .into_bytes();
    dir.write("y", [&changed[..], &[0; 100]].concat());
    assert!(dir.run(["inspect", "y"]).text().contains("label \"party\""));
    dir.run(["contribute", "-y", "-i", "a.txt", "y"]).fails("share 1 in the header does not match its description");
    dir.run(["-d", "-i", "a.txt", "-i", "b.txt", "y"]).fails("share 1 in the header does not match its description");
}

/// Without a terminal a holder is not asked, and no part is contributed without consent.
#[test]
fn without_a_terminal_consent_needs_a_flag() {
    let (dir, _) = dir();
    let command = dir.without_terminal(["contribute", "-i", "a.txt", "-o", "part", "x"]);
    let output = crate::support::finish(command).fails("cannot ask whether to contribute the part");
    assert!(String::from_utf8_lossy(&output.stderr).contains("hint: -y"));
    assert!(!dir.exists("part"));
}

#[test]
fn parts_sent_encrypted() {
    let (dir, data) = dir();
    dir.keygen("boss");
    dir.run(["contribute", "-y", "-i", "d.txt", "-R", "boss.pub", "-o", "d.age", "x"]).quiet();
    assert!(dir.read("d.age").starts_with(b"age-encryption.org/v1\n"));
    let boss = String::from_utf8(dir.read("boss.pub")).unwrap();
    let armored = dir.run(["contribute", "-y", "-i", "e.txt", "-r", boss.trim(), "-a", "x"]).quiet().stdout;
    assert!(armored.starts_with(b"-----BEGIN AGE ENCRYPTED FILE-----\n"));
    dir.write("e.age", armored);
    dir.run(["contribute", "-y", "-i", "b.txt", "-o", "b.part", "x"]).quiet();
    // The recipient of the parts holds no share.
    let parts = ["--part", "d.age", "--part", "e.age", "--part", "b.part"];
    assert!(dir.run(["-d", "-i", "boss.txt"].iter().chain(&parts).chain(&["x"])).quiet().stdout == data);
    assert!(
        dir.run(["-d", "-i", "a.txt", "-i", "boss.txt"].iter().chain(&parts[..4]).chain(&["x"])).quiet().stdout == data
    );
    dir.run(["-d", "-i", "a.txt"].iter().chain(&parts).chain(&["x"])).fails("none of the identities opens it");
    dir.run(["-d"].iter().chain(&parts).chain(&["x"])).fails("none of the identities opens it");
    // The encrypted file must contain a part, and a complete one.
    dir.encrypt_to("boss.pub", b"hunter2\n", "other.age");
    let output = dir.run(["-d", "-i", "boss.txt", "--part", "other.age", "x"]).fails("no part in \"other.age\"");
    assert!(!String::from_utf8_lossy(&output.stderr).contains("hunter2"));
    let mut bad = dir.read("d.age");
    *bad.last_mut().unwrap() ^= 1;
    dir.write("bad.age", bad);
    dir.run(["-d", "-i", "boss.txt", "--part", "bad.age", "x"]).fails("bad.age");
    let mut command = dir.without_terminal(["-p", "-o", "secret.age", "b.part"]);
    command.env("AGE_PASSPHRASE", "one");
    crate::support::finish(command).ok();
    dir.run(["-d", "-i", "boss.txt", "--part", "secret.age", "x"]).fails("encrypted with a passphrase");
    // An invalid recipient is reported before any question, and before the output is made.
    dir.run(["contribute", "-i", "a.txt", "-r", "age1nonsense", "-o", "no", "x"]).fails("malformed recipient");
    assert!(!dir.exists("no"));
}

/// A second set of holders beside the first: each set opens the file by itself.
#[test]
fn holders_added_to_a_file_with_holders() {
    let (dir, data) = labelled();
    for name in ["f", "g"] {
        dir.keygen(name);
    }
    let new = ["-k", "2", "--label", "auditors", "-R", "f.pub", "-R", "g.pub", "-R", "a.pub"];
    dir.run(["rekey", "--add", "-i", "a.txt", "-i", "b.txt"].iter().chain(&new).chain(&["y"])).ok();
    for holders in [["a", "b"], ["b", "c"], ["f", "g"], ["g", "a"]] {
        let keys = holders.map(|name| format!("{name}.txt"));
        assert!(dir.run(["-d", "-i", &keys[0], "-i", &keys[1], "y"]).quiet().stdout == data, "{holders:?}");
    }
    dir.run(["-d", "-i", "b.txt", "-i", "f.txt", "y"]).fails("2 of 3 holders together, and 1 of them is here");
    let text = dir.run(["inspect", "y"]).text();
    assert_eq!(text.matches("any 2 of 3 together").count(), 2, "{text}");
    // A holder in both sets chooses one.
    dir.run(["contribute", "-y", "-i", "a.txt", "y"]).fails("parts of several share sets");
    dir.run(["contribute", "-y", "-i", "a.txt", "--label", "auditors", "-o", "part", "y"]).quiet();
    assert!(dir.run(["-d", "-i", "f.txt", "--part", "part", "y"]).quiet().stdout == data);
    dir.run(["-d", "-i", "b.txt", "--part", "part", "y"]).fails("1 of them is here");
    // Two holders of the second set add a single recipient.
    dir.run(["rekey", "--add", "-i", "f.txt", "-i", "g.txt", "-R", "e.pub", "y"]).ok();
    assert!(dir.run(["-d", "-i", "e.txt", "y"]).quiet().stdout == data);
    assert!(dir.run(["-d", "-i", "a.txt", "-i", "c.txt", "y"]).quiet().stdout == data);
}

#[test]
fn others_beside_post_quantum_holders() {
    let dir = Dir::with_key();
    for name in ["p", "q", "r"] {
        dir.run(["keygen", "--pq", "-o", &format!("{name}.txt")]).ok();
        dir.write(&format!("{name}.pub"), dir.run(["keygen", "-y", &format!("{name}.txt")]).text());
    }
    dir.write("plain", "secret");
    dir.run(["-k", "2", "-R", "p.pub", "-R", "q.pub", "-o", "x", "plain"]).quiet();
    let report: serde_json::Value = serde_json::from_slice(&dir.run(["inspect", "--json", "x"]).ok().stdout).unwrap();
    assert_eq!(report["post_quantum"], "yes");
    let before = dir.read("x");
    let rekey = ["rekey", "--add", "-i", "p.txt", "-i", "q.txt"];
    dir.run(rekey.iter().chain(&["-R", "key.pub", "x"])).fails("a file for post-quantum recipients");
    assert!(dir.read("x") == before);
    dir.run(rekey.iter().chain(&["-R", "r.pub", "x"])).ok();
    assert_eq!(dir.run(["-d", "-i", "r.txt", "x"]).quiet().stdout, b"secret");
    dir.run(rekey.iter().chain(&["-k", "2", "-R", "r.pub", "-R", "p.pub", "x"])).ok();
    assert_eq!(dir.run(["-d", "-i", "r.txt", "-i", "p.txt", "x"]).quiet().stdout, b"secret");
}

/// The header of a holder's own file is put into a file for several holders: `contribute` must not
/// give away the key of the own file.
#[test]
fn contribute_is_no_decryption_oracle() {
    let (dir, _) = dir();
    dir.encrypt_to("a.pub", b"only for a", "own.age");
    let own = dir.read("own.age");
    let own_header = &own[..own.len() - 16 - 26];
    let foreign = {
        use base64::Engine as _;
        let text = base64::prelude::BASE64_STANDARD_NO_PAD.encode(own_header);
        let mut lines: Vec<_> = text.as_bytes().chunks(64).map(|line| String::from_utf8_lossy(line)).collect();
        if text.len().is_multiple_of(64) {
            lines.push("".into());
        }
        lines.join("\n")
    };
    let file = dir.read("x");
    let text = String::from_utf8_lossy(&file).into_owned();
    // In the current form, and in an earlier one.
    let first = text.find("-> sealane/threshold v1 3 5 1 ").unwrap();
    let second = text.find("-> sealane/threshold v1 3 5 2 ").unwrap();
    let line = text[first..].split_once('\n').unwrap().0;
    for line in [line, "-> sealane/threshold 3 5 1"] {
        let bait = format!("{}{line}\n{foreign}\n{}", &text[..first], &text[second..text.find("\n--- ").unwrap()]);
        let bait = format!("{bait}\n--- {}\n{}", "A".repeat(43), "x".repeat(40));
        dir.write("bait.age", bait);
        let output =
            dir.run(["contribute", "-y", "-i", "a.txt", "bait.age"]).fails("shares in the header are malformed");
        assert!(output.stdout.is_empty());
    }
    // The content of a stanza is not a file.
    for args in [&["-d"][..], &["rekey", "-R", "b.pub"], &["inspect"]] {
        use base64::Engine as _;
        let body: String = text[first..second].lines().skip(1).collect();
        let body = base64::prelude::BASE64_STANDARD_NO_PAD.decode(body).unwrap();
        dir.write("inner.age", [&body[..], &[0; 40]].concat());
        let identity = if args == ["inspect"] { &[][..] } else { &["-i", "a.txt"] };
        dir.run([args, identity, &["inner.age"]].concat()).fails("not an age file");
    }
}
