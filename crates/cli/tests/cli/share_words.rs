//! Shares in words (SLIP-39), and mistakes with them.

use sealane_shares::slip39::{self, Group, Options};
use sealane_spec::rs1024;

use crate::shares::{files, with_shares};
use crate::support::{Dir, feed, finish};

#[test]
fn shares_in_words() {
    let dir = Dir::new();
    let run = dir.run(["keygen", "--split", "2/3", "--words", "-o", "words"]);
    let public = run.err().lines().last().unwrap().strip_prefix("Public key: ").unwrap().to_owned();
    run.ok();
    let shares = files(&dir, "words");
    let text = String::from_utf8(dir.read(&shares[0])).unwrap();
    assert_eq!(text.lines().last().unwrap().split(' ').count(), 33, "{text}");
    dir.run_with(b"data", ["-r", &public, "-o", "sealed"]).quiet();
    dir.run(with_shares(&["combine", "--identity", "-o", "key.txt"], &shares, &[3, 1])).quiet();
    assert_eq!(dir.run(["-d", "-i", "key.txt", "sealed"]).quiet().stdout, b"data");
    assert_eq!(dir.mode("key.txt"), 0o600);
    let run = dir.run(with_shares(&["combine"], &shares, &[3, 1]));
    assert!(run.err().contains("--identity writes it as an identity"), "{}", run.err());
    assert_eq!(run.ok().stdout.len(), 32);
    dir.run(with_shares(&["combine"], &shares, &[3])).fails("2 different mnemonics are needed, not 1");

    // The maker of the words chose the number of iterations.
    let limited = |limit| with_shares(&["combine", "--iteration-limit", limit], &shares, &[3, 1]);
    let out = dir.run(limited("0")).fails("20000 iterations");
    assert!(String::from_utf8(out.stderr).unwrap().contains("--iteration-limit 1"));
    assert_eq!(dir.run(limited("15")).ok().stdout.len(), 32);
    dir.run(limited("16")).misused("16");

    // A word was misheard.
    let wrong = text.lines().last().unwrap().replacen(' ', " zzz ", 1);
    let out = dir.run_with(wrong.as_bytes(), ["combine", "-", shares[1].as_str()]).fails("are needed");
    assert!(String::from_utf8(out.stderr).unwrap().contains("left out: standard input: "));

    // An existing identity, with a passphrase.
    let mut command = dir.command(["split", "--words", "-p", "-k", "2", "-n", "2", "-o", "locked", "key.txt"]);
    command.env("AGE_PASSPHRASE", "open sesame");
    finish(command).ok();
    let locked = files(&dir, "locked");
    let mut command = dir.command(with_shares(&["combine", "--identity", "-p", "-o", "key2.txt"], &locked, &[1, 2]));
    command.env("AGE_PASSPHRASE", "open sesame");
    finish(command).quiet();
    assert_eq!(dir.read("key2.txt"), dir.read("key.txt"));

    dir.write("odd", "fifteen bytes!!");
    dir.run(["split", "--words", "-k", "2", "-n", "3", "-o", "none", "odd"]).fails("cannot be shared as words");
    dir.run(["split", "--words", "-k", "2", "-n", "17", "-o", "none", "key.txt"]).misused("at most 16");
    dir.run(with_shares(&["share", "refresh"], &shares, &[1, 2])).fails("cannot be refreshed");
    assert!(!dir.exists("none"));
}

#[test]
fn words_of_a_secret_without_a_passphrase_are_warned_of() {
    let dir = Dir::with_key();
    dir.write("pin", "the PIN is  4711");
    let split = |secret: &str, passphrase: &[&str]| {
        let args = ["split", "--words", "-k", "3", "-n", "3", "-o", "out", secret];
        let mut command = dir.command(args.iter().chain(passphrase));
        command.env("AGE_PASSPHRASE", "open sesame");
        String::from_utf8(finish(command).ok().stderr).unwrap()
    };
    let warning = "2 shares in words are enough to check a guess at the secret";
    assert!(split("pin", &[]).contains(warning));
    assert!(!split("pin", &["-p"]).contains(warning));
    assert!(!split("key.txt", &[]).contains(warning));
}

