//! Mistakes with shares: other sets, forgeries, existing files, files that others can read.

use sealane::Poly1305;
use sealane_shares::{Share, split};
use sha2::{Digest as _, Sha256};

use crate::share_words::words;
use crate::shares::files;
use crate::support::Dir;

const SECRET: &[u8] = b"attack at dawn";

/// Creates five shares, three of which restore the secret. Returns the shares, and the names of
/// their files.
fn honest(dir: &Dir) -> (Vec<Share>, Vec<String>) {
    let shares = split(SECRET, 3, 5).unwrap();
    let names: Vec<String> = (1..=5).map(|i| format!("holder-{i}")).collect();
    for (share, name) in shares.iter().zip(&names) {
        dir.write(name, line(share));
    }
    (shares, names)
}

pub(crate) fn line(share: &Share) -> String {
    format!("{}\n", *share.to_text().unwrap())
}

/// Returns `share`, changed so that it claims to be of the same set as `like`, with right
/// checksums.
pub(crate) fn forged(share: &Share, like: &Share) -> Share {
    let mut bytes = share.as_bytes().to_vec();
    bytes[18..34].copy_from_slice(&like.as_bytes()[18..34]);
    with_checksums(bytes)
}

/// Returns the share `bytes` with right checksums.
fn with_checksums(mut bytes: Vec<u8>) -> Share {
    let key: [u8; 32] = Sha256::digest(b"sealane.share.v1.checksum").into();
    let checksum = Poly1305::mac(&key, &bytes[..66]);
    bytes[66..70].copy_from_slice(&checksum[..4]);
    let end = bytes.len() - 16;
    let checksum = Poly1305::mac(&key, &bytes[..end]);
    bytes[end..].copy_from_slice(&checksum);
    Share::from_bytes(&bytes).unwrap()
}

/// Two holders of any 3 of 5 shares add the values of (x − 1)(x − 2) to theirs, so that all four
/// shares agree.
#[test]
fn agreeing_forgeries_are_warned_of_and_noticed_with_enough_shares() {
    let dir = Dir::new();
    let (shares, names) = honest(&dir);
    for (index, value) in [(3, 2), (4, 0x1e)] {
        let mut bytes = shares[index - 1].as_bytes().to_vec();
        // The first byte after the header.
        bytes[70] ^= value;
        dir.write(&names[index - 1], line(&with_checksums(bytes)));
    }
    let warning = "2 forged shares that agree with each other could not be noticed: with 5 shares, they could be";
    for (args, output) in
        [(&["refresh", "-o", "new"][..], "new"), (&["reissue", "--index", "5", "-o", "again"], "again")]
    {
        let run = dir.run(["share"].iter().chain(args).copied().chain(names[..4].iter().map(String::as_str)));
        assert!(run.status.success() && run.err().contains(warning), "{}", run.err());
        assert!(dir.exists(output));
    }
    let new = files(&dir, "new");
    dir.run(["combine"].into_iter().chain(new.iter().map(String::as_str))).failed_somehow();
    // With 2k - 1 shares, they contradict the intact ones.
    for args in [&["refresh", "-o", "all"][..], &["reissue", "--index", "1", "-o", "first"]] {
        dir.run(["share"].iter().chain(args).copied().chain(names.iter().map(String::as_str))).fails("contradict");
    }
}

