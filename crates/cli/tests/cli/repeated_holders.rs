//! Files for several holders: one key cannot be two of them.

use crate::support::Dir;

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
