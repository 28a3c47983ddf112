//! `sealane split`, `combine` and `share`, and `keygen --split`.

use std::path::PathBuf;

use crate::support::{Dir, bytes};

/// Returns the files in the folder `name`, sorted, as arguments.
pub(crate) fn files(dir: &Dir, name: &str) -> Vec<String> {
    let entries = std::fs::read_dir(dir.path(name)).unwrap();
    let names = entries.map(|entry| PathBuf::from(name).join(entry.unwrap().file_name()).to_str().unwrap().to_owned());
    let mut names: Vec<_> = names.collect();
    names.sort();
    names
}

/// Returns `args` and the shares at the positions `chosen`, counted from 1.
pub(crate) fn with_shares<'a>(args: &[&'a str], shares: &'a [String], chosen: &[usize]) -> Vec<&'a str> {
    args.iter().copied().chain(chosen.iter().map(|&i| shares[i - 1].as_str())).collect()
}

fn split(dir: &Dir, secret: &[u8], args: &[&str]) -> Vec<String> {
    dir.write("secret.bin", secret);
    let fixed = ["split", "-k", "3", "-n", "5", "-o", "shares", "secret.bin"];
    let run = dir.run(fixed.iter().chain(args));
    let (text, err) = (run.text(), run.err());
    run.ok();
    assert_eq!(text, "", "nothing secret is printed");
    let shares = files(dir, "shares");
    assert_eq!(err.lines().collect::<Vec<_>>(), shares, "and it says where the shares are");
    shares
}

#[test]
fn any_three_of_five_shares_restore_the_secret_and_two_do_not() {
    let dir = Dir::new();
    for (secret, args) in
        [(bytes(70), vec![]), (bytes(70), vec!["--binary"]), (bytes(300_000), vec![]), (vec![], vec![])]
    {
        let shares = split(&dir, &secret, &args);
        assert_eq!(shares.len(), 5);
        for share in &shares {
            assert_eq!(dir.mode(share), 0o600, "{share}");
            assert!(share.contains("of5-need3.share") && share.starts_with("shares/secret.bin."), "{share}");
        }
        assert_eq!(dir.mode("shares"), 0o700);
        for chosen in [[1, 2, 3], [5, 3, 1], [2, 4, 5]] {
            assert!(dir.run(with_shares(&["combine"], &shares, &chosen)).quiet().stdout == secret, "{chosen:?}");
            dir.run(with_shares(&["combine", "-o", "again"], &shares, &chosen)).quiet();
            assert!(dir.read("again") == secret);
            assert_eq!(dir.mode("again"), 0o600);
            std::fs::remove_file(dir.path("again")).unwrap();
        }
        let out =
            dir.run(with_shares(&["combine", "-o", "again"], &shares, &[1, 4])).fails("3 different shares are needed");
        assert!(out.stdout.is_empty() && !dir.exists("again"));
        let out = dir.run(with_shares(&["combine"], &shares, &[4, 4, 4, 2])).fails("and there are 2");
        assert!(out.stdout.is_empty());
        assert_eq!(dir.names(), ["secret.bin", "shares"]);
        std::fs::remove_dir_all(dir.path("shares")).unwrap();
    }
}

