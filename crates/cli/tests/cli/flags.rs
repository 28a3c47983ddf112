//! The grammar of the command line.

use crate::support::Dir;

#[test]
fn all_spellings_of_a_command_line_are_equal() {
    let dir = Dir::with_key();
    let recipient = String::from_utf8(dir.read("key.pub")).unwrap();
    let recipient = recipient.trim();
    dir.write("in", "the quick brown fox");
    let encryptions: &[&[&str]] = &[
        &["-r", recipient, "-o", "out", "in"],
        &["-e", "-R", "key.pub", "-o", "out", "in"],
        &["--encrypt", "--recipient", recipient, "--armor", "--output", "out", "in"],
        &["-encrypt", "-recipient", recipient, "-armor", "-output", "out", "in"],
        &["-a=true", "--recipients-file=key.pub", "-o=out", "in"],
        &["-e", "-i", "key.txt", "-o", "out", "in"],
        &["encrypt", "-i", "key.txt", "-o", "out", "in"],
        &["encrypt", "-R", "key.pub", "in", "-ao", "out"],
        &["encrypt", "--identity", "key.txt", "--output=out", "--", "in"],
        // The last of a repeated flag counts.
        &["-e", "-a", "-e", "-a", "-R", "key.pub", "-o", "", "-o", "no", "-output", "out", "in"],
        &["-p", "-armor", "-p=false", "-R", "key.pub", "-o", "out", "in"],
    ];
    let decryptions: &[&[&str]] = &[
        &["-d", "-i", "key.txt", "out"],
        &["--decrypt", "--identity", "key.txt", "out"],
        &["-decrypt", "-identity=key.txt", "-o", "-", "out"],
        &["decrypt", "-i", "key.txt", "out"],
        &["decrypt", "out", "-i", "key.txt"],
        &["-d", "-d", "-i", "key.txt", "-o", "no", "-o", "", "out"],
        &["-a", "-d", "-a=false", "-i", "key.txt", "out"],
    ];
    for encryption in encryptions {
        dir.run(*encryption).quiet();
        for decryption in decryptions {
            assert_eq!(dir.run(*decryption).quiet().stdout, b"the quick brown fox", "{encryption:?} {decryption:?}");
        }
    }
    assert!(!dir.exists("no"));
    // An empty name is that of standard input.
    let sealed = dir.run_with(b"text", ["-r", recipient, ""]).quiet().stdout;
    assert_eq!(dir.run_with(&sealed, ["decrypt", "-i", "key.txt", ""]).quiet().stdout, b"text");
    dir.run(["-r", recipient, "-o", "no", "in", ""]).misused("");
}

#[test]
fn a_file_may_be_named_like_a_command() {
    let dir = Dir::with_key();
    for word in ["encrypt", "decrypt", "keygen", "cpu", "bench", "help", "encrpyt", "splt"] {
        dir.write(word, word);
        dir.run(["-R", "key.pub", "-o", "out", word]).quiet();
        assert_eq!(dir.run(["-d", "-i", "key.txt", "out"]).quiet().stdout, word.as_bytes());
        dir.run(["-R", "key.pub", "-o", word, "key.pub"]).quiet();
        assert_eq!(dir.run(["-d", "-i", "key.txt", word]).quiet().stdout, dir.read("key.pub"));
        dir.run([&format!("./{word}"), "-d", "-i", "key.txt"]).quiet();
    }
}

