//! The command at a terminal, through a pseudo-terminal.

use std::process::Command;

use crate::session::Session;
use crate::support::{Dir, SEALANE, bytes};

/// Runs the shell script `script` in a terminal. In the script, `$SEALANE` is the command.
pub(crate) fn in_terminal(dir: &Dir, script: &str) -> Session {
    // A shell in a terminal starts with no signal ignored. The tests may start with ignored
    // signals, under nohup or in the background of a script. A terminal has echo, but rexpect's
    // begins without.
    let mut command = Command::new("env");
    command.args(["--default-signal", "sh", "-c", &format!("stty echo; {script}")]);
    dir.isolate(&mut command);
    command.env("SEALANE", SEALANE).env("TERM", "xterm");
    Session::start(command)
}

/// Waits for the end, and checks the exit status. `what` must have been shown.
#[track_caller]
pub(crate) fn ends(session: Session, status: i32, what: &str) -> String {
    let (shown, actual) = session.end();
    assert_eq!(actual, status, "{shown}");
    assert!(shown.contains(what), "{shown}");
    shown
}

#[test]
fn a_passphrase_is_requested_and_confirmed() {
    let dir = Dir::new();
    dir.write("in", "the secret\n");
    let mut session = in_terminal(&dir, "exec \"$SEALANE\" -p -o out in");
    session.expect("Enter passphrase (leave empty");
    session.send_secret("correct horse");
    session.expect("Confirm passphrase: ");
    session.send_secret("correct horse");
    ends(session, 0, "");

    let mut session = in_terminal(&dir, "exec \"$SEALANE\" -d out");
    session.expect("Enter passphrase for \"out\": ");
    session.send_secret("correct horse");
    ends(session, 0, "the secret");

    let mut session = in_terminal(&dir, "exec \"$SEALANE\" -d -o new out");
    session.expect("Enter passphrase");
    session.send_secret("wrong");
    ends(session, 1, "incorrect passphrase");

    let mut session = in_terminal(&dir, "exec \"$SEALANE\" -d -o new out");
    session.expect("Enter passphrase");
    session.send_line("");
    ends(session, 1, "no passphrase given");

    let mut session = in_terminal(&dir, "exec \"$SEALANE\" -d -o new out");
    session.expect("Enter passphrase for \"out\": ");
    session.send_control('d');
    let shown = ends(session, 1, "no passphrase given for \"out\"");
    assert!(!shown.contains("no terminal"), "{shown}");

    let mut session = in_terminal(&dir, "exec \"$SEALANE\" -p -o new in");
    session.expect("Enter passphrase");
    session.send_control('d');
    ends(session, 1, "no passphrase given");

    let mut session = in_terminal(&dir, "exec \"$SEALANE\" -p -o new in");
    session.expect("Enter passphrase");
    session.send_secret("first try");
    session.expect("Confirm");
    session.send_secret("second try");
    let shown = ends(session, 1, "the passphrases are not the same");
    assert!(shown.contains("nothing was written"), "{shown}");
    assert_eq!(dir.names(), ["in", "out"]);
}

#[test]
fn a_generated_passphrase_is_shown_at_the_terminal_only() {
    let dir = Dir::new();
    dir.write("in", "the secret\n");
    // Both standard streams are redirected. Only the question and the passphrase reach the
    // terminal.
    let mut session = in_terminal(&dir, "exec \"$SEALANE\" -p in > out 2> log");
    session.expect("Enter passphrase (leave empty");
    session.send_line("");
    let passphrase = session.expect_match("([a-z]+-){9}[a-z]+");
    ends(session, 0, "write it down");
    assert_eq!(dir.read("log"), b"");
    let mut session = in_terminal(&dir, "exec \"$SEALANE\" -d < out");
    session.expect("Enter passphrase");
    session.send_secret(&passphrase);
    ends(session, 0, "the secret");
}