#[test]
fn a_mix_of_forms_of_one_set() {
    let dir = Dir::new();
    let shares = split(&dir, b"some secret", &[]);
    // A line can be given in a file with others, in lower case, and on standard input.
    let line = |i: usize| {
        let text = String::from_utf8(dir.read(&shares[i - 1])).unwrap();
        text.lines().find(|line| line.starts_with("SEALANE-SHARE-1")).unwrap().to_owned()
    };
    dir.write("two", format!("# two of them\n\n  {}\r\n{}\n", line(2), line(5).to_lowercase()));
    dir.write("three", [b"\xef\xbb\xbf", line(3).as_bytes(), b"\n\xff\xfe\n"].concat());
    let run = dir.run(["combine", "two", "three"]);
    assert!(run.err().contains("left out: \"three\", line 2 is not a share"), "{}", run.err());
    assert_eq!(run.ok().stdout, b"some secret");
    let run = dir.run_with(line(4).as_bytes(), ["combine", "two", "-"]);
    assert_eq!(run.quiet().stdout, b"some secret");
    let run = dir.run(["combine", "two", shares[0].as_str(), "two"]);
    assert_eq!(run.quiet().stdout, b"some secret", "shares that are there twice are ignored");
    let printed = dir.run(["split", "-k", "2", "-n", "3", "-o", "-", "secret.bin"]).quiet().stdout;
    assert_eq!(printed.iter().filter(|&&byte| byte == b'\n').count(), 3);
    assert_eq!(dir.run_with(&printed, ["combine", "-"]).quiet().stdout, b"some secret");
    dir.run_with(b"typed", ["split", "-k", "2", "-n", "2", "-o", "piped"]).ok();
    let piped = files(&dir, "piped");
    assert!(piped[0].starts_with("piped/secret."), "{piped:?}");
    assert_eq!(dir.run(with_shares(&["combine"], &piped, &[1, 2])).quiet().stdout, b"typed");
}

#[test]
fn bad_shares_are_named() {
    let dir = Dir::new();
    let secret = bytes(200_000);
    let shares = split(&dir, &secret, &[]);
    let mut damaged = dir.read(&shares[1]);
    damaged[150_000] ^= 1;
    dir.write(&shares[1], &damaged);
    let out =
        dir.run(with_shares(&["combine", "-o", "out"], &shares, &[1, 2, 3])).fails("3 different shares are needed");
    let err = String::from_utf8(out.stderr).unwrap();
    assert!(err.contains(&format!("left out: \"{}\": the share is damaged", shares[1])), "{err}");
    assert!(!dir.exists("out"));
    for args in [vec!["combine", "-o", "out"], vec!["combine"]] {
        let run = dir.run(with_shares(&args, &shares, &[2, 1, 3, 4]));
        assert_eq!(run.err().lines().count(), 1, "{}", run.err());
        assert!(run.err().contains(&shares[1]), "{}", run.err());
        let out = run.ok().stdout;
        assert!(if args.len() > 1 { dir.read("out") } else { out } == secret);
    }
    // A file that is not a share, and a share with a damaged beginning.
    dir.write("other", "no share");
    dir.write("binary", b"\xff\xfe no share");
    damaged[12] ^= 1;
    dir.write(&shares[1], &damaged);
    let run = dir.run(["combine", "other", "binary"].into_iter().chain(shares.iter().map(String::as_str)));
    assert_eq!(run.err().matches("left out").count(), 3, "{}", run.err());
    assert!(run.ok().stdout == secret);
    dir.run(["combine", "other"]).fails("no shares");
    dir.run(["combine", "missing"]).fails("left out: cannot open \"missing\"");
    dir.run(["combine", "shares"]).fails("left out: \"shares\" is a folder");
    let enough = with_shares(&["combine", "missing", "shares"], &shares, &[1, 3, 4]);
    assert!(dir.run(enough).ok().stdout == secret);
    crate::support::finish(dir.without_terminal(["combine"])).misused("no share given");
}

#[test]
fn shares_of_different_sets_do_not_combine() {
    let dir = Dir::new();
    let one = split(&dir, b"one", &[]);
    let run = dir.run(["split", "-k", "3", "-n", "5", "-o", "others", "secret.bin"]);
    run.ok();
    let others = files(&dir, "others");
    let mixed = [one[0].as_str(), &others[1], &one[2]];
    let out = dir.run(["combine"].into_iter().chain(mixed)).fails("of 2 different sets");
    assert!(out.stdout.is_empty());
}

