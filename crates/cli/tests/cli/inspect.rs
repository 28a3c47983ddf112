//! `sealane inspect`, without a key and with identities.

use serde_json::Value;

use crate::support::{Dir, bytes};

fn json(dir: &Dir, name: &str) -> Value {
    serde_json::from_slice(&dir.run(["inspect", "--json", name]).quiet().stdout).unwrap()
}

#[test]
fn inspect_describes_a_file() {
    let dir = Dir::with_key();
    dir.keygen("other");
    dir.run_with(&bytes(200_000), ["-R", "key.pub", "-R", "other.pub", "-o", "x.age"]).quiet();
    let report = json(&dir, "x.age");
    assert_eq!(report["version"], "age-encryption.org/v1");
    assert_eq!(report["armored"], false);
    assert_eq!(report["recipients"], serde_json::json!({ "X25519": 2 }));
    assert_eq!(report["scrypt_work_factor"], Value::Null);
    assert_eq!(report["post_quantum"], "no");
    assert_eq!(report["length_plausible"], true);
    assert_eq!(report["sizes"]["plaintext"], 200_000);
    assert_eq!(report["sizes"]["overhead"], 16 + 4 * 16);
    assert_eq!(report["sizes"]["file"], dir.read("x.age").len());
    assert_eq!(report["sizes"]["header"], dir.read("x.age").len() - 200_000 - 80);
    let text = dir.run(["inspect", "x.age"]).text();
    assert!(text.contains("2  X25519") && text.contains("200000  plaintext"), "{text}");

    // The report is the same through a pipe. For armor, the sizes are the same.
    let piped = dir.run_with(&dir.read("x.age"), ["inspect", "--json"]).quiet();
    assert_eq!(serde_json::from_slice::<Value>(&piped.stdout).unwrap(), report);
    dir.run_with(&bytes(200_000), ["-a", "-R", "key.pub", "-R", "other.pub", "-o", "a.age"]).quiet();
    let armored = json(&dir, "a.age");
    assert_eq!(armored["armored"], true);
    assert_eq!(armored["sizes"]["armor"], dir.read("a.age").len() - dir.read("x.age").len());
    for size in ["file", "header", "overhead", "plaintext"] {
        assert_eq!(armored["sizes"][size], report["sizes"][size]);
    }
}

/// The stanza that `rekey` adds to keep the length of the header is for nobody.
#[test]
fn padding_is_no_recipient() {
    let dir = Dir::new();
    for (name, kind) in [("a", "X25519"), ("b", "mlkem768x25519")] {
        let pq = (name == "b").then_some("--pq");
        dir.run(["keygen", "-o", name].into_iter().chain(pq)).ok();
        dir.sh(&format!(
            "\"$SEALANE\" keygen -y {name} > {name}.pub; \"$SEALANE\" keygen {} | \"$SEALANE\" keygen -y > other",
            pq.unwrap_or_default()
        ))
        .ok();
        dir.run_with(b"x", ["-R", &format!("{name}.pub"), "-R", "other", "-o", "x"]).quiet();
        let before = json(&dir, "x");
        dir.run(["rekey", "-i", name, "-R", "other", "x"]).ok();
        let report = json(&dir, "x");
        assert_eq!(report["sizes"]["header"], before["sizes"]["header"]);
        assert!(String::from_utf8_lossy(&dir.read("x")).contains("-> padding---"));
        assert_eq!(report["recipients"], serde_json::json!({ kind: 1 }));
        assert_eq!(report["post_quantum"], before["post_quantum"]);
        let text = dir.run(["inspect", "x"]).text() + &dir.run(["inspect", "x", "other"]).text();
        assert!(text.contains(kind) && !text.contains("padding"), "{text}");
    }
}

#[test]
fn every_length_around_a_chunk() {
    let dir = Dir::with_key();
    for len in [0, 1, 65_535, 65_536, 65_537, 131_072] {
        dir.encrypt(&bytes(len), "x");
        assert_eq!(json(&dir, "x")["sizes"]["plaintext"], len);
    }
}

#[test]
fn post_quantum_and_passphrases() {
    let dir = Dir::new();
    dir.run(["keygen", "--pq", "-o", "pq.txt"]).ok();
    dir.run_with(b"x", ["-e", "-i", "pq.txt", "-o", "x"]).quiet();
    assert_eq!(json(&dir, "x")["post_quantum"], "yes");
    let mut command = dir.without_terminal(["-p", "-o", "y"]);
    command.env("AGE_PASSPHRASE", "correct horse");
    crate::support::feed(command, b"x").quiet();
    let report = json(&dir, "y");
    assert_eq!(report["scrypt_work_factor"], 4);
    assert_eq!(report["post_quantum"], "yes");
    assert!(dir.run(["inspect", "y"]).text().contains("work factor 4"));
}

#[test]
fn what_is_cut_short_or_none() {
    let dir = Dir::with_key();
    dir.encrypt(&bytes(200_000), "x");
    let file = dir.read("x");
    let header = file.len() - 200_000 - 80;
    for cut in [header, header + 15, header + 16, header + 31, header + 16 + 65_552 + 16] {
        dir.write("cut", &file[..cut]);
        let out = dir.run(["inspect", "--json", "cut"]).fails("cut");
        if cut >= header + 16 {
            let report: Value = serde_json::from_slice(&out.stdout).unwrap();
            assert_eq!(report["length_plausible"], false, "{cut}");
            assert_eq!(report["sizes"]["plaintext"], Value::Null);
        }
    }
    dir.write("none", "hello\n");
    dir.run(["inspect", "none"]).fails("");
    dir.run(["inspect", "missing"]).fails("cannot open");
    dir.run(["inspect", "a", "-"]).misused("standard input");
}