#[test]
fn a_terminal_that_is_only_standard_input_is_enough() {
    let dir = Dir::new();
    dir.write("in", "the secret\n");
    // A new session has no controlling terminal, so `/dev/tty` cannot be opened.
    let mut session = in_terminal(&dir, "exec setsid --wait \"$SEALANE\" -p -o out in > log 2>&1");
    session.expect("Enter passphrase (leave empty");
    session.send_secret("correct horse");
    session.expect("Confirm passphrase: ");
    session.send_secret("correct horse");
    ends(session, 0, "");
    assert_eq!(dir.read("log"), b"");
    let mut session = in_terminal(&dir, "setsid --wait \"$SEALANE\" -d out; stty -a");
    session.expect("Enter passphrase for \"out\": ");
    session.send_secret("correct horse");
    let shown = ends(session, 0, "the secret");
    assert!(shown.contains(" echo ") && !shown.contains("-echo "), "{shown}");
}

#[test]
fn a_signal_during_a_prompt_restores_the_echo() {
    let dir = Dir::new();
    dir.write("in", "x");
    // The shell survives the signal, so that it can print the terminal's state.
    let script = "trap : INT; \"$SEALANE\" -p -o out in; echo status $?; stty -a";
    let mut session = in_terminal(&dir, script);
    session.expect("generate a secure one): ");
    session.send_control('c');
    let shown = ends(session, 0, "status 130");
    assert!(shown.contains(" echo ") && !shown.contains("-echo "), "{shown}");
    assert!(!shown.contains("error"), "{shown}");

    // Another process sends the signal while the question is on the screen.
    let script = "trap : TERM; echo shell $$; \"$SEALANE\" -p -o out in; echo status $?; stty -a";
    let mut session = in_terminal(&dir, script);
    let shell = session.expect_match("shell [0-9]+");
    session.expect("generate a secure one): ");
    let shell = shell.trim_start_matches("shell ");
    assert!(Command::new("pkill").args(["-TERM", "-x", "-P", shell, "sealane"]).status().unwrap().success());
    let shown = ends(session, 0, "status 143");
    assert!(shown.contains(" echo ") && !shown.contains("-echo "), "{shown}");
    assert_eq!(dir.names(), ["in"]);
}

#[test]
fn after_a_passphrase_nothing_is_left_for_the_shell() {
    let dir = Dir::new();
    dir.write("in", "the secret\n");
    let then = "echo status $?; read next; echo \"next: $next\"";
    let mut session = in_terminal(&dir, &format!("\"$SEALANE\" -p -o out in; {then}"));
    session.expect("generate a secure one): ");
    // Both answers can be pasted together.
    session.paste_secrets(&["correct horse", "correct horse", "battery staple"]);
    session.expect("status 0");
    session.send_line("nothing");
    ends(session, 0, "next: nothing");
    let mut session = in_terminal(&dir, &format!("\"$SEALANE\" -d out; {then}"));
    session.expect("Enter passphrase for \"out\": ");
    session.paste_secrets(&["wrong", "correct horse"]);
    session.expect("status 1");
    session.send_line("nothing");
    ends(session, 0, "next: nothing");
}

#[test]
fn data_that_is_pasted_behind_a_passphrase_is_kept() {
    let dir = Dir::new();
    let mut session = in_terminal(&dir, "\"$SEALANE\" -p -o out; echo status $?");
    session.expect("generate a secure one): ");
    // The data may be shown: it can arrive when the echo is on again.
    session.send_line("correct horse\ncorrect horse\nthe data");
    session.send_control('d');
    ends(session, 0, "status 0");
    let opened = dir.command(["-d", "out"]).env("AGE_PASSPHRASE", "correct horse").output().unwrap();
    assert_eq!(opened.stdout, b"the data\n");
}

