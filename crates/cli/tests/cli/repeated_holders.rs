//! Files for several holders: one key cannot be two of them, and it chooses one of several sets.

use crate::support::{Dir, SEALANE};

/// One key is one holder, in every form in which it is given.
#[test]
fn the_same_recipient_twice() {
    let dir = Dir::new();
    let a = dir.keygen("a");
    dir.keygen("b");
    dir.write("plain", "secret");
    let upper = a.to_uppercase();
    let twice: [&[&str]; 6] = [
        &["-r", &a, "-r", &a],
        &["-r", &a, "-r", &upper],
        &["-r", &a, "-R", "a.pub"],
        &["-R", "a.pub", "-R", "b.pub", "-R", "a.pub"],
        &["-e", "-i", "a.txt", "-r", &a],
        &["-e", "-i", "a.txt", "-R", "b.pub", "-i", "a.txt"],
    ];
    for recipients in twice {
        let message = format!("the same recipient twice: {a}");
        dir.run(recipients.iter().chain(&["-k", "2", "-o", "x", "plain"])).fails(&message);
        assert!(!dir.exists("x"));
    }
    // Post-quantum keys, in a file and by their identity; ssh keys with other comments.
    dir.run(["keygen", "--pq", "-o", "pq.txt"]).ok();
    dir.write("pq.pub", dir.run(["keygen", "-y", "pq.txt"]).text());
    let ssh = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIHsKLqeplhpW+uObz5dvMgjz1OxfM/XXUB+VHtZ6isGN";
    dir.write("ssh.pub", format!("{ssh} alice@home\n"));
    let (work, bare) = (format!("{ssh} alice@work"), ssh.to_owned());
    let twice: [&[&str]; 3] =
        [&["-R", "pq.pub", "-e", "-i", "pq.txt"], &["-R", "ssh.pub", "-r", &work], &["-r", &bare, "-R", "ssh.pub"]];
    for recipients in twice {
        dir.run(recipients.iter().chain(&["-k", "2", "-o", "x", "plain"])).fails("the same recipient twice");
        // Without -k, repeated recipients are allowed, as before.
        dir.run(recipients.iter().chain(&["-o", "y", "plain"])).ok();
    }
    // The same key as an identity of a plugin, which is not needed.
    std::os::unix::fs::symlink(SEALANE, dir.path("age-plugin-pq")).unwrap();
    dir.sh("./age-plugin-pq -identity -o plugin.txt pq.txt").quiet();
    let args = ["-e", "-R", "pq.pub", "-i", "plugin.txt", "-k", "2", "-o", "x", "plain"];
    dir.run(args).fails("the same recipient twice: age1pq1");
    dir.run(["-R", "pq.pub", "-o", "y", "plain"]).ok();
    assert_eq!(dir.run(["-d", "-i", "plugin.txt", "y"]).quiet().stdout, b"secret");
    // The same applies to several files, and to a file that gets holders later.
    dir.run(["-k", "2", "-R", "a.pub", "-r", &upper, "-o", "out/", "plain"]).fails("the same recipient twice");
    dir.run(["-R", "b.pub", "-o", "z", "plain"]).ok();
    let before = dir.read("z");
    dir.run(["rekey", "-i", "b.txt", "-k", "2", "-R", "a.pub", "-r", &upper, "z"]).fails("the same recipient twice");
    assert!(dir.read("z") == before && !dir.exists("x"));
}

/// Plugin identities are secret: they are compared, but not shown.
#[test]
fn the_same_plugin_twice() {
    let dir = crate::plugin::with_plugin();
    let lower = String::from_utf8(dir.read("identity")).unwrap().to_ascii_lowercase();
    dir.write("lower", lower);
    let twice: [&[&str]; 3] = [
        &["-r", crate::plugin::RECIPIENT, "-r", crate::plugin::RECIPIENT],
        &["-e", "-i", "identity", "-R", "key.pub", "-i", "identity"],
        &["-e", "-i", "identity", "-i", "lower"],
    ];
    for recipients in twice {
        let args: Vec<_> = recipients.iter().chain(&["-k", "2", "-o", "x", "in"]).copied().collect();
        let output = crate::plugin::run(&dir, &args).fails("the same recipient twice");
        let shown = String::from_utf8_lossy(&output.stderr).to_ascii_uppercase();
        assert!(!shown.contains("AGE-PLUGIN-TEST-1"), "{shown}");
    }
    // Only the plugin knows whether these are one key.
    let args = ["-k", "2", "-e", "-i", "identity", "-r", crate::plugin::RECIPIENT, "-o", "x", "in"];
    crate::plugin::run(&dir, &args).fails("a recipient and an identity of age-plugin-test could be one key");
    assert!(!dir.exists("x"));
}

/// Two share sets with the same label, or one of them without a label.
#[test]
fn sets_that_labels_do_not_distinguish() {
    let dir = Dir::new();
    for name in ["a", "b", "c"] {
        dir.keygen(name);
    }
    dir.write("plain", "secret");
    let first = ["-k", "2", "-R", "a.pub", "-R", "b.pub"];
    let second = ["-k", "2", "--label", "budget", "-R", "a.pub", "-R", "c.pub"];
    for label in [&[][..], &["--label", "budget"]] {
        dir.run([&first[..], label, &["-o", "x", "plain"]].concat()).quiet();
        dir.run([&["rekey", "--add", "-i", "a.txt", "-i", "b.txt"], &second[..], &["x"]].concat()).ok();
        let report = dir.run(["inspect", "--json", "x"]).ok().stdout;
        let report: serde_json::Value = serde_json::from_slice(&report).unwrap();
        let contribute = ["contribute", "-y", "-i", "a.txt"];
        let advice = "with -y, choose one with --set or --label";
        dir.run([&contribute[..], label, &["x"]].concat()).fails(advice);
        for (at, other) in ["b.txt", "c.txt"].into_iter().enumerate() {
            let id = report["share_sets"][at]["id"].as_str().unwrap();
            let part = dir.run([&contribute[..], &["--set", id, "x"]].concat()).quiet().stdout;
            dir.write("part", part);
            assert_eq!(dir.run(["-d", "-i", other, "--part", "part", "x"]).quiet().stdout, b"secret");
        }
        dir.run([&contribute[..], &["--set", &"0".repeat(32), "x"]].concat()).fails("no part is of share set 000");
        // The maker of a file chooses the first digits.
        dir.run([&contribute[..], &["--set", "0000", "x"]].concat()).misused("not 32 hexadecimal digits");
    }
}
