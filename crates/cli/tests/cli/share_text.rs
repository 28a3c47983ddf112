//! Shares from mails and keyboards, and messages about damaged ones.

use crate::shares::{files, with_shares};
use crate::support::{Dir, bytes};

fn split(dir: &Dir, args: &[&str]) -> Vec<String> {
    dir.write("secret", [7; 32]);
    let fixed = ["split", "-k", "2", "-n", "3", "-o", "-"];
    let printed = dir.run(fixed.iter().chain(args).chain(&["secret"])).ok().stdout;
    String::from_utf8(printed).unwrap().lines().map(str::to_owned).collect()
}

fn wrapped(text: &str, width: usize) -> String {
    text.as_bytes().chunks(width).map(|line| format!("{}\n", str::from_utf8(line).unwrap())).collect()
}

#[test]
fn shares_out_of_a_mail() {
    let dir = Dir::new();
    let lines = split(&dir, &[]);
    let quoted: String = wrapped(&lines[0], 72).lines().map(|line| format!("> {line}\r\n")).collect();
    dir.write("reply.eml", format!("Hello Bob,\r\n\r\nyou wrote:\r\n{quoted}\r\nthanks\r\nAlice\r\n"));
    dir.write("pasted", format!("\u{a0}{}\u{a0}", wrapped(&lines[1], 5).replace('\n', "\u{a0}")));
    let run = dir.run(["combine", "reply.eml", "pasted"]);
    assert_eq!(run.err().lines().count(), 1, "{}", run.err());
    assert!(run.err().contains("left out: \"reply.eml\", line 1 is not a share, nor are "), "{}", run.err());
    assert_eq!(run.ok().stdout, [7; 32]);
    // Other commands read the mail too.
    let run = dir.run(["share", "inspect", "--json", "reply.eml", "pasted"]);
    let json: serde_json::Value = serde_json::from_slice(&run.ok().stdout).unwrap();
    assert_eq!((json.as_array().unwrap().len(), &json[0]["line"]), (2, &4.into()));
    dir.run(["share", "reissue", "--index", "3", "-o", "third", "reply.eml", "pasted"]).ok();
    // Text as Windows writes it.
    let utf16: Vec<u8> = format!("\u{feff}{}\r\n", lines[2]).encode_utf16().flat_map(u16::to_le_bytes).collect();
    dir.write("utf16", utf16);
    assert_eq!(dir.run(["combine", "pasted", "utf16"]).quiet().stdout, [7; 32]);
    // The error names a damaged share with its position, once for its file.
    let wrong = wrapped(&lines[0].replacen('Q', "O", 1).replacen('P', "B", 1), 60);
    dir.write("wrong", format!("{wrong}\n{wrong}\n{wrong}see above\nand below\n"));
    let run = dir.run(["combine", "pasted", "wrong", "utf16"]);
    assert_eq!(run.err().lines().count(), 1, "{}", run.err());
    assert!(run.err().contains("left out: \"wrong\", line 1: malformed share: character "), "{}", run.err());
    assert!(run.err().contains("(and 3 more of this file)"), "{}", run.err());
    assert_eq!(run.ok().stdout, [7; 32]);
}

#[cfg(target_os = "linux")]
#[test]
fn thousands_of_shares_in_one_file_take_little_memory() {
    let dir = Dir::new();
    let lines = split(&dir, &[]);
    let line = format!("{}\n", lines[0]);
    dir.write("many", line.repeat((4 << 20) / line.len()));
    dir.write("other", &lines[1]);
    let run = dir.sh("ulimit -v 800000; exec \"$SEALANE\" combine many other");
    assert_eq!(run.quiet().stdout, [7; 32]);
}

#[test]
fn reissue_says_that_a_share_given_twice_checks_nothing() {
    let dir = Dir::new();
    let lines = split(&dir, &[]);
    lines.iter().enumerate().for_each(|(at, line)| dir.write(&format!("share-{}", at + 1), line));
    for (folder, given, warns) in
        [("a", &["1", "2"][..], true), ("b", &["1", "2", "2"], true), ("c", &["1", "2", "3"], false)]
    {
        let run =
            dir.sh(&format!("exec \"$SEALANE\" share reissue --index 3 -o {folder} share-{}", given.join(" share-")));
        let warning = "no more shares than needed, so a forged one could not be noticed";
        assert_eq!(run.err().contains(warning), warns, "{given:?}: {}", run.err());
        run.ok();
    }
}

