//! Passphrases without a terminal.

use crate::support::{Dir, Run, finish};

fn run_with(dir: &Dir, variables: &[(&str, &str)], args: &[&str]) -> Run {
    let mut command = dir.without_terminal(args);
    command.envs(variables.iter().copied());
    finish(command)
}

#[test]
fn from_the_environment() {
    let dir = Dir::new();
    dir.write("in", "secret");
    for armor in [&["-p", "-o", "out", "in"][..], &["-a", "-p", "-o", "out", "in"]] {
        run_with(&dir, &[("AGE_PASSPHRASE", "pass word\u{e9}")], armor).quiet();
        assert_eq!(run_with(&dir, &[("AGE_PASSPHRASE", "pass word\u{e9}")], &["-d", "out"]).quiet().stdout, b"secret");
        run_with(&dir, &[("AGE_PASSPHRASE", "wrong")], &["-d", "-o", "new", "out"]).fails("incorrect passphrase");
    }
    // Without a terminal for the question, the error says what to do.
    let run = run_with(&dir, &[], &["-d", "-o", "new", "out"]).fails("there is no terminal");
    assert!(String::from_utf8_lossy(&run.stderr).contains("AGE_PASSPHRASE"));
    run_with(&dir, &[], &["-p", "-o", "new", "in"]).fails("there is no terminal");
    run_with(&dir, &[("AGE_PASSPHRASE", "")], &["-p", "-o", "new", "in"]).fails("there is no terminal");
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
    assert_eq!(run_with(&dir, &[("AGE_PASSPHRASE", "pass word")], &["-d", "out"]).quiet().stdout, b"secret");

    dir.sh("AGE_PASSPHRASE_FD=0 exec \"$SEALANE\" -d < out").misused("standard input is used twice");
    dir.sh("AGE_PASSPHRASE_FD=77 exec \"$SEALANE\" -d out").fails("file descriptor 77 is not open");
    dir.sh("AGE_PASSPHRASE_FD=3 exec \"$SEALANE\" -d out 3< /dev/null").fails("is empty");
    dir.sh("AGE_PASSPHRASE_FD=3 exec \"$SEALANE\" -d out 3< /dev/zero").fails("longer than 1 MiB");
    for fd in ["xyzzy", "-1", "3.0", "99999999999"] {
        let run = run_with(&dir, &[("AGE_PASSPHRASE_FD", fd)], &["-d", "out"]);
        // The user may have put the passphrase there.
        assert!(!run.err().contains(fd), "{}", run.err());
        run.misused("not the number of a file descriptor");
    }
    run_with(&dir, &[("AGE_PASSPHRASE_FD", "3"), ("AGE_PASSPHRASE", "x")], &["-d", "out"]).misused("both set");
}

#[test]
fn a_file_descriptor_is_read_from_its_position() {
    let dir = Dir::new();
    dir.write("in", "secret");
    // The shell reads lines of a file byte by byte, so the second line is left.
    dir.write("pass", "a line for somebody else\npass word\n");
    let read = "{ read -r line; AGE_PASSPHRASE_FD=3 \"$SEALANE\" -p -o out in 3<&0 < /dev/null; } < pass";
    dir.sh(read).quiet();
    assert_eq!(run_with(&dir, &[("AGE_PASSPHRASE", "pass word")], &["-d", "out"]).quiet().stdout, b"secret");
    // The writer of the FIFO has closed it already.
    let script = "mkfifo fifo; exec 3<> fifo 4< fifo; printf 'pass word' >&3; exec 3>&-; \
                  AGE_PASSPHRASE_FD=4 exec timeout 20 \"$SEALANE\" -d out < /dev/null";
    assert_eq!(dir.sh(script).quiet().stdout, b"secret");
}

