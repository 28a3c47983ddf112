//! Questions of commands in the background, and at terminals in unusual modes.

use crate::support::{Dir, finish};
use crate::terminal::{ends, in_terminal};

/// Waits until the process `$!` is stopped.
const STOPPED: &str = "until ps -o stat= -p $! | grep -q T; do sleep 0.02; done";
/// Waits until the process `$!` has ended or is stopped again, and shows which of them it is.
const SHOW_END: &str = "while state=$(ps -o stat= -p $!); do case $state in [TZ]*) break; esac; sleep 0.02; done; \
                        case $state in T*) echo stopped again; kill -KILL $!; ;; *) echo it has ended; esac";

#[test]
fn the_enter_key_ends_an_answer_in_any_mode_of_the_terminal() {
    let dir = Dir::new();
    dir.write("in", "the secret\n");
    let mut session = in_terminal(&dir, "stty -icanon -icrnl -isig; \"$SEALANE\" -p -o out in; stty -a; stty sane");
    session.expect("generate a secure one): ");
    session.type_secret("correct horse");
    session.expect("Confirm passphrase: ");
    session.type_secret("correct horse");
    let shown = ends(session, 0, "-icanon");
    assert!(shown.contains("-icrnl") && shown.contains("-isig"), "the earlier mode: {shown}");
    let opened = dir.command(["-d", "out"]).env("AGE_PASSPHRASE", "correct horse").output().unwrap();
    assert_eq!(opened.stdout, b"the secret\n");
}

/// While a shell edits its command line, the terminal has the shell's settings.
#[test]
fn a_question_of_the_background_waits_for_the_foreground() {
    let dir = Dir::new();
    dir.write("in", "the secret\n");
    let script = format!("set -m; stty -icanon -echo; \"$SEALANE\" -p -o out in & {STOPPED}; stty sane; fg; stty -a");
    let mut session = in_terminal(&dir, &script);
    for question in ["generate a secure one): ", "Confirm passphrase: "] {
        session.expect(question);
        session.send_secret("correct horse");
    }
    let shown = ends(session, 0, " icanon");
    assert!(shown.contains(" echo "), "the settings of the foreground: {shown}");
    assert!(dir.exists("out"));
}

/// The signal is handled when the process continues. It is then still in the background.
#[test]
fn a_signal_ends_a_question_of_the_background() {
    let dir = Dir::new();
    dir.write("in", "the secret\n");
    let end = format!("kill -TERM $!; kill -CONT $!; {SHOW_END}");
    for _ in 0..5 {
        let script = format!("set -m; \"$SEALANE\" -p -o out in & {STOPPED}; {end}");
        ends(in_terminal(&dir, &script), 0, "it has ended");
    }
    // The question was asked in the foreground, and the user stopped the command.
    for _ in 0..5 {
        let script = format!("set -m; \"$SEALANE\" -p -o out in & fg; {end}");
        let mut session = in_terminal(&dir, &script);
        session.expect("generate a secure one): ");
        session.send_control('z');
        ends(session, 0, "it has ended");
    }
    // The answer to this question is shown. The one before, for a passphrase, is not.
    held(&dir);
    let mut lock = dir.command(["-p", "-o", "locked", "a.txt"]);
    lock.env("AGE_PASSPHRASE", "correct horse");
    finish(lock).quiet();
    let before = dir.names();
    for _ in 0..5 {
        let script = format!("set -m; \"$SEALANE\" contribute -i locked -o part held & fg; {end}");
        let mut session = in_terminal(&dir, &script);
        session.expect("Enter passphrase");
        session.send_secret("correct horse");
        session.expect("Contribute this part? (y/n)");
        session.send_control('z');
        ends(session, 0, "it has ended");
    }
    assert_eq!(dir.names(), before);
}

/// Makes the file `held` of two holders with the keys `a.txt` and `b.txt`.
fn held(dir: &Dir) {
    dir.keygen("a");
    dir.keygen("b");
    dir.write("plain", "secret");
    dir.run(["-k", "2", "-R", "a.pub", "-R", "b.pub", "-o", "held", "plain"]).quiet();
}

/// The input is typed, and the user stops the command.
#[test]
fn a_signal_ends_a_stopped_command_and_removes_its_file() {
    let dir = Dir::with_key();
    let before = dir.names();
    let file = "(until ls -A | grep -q .sealane-; do sleep 0.02; done; echo the file is there) &";
    for input in ["", "/dev/tty"].repeat(10) {
        let script = format!(
            "set -m; {file} \"$SEALANE\" -R key.pub -o out {input} & fg; kill -TERM $!; kill -CONT $!; {SHOW_END}"
        );
        let mut session = in_terminal(&dir, &script);
        session.send_line("typed");
        session.expect("the file is there");
        session.send_control('z');
        ends(session, 0, "it has ended");
        assert_eq!(dir.names(), before);
    }
}

/// The process stops again, because only the foreground can answer.
#[test]
fn a_question_and_typed_input_stop_in_the_background() {
    let dir = Dir::new();
    held(&dir);
    let resumed = format!("kill -CONT $!; {STOPPED}; fg");
    let script = format!("set -m; \"$SEALANE\" contribute -i a.txt -o part held & fg; {resumed}");
    let mut session = in_terminal(&dir, &script);
    session.expect("Contribute this part? (y/n)");
    session.send_control('z');
    session.expect("contribute");
    session.send_line("y");
    ends(session, 0, "");
    assert!(dir.read("part").starts_with(b"# part 1 of 2"));

    let script = format!("set -m; \"$SEALANE\" -a -R a.pub -o out & {STOPPED}; {resumed}");
    let mut session = in_terminal(&dir, &script);
    session.expect("out");
    session.send_line("typed");
    session.send_control('d');
    ends(session, 0, "");
    assert_eq!(dir.run(["-d", "-i", "a.txt", "out"]).quiet().stdout, b"typed\n");
}

/// Without a controlling terminal, questions are asked at standard input. Another program may have
/// made its open file non-blocking.
#[test]
fn a_terminal_that_does_not_block_is_waited_for() {
    let dir = Dir::new();
    held(&dir);
    let script = "dd iflag=nonblock count=0 2> log; \
                  exec setsid --wait \"$SEALANE\" contribute -i a.txt -o part held";
    let mut session = in_terminal(&dir, script);
    session.expect("Contribute this part? (y/n)");
    session.send_line("y");
    ends(session, 0, "");
    assert!(dir.exists("part"));
}

/// A read from a terminal, such as a serial line, can end after a time without input.
#[test]
fn input_from_another_terminal_may_end_by_timeout() {
    let dir = Dir::with_key();
    // In a session of its own, the command has no controlling terminal.
    let encrypt = "setsid --wait \"$SEALANE\" -R key.pub -o out; echo status $?";
    ends(in_terminal(&dir, &format!("stty raw min 0 time 3; {encrypt}; stty sane")), 0, "status 0");
    assert!(dir.exists("out"));
}
