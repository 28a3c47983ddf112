//! Plugins that hang, lie or end too early.

use std::io::{BufRead as _, BufReader};
use std::os::unix::process::{CommandExt as _, ExitStatusExt as _};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::plugin::{RECIPIENT, run, with_path, with_plugin};
use crate::support::{Dir, Run, SEALANE, feed};

/// Creates a plugin that reads its whole input, and then runs `then`.
fn make_plugin(dir: &Dir, then: &str) {
    let heard = "while IFS= read -r line; do case $line in '-> done') read -r line; break;; esac; done";
    dir.write("bin/age-plugin-test", format!("#!/bin/sh\n{heard}\n{then}\n"));
}

/// Reads the reply to a stanza, and ends the conversation.
const DONE: &str = r"read -r reply; read -r line; printf -- '-> done\n\n'";
/// Ends the conversation of a plugin that has sent no other stanza.
const END: &str = r"printf -- '-> done\n\n'";
/// Sixteen bytes of zeros.
const KEY: &str = "AAAAAAAAAAAAAAAAAAAAAA";

#[test]
fn invalid_file_keys_are_refused() {
    let dir = with_plugin();
    dir.encrypt(b"secret", "x.age");
    let names = dir.names();
    let longer = format!("{KEY}AAAAAAAA");
    for (answer, error) in [
        ("file-key 0\\nAAAA\\n", "failed: it gave a file key of the wrong length"),
        ("file-key 0\\n\\n", "failed: it gave a file key of the wrong length"),
        (&format!("file-key 0\\n{longer}\\n"), "failed: it gave a file key of the wrong length"),
        // The key has the right length, but belongs to another file.
        (&format!("file-key 0\\n{KEY}\\n"), "the header was changed: its authentication code is wrong"),
        // The key is for a file that the command did not ask about.
        (&format!("file-key 1\\n{KEY}\\n"), "no identity matches"),
        (&format!("file-key -1\\n{KEY}\\n"), "no identity matches"),
        (&format!("file-key 18446744073709551616\\n{KEY}\\n"), "no identity matches"),
        (&format!("file-key\\n{KEY}\\n"), "no identity matches"),
        (&format!("file-key 0 0\\n{KEY}\\n"), "no identity matches"),
        // Not in Base64.
        ("file-key 0\\n****\\n", "failed: invalid response"),
        ("error identity 99\\nbm8gbHVjaw\\n", "failed: (identity 99) no luck"),
        ("error\\nbm8gbHVjaw\\n", "no luck"),
        ("confirm\\nbm8gbHVjaw\\n", "must have at least one metadata argument"),
        ("confirm *\\nbm8gbHVjaw\\n", "must be Base64"),
    ] {
        make_plugin(&dir, &format!("printf -- '-> {answer}'; {DONE}"));
        run(&dir, &["-d", "-j", "test", "-o", "out", "x.age"]).fails(error);
        assert_eq!(dir.names(), names, "{answer}");
    }
}

#[test]
fn invalid_stanzas_are_refused() {
    let dir = with_plugin();
    let names = dir.names();
    for (answer, error) in [
        ("recipient-stanza 1 test\\nAAAA\\n", "wrapped file key to a file we didn't provide"),
        ("recipient-stanza -1 test\\nAAAA\\n", "wrapped file key to a file we didn't provide"),
        ("recipient-stanza\\nAAAA\\n", "must have at least two metadata arguments"),
        ("recipient-stanza 0\\nAAAA\\n", "must have at least two metadata arguments"),
        // Stanzas of age's own types must have the right form.
        ("recipient-stanza 0 X25519\\nAAAA\\n", "a recipient returned an invalid stanza"),
        ("recipient-stanza 0 scrypt AAAAAAAAAAAAAAAAAAAAAA 10\\nAAAA\\n", "a recipient returned an invalid stanza"),
        ("labels a a\\n\\n", "must not contain duplicate labels"),
        ("error recipient 99\\nbm8gbHVjaw\\n", "no luck"),
    ] {
        make_plugin(&dir, &format!("printf -- '-> {answer}'; {DONE}"));
        run(&dir, &["-r", RECIPIENT, "-o", "out", "in"]).fails(error);
        assert_eq!(dir.names(), names, "{answer}");
    }
}

