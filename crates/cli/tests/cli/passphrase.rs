//! Passphrases without a terminal.

use crate::support::{Dir, Run, finish};

fn with(dir: &Dir, variables: &[(&str, &str)], args: &[&str]) -> Run {
    let mut command = dir.without_terminal(args);
    command.envs(variables.iter().copied());
    finish(command)
}

#[test]
fn from_the_environment() {
    let dir = Dir::new();
    dir.write("in", "secret");
    for armor in [&["-p", "-o", "out", "in"][..], &["-a", "-p", "-o", "out", "in"]] {
        with(&dir, &[("AGE_PASSPHRASE", "pass word\u{e9}")], armor).quiet();
        assert_eq!(with(&dir, &[("AGE_PASSPHRASE", "pass word\u{e9}")], &["-d", "out"]).quiet().stdout, b"secret");
        with(&dir, &[("AGE_PASSPHRASE", "wrong")], &["-d", "-o", "new", "out"]).fails("incorrect passphrase");
    }
    // Nobody is there to ask, and what to do is said.
    let run = with(&dir, &[], &["-d", "-o", "new", "out"]).fails("there is no terminal");
    assert!(String::from_utf8_lossy(&run.stderr).contains("AGE_PASSPHRASE"));
    with(&dir, &[], &["-p", "-o", "new", "in"]).fails("there is no terminal");
    with(&dir, &[("AGE_PASSPHRASE", "")], &["-p", "-o", "new", "in"]).fails("there is no terminal");
    assert_eq!(dir.names(), ["in", "out"]);
}

#[test]
fn from_a_file_descriptor() {
    let dir = Dir::new();
    dir.write("in", "secret");
    dir.write("pass", "pass word\r\n\n");
    let encrypt = "AGE_PASSPHRASE_FD=3 setsid -w \"$SEALANE\" -p -o out in 3< pass";
    dir.sh(encrypt).quiet();
    // From a pipe, and from standard input.
    let run = dir.sh("printf 'pass word' | AGE_PASSPHRASE_FD=9 \"$SEALANE\" -d out 9<&0 < /dev/null");
    assert_eq!(run.quiet().stdout, b"secret");
    assert_eq!(dir.sh("AGE_PASSPHRASE_FD=0 \"$SEALANE\" -d out < pass").quiet().stdout, b"secret");
    assert_eq!(with(&dir, &[("AGE_PASSPHRASE", "pass word")], &["-d", "out"]).quiet().stdout, b"secret");

    dir.sh("AGE_PASSPHRASE_FD=0 exec \"$SEALANE\" -d < out").misused("standard input is used twice");
    dir.sh("AGE_PASSPHRASE_FD=77 exec \"$SEALANE\" -d out").fails("file descriptor 77");
    dir.sh("AGE_PASSPHRASE_FD=3 exec \"$SEALANE\" -d out 3< /dev/null").fails("is empty");
    dir.sh("AGE_PASSPHRASE_FD=3 exec \"$SEALANE\" -d out 3< /dev/zero").fails("longer than 1 MiB");
    for fd in ["x", "-1", "3.0", "99999999999"] {
        with(&dir, &[("AGE_PASSPHRASE_FD", fd)], &["-d", "out"]).misused("not the number of a file descriptor");
    }
    with(&dir, &[("AGE_PASSPHRASE_FD", "3"), ("AGE_PASSPHRASE", "x")], &["-d", "out"]).misused("both set");
}

#[test]
fn work_factors() {
    let dir = Dir::new();
    dir.write("in", "secret");
    let factor = |name, value| [("AGE_PASSPHRASE", "pass"), (name, value)];
    with(&dir, &factor("AGE_PASSPHRASE_WORK_FACTOR", "7"), &["-p", "-o", "out", "in"]).quiet();
    let header = String::from_utf8_lossy(&dir.read("out")).lines().nth(1).unwrap().to_owned();
    assert!(header.starts_with("-> scrypt ") && header.ends_with(" 7"), "{header}");
    with(&dir, &factor("AGE_PASSPHRASE_MAX_WORK_FACTOR", "7"), &["-d", "out"]).quiet();
    with(&dir, &factor("AGE_PASSPHRASE_MAX_WORK_FACTOR", "6"), &["-d", "out"])
        .fails("work factor is 7, which is more than the 6");
    for bad in ["0", "31", "x", "-1"] {
        with(&dir, &factor("AGE_PASSPHRASE_WORK_FACTOR", bad), &["-p", "-o", "new", "in"])
            .misused("must be a number from 1 to 30");
    }
    // What a stranger's file asks for is refused before any work, and before any question.
    let file = String::from_utf8_lossy(&dir.read("out")).replacen(" 7\n", " 23\n", 1);
    dir.write("greedy", file);
    with(&dir, &[], &["-d", "greedy"]).fails("work factor is 23, which is more than the 22");
}

#[test]
fn a_passphrase_file_and_identities() {
    let dir = Dir::with_key();
    with(&dir, &[("AGE_PASSPHRASE", "pass")], &["-p", "-o", "out", "key.pub"]).quiet();
    let run = with(&dir, &[("AGE_PASSPHRASE", "pass")], &["-d", "-i", "key.txt", "-o", "new", "out"]);
    run.fails("encrypted with a passphrase, and identities were given");
    assert!(!dir.exists("new"));
}

#[test]
fn at_full_strength() {
    let dir = Dir::new();
    dir.write("in", "secret");
    let run = |args: &[&str]| {
        let mut command = dir.without_terminal(args);
        command.env("AGE_PASSPHRASE", "pass").env_remove("AGE_PASSPHRASE_WORK_FACTOR");
        finish(command)
    };
    run(&["-p", "-o", "out", "in"]).quiet();
    assert!(String::from_utf8_lossy(&dir.read("out")).lines().nth(1).unwrap().ends_with(" 18"), "age's work factor");
    assert_eq!(run(&["-d", "out"]).quiet().stdout, b"secret");
}
