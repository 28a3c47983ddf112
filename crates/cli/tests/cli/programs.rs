//! The command, run through links with the names of age's programs. `tests/interop/programs.rs`
//! compares it with those programs.

use std::os::unix::fs::symlink;
use std::process::Command;

use serde_json::{Value, json};

use crate::support::{Dir, Run, SEALANE, bytes, feed};

/// Creates a directory with a key, and with links to the command under all its other names.
fn dir() -> Dir {
    let dir = Dir::with_key();
    std::fs::create_dir(dir.path("bin")).unwrap();
    for name in ["age", "age-keygen", "age-inspect", "age-plugin-sealane", "age-plugin-pq"] {
        symlink(SEALANE, dir.path(&format!("bin/{name}"))).unwrap();
    }
    dir
}

fn run_with(dir: &Dir, stdin: &[u8], program: &str, args: &[&str]) -> Run {
    // The plugins are in PATH under the names of the links.
    let path = format!("{}:{}", dir.path("bin").display(), std::env::var("PATH").unwrap());
    let mut command = Command::new(dir.path(&format!("bin/{program}")));
    command.args(args).current_dir(dir.root()).env("PATH", path).env_remove("AGE_PASSPHRASE");
    feed(command, stdin)
}

fn run(dir: &Dir, program: &str, args: &[&str]) -> Run {
    run_with(dir, b"", program, args)
}

/// Checks the exit status, that standard error begins with `what`, and that standard output is
/// empty.
#[track_caller]
fn ends(run: &Run, status: i32, what: &str) {
    assert_eq!(run.status.code(), Some(status), "{}", run.err());
    assert!(run.err().starts_with(what), "not {what:?}:\n{}", run.err());
    assert_eq!(run.text(), "");
}

#[test]
fn age_encrypts_and_decrypts() {
    let dir = dir();
    let recipient = String::from_utf8(dir.read("key.pub")).unwrap();
    for args in [&["-r", recipient.trim()][..], &["-a", "--R=key.pub"], &["-e", "-identity", "key.txt", "-armor=true"]]
    {
        let sealed = run_with(&dir, b"secret", "age", args).quiet().stdout;
        assert_eq!(run_with(&dir, &sealed, "age", &["-d", "-i", "key.txt"]).quiet().stdout, b"secret");
        dir.write("in.age", &sealed);
        run(&dir, "age", &["--decrypt", "-i=key.txt", "-o", "out", "--", "in.age"]).quiet();
        assert_eq!(dir.read("out"), b"secret");
    }
    // A copy of the program works like a link.
    std::fs::copy(SEALANE, dir.path("copy")).unwrap();
    std::fs::create_dir(dir.path("copies")).unwrap();
    std::fs::rename(dir.path("copy"), dir.path("copies/age")).unwrap();
    ends(&run(&dir, "../copies/age", &["a", "b"]), 1, "age: error: too many INPUT arguments: \"a\" \"b\"");
}

#[test]
fn age_has_its_own_statuses_and_no_subcommands() {
    let dir = dir();
    ends(&run(&dir, "age", &[]), 1, "Usage:\n    age [--encrypt]");
    ends(&run(&dir, "age", &["-h"]), 0, "Usage:\n    age [--encrypt]");
    ends(&run(&dir, "age", &["-x"]), 2, "flag provided but not defined: -x\nUsage:");
    ends(&run(&dir, "age", &["-r"]), 2, "flag needs an argument: -r\nUsage:");
    ends(&run(&dir, "age", &["-ao", "x"]), 2, "flag provided but not defined: -ao\nUsage:");
    ends(&run(&dir, "age", &["-k", "2", "x"]), 2, "flag provided but not defined: -k\nUsage:");
    // Valid flags that cannot be combined.
    ends(&run(&dir, "age", &["-d", "-a", "x"]), 1, "age: error: -a/--armor can't be used to decrypt\nage: hint: ");
    ends(&run(&dir, "age", &["-p", "-R", "key.pub"]), 1, "age: error: -p/--passphrase can't be combined");
    ends(&run(&dir, "age", &["-i", "key.txt", "key.pub"]), 1, "age: error: -i/--identity and -j encrypt only");
    ends(&run(&dir, "age", &["key.pub", "-R", "key.pub"]), 1, "age: error: too many INPUT arguments");
    // The names of sealane's subcommands are file names here.
    for word in ["encrypt", "decrypt", "keygen", "inspect", "bench", "help"] {
        ends(&run(&dir, "age", &[word]), 1, "age: error: missing recipients\n");
    }
    // Under age's name, the command does not accept folders.
    ends(&run(&dir, "age", &["-R", "key.pub", "-o", "out", "bin"]), 1, "age: error: \"bin\" is a directory");
    assert!(!dir.exists("out"));
    let version = run(&dir, "age", &["--version"]).quiet();
    for program in ["age-keygen", "age-inspect", "age-plugin-pq", "age-plugin-sealane"] {
        assert_eq!(run(&dir, program, &["-version"]).quiet().stdout, version.stdout);
        ends(&run(&dir, program, &["-nope"]), 2, "flag provided but not defined: -nope\nUsage:");
        ends(&run(&dir, program, &["--help"]), 0, "Usage:\n");
    }
    let version = String::from_utf8(version.stdout).unwrap();
    let (age, ours) = version.strip_prefix('v').unwrap().trim_end().split_once("+sealane.").unwrap();
    assert!(age.starts_with("1.3.") && ours == env!("CARGO_PKG_VERSION"), "{version}");
}