#[test]
fn unknown_commands_of_a_plugin_are_answered() {
    let dir = with_plugin();
    dir.encrypt(b"secret", "x.age");
    let log = "echo \"$reply\" > \"$PLUGIN_LOG\"";
    make_plugin(
        &dir,
        &format!(
            "printf -- '-> fly to the moon\\nAAAA\\n'; read -r reply; {log}; read -r line; printf -- '-> done\\n\\n'"
        ),
    );
    run(&dir, &["-d", "-j", "test", "-o", "out", "x.age"]).fails("no identity matches");
    assert_eq!(dir.read("log"), b"-> unsupported\n");
}

#[test]
fn endless_noise_is_an_error() {
    let dir = with_plugin();
    dir.encrypt(b"secret", "x.age");
    for noise in ["yes", "yes -- '->'", "cat /dev/urandom", "yes -- \"$(printf '\\377\\376')\""] {
        for heard in [true, false] {
            make_plugin(&dir, &format!("exec {noise}"));
            if !heard {
                dir.write("bin/age-plugin-test", format!("#!/bin/sh\nexec {noise}\n"));
            }
            run(&dir, &["-d", "-j", "test", "-o", "out", "x.age"]).fails("age-plugin-test failed");
            run(&dir, &["-r", RECIPIENT, "-o", "out", "in"]).fails("age-plugin-test failed");
        }
    }
    assert!(!dir.exists("out"));
}

/// Creates a directory with a plugin that runs `then` after it has written its process id, a
/// directory for temporary files, and a file for the plugin.
fn with_endless_plugin(then: &str) -> Dir {
    let dir = with_plugin();
    run(&dir, &["-r", RECIPIENT, "-o", "x.age", "in"]).quiet();
    std::fs::create_dir(dir.path("tmp")).unwrap();
    make_plugin(&dir, &format!("echo $$ > \"$PLUGIN_LOG.new\"; mv \"$PLUGIN_LOG.new\" \"$PLUGIN_LOG\"; {then}"));
    std::fs::remove_file(dir.path("log")).unwrap();
    dir
}

/// Starts the command with default signals in its own process group, as a shell does, and waits
/// until the plugin has written its process id.
fn start(dir: &Dir, args: &[&str]) -> (Child, String) {
    let mut command = Command::new("env");
    command.arg("--default-signal").arg(SEALANE).args(args).process_group(0);
    with_path(dir, &mut command);
    command.env("TMPDIR", dir.path("tmp")).stdin(Stdio::null()).stderr(Stdio::null());
    let child = command.current_dir(dir.root()).spawn().unwrap();
    let deadline = Instant::now() + Duration::from_secs(30);
    while !dir.exists("log") {
        assert!(Instant::now() < deadline, "the plugin has not been started");
        std::thread::sleep(Duration::from_millis(5));
    }
    (child, String::from_utf8(dir.read("log")).unwrap().trim().to_owned())
}

fn kill(signal: &str, whom: &str) {
    assert!(Command::new("kill").args(["-s", signal, "--", whom]).status().unwrap().success());
}

