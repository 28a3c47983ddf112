//! Damaged shares beside one file with enough shares of another secret, and shares in place of
//! files.

use crate::support::{Dir, Run};

/// Splits a secret of 32 bytes into five shares, three of which restore it. Returns their lines.
fn split(dir: &Dir, form: &str, byte: u8) -> Vec<String> {
    dir.write("secret", [byte; 32]);
    let printed = dir.run(["split", form, "-k", "3", "-n", "5", "-o", "-", "secret"]).ok().stdout;
    String::from_utf8(printed).unwrap().lines().map(|line| format!("{line}\n")).collect()
}

/// Makes a typing error in a share.
fn with_an_error(line: &str) -> String {
    let at = line.len() - 5;
    let letter = if line.as_bytes()[at].eq_ignore_ascii_case(&b'q') { "p" } else { "q" };
    let letter = if line.starts_with("SEALANE") { letter.to_uppercase() } else { letter.to_owned() };
    format!("{}{letter}{}", &line[..at], &line[at + 1..])
}

fn refuses(run: Run, dir: &Dir) {
    assert_eq!(run.err().matches("left out: \"holder-").count(), 2, "{}", run.err());
    let out = run.fails("\"evil\", line 1, \"evil\", line 2, \"evil\", line 3");
    let err = String::from_utf8(out.stderr).unwrap();
    assert!(err.contains("are enough by themselves, and nothing shows that the other shares agree"), "{err}");
    assert!(err.contains("shares from one file never outvote others"), "{err}");
    assert!(out.stdout.is_empty() && !dir.exists("out"));
}

#[test]
fn one_file_does_not_replace_unreadable_shares() {
    for form in ["--text", "--words"] {
        let dir = Dir::new();
        let (honest, evil) = (split(&dir, form, 7), split(&dir, form, 9));
        for at in 1..=3 {
            dir.write(&format!("holder-{at}"), with_an_error(&honest[at - 1]));
        }
        dir.write("evil", evil[..3].concat());
        refuses(dir.run(["combine", "holder-1", "holder-2", "evil"]), &dir);
        refuses(dir.run(["combine", "-o", "out", "evil", "holder-1", "holder-2"]), &dir);
        refuses(dir.run(["combine", "evil", "holder-1", "evil", "holder-2"]), &dir);

        // One file alone may have a damaged share.
        dir.write("all", [&honest[0], &with_an_error(&honest[1]), &honest[2], &honest[3]].map(|s| &s[..]).concat());
        let run = dir.run(["combine", "all"]);
        assert!(run.err().contains("left out: \"all\", line 2: "), "{}", run.err());
        assert_eq!(run.ok().stdout, [7; 32]);
        // Three files prevail over any number of damaged shares, even if one file has all shares.
        dir.write("holder-4", &honest[3]);
        dir.write("holder-5", &honest[4]);
        let run = dir.run(["combine", "holder-1", "all", "holder-2", "holder-4", "holder-5"]);
        assert_eq!(run.ok().stdout, [7; 32]);
    }
}

/// The text of a mail around the shares of a set that was not chosen is no damaged share.
#[test]
fn text_beside_shares_of_another_set_is_ignored() {
    for form in ["--text", "--words"] {
        let dir = Dir::new();
        let (chosen, other) = (split(&dir, form, 7), split(&dir, form, 9));
        dir.write("all.txt", chosen[..3].concat());
        dir.write("mail.txt", format!("Dear friend, please keep this for me:\n\n{}", other[0]));
        let out = dir.run(["combine", "all.txt", "mail.txt"]).fails("the shares are of 2 different sets: ");
        let err = String::from_utf8(out.stderr).unwrap();
        let described = err.split(['\n', ';']).find(|set| set.contains("\"all.txt\"")).unwrap();
        let set = described.rsplit("sets: ").next().unwrap().trim().split([' ', ':']).next().unwrap();
        let run = dir.run(["combine", "--set", set, "all.txt", "mail.txt"]);
        assert!(run.err().contains("left out: \"mail.txt\", line 1"), "{}", run.err());
        assert_eq!(run.ok().stdout, [7; 32]);
        // A share that cannot be read could be of the chosen set.
        dir.write("mail.txt", format!("Dear friend:\n\n{}{}", other[0], with_an_error(&chosen[3])));
        dir.run(["combine", "--set", set, "all.txt", "mail.txt"]).fails("are enough by themselves");
    }
}

#[test]
fn one_file_does_not_replace_binary_shares_without_a_header() {
    let dir = Dir::new();
    let evil = split(&dir, "--text", 9);
    dir.write("secret", [7; 32]);
    dir.run(["split", "--binary", "-k", "3", "-n", "5", "-o", "honest", "secret"]).ok();
    dir.sh("n=0; for share in honest/*; do n=$((n + 1)); cp $share holder-$n; printf x | dd of=holder-$n conv=notrunc; done")
        .ok();
    dir.write("evil", evil[..3].concat());
    refuses(dir.run(["combine", "holder-1", "holder-2", "evil"]), &dir);
}

/// Standard output may go to a log file.
#[test]
fn a_share_in_place_of_a_file_is_not_shown() {
    let dir = Dir::new();
    let lines = split(&dir, "--text", 7);
    let share = lines[0].trim();
    for args in [&["share", "inspect"][..], &["share", "inspect", "--json"]] {
        let out = dir.run([args, &[share]].concat()).fails("SEALANE-SHARE-1…");
        let text = String::from_utf8([out.stdout, out.stderr].concat()).unwrap();
        assert!(!text.contains(&share[20..60]), "{text}");
        assert_eq!(text.matches("SEALANE-SHARE-1…").count(), 3, "{text}");
    }
}