#[test]
fn age_keygen_makes_and_converts_keys() {
    let dir = dir();
    for args in [&["-o", "new.txt"][..], &["-pq", "-o", "new.txt"]] {
        let made = run(&dir, "age-keygen", args).ok();
        let public = String::from_utf8(made.stderr).unwrap().strip_prefix("Public key: ").unwrap().to_owned();
        assert_eq!(run(&dir, "age-keygen", &["-y", "new.txt"]).quiet().stdout, public.as_bytes());
        ends(&run(&dir, "age-keygen", args), 1, "age-keygen: error: \"new.txt\" exists");
        std::fs::remove_file(dir.path("new.txt")).unwrap();
    }
    ends(
        &run(&dir, "age-keygen", &["key.txt"]),
        1,
        "age-keygen: error: INPUT is only for -y\nage-keygen: hint: -o OUTPUT names",
    );
    ends(&run(&dir, "age-keygen", &["-y", "-pq"]), 1, "age-keygen: error: ");
    ends(&run(&dir, "age-keygen", &["--split", "2/3"]), 2, "flag provided but not defined: -split");
    // `-o -` writes to a file named `-`.
    run(&dir, "age-keygen", &["-o", "-"]).ok();
    assert!(dir.exists("-"));
}

#[test]
fn age_inspect_has_the_fields_of_age() {
    let dir = dir();
    dir.run_with(&bytes(200_000), ["-R", "key.pub", "-o", "x.age"]).quiet();
    let file = dir.read("x.age");
    let header = file.len() - 200_000 - 80;
    let json = run(&dir, "age-inspect", &["--json", "x.age"]).quiet().stdout;
    assert!(json.starts_with(b"{\n    \"version\": "), "the indentation of age");
    let expected = json!({
        "version": "age-encryption.org/v1",
        "postquantum": "no",
        "armor": false,
        "stanza_types": ["X25519"],
        "sizes": {
            "header": header,
            "armor": 0,
            "overhead": 80,
            "min_payload": 200_000,
            "max_payload": 200_000,
            "min_padding": 0,
            "max_padding": 0,
        },
    });
    assert_eq!(serde_json::from_slice::<Value>(&json).unwrap(), expected);
    let text = run_with(&dir, &file, "age-inspect", &[]).text();
    assert!(text.starts_with("<stdin> is an age file, version \"age-encryption.org/v1\".\n"), "{text}");
    assert!(text.contains("    Payload                   200000 bytes\n"), "{text}");
    dir.write("cut", &file[..header + 16 + 65_552 + 16]);
    ends(&run(&dir, "age-inspect", &["--json", "cut"]), 1, "age-inspect: error: \"cut\" is cut short");
    ends(&run(&dir, "age-inspect", &["a", "b"]), 1, "Usage:\n");
}