/// Splits a secret of 32 bytes into five shares in words, three of which restore it. Returns their
/// lines.
pub(crate) fn words(dir: &Dir, secret: &[u8]) -> Vec<String> {
    dir.write("secret", secret);
    let printed = dir.run(["split", "--words", "-k", "3", "-n", "5", "-o", "-", "secret"]).ok().stdout;
    String::from_utf8(printed).unwrap().lines().map(str::to_owned).collect()
}

#[test]
fn words_of_another_set_or_of_a_forger() {
    let dir = Dir::new();
    let (honest, mut evil) = (words(&dir, &[7; 32]), words(&dir, &[9; 32]));
    // One set in 32,768 has the same identifier, which the first two words contain.
    while evil[0].split(' ').take(2).eq(honest[0].split(' ').take(2)) {
        evil = words(&dir, &[9; 32]);
    }
    for (at, words) in honest.iter().enumerate() {
        dir.write(&format!("holder-{}", at + 1), format!("{words}\n"));
    }
    dir.write("evil", evil[2..].join("\n"));
    let out = dir.run(["combine", "holder-1", "holder-2", "evil"]).fails("of 2 different sets");
    let err = String::from_utf8(out.stderr).unwrap();
    let sets = dir.run(["share", "inspect", "--json", "holder-1", "evil"]).quiet().stdout;
    let sets: serde_json::Value = serde_json::from_slice(&sets).unwrap();
    let [set, evil_set] = [&sets[0], &sets[1]].map(|share| share["set"].as_str().unwrap().to_owned());
    assert!(err.contains(&format!("{set}: \"holder-1\", \"holder-2\"")) && err.contains(&evil_set), "{err}");
    let run = dir.run(["combine", "--set", &set, "holder-1", "holder-2", "evil", "holder-4"]);
    assert_eq!(run.ok().stdout, [7; 32]);

    // The forger uses the identifier of the other shares.
    let like: Vec<String> = evil.iter().map(|words| with_identifier(words, &honest[0])).collect();
    dir.write("evil", like[2..].join("\n"));
    // Honest words that are given again, in another file or twice in one, are no evidence for the
    // forger.
    dir.sh("cp holder-1 copy-1; cp holder-2 copy-2; cat holder-1 copy-1 > twice").quiet();
    for honest in [
        &["holder-1", "holder-2"][..],
        &["holder-1", "holder-1", "holder-2", "holder-2"],
        &["holder-1", "holder-2", "copy-1", "copy-2"],
        &["twice", "holder-2", "copy-2"],
    ] {
        let args = ["combine", "-o", "out"].iter().chain(honest).chain(&["evil"]);
        let out = dir.run(args).fails("contradict the other shares");
        assert!(String::from_utf8(out.stderr).unwrap().contains("shares from one file never outvote others"));
        assert!(!dir.exists("out"), "{honest:?}");
    }
}

/// Combines the shares of two holders, whose group needs three, with a forger's file of two whole
/// groups.
#[test]
fn words_of_one_file_do_not_replace_those_of_an_incomplete_group() {
    let dir = Dir::new();
    let groups = [Group::new(3, 5), Group::new(1, 1), Group::new(1, 1)];
    let split = |secret: &[u8]| {
        let options = Options::default().with_iteration_exponent(0);
        let made = slip39::split_groups(secret, b"", 2, &groups, options).unwrap().concat();
        made.iter().map(|words| words.to_words().to_string()).collect::<Vec<_>>()
    };
    let (honest, evil) = (split(&[7; 32]), split(&[9; 32]));
    for (at, words) in honest.iter().enumerate() {
        dir.write(&format!("holder-{}", at + 1), words);
    }
    dir.write("evil", evil[5..].iter().map(|words| with_identifier(words, &honest[0]) + "\n").collect::<String>());
    let out = dir.run(["combine", "-o", "out", "holder-1", "holder-2", "evil"]);
    let out = out.fails("\"evil\", line 1, \"evil\", line 2 are enough by themselves, and nothing shows");
    assert!(String::from_utf8(out.stderr).unwrap().contains("shares from one file never outvote others"));
    // With a third holder and a second whole group, the honest shares have enough groups, and the
    // forged share is left out.
    dir.write("group-2", &honest[5]);
    dir.write("evil", with_identifier(&evil[6], &honest[0]));
    let all = ["combine", "-o", "out", "holder-1", "holder-2", "holder-3", "group-2", "evil"];
    let run = dir.run(all);
    assert!(run.err().contains("left out: \"evil\": it does not fit the others"), "{}", run.err());
    run.ok();
    assert_eq!(dir.read("out"), [7; 32]);
    // Two whole groups are enough, although a share of an incomplete group is given too.
    dir.write("group-3", &honest[6]);
    assert_eq!(dir.run(["combine", "holder-1", "group-2", "group-3"]).ok().stdout, [7; 32]);
}