#[test]
fn a_foreign_set_in_one_file_is_not_combined() {
    let dir = Dir::new();
    let (shares, names) = honest(&dir);
    let evil = split(b"what the forger wants", 2, 2).unwrap();
    dir.write("evil", evil.iter().map(line).collect::<String>());
    let (set, evil_set) = (shares[0].header().set().short(), evil[0].header().set().short());

    // With too few honest shares, and with enough.
    for honest in [&names[..2], &names[..3]] {
        let args: Vec<&str> =
            ["combine", "-o", "out"].into_iter().chain(honest.iter().map(String::as_str)).chain(["evil"]).collect();
        let out = dir.run(&args).fails("the shares are of 2 different sets");
        let err = String::from_utf8(out.stderr).unwrap();
        assert!(err.contains(&format!("{set} (any 3 of 5): \"holder-1\", \"holder-2\"")), "{err}");
        assert!(err.contains(&format!("{evil_set} (any 2 of 2): \"evil\", line 1, \"evil\", line 2")), "{err}");
        assert!(err.contains("--set ID") && !dir.exists("out"), "{err}");
    }
    let all = ["holder-1", "holder-2", "evil", "holder-5"];
    for id in [set.to_uppercase(), shares[0].header().set().to_string(), set[..4].to_owned()] {
        let run = dir.run(["combine", "--set", &id].into_iter().chain(all));
        assert_eq!(run.quiet().stdout, SECRET);
    }
    assert_eq!(
        dir.run(["combine", "--set", &evil_set].into_iter().chain(all)).quiet().stdout,
        b"what the forger wants"
    );
    let unknown =
        dir.run(["combine", "--set", "0123456789"].into_iter().chain(all)).fails("none of the shares is of set");
    assert!(String::from_utf8(unknown.stderr).unwrap().contains(&set));
    dir.run(["combine", "--set", "xyz1"].into_iter().chain(all)).misused("not 4 to 32 hexadecimal digits");
    // The same for commands that make new shares from old ones.
    let mixed = ["holder-1", "holder-2", "holder-3", "evil"];
    dir.run(["share", "refresh", "-o", "new"].into_iter().chain(mixed)).fails("of 2 different sets");
    dir.write("word-secret", [7; 16]);
    dir.run(["split", "--words", "-k", "2", "-n", "2", "-o", "words", "word-secret"]).ok();
    let words = std::fs::read_dir(dir.path("words")).unwrap().map(|entry| entry.unwrap().path());
    let mut with_words: Vec<_> = mixed.iter().map(|name| dir.path(name)).chain(words).collect();
    with_words.splice(0..0, ["share", "refresh", "--set", &set, "-o", "refreshed"].map(Into::into));
    dir.run(with_words).ok();
    dir.run(["share", "reissue", "--index", "4", "-o", "new", "--set", &set].into_iter().chain(mixed)).ok();
    assert!(Share::from_text(std::str::from_utf8(&only_line(&dir, "new")).unwrap()).unwrap() == shares[3]);
}

fn only_line(dir: &Dir, folder: &str) -> Vec<u8> {
    let run = dir.sh(&format!("grep -hv '^#' {folder}/*"));
    run.quiet().stdout
}

#[test]
fn many_shares_in_one_file_outvote_nobody() {
    let dir = Dir::new();
    let (shares, _) = honest(&dir);
    let evil = split(b"for the forger", 3, 5).unwrap();
    let evil: Vec<Share> = evil.iter().map(|share| forged(share, &shares[0])).collect();
    dir.write("evil", evil[1..].iter().map(line).collect::<String>());
    std::os::unix::fs::symlink("evil", dir.path("also-evil")).unwrap();

    let run = dir.run(["combine", "-o", "out", "holder-1", "holder-2", "evil", "also-evil", "./evil"]);
    let out = run.fails("agree with one another, and contradict the other shares");
    let err = String::from_utf8(out.stderr).unwrap();
    assert!(err.contains("\"evil\", line 1, \"evil\", line 2") && !err.contains("holder"), "{err}");
    assert!(err.contains("shares from one file never outvote others") && !dir.exists("out"), "{err}");

    // Three other sources prevail, however many shares the file has.
    let run = dir.run(["combine", "evil", "holder-1", "holder-2", "holder-5"]);
    assert_eq!(run.err().lines().count(), 1, "one warning for the file: {}", run.err());
    assert!(run.err().contains("left out: \"evil\", line 1: ") && run.err().contains("(and 3 more of this file)"));
    assert_eq!(run.ok().stdout, SECRET);
    // Shares with a changed header form a separate group, which does not prevail either.
    dir.write("evil", evil[..2].iter().map(|share| line(&with_threshold(share, 2))).collect::<String>());
    let out = dir.run(["combine", "holder-1", "holder-2", "evil"]).fails("do not agree on the threshold");
    let err = String::from_utf8(out.stderr).unwrap();
    assert!(err.contains("any 3 of 5: \"holder-1\", \"holder-2\"; any 2 of 5: \"evil\""), "{err}");
}