#[test]
fn age_plugin_pq_converts_identities() {
    let dir = dir();
    run(&dir, "age-keygen", &["-pq", "-o", "pq.txt"]).ok();
    run(&dir, "age-plugin-pq", &["-identity", "-o", "plugin.txt", "pq.txt"]).quiet();
    assert_eq!(dir.mode("plugin.txt"), 0o600);
    assert!(dir.read("plugin.txt").starts_with(b"AGE-PLUGIN-PQ-1"));
    let before = dir.read("plugin.txt");
    ends(
        &run(&dir, "age-plugin-pq", &["-identity", "-o", "plugin.txt", "pq.txt"]),
        1,
        "age-plugin-pq: error: \"plugin.txt\" exists",
    );
    assert_eq!(dir.read("plugin.txt"), before);
    dir.write("mixed", [dir.read("pq.txt"), dir.read("key.txt")].concat());
    ends(
        &run(&dir, "age-plugin-pq", &["-identity", "-o", "new", "mixed"]),
        1,
        "age-plugin-pq: error: identity #2 is not",
    );
    assert!(!dir.exists("new"));
    ends(&run(&dir, "age-plugin-pq", &[]), 4, "unknown state machine \"\"");
    ends(&run(&dir, "age-plugin-pq", &["--age-plugin=x"]), 4, "unknown state machine \"x\"");
    ends(&run(&dir, "age-plugin-sealane", &[]), 1, "Usage:\n");

    // The command reads such identities itself, without the plugin.
    let recipient = String::from_utf8(run(&dir, "age-keygen", &["-y", "pq.txt"]).quiet().stdout).unwrap();
    let native = run_with(&dir, b"secret", "age", &["-r", recipient.trim()]).quiet().stdout;
    assert_eq!(run_with(&dir, &native, "age", &["-d", "-i", "plugin.txt"]).quiet().stdout, b"secret");
    let sealed = run_with(&dir, b"secret", "age", &["-e", "-i", "plugin.txt"]).quiet().stdout;
    assert_eq!(run_with(&dir, &sealed, "age", &["-d", "-i", "pq.txt"]).quiet().stdout, b"secret");
    let inspected = run_with(&dir, &sealed, "age-inspect", &["--json"]).quiet().stdout;
    let inspected: Value = serde_json::from_slice(&inspected).unwrap();
    assert_eq!((&inspected["stanza_types"], &inspected["postquantum"]), (&json!(["mlkem768x25519"]), &json!("yes")));
    // Another recipient that is not post-quantum would undo the protection of the first.
    let refused = run_with(&dir, b"secret", "age", &["-e", "-i", "plugin.txt", "-R", "key.pub"]);
    assert_eq!(refused.status.code(), Some(1));
    // The file is for another recipient.
    run(&dir, "age-keygen", &["-pq", "-o", "other.txt"]).ok();
    let other = run_with(&dir, b"secret", "age", &["-e", "-i", "other.txt"]).quiet().stdout;
    ends(&run_with(&dir, &other, "age", &["-d", "-i", "plugin.txt"]), 1, "age: error: no identity matches");
}

#[test]
fn age_plugin_pq_speaks_the_protocol_of_plugins() {
    let dir = dir();
    run(&dir, "age-keygen", &["-pq", "-o", "pq.txt"]).ok();
    let identity = run(&dir, "age-plugin-pq", &["-identity", "pq.txt"]).ok().stdout;
    let identity = String::from_utf8(identity).unwrap();
    let identity = identity.lines().find(|line| line.starts_with("AGE-PLUGIN-PQ-1")).unwrap();
    let plugin = |machine: &str, messages: &str| {
        // Whatever the plugin says is answered with `ok`.
        let input = format!("{messages}-> done\n\n{}", "-> ok\n\n".repeat(3));
        run_with(&dir, input.as_bytes(), "age-plugin-pq", &[&format!("--age-plugin={machine}")]).text()
    };
    let file_key = "BwcHBwcHBwcHBwcHBwcHBw";
    let wrapped = plugin(
        "recipient-v1",
        &format!("-> add-identity {identity}\n\n-> extension-labels\n\n-> wrap-file-key\n{file_key}\n"),
    );
    assert!(wrapped.contains("-> labels postquantum\n"), "{wrapped}");
    let start = wrapped.find("-> recipient-stanza 0 mlkem768x25519 ").unwrap();
    // One argument, and a body of one line.
    let stanza: Vec<_> = wrapped[start..].lines().take(2).collect();
    let unwrap = |stanza: &str| plugin("identity-v1", &format!("-> add-identity {identity}\n\n{stanza}\n"));
    let unwrapped = unwrap(&stanza.join("\n"));
    assert!(unwrapped.contains(&format!("-> file-key 0\n{file_key}\n")), "{unwrapped}");
    let first = if stanza[1].starts_with('A') { "B" } else { "A" };
    let forged = unwrap(&format!("{}\n{first}{}", stanza[0], &stanza[1][1..]));
    assert!(!forged.contains("-> file-key"), "{forged}");
}