#[test]
fn shares_through_pipes_and_redirection() {
    let dir = Dir::new();
    let secret = bytes(3_000_000);
    let shares = split(&dir, &secret, &[]);
    let [a, b, c] = [&shares[0], &shares[2], &shares[4]];
    let script = format!("mkfifo pipe; cat {a} > pipe & exec \"$SEALANE\" combine pipe {b} - < {c}");
    assert!(dir.sh(&script).quiet().stdout == secret);
    dir.sh(&format!("exec \"$SEALANE\" combine {a} {b} {c} > /dev/full")).fails("No space left");
}

#[test]
fn only_a_public_key_goes_on_to_new_shares() {
    let dir = Dir::new();
    let shares = split(&dir, b"some secret", &[]);
    for (i, share) in shares.iter().enumerate() {
        let mut text = dir.read(share);
        text.extend_from_slice(b"# \x1b[2J go to evil.example\n");
        if i < 3 {
            text.extend_from_slice(b"# public key: age1abc\n");
        }
        dir.write(share, text);
    }
    let printed = with_shares(&["share", "reissue", "--index", "4", "-o", "-"], &shares, &[1, 2, 3]);
    dir.run(printed).misused("these files can't be printed");
    dir.run(with_shares(&["share", "reissue", "--index", "4", "-o", "again"], &shares, &[1, 2, 3])).ok();
    let text = String::from_utf8(dir.read(&files(&dir, "again")[0])).unwrap();
    assert_eq!(text.lines().filter(|line| line.starts_with('#')).count(), 2, "{text}");
    assert!(text.contains("# public key: age1abc\n") && !text.contains("evil"), "{text}");
    // Not if one of them states none, or another one.
    for folder in ["none", "other"] {
        dir.run(with_shares(&["share", "reissue", "--index", "4", "-o", folder], &shares, &[1, 2, 5])).ok();
        let text = String::from_utf8(dir.read(&files(&dir, folder)[0])).unwrap();
        assert!(!text.contains("public key"), "{folder}: {text}");
        let mut odd = dir.read(&shares[4]);
        odd.extend_from_slice(b"# public key: age1other\n");
        dir.write(&shares[4], odd);
    }
    // Nor if the others are binary, and therefore state none.
    for share in &shares[..2] {
        let text = String::from_utf8(dir.read(share)).unwrap();
        let line = text.lines().find(|line| line.starts_with("SEALANE-SHARE-1")).unwrap();
        dir.write(share, sealane_shares::Share::from_text(line).unwrap().as_bytes());
    }
    dir.run(with_shares(&["share", "reissue", "--index", "4", "-o", "mixed"], &shares, &[3, 1, 2])).ok();
    let text = String::from_utf8(dir.read(&files(&dir, "mixed")[0])).unwrap();
    assert!(!text.contains("public key"), "{text}");
}

#[test]
fn an_output_that_is_a_share_is_refused() {
    let dir = Dir::new();
    let shares = split(&dir, b"one", &[]);
    let before = dir.read(&shares[1]);
    dir.run(with_shares(&["combine", "-o", &shares[1]], &shares, &[1, 2, 3]))
        .fails("exists, and a secret never replaces a file");
    // Standard output is refused too if it is the file of a share.
    let all = shares[..3].join(" ");
    dir.sh(&format!("exec \"$SEALANE\" combine {all} 1<> {}", shares[1]))
        .fails("the output is the same file as the share");
    assert_eq!(dir.read(&shares[1]), before);
}