#[test]
fn words_as_people_write_them() {
    let dir = Dir::new();
    let lines = split(&dir, &["--words"]);
    let list: Vec<&str> = lines[0].split(' ').collect();
    dir.write("numbered", list.iter().enumerate().map(|(i, word)| format!("{}. {word}\n", i + 1)).collect::<String>());
    dir.write("short", lines[1].split(' ').map(|word| format!("{}\n", &word[..4])).collect::<String>());
    let run = dir.run(["combine", "numbered", "short"]);
    assert_eq!(run.err().lines().count(), 1, "{}", run.err());
    assert!(run.err().contains("--identity"), "{}", run.err());
    assert_eq!(run.ok().stdout, [7; 32]);
    dir.write("wrong", dir.read("numbered").replace("17. ", "17. x"));
    dir.run(["combine", "wrong", "short"]).fails("left out: \"wrong\": word 17 is not in SLIP-39's list");
}

/// The words of a post-quantum key have several lines of 20 words.
#[test]
fn long_words_may_be_wrapped() {
    let dir = Dir::new();
    dir.run(["keygen", "-pq", "-o", "key.txt"]).ok();
    let printed = dir.run(["split", "--words", "-k", "2", "-n", "2", "-o", "-", "key.txt"]).ok().stdout;
    let printed = String::from_utf8(printed).unwrap();
    let shares: Vec<&str> = printed.lines().filter(|line| !line.starts_with('#')).collect();
    for (at, share) in shares.iter().enumerate() {
        let list: Vec<&str> = share.split(' ').collect();
        assert!(list.len() > 40, "{share}");
        let rows: Vec<String> = list.chunks(20).map(|row| row.join(" ")).collect();
        dir.write(&format!("share-{}", at + 1), rows.join("\n"));
    }
    let identity = dir.run(["combine", "--identity", "share-1", "share-2"]).quiet().stdout;
    assert_eq!(last_line(&identity), last_line(&dir.read("key.txt")));
    // They cannot be read, but they are not shares of ssss.
    for name in ["share-1", "share-2"] {
        let text = String::from_utf8(dir.read(name)).unwrap();
        dir.write(name, text.replacen(' ', " zzz ", 1));
    }
    let out = dir.run(["combine", "share-1", "share-2"]).fails("none of the shares can be read");
    assert!(!String::from_utf8(out.stderr).unwrap().contains("ssss"));
}

#[test]
fn damaged_binary_shares_are_not_those_of_other_programs() {
    let dir = Dir::new();
    dir.write("secret", bytes(5000));
    dir.run(["split", "--binary", "-k", "2", "-n", "2", "-o", "shares", "secret"]).ok();
    let names = files(&dir, "shares");
    for name in &names {
        let mut share = dir.read(name);
        // The header has a checksum.
        share[40] ^= 1;
        dir.write(name, share);
    }
    let out = dir.run(with_shares(&["combine"], &names, &[1, 2])).fails("none of the shares can be read");
    let err = String::from_utf8(out.stderr).unwrap();
    assert!(err.contains("compare each share that was left out") && !err.contains("ssss"), "{err}");
    let one = with_shares(&["combine"], &names, &[1]);
    let err = String::from_utf8(dir.run(one).fails("none of the shares can be read").stderr).unwrap();
    assert!(err.contains("get the share again from its holder") && !err.contains("ssss"), "{err}");
}

fn last_line(text: &[u8]) -> &str {
    str::from_utf8(text).unwrap().lines().last().unwrap()
}

trait Replace {
    fn replace(&self, from: &str, to: &str) -> String;
}

impl Replace for Vec<u8> {
    fn replace(&self, from: &str, to: &str) -> String {
        String::from_utf8(self.clone()).unwrap().replace(from, to)
    }
}