#[test]
fn an_identity_shows_whether_it_opens_the_file() {
    let dir = Dir::with_key();
    for name in ["other", "third"] {
        dir.keygen(name);
    }
    let opens = |args: &[&str]| {
        let json = dir.run(["inspect", "--json"].iter().chain(args)).quiet().stdout;
        serde_json::from_slice::<Value>(&json).unwrap()["opens"].clone()
    };
    dir.encrypt(&bytes(200_000), "x");
    assert_eq!(opens(&["x"]), Value::Null);
    assert_eq!(opens(&["-i", "key.txt", "x"]), "yes");
    assert_eq!(opens(&["-i", "other.txt", "x"]), "no");
    assert_eq!(opens(&["-i", "other.txt", "-i", "key.txt", "x"]), "yes");
    let text = dir.run(["inspect", "-i", "key.txt", "x"]).text();
    assert!(text.contains("\nthese identities open it\n") && text.contains("200000  plaintext"), "{text}");
    let text = dir.run(["inspect", "-i", "other.txt", "x"]).text();
    assert!(text.contains("\nthese identities do not open it\n"), "{text}");
    // Through a pipe and in armor, the sizes are the same.
    let piped = dir.run_with(&dir.read("x"), ["inspect", "--json", "-i", "key.txt"]).quiet();
    let mut report: Value = serde_json::from_slice(&piped.stdout).unwrap();
    assert_eq!(report["opens"].take(), "yes");
    report.as_object_mut().unwrap().remove("opens");
    assert_eq!(report, json(&dir, "x"));
    // One of several holders.
    dir.run(["-k", "2", "-R", "key.pub", "-R", "other.pub", "-o", "y", "x"]).quiet();
    assert_eq!(opens(&["-i", "key.txt", "y"]), "with-others");
    assert_eq!(opens(&["-i", "key.txt", "-i", "other.txt", "y"]), "yes");
    assert_eq!(opens(&["-i", "third.txt", "y"]), "no");
    // A changed header is an error, not an answer.
    let mut bad = dir.read("x");
    let mac = bad.windows(4).position(|window| window == b"--- ").unwrap() + 10;
    bad[mac] ^= 1;
    dir.write("bad", bad);
    dir.run(["inspect", "-i", "key.txt", "bad"]).fails("header");
    dir.run(["inspect", "-i", "missing", "x"]).fails("cannot open identity file \"missing\"");
}

#[test]
fn many_files_have_a_line_each_and_a_summary() {
    let dir = Dir::with_key();
    dir.keygen("other");
    std::fs::create_dir_all(dir.path("photos/2020")).unwrap();
    dir.write("photos/a", bytes(10));
    dir.write("photos/2020/b", bytes(70_000));
    dir.run(["-R", "key.pub", "-R", "other.pub", "-o", "sealed", "photos"]).quiet();
    dir.encrypt(b"secret", "x");
    let text = dir.run(["inspect", "x", "sealed"]).text();
    let lines: Vec<_> = text.lines().collect();
    assert_eq!(lines.len(), 5, "{text}");
    assert_eq!(lines[0], "x: 1 X25519; 6 bytes of plaintext");
    assert!(lines.contains(&"sealed/photos/2020/b.age: 2 X25519; 70000 bytes of plaintext"), "{text}");
    assert!(lines[4].starts_with("4 files: 7 X25519; 7") && lines[4].ends_with(" bytes of plaintext"), "{text}");
    let text = dir.run(["inspect", "-i", "other.txt", "x", "sealed"]).text();
    assert!(text.starts_with("x: 1 X25519; 6 bytes of plaintext; these identities do not open it\n"), "{text}");
    assert!(text.ends_with("; these identities open 3 of them\n"), "{text}");
    // Unreadable files do not stop the report about others.
    dir.write("cut", &dir.read("x")[..dir.read("x").len() - 10]);
    dir.write("text", "hello");
    let run = dir.run(["inspect", "cut", "text", "missing", "x"]);
    assert_eq!(run.status.code(), Some(1));
    assert_eq!(run.text(), "x: 1 X25519; 6 bytes of plaintext\n1 file: 1 X25519; 6 bytes of plaintext\n");
    let messages = run.err();
    for what in ["\"cut\" is cut short", "\"text\": ", "cannot open \"missing\"", "3 of 4 files could not be inspected"]
    {
        assert!(messages.contains(what), "{what}: {messages}");
    }
    let run = dir.run(["inspect", "--json", "-i", "key.txt", "cut", "x"]);
    let report: Value = serde_json::from_slice(&run.stdout).unwrap();
    assert_eq!((&report["files"][1]["file"], &report["files"][1]["opens"]), (&"x".into(), &"yes".into()));
    assert!(report["files"][0]["error"].as_str().unwrap().contains("cut short"));
    assert_eq!((&report["summary"]["files"], &report["summary"]["failed"]), (&1.into(), &1.into()));
    assert_eq!(report["summary"]["opens"], 1);
    let run = dir.run(["inspect", "--json", "missing", "x"]);
    let report: Value = serde_json::from_slice(&run.stdout).unwrap();
    assert!(report["files"][0]["error"].as_str().unwrap().contains("\"missing\""), "{report}");
    assert_eq!((&report["files"][0]["file"], &report["summary"]["failed"]), (&Value::Null, &1.into()));
    dir.run(["inspect", "x", "-"]).misused("standard input can't be one of several inputs");
}