fn with_threshold(share: &Share, threshold: u8) -> Share {
    let key: [u8; 32] = Sha256::digest(b"sealane.share.v1.checksum").into();
    let mut bytes = share.as_bytes().to_vec();
    bytes[13] = threshold;
    let checksum = Poly1305::mac(&key, &bytes[..66]);
    bytes[66..70].copy_from_slice(&checksum[..4]);
    let end = bytes.len() - 16;
    let checksum = Poly1305::mac(&key, &bytes[..end]);
    bytes[end..].copy_from_slice(&checksum);
    Share::from_bytes(&bytes).unwrap()
}

#[test]
fn a_secret_replaces_no_file() {
    let dir = Dir::new();
    let (_, names) = honest(&dir);
    let combine = |output: &str| dir.run(["combine", "-o", output].into_iter().chain(names.iter().map(String::as_str)));
    dir.write("key.txt", "the only copy of a key");
    std::os::unix::fs::symlink("key.txt", dir.path("link")).unwrap();
    for output in ["key.txt", "link"] {
        combine(output).fails("exists, and a secret never replaces a file");
    }
    assert_eq!(dir.read("key.txt"), b"the only copy of a key");
    dir.run(["combine", "-o", "key.txt", "--ssss", "-k", "2", "missing"])
        .fails("exists, and a secret never replaces a file");
    // A new file is readable only by its owner, with any umask.
    dir.sh(&format!("umask 0; exec \"$SEALANE\" combine -o new.txt {}", names.join(" "))).quiet();
    assert_eq!((dir.read("new.txt"), dir.mode("new.txt")), (SECRET.to_vec(), 0o600));
    // An output that is not a regular file is written to.
    combine("/dev/null").quiet();
    // A file that appears while the command waits for a passphrase is not overwritten. A pipe,
    // unlike a FIFO, lets the command start before anything is written.
    let words = words(&dir, &[7; 32]);
    dir.write("words", words.join("\n"));
    let script = "(sleep 1; echo mine > late; echo pass) | \
                  AGE_PASSPHRASE_FD=3 \"$SEALANE\" combine -p -o late words 3<&0 < /dev/null";
    dir.sh(script).fails("exists, and a secret never replaces a file");
    assert_eq!(dir.read("late"), b"mine\n");
    assert!(!dir.names().iter().any(|name| name.contains(".tmp")), "{:?}", dir.names());
}

#[test]
fn a_secret_where_others_can_read_it_is_warned_of() {
    let dir = Dir::with_key();
    honest(&dir);
    dir.write("secret", SECRET);
    dir.sh("\"$SEALANE\" -e -k 2 -R key.pub -r $(\"$SEALANE\" keygen -o other.txt 2>/dev/null; \"$SEALANE\" keygen -y other.txt) -o held secret").ok();
    for (command, what) in [
        ("combine holder-1 holder-2 holder-3", "the secret goes to a file that others can read"),
        ("combine -o - holder-1 holder-2 holder-3", "the secret goes to a file that others can read"),
        ("contribute -y -i key.txt held", "goes to a file that others can read"),
        ("split -k 2 -n 3 -o - secret", "the set of all shares, which restores the secret, goes to a file that others"),
        ("split --vault -k 2 -n 3 -o - secret", "goes to a file that others can read"),
        ("keygen --split 2/3 -o -", "goes to a file that others can read"),
    ] {
        for (mask, warned) in [("022", true), ("027", true), ("077", false)] {
            let run = dir.sh(&format!("rm -f out; umask {mask}; exec \"$SEALANE\" {command} < /dev/null > out"));
            assert_eq!(run.err().contains(what), warned, "{command} {mask}: {}", run.err());
            run.ok();
        }
        // A pipe has no mode to warn about.
        let run = dir.sh(&format!("{{ \"$SEALANE\" {command}; echo status $? >&2; }} | cat"));
        assert!(run.err().contains("status 0") && !run.err().contains("others can read"), "{}", run.err());
    }
    let run = dir.sh("rm -f out; umask 022; exec \"$SEALANE\" combine holder-1 holder-2 > out");
    assert!(!run.err().contains("others can read"), "nothing went there: {}", run.err());
    run.fails("are needed");
    let run = dir.sh("rm -f out; umask 022; exec \"$SEALANE\" combine -o /dev/stdout holder-1 holder-2 holder-3 > out");
    assert!(run.err().contains("others can read"), "{}", run.err());
    dir.sh("umask 022; exec \"$SEALANE\" contribute -y -i key.txt -o part held").ok();
    assert_eq!(dir.mode("part"), 0o600);
}