#[test]
fn lines_of_ssss_may_be_wrapped() {
    let dir = Dir::new();
    let lines = split(&dir, &["--ssss"]);
    dir.write(
        "wrapped",
        lines.iter().map(|line| format!("> {}\n", wrapped(line, 20).replace('\n', "\n> "))).collect::<String>(),
    );
    let run = dir.run(["combine", "--ssss", "-k", "2", "wrapped"]);
    assert_eq!(run.ok().stdout, [7; 32]);
}

#[test]
fn tokens_of_ssss_may_look_like_comments() {
    let dir = Dir::new();
    let lines = split(&dir, &["--ssss"]);
    for (token, comment) in [("#plan", "# from Bob\n"), ("#", "#Bob-1\n# kept-1-in a safe\n"), (">a", ""), ("|", "")] {
        dir.write("one", format!("{comment}{token}-{}\n", lines[0]));
        dir.write("two", format!("> {}\n", wrapped(&format!("{token}-{}", lines[2]), 35).replace('\n', "\n> ")));
        let run = dir.run(["combine", "--ssss", "-k", "2", "one", "two"]);
        assert_eq!(run.ok().stdout, [7; 32], "{token}");
    }
    dir.write("none", "# share 1 of 3\n\n#plan\n");
    dir.write("empty", "\u{feff}\r\n");
    for form in ["--ssss", "--vault"] {
        dir.run(["combine", form, "-k", "2", "one", "none"]).fails("\"none\" has only comments");
        dir.run(["combine", form, "-k", "2", "empty", "one"]).fails("\"empty\" is empty");
    }
}

/// `ssss-split -s 128 -t 2 -n 3 -w plan` made them of "attack".
#[test]
fn zeros_of_the_security_level_of_ssss_are_noticed() {
    let dir = Dir::new();
    dir.write("shares", "plan-1-48e17240e1e07d98a038cdb58f345a5d\nplan-2-cf1ceaca1fca399058e41efd37049336");
    let run = dir.run(["combine", "--ssss", "-k", "2", "shares"]);
    assert!(run.err().contains("begins with 10 zero bytes, which ssss-split -s adds before"), "{}", run.err());
    assert_eq!(run.ok().stdout, b"\0\0\0\0\0\0\0\0\0\0attack");
    let lines = split(&dir, &["--ssss"]);
    dir.write("shares", lines.join("\n"));
    assert!(!dir.run(["combine", "--ssss", "-k", "2", "shares"]).err().contains("zero"));
}

#[test]
fn inspect_reads_words_and_goes_on_after_a_bad_file() {
    let dir = Dir::new();
    let lines = split(&dir, &[]);
    let words = split(&dir, &["--words"]);
    dir.write("good \"1\"", &lines[0]);
    dir.write("two", format!("{}\n{}\n", lines[1], lines[2]));
    dir.write("words", format!("# with a passphrase\n{}\n", words[1]));
    dir.write("bad", "no share");
    let out =
        dir.run(["share", "inspect", "missing", "bad", "good \"1\"", "words", "two"]).fails("cannot open \"missing\"");
    let (text, err) = (String::from_utf8(out.stdout).unwrap(), String::from_utf8(out.stderr).unwrap());
    assert_eq!(text.matches("checksum   right").count(), 4, "{text}");
    assert_eq!(text.matches("UNREADABLE").count(), 2, "{text}");
    assert!(text.contains("  share      2, any 2 restore the secret\n") && text.contains("form       words"), "{text}");
    assert!(text.contains("passphrase yes"), "{text}");
    assert!(err.contains("warning: \"bad\" is not a share"), "{err}");

    let out =
        dir.run(["share", "inspect", "--json", "bad", "good \"1\"", "words", "two"]).fails("\"bad\" is not a share");
    let json: serde_json::Value = serde_json::from_slice(&out.stdout).unwrap();
    let place = |at: usize| (json[at]["name"].as_str().unwrap(), json[at]["line"].as_u64());
    let places: Vec<_> = (0..5).map(place).collect();
    assert_eq!(places, [("bad", None), ("good \"1\"", None), ("words", None), ("two", Some(1)), ("two", Some(2))]);
    assert_eq!(json[0]["damage"], "is not a share");
    let of_words = &json[2];
    assert_eq!(
        (&of_words["form"], &of_words["index"], &of_words["threshold"]),
        (&"words".into(), &2.into(), &2.into())
    );
    assert_eq!(
        (&of_words["length"], &of_words["count"], &of_words["passphrase"]),
        (&32.into(), &serde_json::Value::Null, &true.into())
    );
    assert_eq!(of_words["group"], serde_json::json!({ "index": 1, "threshold": 1, "count": 1 }));
    assert_eq!(of_words["set"].as_str().unwrap().len(), 4);
}