#[test]
fn a_key_that_exists_only_as_shares() {
    let dir = Dir::new();
    let run = dir.run(["keygen", "--split", "3/5", "-o", "keepers"]);
    let (text, err) = (run.text(), run.err());
    run.ok();
    assert_eq!(text, "");
    let public = err.lines().last().unwrap().strip_prefix("Public key: ").unwrap().to_owned();
    assert!(!err.contains("AGE-SECRET-KEY") && !err.contains("SEALANE-SHARE"), "{err}");
    assert_eq!(dir.names(), ["keepers"]);
    let shares = files(&dir, "keepers");
    assert!(String::from_utf8(dir.read(&shares[4])).unwrap().contains(&format!("# public key: {public}\n")));

    let data = bytes(100_000);
    dir.run_with(&data, ["-r", &public, "-o", "sealed"]).quiet();
    dir.run(["-d", "-i", &shares[0], "sealed"]).fails("a share of a secret, where an identity is expected");
    // Two shares are lost.
    dir.run(with_shares(&["combine", "-o", "key.txt"], &shares, &[2, 3, 5])).quiet();
    assert!(dir.run(["-d", "-i", "key.txt", "sealed"]).quiet().stdout == data);
    assert_eq!(dir.run(["keygen", "-y", "key.txt"]).quiet().stdout, format!("{public}\n").as_bytes());

    dir.run(with_shares(&["share", "reissue", "--index", "1", "-o", "again"], &shares, &[2, 3, 5])).ok();
    assert_eq!(dir.read(&files(&dir, "again")[0]), dir.read(&shares[0]), "with its comments");
    dir.run(["keygen", "--split", "3of5"]).misused("not of the form K/N");
    for numbers in ["6/5", "1/5", "2/300"] {
        // The command has neither -k nor -n.
        let error = dir.run(["keygen", "--split", numbers, "-o", "none"]).misused("from 2 to N, and N is at most 255");
        assert!(!String::from_utf8_lossy(&error.stderr).contains("-k"), "{numbers}");
    }
    dir.run(["keygen", "-y", "--split", "3/5"]).misused("can't be used with -y");
    dir.run(["keygen", "--text"]).misused("only for --split");
    assert!(!dir.exists("none"));
}

#[test]
fn lost_shares_are_made_again_and_old_ones_made_worthless() {
    let dir = Dir::new();
    for secret in [bytes(100), bytes(100_000)] {
        let shares = split(&dir, &secret, &[]);
        let run = dir.run(with_shares(&["share", "reissue", "--index", "2", "-o", "again"], &shares, &[1, 4, 5]));
        run.ok();
        let again = files(&dir, "again");
        assert_eq!(dir.read(&again[0]), dir.read(&shares[1]));
        assert_eq!(again[0].rsplit('/').next(), shares[1].rsplit('/').next());
        dir.run(with_shares(&["share", "reissue", "--index", "2", "-o", "again"], &shares, &[1, 4, 5]))
            .fails("never overwritten");
        dir.run(with_shares(&["share", "reissue", "--index", "0", "-o", "again"], &shares, &[1, 4, 5])).misused("zero");
        dir.run(with_shares(&["share", "reissue", "--index", "6", "-o", "again"], &shares, &[1, 4]))
            .fails("are needed");

        let run = dir.run(with_shares(&["share", "refresh", "-o", "new"], &shares, &[1, 2, 3, 4]));
        assert!(run.err().contains("4 of 5 shares were refreshed: share 5 is of the old set"), "{}", run.err());
        run.ok();
        let few = dir.run(with_shares(&["share", "refresh", "-o", "few"], &shares, &[1, 2, 3]));
        assert!(few.err().contains("so a forged one could not be noticed"), "{}", few.err());
        let new = files(&dir, "new");
        assert!(dir.run(with_shares(&["combine"], &new, &[1, 2, 4])).quiet().stdout == secret);
        let mixed = [new[0].as_str(), &shares[1], &shares[2]];
        dir.run(["combine"].into_iter().chain(mixed)).fails("different");
        assert!(
            dir.run(with_shares(&["combine"], &shares, &[1, 2, 3])).quiet().stdout == secret,
            "until they are destroyed"
        );
        dir.run(with_shares(&["share", "refresh", "-o", "new"], &shares, &[1, 2])).fails("are needed");
        dir.run(with_shares(&["share", "refresh", "-o", "new"], &shares, &[1, 2, 3, 3])).fails("given twice");
        for name in ["shares", "again", "new", "few"] {
            std::fs::remove_dir_all(dir.path(name)).unwrap();
        }
    }
}