#[test]
fn a_socket_as_the_source_of_a_passphrase_is_an_error() {
    let dir = Dir::new();
    dir.write("in", "secret");
    let (socket, _other) = std::os::unix::net::UnixStream::pair().unwrap();
    let mut command = std::process::Command::new("sh");
    command.args(["-c", "AGE_PASSPHRASE_FD=3 exec \"$SEALANE\" -p -o out in 3<&0 < /dev/null"]);
    command.env("SEALANE", crate::support::SEALANE).env_remove("AGE_PASSPHRASE").current_dir(dir.root());
    command.stdin(std::os::fd::OwnedFd::from(socket));
    finish(command).fails("file descriptor 3 is a socket");
    assert!(!dir.exists("out"));
}

#[test]
fn too_little_memory_for_scrypt_is_an_error() {
    let dir = Dir::new();
    dir.write("in", "secret");
    run_with(&dir, &[("AGE_PASSPHRASE", "pass")], &["-p", "-o", "out", "in"]).quiet();
    let file = String::from_utf8_lossy(&dir.read("out")).replacen(" 4\n", " 22\n", 1);
    dir.write("greedy", file);
    let limited = "ulimit -v 2000000; AGE_PASSPHRASE=pass; export AGE_PASSPHRASE; ";
    dir.sh(&format!("{limited} exec \"$SEALANE\" -d greedy")).fails("4 GiB of memory");
    let script = format!("{limited} AGE_PASSPHRASE_WORK_FACTOR=22 exec \"$SEALANE\" -p -o new in");
    dir.sh(&script).fails("4 GiB of memory");
    assert!(!dir.exists("new"));
}

#[test]
fn work_factors() {
    let dir = Dir::new();
    dir.write("in", "secret");
    let factor = |name, value| [("AGE_PASSPHRASE", "pass"), (name, value)];
    run_with(&dir, &factor("AGE_PASSPHRASE_WORK_FACTOR", "7"), &["-p", "-o", "out", "in"]).quiet();
    let header = String::from_utf8_lossy(&dir.read("out")).lines().nth(1).unwrap().to_owned();
    assert!(header.starts_with("-> scrypt ") && header.ends_with(" 7"), "{header}");
    run_with(&dir, &factor("AGE_PASSPHRASE_MAX_WORK_FACTOR", "7"), &["-d", "out"]).quiet();
    run_with(&dir, &factor("AGE_PASSPHRASE_MAX_WORK_FACTOR", "6"), &["-d", "out"])
        .fails("work factor is 7, which is more than the limit of 6");
    for bad in ["0", "31", "x", "-1"] {
        run_with(&dir, &factor("AGE_PASSPHRASE_WORK_FACTOR", bad), &["-p", "-o", "new", "in"])
            .misused("must be a number from 1 to 30");
    }
    // An excessive work factor is refused before any work, and before any question.
    let file = String::from_utf8_lossy(&dir.read("out")).replacen(" 7\n", " 23\n", 1);
    dir.write("greedy", file);
    run_with(&dir, &[], &["-d", "greedy"]).fails("work factor is 23, which is more than the limit of 22");
}

#[test]
fn a_passphrase_file_and_identities() {
    let dir = Dir::with_key();
    run_with(&dir, &[("AGE_PASSPHRASE", "pass")], &["-p", "-o", "out", "key.pub"]).quiet();
    let run = run_with(&dir, &[("AGE_PASSPHRASE", "pass")], &["-d", "-i", "key.txt", "-o", "new", "out"]);
    run.fails("encrypted with a passphrase, and identities were given");
    assert!(!dir.exists("new"));
    std::fs::create_dir(dir.path("folder")).unwrap();
    std::fs::rename(dir.path("out"), dir.path("folder/out.age")).unwrap();
    let run = dir.run(["decrypt", "--no-manifest", "-i", "key.txt", "-o", "new", "folder"]);
    assert!(run.err().contains("hint: open it by itself, without the other files and without -i"), "{}", run.err());
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

/// A journal does not tell which passphrase a finished file has.
#[test]
fn no_run_with_a_passphrase_is_resumed() {
    let dir = Dir::with_key();
    run_with(&dir, &[("AGE_PASSPHRASE", "pass")], &["encrypt", "-p", "--resume", "-o", "out", "key.pub"])
        .misused("-p/--passphrase can't be combined with --resume");
    assert!(!dir.exists("out"));
}