#[test]
fn words_of_two_secrets_name_both() {
    let dir = Dir::new();
    let honest = words(&dir, &[7; 32]);
    let evil = slip39::split(&[9; 32], b"", 3, 8).unwrap();
    let evil: Vec<String> = evil.iter().map(|words| with_identifier(&words.to_words(), &honest[0])).collect();
    for (at, words) in honest[..3].iter().chain(&evil[3..5]).enumerate() {
        dir.write(&format!("holder-{}", at + 1), words);
    }
    // With a threshold of three, five shares can restore only one secret.
    let run = dir.run(["combine", "holder-1", "holder-2", "holder-3", "holder-4", "holder-5"]);
    assert_eq!(run.err().matches("left out").count(), 2, "{}", run.err());
    assert_eq!(run.ok().stdout, [7; 32]);
    dir.write("evil", evil[5..].join("\n"));
    let out = dir.run(["combine", "-o", "out", "holder-1", "holder-2", "holder-3", "evil"]);
    out.fails("\"holder-1\" and \"evil\", line 1 are of different secrets, but claim to be of one set");
    assert!(!dir.exists("out"));
}

/// Returns the words with the identifier and flags of `like`, and a matching checksum.
fn with_identifier(words: &str, like: &str) -> String {
    let list: Vec<&str> = include_str!("../../../shares/src/foreign/slip39/wordlist.txt").lines().collect();
    let number = |word: &str| list.iter().position(|candidate| *candidate == word).unwrap();
    let numbers = |text: &str| text.split(' ').map(number).collect::<Vec<_>>();
    let (mut numbers, like) = (numbers(words), numbers(like));
    // The code is linear: the checksum of the difference is added.
    let mut difference = vec![0; numbers.len()];
    for at in 0..2 {
        difference[at] = numbers[at] ^ like[at];
    }
    let checksum = rs1024::polymod(0, difference.iter().map(|&number| number as u32)) as usize;
    for at in 0..3 {
        let end = difference.len() - 3 + at;
        difference[end] = checksum >> (10 * (2 - at)) & 1023;
    }
    numbers.iter_mut().zip(&difference).for_each(|(number, difference)| *number ^= difference);
    numbers.iter().map(|&number| list[number]).collect::<Vec<_>>().join(" ")
}

