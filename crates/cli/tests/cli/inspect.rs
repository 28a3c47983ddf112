//! `sealane inspect`, without a key.

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

    // Through a pipe, and armored, the same.
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
    dir.run(["inspect", "a", "b"]).misused("");
}