#[test]
fn a_passphrase_is_not_shown_after_the_command_was_stopped() {
    let dir = Dir::new();
    dir.write("in", "the secret\n");
    let mut session = in_terminal(&dir, "set -m; \"$SEALANE\" -p -o out in; stty echo; fg");
    session.expect("generate a secure one): ");
    session.send_control('z');
    session.expect("generate a secure one): ");
    session.send_secret("correct horse");
    session.expect("Confirm passphrase: ");
    session.send_secret("correct horse");
    ends(session, 0, "");
    assert!(dir.exists("out"));
}

#[test]
fn a_passphrase_that_is_not_text_is_an_error() {
    let dir = Dir::new();
    dir.write("in", "the secret\n");
    let mut session = in_terminal(&dir, "exec \"$SEALANE\" -p -o out in");
    session.expect("generate a secure one): ");
    session.send_bytes(b"\xff");
    let shown = ends(session, 1, "cannot read the passphrase: the answer is not UTF-8");
    assert!(!shown.contains("no terminal"), "{shown}");
}

#[test]
fn identity_files_and_plugins_can_prompt() {
    let dir = Dir::with_key();
    dir.write("in", "the secret\n");
    dir.run(["-R", "key.pub", "-o", "out", "in"]).quiet();
    let mut session = in_terminal(&dir, "exec \"$SEALANE\" -p -a -o key.age key.txt");
    for _ in 0..2 {
        session.expect("passphrase");
        session.expect(": ");
        session.send_secret("open sesame");
    }
    ends(session, 0, "");
    let mut session = in_terminal(&dir, "exec \"$SEALANE\" -d -i key.age out");
    session.expect("Enter passphrase for identity file \"key.age\": ");
    session.send_secret("open sesame");
    ends(session, 0, "the secret");
}

#[test]
fn binary_output_to_a_terminal_is_refused() {
    let dir = Dir::with_key();
    dir.write("text", "plain text, \u{e9}\n");
    dir.write("binary", b"not \x1b[31mtext\n");
    // A terminal with 8 bits takes 0x9b for the beginning of a control sequence.
    dir.write("bits", b"not \x9b31mtext\n");
    let sealane = |args: &str| in_terminal(&dir, &format!("exec \"$SEALANE\" {args}"));
    ends(sealane("-R key.pub text"), 1, "refusing to write binary data to the terminal");
    ends(sealane("-a -R key.pub text"), 0, "-----END AGE ENCRYPTED FILE-----");
    for output in ["-", "/dev/tty", "/dev/stdout"] {
        ends(sealane(&format!("-R key.pub -o {output} text")), 0, "age-encryption.org/v1");
    }
    for name in ["text", "binary", "bits"] {
        dir.run(["-R", "key.pub", "-o", &format!("{name}.age"), name]).quiet();
    }
    ends(sealane("-d -i key.txt text.age"), 0, "plain text");
    // The last character has two bytes, and a range has one of them.
    ends(sealane("-d -i key.txt --range 0:13 text.age"), 0, "plain text, ");
    ends(sealane("-d -i key.txt --range 13: text.age"), 0, "");
    for name in ["binary", "bits"] {
        let shown = ends(sealane(&format!("-d -i key.txt {name}.age")), 1, "refusing to write binary data");
        assert!(!shown.contains("not "), "nothing of it is shown: {shown:?}");
    }
    ends(sealane("-d -i key.txt -o - binary.age"), 0, "not \u{1b}[31mtext");
}

#[test]
fn an_armored_file_can_be_pasted() {
    let dir = Dir::with_key();
    let armored = dir.run_with(b"the secret\n", ["-a", "-R", "key.pub"]).quiet().stdout;
    let mut session = in_terminal(&dir, "exec \"$SEALANE\" -d -i key.txt");
    for line in String::from_utf8(armored).unwrap().lines() {
        session.send_line(line);
    }
    ends(session, 0, "the secret");
}