#[test]
fn command_lines_that_age_refuses_get_a_hint() {
    let dir = Dir::with_key();
    dir.write("in", "x");
    for (args, what) in [
        ("-d -a in", "armored files are recognised"),
        ("-d -p in", "recognised"),
        ("-d -r age1x in", "-i/--identity"),
        ("-d -R key.pub in", "-i/--identity"),
        ("-d -e in", "-e/--encrypt"),
        ("-i key.txt in", "did you forget -d/--decrypt?"),
        ("in", "missing recipients"),
        ("encrypt missing", "missing recipients"),
        ("frobnicate", "unknown command or file: \"frobnicate\""),
        ("encrpyt", "did you mean sealane encrypt?"),
        ("encrpyt -R key.pub in", "did you mean sealane encrypt?"),
        ("decrytp -i key.txt in", "did you mean sealane decrypt?"),
        ("keygne --pq", "did you mean sealane keygen?"),
        ("help frobnicate", "unknown command"),
        ("help slpit", "did you mean \"split\"?"),
        ("decrypt -a in", "'-a'"),
        ("-p -R key.pub in", "can't be combined"),
        ("-e -p -i key.txt in", "can't be combined"),
        ("-R key.pub in in2", "need a folder for the results"),
        ("-R key.pub -o out --resume", "--resume is for several files"),
        ("-R key.pub -o out in -", "standard input can't be one of several"),
        ("-p -o out in in2", "can't be used with several files"),
        ("-d -o out in in2", "a passphrase can't be used with several files"),
        ("-d -i key.txt --range :1 -o out in in2", "--range can't be used with several files"),
        ("-d -i key.txt --salvage -o out in in2", "--salvage takes INPUT"),
        ("-d --part in -o out in in2", "--part can't be used with several files"),
        ("rekey -i key.txt -R key.pub -o out in in2", "-o/--output can't be used with several files"),
        ("contribute -i key.txt in in2", "unexpected argument 'in2'"),
        ("-x in", "'-x'"),
        ("-p -this-flag in", "in \"-this-flag\", -t takes the rest as its value"),
        ("-t 0 -p in", "for '--threads <THREADS>': not a whole number of at least 1"),
        ("-k x -R key.pub in", "for '--threshold <K>': not a whole number, as in 3"),
        ("split -k 2 -n x in", "for '--shares <N>': not a whole number, as in 3"),
        ("keygen --split 3/2", "K is from 2 to N, and N is at most 255"),
        ("share reissue --nope", "see sealane share reissue --help"),
        ("share reissue --index x a", "not a whole number, as in 3"),
        ("share nope", "see sealane share --help"),
        ("--recipent age1x in", "--recipient"),
        ("-R", "value is required"),
        ("", "no command, recipient, passphrase or identity"),
    ] {
        let out = dir.run(args.split_whitespace()).misused(what);
        assert!(String::from_utf8_lossy(&out.stderr).contains("hint"), "{args}");
        assert!(out.stdout.is_empty(), "{args}");
    }
    // The flags are known, but do not go together.
    let out = dir.run(["split", "-k", "2", "-n", "3", "--text", "--binary", "in"]).misused("cannot be used with");
    assert!(!String::from_utf8_lossy(&out.stderr).contains("it is a flag of"));
    assert_eq!(dir.names(), ["in", "key.pub", "key.txt"]);
}

#[test]
fn one_file_is_not_called_several_if_the_output_is_a_folder() {
    let dir = Dir::with_key();
    dir.encrypt(b"x", "in");
    std::fs::create_dir(dir.path("folder")).unwrap();
    for (args, what) in [
        ("rekey -i key.txt -R key.pub -o folder in", "-o/--output names a folder"),
        ("decrypt --part part -o folder in", "--part can't be used if the result goes into a folder"),
        ("decrypt -i key.txt --range :1 -o folder in", "--range can't be used if the result goes into a folder"),
    ] {
        let out = dir.run(args.split(' ')).misused(what);
        assert!(!String::from_utf8_lossy(&out.stderr).contains("several"), "{args}");
    }
}

#[test]
fn duplicates_cause_a_warning() {
    let dir = Dir::with_key();
    dir.write("in", "x");
    let run = dir.run(["-R", "key.pub", "-R", "key.pub", "-R", "key.pub", "-o", "out", "in"]);
    assert_eq!(run.err(), "sealane: warning: duplicate recipients file \"key.pub\"\n");
    run.ok();
    let run = dir.run(["-d", "-i", "key.txt", "-i", "key.txt", "out"]);
    assert_eq!(run.err(), "sealane: warning: duplicate identity file \"key.txt\"\n");
}

#[test]
fn help_and_version_go_to_standard_output() {
    let dir = Dir::new();
    assert!(dir.run(["--version"]).quiet().stdout.starts_with(b"sealane "));
    for args in [vec!["--help"], vec!["-h"], vec!["help"], vec!["encrypt", "--help"], vec!["help", "decrypt"]] {
        let text = String::from_utf8(dir.run(&args).quiet().stdout).unwrap();
        assert!(text.contains("Usage: sealane"), "{args:?}\n{text}");
    }
    assert_eq!(dir.run(["help", "share", "reissue"]).text(), dir.run(["share", "reissue", "--help"]).text());
    let decrypt = String::from_utf8(dir.run(["decrypt", "--help"]).quiet().stdout).unwrap();
    assert!(!decrypt.contains("--armor"), "{decrypt}");
}