#[test]
fn a_wrong_or_forgotten_passphrase_of_words_is_noticed() {
    let dir = Dir::with_key();
    let public = String::from_utf8(dir.read("key.pub")).unwrap().trim().to_owned();
    let run_with_passphrase = |passphrase: &str, args: &[&str]| {
        let mut command = dir.command(args);
        command.env("AGE_PASSPHRASE", passphrase);
        finish(command)
    };
    run_with_passphrase("open sesame", &["split", "--words", "-p", "-k", "2", "-n", "3", "-o", "words", "key.txt"])
        .ok();
    let text = String::from_utf8(dir.sh("cat words/*").quiet().stdout).unwrap();
    assert_eq!(text.matches(&format!("# public key: {public}\n# with a passphrase\n")).count(), 3, "{text}");
    let names = String::from_utf8(dir.sh("ls words/*").quiet().stdout).unwrap();
    let [a, b, c] = names.lines().collect::<Vec<_>>()[..] else { panic!("{names}") };

    let right = run_with_passphrase("open sesame", &["combine", "--identity", "-p", a, c]);
    assert_eq!(right.quiet().stdout.lines().last().unwrap(), dir.read("key.txt").lines().last().unwrap());
    let wrong = run_with_passphrase("open, sesame", &["combine", "--identity", "-p", "-o", "out", a, c]);
    wrong.fails("does not belong to the public key");
    let forgotten = dir.run(["combine", "--identity", "-o", "out", b, c]);
    forgotten.misused("the words were made with a passphrase, but -p is missing");
    // If that line is lost, the public key shows the mistake.
    dir.sh("sed -i '/passphrase/d' words/*").quiet();
    let out = dir.run(["combine", "--identity", "-o", "out", b, c]).fails("does not belong to the public key");
    assert!(String::from_utf8(out.stderr).unwrap().contains("made with a passphrase? -p asks for it"));
    assert!(!dir.exists("out"));
    // The public key was changed in one of the files. Nothing shows which of them.
    dir.sh(&format!("sed -i 's/key: age1x/key: age1z/;t;s/key: age1./key: age1x/' {c}")).quiet();
    let run = || run_with_passphrase("open sesame", &["combine", "--identity", "-p", a, c]);
    let out = run().fails(&format!("belongs to the public key in \"{a}\", but not to the one in \"{c}\""));
    assert!(String::from_utf8(out.stderr).unwrap().contains("delete the lines with the others"));
    dir.sh(&format!("sed -i '/public key/d' {c}")).quiet();
    assert!(run().quiet().stdout.starts_with(format!("# public key: {public}").as_bytes()));

    // Printed shares have both comments too.
    let printed =
        run_with_passphrase("open sesame", &["split", "--words", "-p", "-k", "2", "-n", "3", "-o", "-", "key.txt"]);
    let printed = printed.quiet().stdout;
    assert!(printed.starts_with(format!("# public key: {public}\n# with a passphrase\n").as_bytes()));
    dir.run_with(&printed, ["combine", "--identity", "-"]).misused("-p is missing");

    // Without a passphrase, and without a public key to compare.
    dir.run(["keygen", "--split", "2/2", "--words", "-o", "plain"]).ok();
    let text = String::from_utf8(dir.sh("cat plain/*").quiet().stdout).unwrap();
    assert!(text.contains("# public key: age1") && !text.contains("passphrase"), "{text}");
    dir.sh("\"$SEALANE\" combine --identity plain/*").quiet();
    let words = feed(dir.command(["split", "--words", "-k", "2", "-n", "2", "-o", "bytes"]), &[7; 32]);
    words.ok();
    let text = String::from_utf8(dir.sh("cat bytes/*").quiet().stdout).unwrap();
    assert!(!text.contains("public key"), "a secret that is no identity has no public key to tell: {text}");
}

/// The line of the key shows by itself whether the passphrase is right.
#[test]
fn passphrases_of_a_post_quantum_key_can_be_tried_without_its_public_key() {
    let dir = Dir::new();
    dir.run(["keygen", "--pq", "-o", "pq.txt"]).ok();
    let run_with_passphrase =
        |passphrase: &str, args: &str| dir.sh(&format!("AGE_PASSPHRASE='{passphrase}' \"$SEALANE\" {args}"));
    run_with_passphrase("open sesame", "split --words -p -k 2 -n 2 -o words pq.txt").ok();
    dir.sh("sed -i '/^#/d' words/*").quiet();
    run_with_passphrase("open, sesame", "combine --identity -p -o wrong words/*").failed_somehow();
    assert!(!dir.exists("wrong"));
    run_with_passphrase("open sesame", "combine --identity -p -o right words/*").ok();
    assert_eq!(dir.read("right").lines().last(), dir.read("pq.txt").lines().last());
}

trait Lines {
    fn lines(&self) -> std::vec::IntoIter<String>;
}

impl Lines for Vec<u8> {
    fn lines(&self) -> std::vec::IntoIter<String> {
        let text = String::from_utf8(self.clone()).unwrap();
        text.lines().map(str::to_owned).collect::<Vec<_>>().into_iter()
    }
}