#[test]
fn refresh_names_the_shares_without_a_successor() {
    let dir = Dir::new();
    dir.write("secret", "attack at dawn");
    dir.run(["split", "-k", "2", "-n", "3", "--binary", "-o", "old", "secret"]).ok();
    let old = files(&dir, "old");
    // An additional share does not stand for a share that is left out.
    dir.run(with_shares(&["share", "reissue", "--index", "4", "-o", "more"], &old, &[1, 2])).ok();
    let more = files(&dir, "more").remove(0);
    let refresh = |folder: &str, shares: &[&str]| {
        dir.run(["share", "refresh", "-o", folder].into_iter().chain(shares.iter().copied())).err()
    };
    let left_out = refresh("a", &[&old[0], &old[1], &more]);
    assert!(left_out.contains("2 of 3 shares were refreshed: share 3 is of the old set"), "{left_out}");
    let all = refresh("b", &[&old[0], &old[1], &old[2], &more]);
    assert!(!all.contains("of the old set") && all.contains("combine the new shares once"), "{all}");
    let two = refresh("c", &[&old[0], &more]);
    assert!(two.contains("1 of 3 shares were refreshed: shares 2 and 3 are of the old set"), "{two}");
}

#[test]
fn inspect_describes_a_share() {
    let dir = Dir::new();
    let shares = split(&dir, &bytes(100_000), &[]);
    let text = dir.run(with_shares(&["share", "inspect"], &shares, &[2, 5])).quiet().stdout;
    let text = String::from_utf8(text).unwrap();
    assert!(text.contains("share      2 of 5, any 3 restore the secret"), "{text}");
    assert!(text.contains("secret     100000 bytes"), "{text}");
    let json = dir.run(with_shares(&["share", "inspect", "--json"], &shares, &[2, 5])).quiet().stdout;
    let json: serde_json::Value = serde_json::from_slice(&json).unwrap();
    assert_eq!((&json[1]["index"], &json[1]["threshold"], &json[1]["count"]), (&5.into(), &3.into(), &5.into()));
    assert_eq!(json[0]["set"], json[1]["set"]);
    assert_eq!(json[0]["damage"], serde_json::Value::Null);
    let set = json[0]["set"].as_str().unwrap();
    assert!(shares[0].contains(&set[..8]), "the name of the file has the set");
    let mut damaged = dir.read(&shares[1]);
    *damaged.last_mut().unwrap() ^= 1;
    dir.write(&shares[1], damaged);
    let out = dir.run(with_shares(&["share", "inspect"], &shares, &[2, 5])).fails("the share is damaged");
    assert!(String::from_utf8(out.stdout).unwrap().contains("WRONG"));
}

#[test]
fn split_refuses_wrong_arguments() {
    let dir = Dir::new();
    dir.write("secret", "secret");
    dir.write("large", bytes(3000));
    dir.run(["split", "-k", "0", "-n", "5", "-o", "out", "secret"]).misused("at least 2, not 0");
    dir.run(["split", "-k", "6", "-n", "5", "-o", "out", "secret"]).misused("6 shares would be needed");
    dir.run(["split", "-k", "2", "-n", "256", "-o", "out", "secret"]).misused("at most 255");
    dir.run(["split", "-k", "x", "-n", "5", "secret"]).misused("invalid value");
    dir.run(["split", "-n", "5", "secret"]).misused("--threshold");
    dir.run(["split", "-k", "2", "-n", "3", "--text", "--binary", "secret"]).misused("cannot be used with");
    dir.run(["split", "-k", "2", "-n", "3", "--text", "-o", "out", "large"]).fails("longer than 2048 bytes");
    dir.run(["split", "-k", "2", "-n", "3", "-o", "-", "large"]).misused("can't be printed");
    dir.run(["split", "-k", "2", "-n", "3", "-o", "out", "missing"]).fails("cannot open");
    dir.run(["split", "-k", "2", "-n", "3", "-o", "secret", "large"]).fails("not a folder");
    assert_eq!(dir.names(), ["large", "secret"]);
    let limited = dir.sh("ulimit -f 4; exec \"$SEALANE\" split --binary -k 2 -n 3 -o out large");
    let error = String::from_utf8(limited.fails("File too large").stderr).unwrap();
    assert!(error.contains("cannot write to \"out/large."), "{error}");
    assert!(files(&dir, "out").is_empty(), "nothing is left of shares that could not all be written");
}

