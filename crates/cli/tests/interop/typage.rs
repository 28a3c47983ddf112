//! typage: age in JavaScript, as it runs in browsers.
//!
//! `node` is in PATH or in NODE. The package is in the folder TYPAGE, or in target/typage.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use super::{Bench, PASSPHRASE, assert_same, bytes, find, run};

const CHUNK: usize = 65_536;
/// Sizes near a chunk, near the batch of 16 chunks that a thread processes, and above three such
/// batches.
const SIZES: [usize; 9] =
    [0, 1, CHUNK - 1, CHUNK, CHUNK + 1, 16 * CHUNK - 1, 16 * CHUNK, 16 * CHUNK + 1, 3 * 16 * CHUNK + 1];

fn package() -> PathBuf {
    let manifest = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folder = std::env::var_os("TYPAGE").map_or_else(|| manifest.join("../../target/typage"), PathBuf::from);
    assert!(
        folder.join("node_modules/age-encryption/package.json").is_file(),
        "there is no npm package age-encryption in {folder:?}: install it there with `bash .ci/run typage_package`, or \
         set TYPAGE to the folder with its node_modules"
    );
    folder
}

/// Runs all `jobs` in one process, because starting it takes longer than most jobs.
#[track_caller]
fn typage(bench: &Bench, jobs: &[Value]) {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/interop/typage/typage.mjs");
    let mut child = Command::new(find("NODE", "node", "install Node.js 18 or later: apt install nodejs"))
        .arg(script)
        .arg(package())
        .current_dir(bench.dir.path())
        .stdin(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(json!(jobs).to_string().as_bytes()).unwrap();
    let out = child.wait_with_output().unwrap();
    assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
}

/// Identities and recipients, for the command and for typage.
struct Key {
    recipient: &'static [&'static str],
    identity: &'static [&'static str],
    theirs: Value,
}

fn with_files() -> Key {
    let theirs = json!({ "recipients": ["id.pub"], "identity": "id" });
    Key { recipient: &["-R", "id.pub"], identity: &["-i", "id"], theirs }
}

fn job(what: &str, input: &str, output: &str, key: &Key, more: Value) -> Value {
    let mut job = json!({ what: input, "output": output });
    for part in [&key.theirs, &more] {
        job.as_object_mut().unwrap().extend(part.as_object().unwrap().clone());
    }
    job
}

fn both_ways(bench: &Bench, key: &Key) {
    let mut jobs = Vec::new();
    let mut cases = Vec::new();
    for len in SIZES {
        bench.write(&format!("in-{len}"), bytes(len));
        for armor in [false, true] {
            let name = format!("{len}{}", if armor { "-armored" } else { "" });
            let (input, ours, theirs) = (format!("in-{len}"), format!("ours-{name}"), format!("theirs-{name}"));
            let armor_flag: &[&str] = if armor { &["-a"] } else { &[] };
            run(bench.sealane().args(armor_flag).args(key.recipient).args(["-t", "3", "-o", &ours, &input]));
            for stream in [false, true] {
                let back = format!("back-{name}-{stream}");
                jobs.push(job("decrypt", &ours, &back, key, json!({ "stream": stream })));
                cases.push((back, len));
                let theirs = format!("{theirs}-{stream}");
                jobs.push(job("encrypt", &input, &theirs, key, json!({ "stream": stream, "armor": armor })));
            }
        }
    }
    typage(bench, &jobs);
    for (back, len) in cases {
        assert_same(&bench.path(&back), &bytes(len), &back);
    }
    for job in jobs.iter().filter(|job| job["encrypt"].is_string()) {
        let (input, theirs) = (job["encrypt"].as_str().unwrap(), job["output"].as_str().unwrap());
        for threads in ["1", "3"] {
            run(bench.sealane().args(["-d", "-t", threads]).args(key.identity).args(["-o", "back", theirs]));
            assert_same(&bench.path("back"), &fs::read(bench.path(input)).unwrap(), theirs);
        }
    }
}

#[test]
fn typage_x25519() {
    let bench = Bench::new();
    typage(&bench, &[json!({ "keygen": "x25519", "output": "id" })]);
    both_ways(&bench, &with_files());
}

#[test]
fn typage_post_quantum() {
    let bench = Bench::new();
    typage(&bench, &[json!({ "keygen": "hybrid", "output": "id" })]);
    both_ways(&bench, &with_files());
}

#[test]
fn typage_passphrase() {
    both_ways(&Bench::new(), &Key { recipient: &["-p"], identity: &[], theirs: json!({ "passphrase": PASSPHRASE }) });
}

#[test]
fn typage_and_the_command_read_each_others_keys() {
    let bench = Bench::new();
    for (kind, flags) in [("x25519", &[][..]), ("hybrid", &["--pq"])] {
        run(bench.sealane().arg("keygen").args(flags).args(["-o", &format!("ours-{kind}")]));
        let public = run(bench.sealane().args(["keygen", "-y", &format!("ours-{kind}")]));
        bench.write(&format!("ours-{kind}.pub"), public);
        typage(&bench, &[json!({ "keygen": kind, "output": format!("theirs-{kind}") })]);
        let recipient = run(bench.sealane().args(["keygen", "-y", &format!("theirs-{kind}")]));
        assert_eq!(fs::read(bench.path(&format!("theirs-{kind}.pub"))).unwrap(), recipient, "{kind}");
        // typage encrypts to our recipient, and decrypts with our identity.
        bench.write("in", kind);
        let (key, public) = (format!("ours-{kind}"), format!("ours-{kind}.pub"));
        typage(
            &bench,
            &[
                json!({ "encrypt": "in", "output": "file", "recipients": [public] }),
                json!({ "decrypt": "file", "output": "back", "identity": key }),
            ],
        );
        assert_same(&bench.path("back"), kind.as_bytes(), kind);
    }
}

#[test]
fn typage_reads_other_recipients_and_padding() {
    let bench = Bench::new();
    for name in ["a", "b"] {
        typage(&bench, &[json!({ "keygen": "x25519", "output": name })]);
    }
    bench.write("in", bytes(3 * CHUNK));
    run(bench.sealane().args(["-R", "a.pub", "-R", "b.pub", "-o", "file", "in"]));
    let open = |identity: &str| json!({ "decrypt": "file", "output": "back", "identity": identity });
    for name in ["a", "b"] {
        typage(&bench, &[open(name)]);
        assert_same(&bench.path("back"), &bytes(3 * CHUNK), name);
    }
    // A shorter header, padded with a stanza of an unknown type.
    run(bench.sealane().args(["rekey", "-i", "a", "-R", "b.pub", "file"]));
    assert!(String::from_utf8_lossy(&fs::read(bench.path("file")).unwrap()).contains("\n-> padding"));
    typage(&bench, &[open("b")]);
    assert_same(&bench.path("back"), &bytes(3 * CHUNK), "padding");
}
