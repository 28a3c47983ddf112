//! Files that take several holders together: `-k`, `contribute` and `--part`.

use crate::support::{Dir, bytes};

/// Five keys a to e, and a file for any three of them.
fn dir() -> (Dir, Vec<u8>) {
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
    // Other ways to name holders, one a line.
    dir.sh("cat a.pub b.pub > list; \"$SEALANE\" -k 2 -R list -o y plain").quiet();
    assert!(dir.run(["-d", "-i", "a.txt", "-i", "b.txt", "y"]).quiet().stdout == data);
    dir.run(["-d", "-i", "a.txt", "y"]).fails("2 of 2 holders");
    // Ranges are parts of it all the same.
    let part = dir.run(["-d", "-i", "a.txt", "-i", "b.txt", "-i", "c.txt", "--range", "70000:10", "x"]).quiet();
    assert!(part.stdout == data[70_000..70_010]);
}

#[test]
fn holders_who_answer_at_different_times() {
    let (dir, data) = dir();
    dir.run(["contribute", "-i", "d.txt", "-o", "part-d", "x"]).quiet();
    assert_eq!(dir.mode("part-d"), 0o600);
    let text = String::from_utf8(dir.read("part-d")).unwrap();
    assert!(text.starts_with("# part 4 of 5 of the key of \"x\"; 3 open the file: a secret\nSEALANE-PART-1"), "{text}");
    let part_b = dir.run(["contribute", "-i", "b.txt", "x"]).quiet().stdout;
    dir.write("part-b", &part_b);
    dir.run(["-d", "--part", "part-d", "--part", "part-b", "x"]).fails("2 of them are here");
    let with = ["-d", "--part", "part-d", "--part", "part-b", "-i", "a.txt", "x"];
    assert!(dir.run(with).quiet().stdout == data);
    // All from others, in one file, and on standard input.
    let part_c = dir.run(["contribute", "-i", "c.txt", "x"]).quiet().stdout;
    let all = [&dir.read("part-d")[..], &part_b, &part_c].concat();
    assert!(dir.run_with(&all, ["-d", "--part", "-", "x"]).quiet().stdout == data);
    // Sent to who opens it.
    let sent =
        dir.sh("\"$SEALANE\" contribute -i c.txt x | \"$SEALANE\" -R a.pub | \"$SEALANE\" -d -i a.txt").quiet().stdout;
    assert_eq!(sent, part_c);
    // One that is there twice counts once.
    dir.run(["-d", "--part", "part-d", "--part", "part-d", "-i", "d.txt", "x"]).fails("1 of them is here");
}

#[test]
fn wrong_parts_are_named() {
    let (dir, _) = dir();
    dir.run(["contribute", "-i", "d.txt", "-o", "part", "x"]).quiet();
    dir.sh("\"$SEALANE\" -k 2 -R a.pub -R d.pub -o other plain").quiet();
    dir.run(["-d", "--part", "part", "-i", "a.txt", "other"]).fails("of another file");
    let text = String::from_utf8(dir.read("part")).unwrap();
    dir.write("bad", text.replace("PART-1", "PART-1Q"));
    dir.run(["-d", "--part", "bad", "-i", "a.txt", "x"]).fails("not a part");
    dir.write("none", "# nothing\n");
    dir.run(["-d", "--part", "none", "-i", "a.txt", "x"]).fails("there is no part");
    dir.run(["-d", "--part", "missing", "x"]).fails("cannot open");
    dir.keygen("stranger");
    dir.run(["contribute", "-i", "stranger.txt", "x"]).fails("no identity holds a part");
    dir.encrypt_to("a.pub", b"secret", "plain.age");
    dir.run(["contribute", "-i", "a.txt", "plain.age"]).fails("no identity holds a part");
}

#[test]
fn what_does_not_go_together() {
    let (dir, _) = dir();
    let before = dir.names();
    dir.run(["-k", "1", "-R", "a.pub", "-R", "b.pub", "-o", "y", "plain"]).misused("not possible");
    dir.run(["-k", "3", "-R", "a.pub", "-R", "b.pub", "-o", "y", "plain"]).misused("3 of 2 recipients");
    dir.run(["-k", "2", "-p", "plain"]).misused("-k/--threshold can't be combined with -p");
    dir.run(["-d", "-k", "2", "-i", "a.txt", "x"]).misused("-k/--threshold can't be used to decrypt");
    dir.run(["-R", "a.pub", "--part", "p", "plain"]).misused("--part can't be used to encrypt");
    dir.run(["contribute", "x"]).misused("missing identity");
    dir.run(["contribute", "-i", "a.txt"]).misused("missing FILE");
    dir.run(["keygen", "--pq", "-o", "pq.txt"]).ok();
    let pq = dir.run(["keygen", "-y", "pq.txt"]).text();
    dir.run(["-k", "2", "-r", pq.trim(), "-R", "a.pub", "-o", "y", "plain"]).fails("");
    std::fs::remove_file(dir.path("pq.txt")).unwrap();
    assert_eq!(dir.names(), before);
}