#[test]
fn shares_for_other_programs() {
    let dir = Dir::new();
    dir.write("secret", "correct horse");
    for form in ["--ssss", "--vault"] {
        dir.run(["split", form, "-k", "2", "-n", "3", "-o", "shares", "secret"]).ok();
        let shares = files(&dir, "shares");
        assert_eq!(shares.len(), 3);
        let run = dir.run(with_shares(&["combine", form, "-k", "2"], &shares, &[3, 1]));
        assert!(run.err().contains("the result cannot be checked"), "{}", run.err());
        assert_eq!(run.ok().stdout, b"correct horse");
        // The threshold affects the result of ssss, so it is not guessed.
        let unsaid = dir.run(with_shares(&["combine", form], &shares, &[3, 1, 2]));
        if form == "--ssss" {
            assert!(unsaid.misused("--ssss needs -k").stdout.is_empty());
        } else {
            assert_eq!(unsaid.ok().stdout, b"correct horse");
        }
        assert_eq!(
            dir.run(with_shares(&["combine", form, "-k", "2"], &shares, &[3, 1, 2])).ok().stdout,
            b"correct horse"
        );
        dir.run(with_shares(&["combine", form, "-k", "2"], &shares, &[3]))
            .fails("2 different shares are needed, not 1");
        let run = dir.run(with_shares(&["combine"], &shares, &[1, 2])).fails("no shares");
        assert!(String::from_utf8_lossy(&run.stderr).contains("give --ssss or --vault"));
        std::fs::remove_dir_all(dir.path("shares")).unwrap();
    }
    dir.write("lines", "no share!\n");
    dir.run(["combine", "--ssss", "-k", "2", "lines"]).fails("is not a line of ssss-split");
    dir.write("lines", "one-1-0a1b\ntwo-2-0a1b\n");
    dir.run(["combine", "--ssss", "-k", "2", "lines"]).fails("different secrets: token \"one\" and token \"two\"");
    dir.run(["combine", "--ssss", "-k", "256", "lines"]).misused("-k is at most 255, not 256");
    dir.run(["combine", "--vault", "lines"]).fails("is not an unseal key");
    dir.run(["combine", "-k", "2", "lines"]).misused("only for --ssss and --vault");
    dir.run(["combine", "--ssss", "--vault", "lines"]).misused("cannot be used with");
}

#[test]
fn a_key_of_32_bytes_as_an_identity() {
    let dir = Dir::new();
    let shares = split(&dir, &bytes(32), &[]);
    let out = dir.run(with_shares(&["combine", "--identity"], &shares, &[1, 2, 3])).quiet().stdout;
    let text = String::from_utf8(out).unwrap();
    assert!(text.starts_with("# public key: age1") && text.contains("\nAGE-SECRET-KEY-1"), "{text}");
    std::fs::remove_dir_all(dir.path("shares")).unwrap();
    for length in [31, 33] {
        let shares = split(&dir, &bytes(length), &[]);
        let out = dir.run(with_shares(&["combine", "--identity"], &shares, &[1, 2, 3])).fails("32");
        assert!(out.stdout.is_empty());
        std::fs::remove_dir_all(dir.path("shares")).unwrap();
    }
}
