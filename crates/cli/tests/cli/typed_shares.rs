//! `sealane combine` without files: shares that the user types at the terminal.

use crate::session::Session;
use crate::share_mistakes::{forged, line};
use crate::support::Dir;
use crate::terminal::{ends, in_terminal};

const COMBINE: &str = "exec \"$SEALANE\" combine -o out";

/// Splits `secret` into three shares; two restore it. Returns the lines.
fn split(dir: &Dir, secret: &str, args: &[&str]) -> Vec<String> {
    dir.write("secret", secret);
    let args = ["split", "-k", "2", "-n", "3", "-o", "-"].iter().chain(args).chain(&["secret"]);
    let text = dir.run(args).text();
    text.lines().filter(|line| !line.starts_with('#')).map(str::to_owned).collect()
}

#[test]
fn shares_are_checked_as_they_are_typed() {
    let dir = Dir::with_key();
    let key = String::from_utf8(dir.read("key.txt")).unwrap();
    let (lines, others) = (split(&dir, &key, &["--text"]), split(&dir, "other", &["--text"]));
    let mut session = in_terminal(&dir, COMBINE);
    let mut typed = |line: &str, answer: &str| type_shares(&mut session, &[(line, answer)]);
    let mut wrong = lines[0].clone();
    wrong.replace_range(40..41, if &wrong[40..41] == "Q" { "P" } else { "Q" });
    typed(&wrong, "type it again, or type another share");
    typed("nonsense", "is not a share");
    typed(&lines[0], "this share is intact; 1 more needed");
    typed(&lines[0], "was typed before");
    typed(&others[1], "it is of set");
    typed(&format!("{} {}", lines[1], lines[2]), "more than one share");
    typed(&lines[2].to_lowercase(), "these shares are enough");
    let recipient = String::from_utf8(dir.read("key.pub")).unwrap();
    ends(session, 0, &format!("the identity with the public key {}", recipient.trim()));
    assert_eq!(dir.read("out"), key.as_bytes());
    assert_eq!(dir.mode("out"), 0o600);
}

/// Types each line, and waits for its answer.
fn type_shares(session: &mut Session, lines: &[(&str, &str)]) {
    for (line, answer) in lines {
        session.expect("(not shown; an empty line ends): ");
        session.send_secret(line);
        session.expect(answer);
    }
}

#[test]
fn words_are_typed_on_one_line() {
    let dir = Dir::with_key();
    let key = String::from_utf8(dir.read("key.txt")).unwrap();
    let lines = split(&dir, &key, &["--words"]);
    let mut session = in_terminal(&dir, "exec \"$SEALANE\" combine --identity -o out");
    type_shares(
        &mut session,
        &[
            ("academic acid", "is not a share"),
            (&lines[1], "this share is intact; 1 more needed"),
            (&lines[1], "were typed before"),
            (&lines[0], "these shares are enough"),
        ],
    );
    let recipient = String::from_utf8(dir.read("key.pub")).unwrap();
    ends(session, 0, &format!("the secret is the identity with the public key {}", recipient.trim()));
    assert!(String::from_utf8(dir.read("out")).unwrap().ends_with(&key[key.find("AGE-SECRET").unwrap()..]));
    dir.encrypt(b"message", "x");
    assert_eq!(dir.run(["-d", "-i", "out", "x"]).quiet().stdout, b"message");
}

#[test]
fn a_typed_key_shows_its_public_key() {
    let dir = Dir::new();
    let secret = "any 32 bytes are a key of X25519";
    let mut publics = Vec::new();
    for (form, combine, shown) in [
        ("--text", "combine --identity -o out", "the secret is the identity with the public key age1"),
        // Without --identity, the secret may be anything else of this length.
        ("--words", "combine -o raw", "if the secret is the key of an identity, its public key is age1"),
    ] {
        let lines = split(&dir, secret, &[form]);
        let mut session = in_terminal(&dir, &format!("exec \"$SEALANE\" {combine}"));
        type_shares(&mut session, &[(&lines[0], "1 more needed"), (&lines[2], "these shares are enough")]);
        let text = ends(session, 0, shown);
        let start = text.find(shown).unwrap() + shown.len();
        publics.push(format!("age1{}", text[start..].split_whitespace().next().unwrap()));
    }
    let public = dir.run(["keygen", "-y", "out"]).text();
    assert_eq!(publics, [public.trim(), public.trim()]);
    assert_eq!(dir.read("raw"), secret.as_bytes());
}