#[test]
fn typed_input_is_encrypted_when_it_ends() {
    let dir = Dir::with_key();
    let mut session = in_terminal(&dir, "echo ready; exec \"$SEALANE\" -a -R key.pub | tee out");
    session.expect("ready");
    session.send_line("typed");
    session.send_control('d');
    let shown = ends(session, 0, "-----END AGE ENCRYPTED FILE-----");
    // Without echo, no test could show that a secret is hidden.
    assert!(shown.contains("typed"), "{shown}");
    assert_eq!(dir.run(["-d", "-i", "key.txt", "out"]).quiet().stdout, b"typed\n");
}

/// The end of the input is remembered.
#[test]
fn input_at_a_terminal_ends_with_one_end() {
    let dir = Dir::new();
    std::os::unix::fs::symlink(SEALANE, dir.path("age-inspect")).unwrap();
    for (command, what) in [
        ("\"$SEALANE\" inspect", "the file is empty"),
        ("./age-inspect", "the file is empty"),
        ("\"$SEALANE\" share inspect -", "is not a share"),
        ("\"$SEALANE\" combine -", "no shares"),
    ] {
        let mut session = in_terminal(&dir, &format!("echo ready; {command}; echo \"ended $(cat)\""));
        session.expect("ready");
        session.send_control('d');
        session.expect(what);
        session.send_line("here");
        session.send_control('d');
        ends(session, 0, "ended here");
    }
}

#[test]
fn without_arguments_the_short_help_is_shown() {
    let dir = Dir::new();
    let shown = ends(in_terminal(&dir, "exec \"$SEALANE\""), 0, "Usage: sealane");
    assert!(shown.contains("Keys and shares:") && !shown.contains("--salvage"), "{shown}");
}

#[test]
fn a_bar_is_shown_for_long_work_only() {
    let dir = Dir::with_key();
    dir.write("part", bytes(1 << 20));
    // A slow source: 5 MiB in about 2.5 seconds.
    let slow = "for i in 1 2 3 4 5; do cat part; sleep 0.5; done";
    // age draws no bar. The slow runs wait at once.
    std::os::unix::fs::symlink(SEALANE, dir.path("age")).unwrap();
    let age = in_terminal(&dir, &format!("({slow}) | ./age -R key.pub -o age.age"));
    let redirected = in_terminal(&dir, &format!("({slow}) | \"$SEALANE\" -R key.pub -o redirected 2> log"));
    let shown = ends(in_terminal(&dir, &format!("({slow}) | \"$SEALANE\" -R key.pub -o out")), 0, "MiB/s");
    assert!(shown.contains("MiB"), "{shown}");
    // No bar is shown for short work, or if standard error is redirected.
    let shown = ends(in_terminal(&dir, "\"$SEALANE\" -R key.pub -o short part"), 0, "");
    assert_eq!(shown, "");
    let shown = ends(redirected, 0, "");
    assert_eq!((shown.as_str(), dir.read("log")), ("", Vec::new()));
    assert_eq!(ends(age, 0, ""), "");
}

#[test]
fn many_files_have_one_bar() {
    let dir = crate::plugin::with_plugin();
    let plugin = String::from_utf8(dir.read("bin/age-plugin-test")).unwrap();
    // A slow recipient: four files take more than 1.6 seconds.
    dir.write("bin/age-plugin-test", plugin.replacen('\n', "\nsleep 0.4\n", 1));
    for name in ["a", "b", "c", "d"] {
        dir.write(name, bytes(1 << 20));
    }
    let recipient = crate::plugin::RECIPIENT;
    let command = format!("PATH=\"$PWD/bin:$PATH\" PLUGIN_LOG=log \"$SEALANE\" -r {recipient} -o sealed a b c d");
    let shown = ends(in_terminal(&dir, &command), 0, "MiB/s");
    assert!(shown.contains("/4.00 MiB"), "of all of them: {shown}");
    assert!(!shown.contains("/1.00 MiB"), "{shown}");
}

