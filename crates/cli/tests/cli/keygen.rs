//! `sealane keygen`.

use std::io::BufRead as _;

use crate::support::Dir;

#[test]
fn a_key_on_standard_output() {
    let dir = Dir::new();
    let run = dir.run(["keygen"]);
    let (text, err) = (run.text(), run.err());
    let lines: Vec<_> = text.lines().collect();
    assert!(lines[0].starts_with("# created: 20") && lines[0].ends_with('Z'), "{text}");
    let public = lines[1].strip_prefix("# public key: ").unwrap();
    assert!(public.starts_with("age1") && public.len() == 62, "{text}");
    assert!(lines[2].starts_with("AGE-SECRET-KEY-1") && lines.len() == 3, "{text}");
    assert_eq!(err, format!("Public key: {public}\n"));
    assert_eq!(dir.run_with(text.as_bytes(), ["keygen", "-y"]).quiet().stdout, format!("{public}\n").as_bytes());
}

#[test]
fn a_key_in_a_file_is_for_its_owner_only() {
    let dir = Dir::new();
    let run = dir.sh("umask 000; \"$SEALANE\" keygen -o key.txt");
    assert!(run.err().starts_with("Public key: age1"), "{}", run.err());
    assert!(run.ok().stdout.is_empty());
    assert_eq!(dir.mode("key.txt"), 0o600);
    let before = dir.read("key.txt");
    dir.run(["keygen", "-o", "key.txt"]).fails("exists, and keys are never overwritten");
    std::os::unix::fs::symlink("nowhere", dir.path("link")).unwrap();
    dir.run(["keygen", "-o", "link"]).fails("exists");
    assert_eq!(dir.read("key.txt"), before);
    dir.run(["keygen", "-o", "no/such"]).fails("cannot write to \"no/such\": No such file");
    assert_eq!(dir.names(), ["key.txt", "link"]);
}

#[test]
fn two_keys_differ() {
    let dir = Dir::new();
    assert_ne!(dir.keygen("a"), dir.keygen("b"));
}

#[test]
fn recipients_of_an_identity_file_are_printed() {
    let dir = Dir::with_key();
    let other = dir.keygen("other");
    dir.write("both", [dir.read("key.txt"), dir.read("other.txt")].concat());
    dir.run(["keygen", "-y", "-o", "list", "both"]).quiet();
    assert_eq!(String::from_utf8(dir.read("list")).unwrap().lines().last(), Some(other.as_str()));
    dir.run(["-R", "list", "-o", "out", "list"]).quiet();
    assert_eq!(dir.run(["-d", "-i", "other.txt", "out"]).quiet().stdout, dir.read("list"));
    dir.run(["keygen", "-y", "list"]).fails("a recipient (public key), where an identity");
    dir.run(["keygen", "-y", "-o", "list", "both"]).fails("so it is not overwritten");
    dir.run(["keygen", "-y", "missing"]).fails("cannot open identity file");
    dir.write("plugin", "AGE-PLUGIN-TEST-10Q32NLXM\n");
    dir.run(["keygen", "-y", "plugin"]).fails("only age-plugin-test knows");
}

#[test]
fn keygen_refuses_wrong_arguments() {
    let dir = Dir::new();
    for pq in ["--pq", "-pq"] {
        dir.run(["keygen", pq, "-y"]).misused("can't be used with -y");
    }
    dir.run(["keygen", "key.txt"]).misused("INPUT is only for -y");
    dir.run(["keygen", "-y", "a", "b"]).misused("");
    assert!(dir.names().is_empty());
}

#[test]
fn a_key_that_everybody_can_read_is_warned_of() {
    let dir = Dir::new();
    let run = dir.sh("umask 022; \"$SEALANE\" keygen > key.txt");
    assert!(run.err().contains("warning: the secret key goes to a file that others can read"), "{}", run.err());
    run.ok();
    let run = dir.sh("umask 022; \"$SEALANE\" keygen --plugin key.txt > together.txt");
    assert!(run.err().contains("warning: the secret key goes to a file that others can read"), "{}", run.err());
    run.ok();
    let run = dir.sh("umask 022; \"$SEALANE\" keygen -y key.txt > public.txt");
    assert!(!run.err().contains("warning"), "{}", run.err());
    let run = dir.sh("umask 077; \"$SEALANE\" keygen > key2.txt");
    assert!(!run.err().contains("warning"), "{}", run.err());
    dir.sh("exec \"$SEALANE\" keygen > /dev/full").fails("cannot write to standard output: No space left");
}