/// A PATH that has the command under the name of a plugin.
fn with_plugin(dir: &Dir) -> std::ffi::OsString {
    std::fs::create_dir(dir.path("bin")).unwrap();
    std::os::unix::fs::symlink(crate::support::SEALANE, dir.path("bin/age-plugin-sealane")).unwrap();
    let others = std::env::var_os("PATH").unwrap();
    std::env::join_paths(std::iter::once(dir.path("bin")).chain(std::env::split_paths(&others))).unwrap()
}

#[test]
fn as_a_plugin() {
    let (dir, data) = dir();
    let path = with_plugin(&dir);
    dir.run(["contribute", "-i", "d.txt", "-o", "part", "x"]).quiet();
    for (name, files) in [("two", &["a.txt", "part"][..]), ("three", &["b.txt", "part", "a.txt"])] {
        let line = dir.run(["keygen", "--plugin", "-o", name].iter().chain(files)).quiet();
        assert!(line.stdout.is_empty());
        let line = dir.read(name);
        assert!(line.starts_with(b"AGE-PLUGIN-SEALANE-1") && line.iter().filter(|&&byte| byte == b'\n').count() == 1);
        assert_eq!(dir.mode(name), 0o600);
    }
    let open = |identities: &str, file: &str| {
        // The payload is that of any age file; whoever speaks with plugins opens it.
        let mut command = dir.without_terminal(["-d", "-i", identities, file]);
        command.env("PATH", &path);
        crate::support::finish(command)
    };
    assert!(open("three", "x").quiet().stdout == data);
    open("two", "x").fails("2 of them are here");
    dir.encrypt_to("a.pub", b"secret", "plain.age");
    open("three", "plain.age").fails("no identity matches");

    dir.write("bad", "hunter2");
    let out = dir.run(["keygen", "--plugin", "bad"]).fails("not an identity");
    assert!(!String::from_utf8_lossy(&out.stderr).contains("hunter2"));
    dir.run(["keygen", "--plugin", "-y", "a.txt"]).misused("");
    let mut command = dir.without_terminal(["-e", "-i", "two", "-o", "new", "x"]);
    command.env("PATH", &path);
    crate::support::finish(command).fails("sealane -k makes files for holders");
    assert!(!dir.exists("new"));
    dir.run(["--age-plugin=recipient-v1"]).fails("as a plugin");
    dir.run(["--age-plugin=nonsense"]).fails("plugin");
}

#[test]
fn it_can_be_seen_and_changed() {
    let (dir, data) = dir();
    let report: serde_json::Value =
        serde_json::from_slice(&dir.run(["inspect", "--json", "x"]).quiet().stdout).unwrap();
    assert_eq!(report["recipients"], serde_json::json!({ "sealane/threshold": 5 }));
    assert_eq!(report["threshold"], serde_json::json!({ "needed": 3, "of": 5, "types": { "X25519": 5 } }));
    assert_eq!(report["post_quantum"], "no");
    assert!(dir.run(["inspect", "x"]).text().contains("any 3 of 5 together (5 X25519)"));
    // From holders to one, and back.
    dir.run(["rekey", "-i", "a.txt", "-i", "b.txt", "-i", "c.txt", "-R", "d.pub", "x"]).ok();
    assert!(dir.run(["-d", "-i", "d.txt", "x"]).quiet().stdout == data);
    dir.run(["rekey", "-i", "d.txt", "-k", "2", "-R", "a.pub", "-R", "b.pub", "x"]).ok();
    assert!(dir.run(["-d", "-i", "a.txt", "-i", "b.txt", "x"]).quiet().stdout == data);
    dir.run(["-d", "-i", "d.txt", "x"]).fails("no identity matches");
    // Where it fits, the parts of an old header are not those of the new one.
    dir.run(["contribute", "-i", "a.txt", "-o", "part", "x"]).quiet();
    dir.run(["rekey", "-i", "a.txt", "-i", "b.txt", "-k", "2", "-R", "a.pub", "-R", "b.pub", "x"]).ok();
    dir.run(["-d", "--part", "part", "-i", "b.txt", "x"]).fails("of another file");
}