#[test]
fn standard_input_is_read_for_one_purpose() {
    let dir = Dir::with_key();
    let key = dir.read("key.txt");
    dir.encrypt(b"secret", "out");
    assert_eq!(dir.run_with(&key, ["-d", "-i", "-", "out"]).quiet().stdout, b"secret");
    assert_eq!(dir.run_with(&dir.read("out"), ["-d", "-i", "key.txt", "-"]).quiet().stdout, b"secret");
    dir.run_with(&dir.read("key.pub"), ["-R", "-", "-o", "out2", "key.pub"]).quiet();
    dir.run_with(&key, ["-d", "-i", "-"]).misused("standard input is used twice");
    dir.run_with(&key, ["-d", "-i", "-", "-i", "-", "out"]).misused("standard input is used twice");
    dir.run_with(b"", ["-R", "-", "-o", "out3"]).misused("standard input is used twice");
    dir.run_with(&dir.read("key.pub"), ["-e", "-R", "-", "-i", "-", "-o", "out3", "key.pub"])
        .misused("standard input is used twice");
    assert!(!dir.exists("out3"));
}

/// The help of a command says what its flags do there, also if other commands have the same flags.
#[test]
fn the_help_of_a_command_describes_its_own_flags() {
    let dir = Dir::new();
    for (command, texts) in [
        (
            "encrypt",
            &[
                "Encrypt to the recipients of the identity file PATH (repeatable)",
                "Encrypt to the recipient of the plugin age-plugin-PLUGIN (repeatable)",
                "Do not write a manifest",
            ][..],
        ),
        (
            "decrypt",
            &[
                "Use the identity file PATH (repeatable)",
                "Do not check the manifest, which shows missing, added and exchanged files",
            ],
        ),
        ("contribute", &["Usage: sealane contribute [OPTIONS] <FILE>\n"]),
        (
            "rekey",
            &[
                "Usage: sealane rekey [OPTIONS] <FILE>...\n",
                "Make RECIPIENT a recipient of the file: age1…",
                "Make the recipients listed in the file PATH recipients of the file (repeatable)",
                "Protect the file with a new passphrase",
            ],
        ),
        ("keygen", &["  sealane keygen -y key.txt\n"]),
        (
            "cpu",
            &["  SEALANE_BACKEND    the backend for", "from the first table\n  SEALANE_CPU_CLASS  the class of CPUs"],
        ),
    ] {
        let help = dir.run([command, "--help"]).text();
        let line = help.split_whitespace().collect::<Vec<_>>().join(" ");
        for text in texts {
            let is_there = help.contains(text) || line.contains(text);
            assert!(is_there, "{text}\n{help}");
        }
    }
}

/// The short help fits on a screen, and has one line for each command.
#[test]
fn the_short_help_fits_on_a_screen_and_the_long_help_is_complete() {
    let dir = Dir::new();
    let short = dir.run(["-h"]).text();
    assert!(short.lines().count() <= 40 && short.lines().all(|line| line.chars().count() <= 100), "{short}");
    let commands = [
        "encrypt",
        "decrypt",
        "inspect",
        "verify",
        "rekey",
        "contribute",
        "keygen",
        "split",
        "combine",
        "share",
        "cpu",
        "bench",
        "completions",
        "man",
        "help",
    ];
    for command in commands {
        assert_eq!(short.matches(&format!("\n  {command} ")).count(), 1, "{command}\n{short}");
        assert!(dir.run([command, "--help"]).text().contains(&format!("Usage: sealane {command}")), "{command}");
    }
    let examples = short.split("Examples:\n").nth(1).unwrap().lines().take_while(|line| line.starts_with("  sealane "));
    assert_eq!(examples.count(), 4, "{short}");
    let long = dir.run(["--help"]).text();
    for what in ["--recipients-file", "--salvage", "AGE_PASSPHRASE_FD", "Exit status", "\n  contribute "] {
        assert!(long.contains(what), "{what}\n{long}");
    }
    assert!(!short.contains("--salvage"), "{short}");
    // A row that is too long would continue under the names.
    let tables = long.split("Environment:\n").nth(1).unwrap().lines();
    let rows = tables.filter(|line| !line.is_empty() && *line != "Exit status:");
    assert!(rows.clone().count() > 10 && rows.clone().all(|row| row.trim_start().contains("  ")), "{long}");
}