#[test]
fn printed_shares_of_a_key_without_its_comments_have_its_public_key() {
    let dir = Dir::new();
    dir.run(["keygen", "-pq", "-o", "key.txt"]).ok();
    let public = String::from_utf8(dir.run(["keygen", "-y", "key.txt"]).ok().stdout).unwrap();
    let run = dir.run(["split", "-k", "2", "-n", "2", "-o", "-", "key.txt"]);
    assert!(run.err().contains("the shares have only the key in \"key.txt\""), "{}", run.err());
    let printed = run.ok().stdout;
    assert!(printed.starts_with(format!("# public key: {public}SEALANE-SHARE-1").as_bytes()));
    let identity = dir.run_with(&printed, ["combine", "--identity", "-"]).ok().stdout;
    assert!(identity.starts_with(format!("# public key: {public}AGE-SECRET-KEY-PQ-1").as_bytes()));
}

#[test]
fn a_text_that_is_too_long_to_search_is_named() {
    let dir = Dir::new();
    let lines = split(&dir, &[]);
    let text = |len: usize| {
        let mut text = format!("{}\n{}\n", lines[0], lines[1]);
        text.push_str(&"\n".repeat(len - text.len()));
        text
    };
    let limit = 4 << 20;
    dir.write("long", text(limit + 1));
    let error = "does not begin as a binary share, and is longer than 4 MiB, the limit of text";
    dir.run(["combine", "long"]).fails(&format!("\"long\" {error}"));
    dir.sh("cat long | \"$SEALANE\" combine -").fails(&format!("standard input {error}"));
    dir.run(["combine", "--vault", "long"]).fails("\"long\" is longer than 4 MiB, the limit of text");
    dir.write("long", text(limit));
    dir.run(["combine", "long"]).quiet();
    dir.sh("cat long | \"$SEALANE\" combine -").quiet();
}

/// Anyone can write a share's file: its name, comments, and text around the share.
#[test]
fn hostile_files_of_shares_do_not_act_on_the_terminal() {
    let dir = Dir::new();
    let hostile = "\u{1b}[2J\u{1b}]0;owned\u{7}\u{9b}2J\u{202e}";
    for form in ["--text", "--words"] {
        let lines = split(&dir, &[form]);
        let name = format!("a{hostile}");
        let comments = format!("# {hostile}\n# public key: age1{hostile}\n# with a passphrase{hostile}\n");
        let text = format!("Dear Bob,\n{hostile}\n{comments}{}\n{hostile}\n", lines[0]);
        // A comment about a passphrase asks for one, so words are read without it too.
        let few = text.replace("# with a passphrase", "# without one");
        dir.write("other", &lines[1]);
        for text in [&text, &few, &format!("{hostile}\n")] {
            dir.write(&name, text);
            for args in [
                &["share", "inspect"][..],
                &["share", "inspect", "--json"],
                &["combine"],
                &["combine", "-o", "out", "other"],
                &["combine", "--vault"],
                &["share", "reissue", "--index", "3", "-o", "new", "other"],
            ] {
                let run = dir.run(args.iter().copied().chain([name.as_str()]));
                // The secret itself is not text.
                let shown = if args[0] == "share" { run.text() + &run.err() } else { run.err() };
                assert!(!shown.is_empty() || dir.exists("out"), "{args:?}");
                let acts = |c: char| (c.is_control() && c != '\n') || c == '\u{202e}';
                assert!(!shown.contains(acts), "{form} {args:?}: {shown:?}");
                // JSON has the name unchanged.
                if args.contains(&"--json") {
                    assert_eq!(serde_json::from_str::<serde_json::Value>(&run.text()).unwrap()[0]["name"], name);
                }
                let _ = std::fs::remove_file(dir.path("out"));
                let _ = std::fs::remove_dir_all(dir.path("new"));
            }
        }
    }
}