#[test]
fn post_quantum_keys() {
    let dir = Dir::with_key();
    let made = dir.run(["keygen", "-pq", "-o", "pq.txt"]).ok();
    let messages = String::from_utf8(made.stderr).unwrap();
    let recipient = messages.trim().strip_prefix("Public key: ").unwrap().to_owned();
    assert!(recipient.starts_with("age1pq1"), "{recipient}");
    assert_eq!(dir.mode("pq.txt"), 0o600);
    let text = String::from_utf8(dir.read("pq.txt")).unwrap();
    assert_eq!(text.lines().filter(|line| line.starts_with("AGE-SECRET-KEY-PQ-1")).count(), 1);
    assert_eq!(dir.run(["keygen", "-y", "pq.txt"]).quiet().stdout, format!("{recipient}\n").as_bytes());

    dir.write("pq.pub", &recipient);
    let upper = recipient.to_uppercase();
    for args in [vec!["-r", &recipient], vec!["-r", &upper], vec!["-R", "pq.pub"], vec!["-e", "-i", "pq.txt"]] {
        let sealed = dir.run_with(b"secret", args).quiet().stdout;
        assert_eq!(dir.run_with(&sealed, ["-d", "-i", "key.txt", "-i", "pq.txt"]).quiet().stdout, b"secret");
        dir.run_with(&sealed, ["-d", "-i", "key.txt"]).fails("no identity matches");
    }
    // A recipient that is not post-quantum would make the others pointless.
    dir.run_with(b"secret", ["-R", "pq.pub", "-R", "key.pub"]).fails("");
    dir.run_with(b"secret", ["-r", &recipient[..recipient.len() - 1]]).fails("malformed recipient");
    // A post-quantum key in shares: only the line of the key is split, which is so short that its
    // shares are text.
    let made = dir.run(["keygen", "--pq", "--split", "2/3", "-o", "keepers"]).ok();
    let public = String::from_utf8(made.stderr).unwrap().lines().last().unwrap().replace("Public key: ", "");
    assert!(public.starts_with("age1pq1"), "{public}");
    dir.sh("\"$SEALANE\" combine -o whole.txt keepers/*").ok();
    assert_eq!(String::from_utf8(dir.run(["keygen", "-y", "whole.txt"]).quiet().stdout).unwrap().trim(), public);
    assert_eq!(dir.sh("wc -l < whole.txt").ok().stdout.trim_ascii(), b"1");
    let text = dir.sh("cat keepers/*.share.txt").quiet().stdout;
    assert_eq!(String::from_utf8(text).unwrap().matches(&format!("# public key: {public}\n")).count(), 3);
    let printed = dir.run(["keygen", "--pq", "--split", "2/3", "-o", "-"]).ok().stdout;
    let lines: Vec<_> = printed.lines().map(Result::unwrap).collect();
    assert!(lines[0].starts_with("# public key: age1pq1"), "{}", lines[0]);
    assert!(lines.len() == 4 && lines[1..].iter().all(|line| line.len() < 400), "short enough to be printed");
    let secret = dir.run_with(&printed, ["combine", "-"]).quiet().stdout;
    assert!(secret.starts_with(b"AGE-SECRET-KEY-PQ-1") && secret.len() < 100);
    // The same for an existing file, which is too long for shares in text form with its comment.
    assert!(dir.read("pq.txt").len() > 2048);
    let split = dir.run(["split", "-k", "2", "-n", "3", "-o", "own", "pq.txt"]).ok();
    let messages = String::from_utf8(split.stderr).unwrap();
    assert!(messages.contains("the shares have only the key in \"pq.txt\", without its comments"), "{messages}");
    let text = String::from_utf8(dir.sh("cat own/*.share.txt").quiet().stdout).unwrap();
    assert_eq!(text.matches(&format!("# public key: {recipient}\n")).count(), 3);
    let line = dir.sh("tail -n 1 pq.txt").quiet().stdout;
    assert_eq!(dir.sh("\"$SEALANE\" combine own/*").quiet().stdout, line);
    let file = [format!("# public key: {recipient}\n").as_bytes(), &line].concat();
    assert_eq!(dir.sh("\"$SEALANE\" combine --identity own/*").quiet().stdout, file);
    dir.run(["split", "--binary", "-k", "2", "-n", "3", "-o", "whole", "pq.txt"]).ok();
    assert_eq!(dir.sh("\"$SEALANE\" combine whole/*").quiet().stdout, dir.read("pq.txt"));
    assert_eq!(dir.sh("\"$SEALANE\" combine --identity whole/*").quiet().stdout, file);
    // In words as well, with the public key beside them.
    dir.run(["split", "--words", "-k", "2", "-n", "2", "-o", "words", "pq.txt"]).ok();
    let restored = dir.sh("\"$SEALANE\" combine words/*").quiet().stdout;
    assert_eq!(
        restored,
        dir.read("pq.txt").lines().last().unwrap().unwrap().into_bytes().into_iter().chain(*b"\n").collect::<Vec<_>>()
    );
}
