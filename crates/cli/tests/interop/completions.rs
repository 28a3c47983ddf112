//! Completions in real shells, before and after a subcommand.

use std::fs;
use std::process::Command;
use std::time::Duration;

use rexpect::session::{PtySession, spawn_command};

use crate::SEALANE;

/// Typed lines, and the last words that they become.
const LINES: [(&str, &str); 5] = [
    ("sealane keyg", "keygen"),
    ("sealane share rei", "reissue"),
    ("sealane decrypt --ran", "--range"),
    ("sealane share reissue --ind", "--index"),
    ("sealane --recipients-f", "--recipients-file"),
];

/// Creates a folder with the script for `shell` under `name`.
fn script(shell: &str, name: &str) -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    let made = Command::new(SEALANE).args(["completions", shell]).output().unwrap();
    assert!(made.status.success(), "{shell}");
    fs::write(dir.path().join(name), made.stdout).unwrap();
    dir
}

/// Starts a shell at a terminal, in the folder with the script, and waits until it has run `setup`.
fn shell(dir: &tempfile::TempDir, program: &str, args: &[&str], setup: &str) -> PtySession {
    let mut command = Command::new(program);
    command.args(args).current_dir(dir.path()).env("TERM", "dumb");
    let mut session = spawn_command(command, Some(30_000))
        .unwrap_or_else(|error| panic!("{program} cannot be run: apt-get install {program}: {error}"));
    session.send_line(setup).unwrap();
    session.send_line("echo REA''DY").unwrap();
    session.exp_string("READY").unwrap();
    session
}

/// Types `line` and a tab, then ^X, on which the shell prints the completed line.
fn complete(session: &mut PtySession, line: &str, expected: &str) {
    session.send(line).unwrap();
    session.send("\t").unwrap();
    session.flush().unwrap();
    std::thread::sleep(Duration::from_millis(500));
    session.send_control('x').unwrap();
    session.exp_string("LINE:").unwrap();
    let found = session.exp_string(":END").unwrap();
    let (start, _) = line.rsplit_once(' ').unwrap();
    assert_eq!(found.trim_end_matches([' ', '=']), format!("{start} {expected}"), "{line}");
    // ^U empties the line.
    session.send_control('u').unwrap();
}

#[test]
fn zsh_completes() {
    let dir = script("zsh", "_sealane");
    let setup = "PROMPT=; fpath=($PWD $fpath); autoload -U compinit; compinit -u -D; \
                 report() { print -r -- \"LI\"\"NE:$BUFFER:END\" }; zle -N report; bindkey '^X' report";
    let mut session = shell(&dir, "zsh", &["-f", "-i"], setup);
    for (line, expected) in LINES {
        complete(&mut session, line, expected);
    }
}

#[test]
fn bash_completes() {
    let dir = script("bash", "script");
    let setup =
        "PS1=; source ./script; report() { echo \"LI\"\"NE:$READLINE_LINE:END\"; }; bind -x '\"\\C-x\": report'";
    let mut session = shell(&dir, "bash", &["--norc", "--noprofile", "-i"], setup);
    for (line, expected) in LINES {
        complete(&mut session, line, expected);
    }
}

#[test]
fn fish_completes() {
    let dir = script("fish", "script");
    for (line, expected) in LINES {
        let mut fish = Command::new("fish");
        fish.args(["--no-config", "-c", "source script; complete -C $argv[1]", line]).current_dir(dir.path());
        let found = fish.output().unwrap_or_else(|error| panic!("fish cannot be run: apt-get install fish: {error}"));
        let found = String::from_utf8(found.stdout).unwrap();
        let first: Vec<_> = found.lines().filter_map(|line| line.split('\t').next()).collect();
        assert_eq!(first, [expected], "{line}");
    }
}
