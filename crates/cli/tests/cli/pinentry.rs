//! Passphrases from a pinentry program.

use crate::plugin::{with_path, with_plugin};
use crate::support::{Dir, Run, finish};

/// The part of the Assuan protocol that asks for a passphrase, in a few lines of shell. Each line
/// of `answers` answers one question, and the last line answers all later questions too. The
/// questions are written to `log`.
const PINENTRY: &str = r#"#!/bin/sh
echo "OK ready"
while read -r line; do
    case $line in
    GETPIN*)
        answer=$(head -n 1 answers)
        [ "$(wc -l < answers)" = 1 ] || sed -i 1d answers
        [ -z "$answer" ] || printf 'D %s\n' "$answer"
        echo "OK"
        ;;
    SETDESC*) printf '%s\n' "$line" >> log; echo "OK" ;;
    # A program may accept the request to ask twice (SETREPEAT), but ask only once.
    BYE*) echo "OK"; exit ;;
    *) echo "OK" ;;
    esac
done
"#;

fn with_pinentry(dir: Dir) -> Dir {
    dir.write("pinentry", PINENTRY);
    dir.set_mode("pinentry", 0o755);
    dir
}

/// Runs the command with these answers of the user.
fn ask(dir: &Dir, answers: &[&str], args: &[&str]) -> Run {
    dir.write("answers", answers.join("\n") + "\n");
    dir.write("log", "");
    let mut command = dir.without_terminal(args);
    with_path(dir, &mut command);
    command.env("PINENTRY_PROGRAM", dir.path("pinentry")).env_remove("PLUGIN_LOG");
    finish(command)
}

#[test]
fn from_pinentry() {
    let dir = with_pinentry(Dir::new());
    dir.write("in", "secret");
    ask(&dir, &["pass word"], &["-p", "-o", "out", "in"]).quiet();
    assert_eq!(ask(&dir, &["pass word"], &["-d", "out"]).quiet().stdout, b"secret");
    // The program asks again after an empty answer.
    assert_eq!(ask(&dir, &["", "pass word"], &["-d", "out"]).quiet().stdout, b"secret");
    ask(&dir, &["wrong"], &["-d", "-o", "new", "out"]).fails("incorrect passphrase");
    let run_with = |name: &str, value: &str| {
        let mut command = dir.without_terminal(["-d", "out"]);
        command.env(name, value);
        finish(command)
    };
    // The environment gives the same passphrase.
    assert_eq!(run_with("AGE_PASSPHRASE", "pass word").quiet().stdout, b"secret");
    assert!(!dir.exists("new"));
    let other = run_with("PINENTRY_PROGRAM", "false");
    assert!(other.err().contains("hint: PINENTRY_PROGRAM must name a pinentry program"), "{}", other.err());
    other.fails("no passphrase from pinentry: it ended, or its answer is malformed\n");
    run_with("PINENTRY_PROGRAM", "no-such-pinentry").fails("the pinentry program \"no-such-pinentry\" was not found");
}

/// Without the second question, a typing error would make the file unopenable.
#[test]
fn a_new_passphrase_is_requested_twice() {
    let dir = with_pinentry(Dir::with_key());
    dir.write("in", "secret");
    dir.encrypt(b"secret", "x.age");
    let (old, names) = (dir.read("x.age"), dir.names().len());
    for args in
        [&["-p", "-o", "new", "in"][..], &["-p", "-o", "x.age", "in"], &["rekey", "-p", "-i", "key.txt", "x.age"]]
    {
        for second in ["pass wrod", ""] {
            ask(&dir, &["pass word", second, "pass word"], args).fails("the passphrases are not the same");
            assert!(dir.read("x.age") == old, "{args:?}");
        }
        let questions = String::from_utf8(dir.read("log")).unwrap();
        assert!(questions.ends_with("\nSETDESC Confirm passphrase\n"), "{questions}");
    }
    // The answers and the questions.
    assert_eq!(dir.names().len(), names + 2);
    ask(&dir, &["pass word"], &["rekey", "-p", "-i", "key.txt", "x.age"]).ok();
    assert_eq!(ask(&dir, &["pass word"], &["-d", "x.age"]).quiet().stdout, b"secret");
}

#[test]
fn a_long_question_is_shortened() {
    let dir = with_pinentry(with_plugin());
    let folder = ["d".repeat(250), "e".repeat(250), "f".repeat(250), "%".repeat(250)].join("/");
    std::fs::create_dir_all(dir.path(&folder)).unwrap();
    let file = format!("{folder}/name.age");
    ask(&dir, &["pass word"], &["-p", "-o", &file, "in"]).quiet();
    assert_eq!(ask(&dir, &["pass word"], &["-d", &file]).quiet().stdout, b"secret");
    let question = String::from_utf8(dir.read("log")).unwrap();
    assert!(question.starts_with("SETDESC Enter passphrase for \"dddd"), "{question}");
    assert!(question.ends_with("/name.age\"\n") && question.len() <= 1000, "{question}");

    // The text of a plugin's question.
    dir.encrypt(b"x", "x.age");
    let text = "QUFB".repeat(16);
    let text = format!("{}AAAA", format!("{text}\\n").repeat(25));
    let heard = "while IFS= read -r line; do case $line in '-> done') read -r line; break;; esac; done";
    let ask_secret = format!("printf -- '-> request-secret\\n{text}\\n'; read -r reply; read -r secret");
    let end = "echo \"$secret\" > \"${0%/*}/../secret\"; printf -- '-> done\\n\\n'";
    dir.write("bin/age-plugin-test", format!("#!/bin/sh\n{heard}\n{ask_secret}\n{end}\n"));
    ask(&dir, &["1234"], &["-d", "-j", "test", "x.age"]).fails("no identity matches");
    assert_eq!(dir.read("secret"), b"MTIzNA\n");
}

/// A panic is a defect. It still must not leave the private folder behind.
#[test]
fn a_panic_leaves_no_folder_behind() {
    let dir = with_pinentry(with_plugin());
    dir.encrypt(b"x", "x.age");
    std::fs::create_dir(dir.path("tmp")).unwrap();
    // The crate `pinentry` panics at an error code of more than 32 bits.
    dir.write("pinentry", "#!/bin/sh\necho ERR 99999999999\n");
    let heard = "while IFS= read -r line; do case $line in '-> done') read -r line; break;; esac; done";
    dir.write("bin/age-plugin-test", format!("#!/bin/sh\n{heard}\nprintf -- '-> request-secret\\nQUFB\\n'; cat\n"));
    let mut command = dir.without_terminal(["-d", "-j", "test", "x.age"]);
    with_path(&dir, &mut command);
    command.env("PINENTRY_PROGRAM", dir.path("pinentry")).env("TMPDIR", dir.path("tmp"));
    let run = finish(command);
    assert!(run.err().contains("panicked"), "find another panic for this test: {}", run.err());
    assert!(std::fs::read_dir(dir.path("tmp")).unwrap().next().is_none());
}