#[test]
fn a_forged_share_restores_nothing() {
    let dir = Dir::new();
    let shares = sealane_shares::split(b"secret", 3, 5).unwrap();
    let forgeries = |threshold| {
        let evil = sealane_shares::split(b"forged", threshold, 5).unwrap();
        line(&forged(&evil[1], &shares[0]))
    };
    let (other, same) = (forgeries(2), forgeries(3));
    let mut session = in_terminal(&dir, COMBINE);
    type_shares(
        &mut session,
        &[
            (line(&shares[0]).trim(), "2 more needed"),
            // Forgeries that say something else are noticed at once.
            (other.trim(), "any 2 of 5 shares are needed, but the first share says any 3 of 5"),
            (same.trim(), "1 more needed"),
            (line(&shares[2]).trim(), "these shares are enough"),
        ],
    );
    ends(session, 1, "to find the bad share, give these shares and one more in files");
    assert!(!dir.exists("out"));
}

#[test]
fn too_few_shares_write_nothing() {
    let dir = Dir::new();
    let lines = split(&dir, "secret", &["--text"]);
    let mut session = in_terminal(&dir, COMBINE);
    session.expect("an empty line ends): ");
    session.send_secret(&lines[0]);
    session.expect("1 more needed");
    session.expect("an empty line ends): ");
    session.send_line("");
    ends(session, 1, "1 more share is needed");
    let mut session = in_terminal(&dir, COMBINE);
    session.expect("an empty line ends): ");
    session.send_control('d');
    ends(session, 1, "no share was typed");
    assert!(!dir.exists("out"));
}

/// What remains would be commands for the shell, and get into its history.
#[test]
fn of_pasted_shares_nothing_is_left_for_the_shell() {
    let dir = Dir::new();
    let lines = split(&dir, "secret", &["--text"]);
    let [one, two, three] = [0, 1, 2].map(|i| lines[i].as_str());
    // More than the terminal passes on at once.
    let long = [vec![one, two], vec![three; 500]].concat();
    // Before the last line, there is an empty line, or there are enough shares.
    for (pasted, status) in [(&[one, "", two][..], 1), (&[one, two, three], 0), (&long, 0)] {
        let mut session = in_terminal(
            &dir,
            "rm -f out; \"$SEALANE\" combine -o out; echo status $?; read next; echo \"next: $next\"",
        );
        session.expect("an empty line ends): ");
        session.paste_secrets(pasted);
        session.expect(&format!("status {status}"));
        session.send_line("nothing");
        ends(session, 0, "next: nothing");
    }
    assert_eq!(dir.read("out"), b"secret");
}

#[test]
fn shares_are_not_shown_after_the_command_was_stopped() {
    let dir = Dir::new();
    let lines = split(&dir, "secret", &["--text"]);
    // A shell turns the echo on before its prompt.
    let mut session = in_terminal(&dir, "set -m; \"$SEALANE\" combine -o out; stty echo; fg; echo status $?; stty -a");
    session.expect("Share 1 (not shown; an empty line ends): ");
    session.send_control('z');
    session.expect("Share 1 (not shown; an empty line ends): ");
    session.send_secret(&lines[0]);
    session.expect("1 more needed");
    session.expect("an empty line ends): ");
    session.send_secret(&lines[2]);
    let shown = ends(session, 0, "status 0");
    assert!(shown.contains(" echo ") && !shown.contains("-echo "), "{shown}");
    assert_eq!(dir.read("out"), b"secret");
}

#[test]
fn a_wrong_line_does_not_end_the_questions() {
    let dir = Dir::new();
    let (lines, others) = (split(&dir, "secret", &["--text"]), split(&dir, "other", &["--text"]));
    let mut session = in_terminal(&dir, COMBINE);
    type_shares(&mut session, &[(&others[0], "1 more needed")]);
    session.expect("an empty line ends): ");
    session.send_bytes(b"\xff");
    session.expect("the answer is not UTF-8; type it again");
    // The first share is the wrong one.
    type_shares(&mut session, &[(&lines[0], "or type \"new\" to drop the shares before it")]);
    session.expect("an empty line ends): ");
    session.send_line("new");
    session.expect("the shares before are dropped");
    type_shares(&mut session, &[(&lines[0], "1 more needed"), (&lines[1], "these shares are enough")]);
    ends(session, 0, "");
    assert_eq!(dir.read("out"), b"secret");
}

#[test]
fn without_a_terminal_files_are_needed() {
    let dir = Dir::new();
    let run = |args: &[&str]| crate::support::finish(dir.without_terminal(args));
    run(&["combine", "-o", "out"]).misused("no share given, and there is no terminal");
    run(&["combine", "--vault"]).misused("--ssss and --vault need files with shares");
    assert!(!dir.exists("out"));
}