/// Returns whether the process keeps running for five seconds.
fn lives(process: &str) -> bool {
    let deadline = Instant::now() + Duration::from_secs(5);
    let state = || {
        let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
        stat.rsplit(") ").next().and_then(|rest| rest.chars().next()).unwrap_or('X')
    };
    // An ended process is a zombie until its parent asks for the exit status.
    while !matches!(state(), 'Z' | 'X') {
        if Instant::now() > deadline {
            return true;
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    false
}

#[test]
fn ctrl_c_ends_the_wait_for_a_plugin_and_leaves_nothing_behind() {
    for then in [
        "exec sleep 100",
        // A plugin that ignores signals.
        "trap '' TERM INT; while :; do sleep 0.1; done",
        // A plugin that sends commands without end.
        "exec yes \"$(printf -- '-> fly\\n\\n')\"",
    ] {
        let dir = with_endless_plugin(then);
        dir.write("out", "old");
        let names: Vec<_> = dir.names().into_iter().chain(["log".to_owned()]).collect();
        for args in [&["-d", "-j", "test", "-o", "out", "x.age"][..], &["-r", RECIPIENT, "-o", "out", "in"]] {
            let (mut child, plugin) = start(&dir, args);
            assert!(child.try_wait().unwrap().is_none(), "{then}: it does not wait");
            // A terminal sends the signal to all processes of the group.
            kill("INT", &format!("-{}", child.id()));
            let status = child.wait().unwrap();
            assert_eq!(status.signal(), Some(2), "{then}: {status:?}");
            assert!(!lives(&plugin), "{then}: the plugin has been left");
            assert_eq!((dir.names().len(), dir.read("out")), (names.len(), b"old".to_vec()), "{then}");
            let leftovers: Vec<_> = std::fs::read_dir(dir.path("tmp")).unwrap().collect();
            assert!(leftovers.is_empty(), "{then}: {leftovers:?}");
            std::fs::remove_file(dir.path("log")).unwrap();
        }
    }
}

#[test]
fn a_plugin_that_hangs_ends_with_the_command() {
    for then in [
        "exec sleep 100",
        "trap '' TERM INT HUP; while :; do sleep 0.1; done",
        "printf -- '-> msg\\nbm8gbHVjaw\\n'; while read -r line; do :; done",
    ] {
        let dir = with_endless_plugin(then);
        for signal in ["TERM", "INT", "HUP"] {
            for args in [&["-d", "-j", "test", "-o", "out", "x.age"][..], &["-r", RECIPIENT, "-o", "out", "in"]] {
                let (mut child, plugin) = start(&dir, args);
                // The signal goes to the command alone.
                kill(signal, &child.id().to_string());
                assert!(child.wait().unwrap().signal().is_some());
                assert!(!lives(&plugin), "{signal}: {then}");
                std::fs::remove_file(dir.path("log")).unwrap();
            }
        }
    }
}

/// The command cannot react to SIGKILL, but a plugin sees the end of its input.
#[test]
fn a_plugin_notices_that_the_command_was_killed() {
    let dir = with_endless_plugin("printf -- '-> msg\\nbm8gbHVjaw\\n'; while read -r line; do :; done");
    let (mut child, plugin) = start(&dir, &["-d", "-j", "test", "-o", "out", "x.age"]);
    kill("KILL", &child.id().to_string());
    assert!(child.wait().unwrap().signal().is_some());
    assert!(!lives(&plugin));
}

/// A plugin that has finished the conversation, but does not end.
#[test]
fn a_plugin_that_stays_is_ended() {
    let dir = with_endless_plugin("printf -- '-> done\\n\\n'; trap '' TERM INT HUP; while :; do sleep 0.1; done");
    let started = Instant::now();
    let mut command = dir.command(["-d", "-j", "test", "-o", "out", "x.age"]);
    with_path(&dir, &mut command);
    crate::support::finish(command).fails("no identity matches");
    let plugin = String::from_utf8(dir.read("log")).unwrap();
    assert!(!lives(plugin.trim()), "after {:?}", started.elapsed());
}

#[test]
fn what_is_too_long_is_cut() {
    let dir = with_plugin();
    run(&dir, &["-r", RECIPIENT, "-o", "x.age", "in"]).quiet();
    dir.write("error", format!("-> error\n{}\n", format!("{}\n", "A".repeat(64)).repeat(20_000)));
    let error = dir.path("error");
    let errors = format!("while cat '{}'; do read -r reply; read -r line; done", error.display());
    for then in [
        // A line without end, a stanza's body without end, and stanzas without end.
        "exec tr '\\0' A < /dev/zero",
        "printf -- '-> msg '; exec tr '\\0' A < /dev/zero",
        "printf -- '-> msg\\n'; exec yes AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
        &errors,
    ] {
        make_plugin(&dir, then);
        for args in [&["-d", "-j", "test", "-o", "out", "x.age"][..], &["-r", RECIPIENT, "-o", "out", "in"]] {
            // The limit on its memory stops the command early if it stores the input. The unit is
            // KiB.
            let mut command = Command::new("sh");
            command.args(["-c", "ulimit -v 2000000; exec \"$0\" \"$@\"", SEALANE]).args(args);
            with_path(&dir, &mut command);
            command.current_dir(dir.root()).stdin(Stdio::null());
            crate::support::finish(command).fails("age-plugin-test failed: its output is too long");
        }
    }
}

#[test]
fn plugins_do_not_get_the_passphrase() {
    let dir = with_plugin();
    run(&dir, &["-r", RECIPIENT, "-o", "x.age", "in"]).quiet();
    for (variable, value) in [("AGE_PASSPHRASE", "secret"), ("AGE_PASSPHRASE_FD", "3")] {
        make_plugin(&dir, &format!("env > \"$PLUGIN_LOG\"; {END}"));
        let mut command = dir.command(["-d", "-j", "test", "x.age"]);
        with_path(&dir, &mut command);
        command.env(variable, value);
        crate::support::finish(command).failed_somehow();
        let environment = String::from_utf8(dir.read("log")).unwrap();
        assert!(environment.contains("PLUGIN_LOG="));
        assert!(
            !environment.contains("AGE_PASSPHRASE=") && !environment.contains("AGE_PASSPHRASE_FD="),
            "{environment}"
        );
    }
}

#[test]
fn what_plugins_run_in_is_for_their_owner_only() {
    let dir = with_plugin();
    run(&dir, &["-r", RECIPIENT, "-o", "x.age", "in"]).quiet();
    std::fs::create_dir(dir.path("tmp")).unwrap();
    make_plugin(&dir, &format!("stat -c %a . .. > \"$PLUGIN_LOG\"; {END}"));
    let mut command = Command::new("sh");
    command.args(["-c", "umask 0; exec \"$0\" -d -j test x.age", SEALANE]);
    with_path(&dir, &mut command);
    command.current_dir(dir.root()).env("TMPDIR", dir.path("tmp")).stdin(Stdio::null());
    crate::support::finish(command).fails("no identity matches");
    assert_eq!(dir.read("log"), b"700\n700\n");
}

#[test]
fn the_folder_of_a_plugin_is_removed() {
    let dir = with_plugin();
    std::fs::create_dir(dir.path("tmp")).unwrap();
    let run = |args: &[&str]| -> Run {
        let mut command = dir.command(args);
        with_path(&dir, &mut command);
        command.env("TMPDIR", dir.path("tmp"));
        feed(command, b"secret")
    };
    run(&["-r", RECIPIENT, "-o", "x.age"]).quiet();
    run(&["-d", "-j", "test", "x.age"]).quiet();
    dir.encrypt(b"x", "y.age");
    run(&["-d", "-j", "test", "y.age"]).fails("no identity matches");
    assert!(std::fs::read_dir(dir.path("tmp")).unwrap().next().is_none());
    // The plugin is not at fault if there can be no folder.
    std::fs::remove_dir(dir.path("tmp")).unwrap();
    let error = run(&["-d", "-j", "test", "x.age"]).fails("error: cannot make a temporary folder: No such file");
    let error = String::from_utf8_lossy(&error.stderr).into_owned();
    assert!(error.contains("hint: TMPDIR must name a writable folder") && !error.contains("plugin"), "{error}");
}

/// The command and such a plugin wait for each other while the command sends a long header.
#[test]
fn the_user_is_told_of_a_plugin_that_does_not_read() {
    let dir = with_plugin();
    // 1000 stanzas are more than a pipe holds.
    dir.write("many", String::from_utf8(dir.read("key.pub")).unwrap().repeat(1000));
    dir.encrypt_to("many", b"secret", "x.age");
    dir.write("bin/age-plugin-test", "#!/bin/sh\nhead -c 131072 /dev/zero | tr '\\0' A\nexec sleep 100\n");
    let mut command = Command::new("timeout");
    command.args(["60", SEALANE, "-d", "-j", "test", "-o", "out", "x.age"]);
    with_path(&dir, &mut command);
    command.current_dir(dir.root()).stdin(Stdio::null()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut line = String::new();
    BufReader::new(child.stderr.take().unwrap()).read_line(&mut line).unwrap();
    kill("TERM", &child.id().to_string());
    child.wait().unwrap();
    assert_eq!(line, "sealane: waiting for age-plugin-test\n");
}