/// The files that an earlier run processed count as done, and not as work of this run.
#[test]
fn the_bar_of_a_resumed_run_shows_the_speed_of_its_own_work() {
    let dir = crate::plugin::with_plugin();
    let plugin = String::from_utf8(dir.read("bin/age-plugin-test")).unwrap();
    // The files that are left are read when the plugin has ended, and then the bar is shown.
    let slow = plugin.replacen('\n', "\nsleep 1.2\n", 1);
    dir.write("large", bytes(8 << 20));
    let encrypt = ["encrypt", "--resume", "-r", crate::plugin::RECIPIENT, "-o", "sealed", "large", "late"];
    let decrypt = ["decrypt", "--resume", "-i", "identity", "-o", "open", "sealed"];
    let resumed = |args: &[&str]| {
        dir.write("bin/age-plugin-test", &slow);
        let command = format!("PATH=\"$PWD/bin:$PATH\" PLUGIN_LOG=log \"$SEALANE\" {}", args.join(" "));
        let shown = ends(in_terminal(&dir, &command), 0, " MiB/8.");
        assert!(shown.contains("KiB/s") && !shown.contains("MiB/s"), "{args:?}: {shown}");
        dir.write("bin/age-plugin-test", &plugin);
    };

    std::os::unix::fs::symlink("/proc/self/mem", dir.path("late")).unwrap();
    assert!(crate::plugin::run(&dir, &encrypt).err().contains("1 of 2 files was not encrypted"));
    std::fs::remove_file(dir.path("late")).unwrap();
    dir.write("late", bytes(300 << 10));
    resumed(&encrypt);

    let sealed = dir.read("sealed/late.age");
    dir.write("sealed/late.age", "damaged");
    assert!(crate::plugin::run(&dir, &decrypt).err().contains("1 of 2 files was not decrypted"));
    dir.write("sealed/late.age", sealed);
    resumed(&decrypt);
    assert!(dir.read("open/late") == bytes(300 << 10));
}

#[test]
fn a_new_key_is_shown_once() {
    let dir = Dir::new();
    let shown = ends(in_terminal(&dir, "exec \"$SEALANE\" keygen"), 0, "AGE-SECRET-KEY-1");
    assert!(!shown.contains("Public key:"), "it is in the comment already: {shown}");
}

/// The holder is shown authenticated values, and asked for consent.
#[test]
fn a_holder_is_asked_for_a_part() {
    let dir = Dir::with_key();
    dir.keygen("b");
    dir.write("plain", "secret");
    let file = ["-k", "2", "--label", "budget 2027", "-R", "key.pub", "-R", "b.pub", "-o", "party.age", "plain"];
    dir.run(file).quiet();
    let ask = "exec \"$SEALANE\" contribute -i key.txt -o part party.age";
    for (answer, status) in [("n", 1), ("", 1), ("what\ny", 0)] {
        let mut session = in_terminal(&dir, ask);
        let shown = session.expect("Contribute this part? (y/n)");
        let expected =
            ["The maker of the file says", "label      \"budget 2027\"", "part       1 of 2; any 2 open the file"];
        assert!(expected.iter().all(|line| shown.contains(line)) && shown.contains("share set  "), "{shown}");
        // The name of the file proves nothing, because anyone may have chosen it.
        assert!(!shown.contains("party"), "{shown}");
        session.send_line(answer);
        let message = if status == 1 { "no part was contributed" } else { "" };
        ends(session, status, message);
        assert_eq!(dir.exists("part"), status == 0);
    }
    assert_eq!(dir.run(["-d", "-i", "b.txt", "--part", "part", "party.age"]).quiet().stdout, b"secret");
    let mut session = in_terminal(&dir, "exec \"$SEALANE\" contribute -i key.txt -o other party.age");
    session.expect("Contribute this part? (y/n)");
    session.send_control('d');
    ends(session, 1, "no part was contributed");
    assert!(!dir.exists("other"));
}
