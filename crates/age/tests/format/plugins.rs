//! The client of plugins, with a small plugin that says how it runs.

use std::fs;
use std::io::Write as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;

use sealane_age::plugin::{Callbacks, Client, Failure, Identity, NoCallbacks, Recipient};
use sealane_age::{DecryptError, EncryptError, decrypt, encrypt};

// Bech32 without data.
const RECIPIENT: &str = "age1test10qdmzv9q";
const IDENTITY: &str = "AGE-PLUGIN-TEST-10Q32NLXM";

/// Its stanza contains the file key in the clear. The message has its process id, the mode of its
/// directory, and the name of that directory.
const PLUGIN: &str = r#"#!/bin/sh
key=
while IFS= read -r line; do
    case $line in
    "-> wrap-file-key"* | "-> recipient-stanza 0 test"*) IFS= read -r key ;;
    "-> done"*) IFS= read -r line; break ;;
    esac
done
printf -- '-> msg\n%s\n' "$(printf '%s' "$$ $(stat -c %a .) ${PWD##*/}" | base64 | tr -d =)"
IFS= read -r line; IFS= read -r line
case $1 in
--age-plugin=recipient-v1) printf -- '-> recipient-stanza 0 test\n%s\n' "$key" ;;
--age-plugin=identity-v1) printf -- '-> file-key 0\n%s\n' "$key" ;;
esac
IFS= read -r line; IFS= read -r line
printf -- '-> done\n\n'
"#;

/// Writes a program. Another process writes it: if this one did, a child that another test starts
/// could hold the file open, and it could not be run.
fn program(path: &Path, text: &str) -> PathBuf {
    let mut cat = Command::new("sh");
    cat.args(["-c", "cat > \"$0\" && chmod 700 \"$0\""]).arg(path).stdin(std::process::Stdio::piped());
    let mut cat = cat.spawn().unwrap();
    cat.stdin.take().unwrap().write_all(text.as_bytes()).unwrap();
    assert!(cat.wait().unwrap().success());
    path.to_owned()
}

fn client<C: Callbacks>(path: &Path, callbacks: C) -> Client<C> {
    let (recipient, identity): (Recipient, Identity) = (RECIPIENT.parse().unwrap(), IDENTITY.parse().unwrap());
    Client::at(path, "test", callbacks).with_recipients([recipient]).with_identities([identity])
}

/// Keeps the messages of the plugin.
struct Said(Mutex<Vec<String>>);

impl Callbacks for &Said {
    fn say(&self, message: &str) {
        self.0.lock().unwrap().push(message.to_owned());
    }
}

/// A program that opens many files must not collect ended processes.
#[test]
fn a_plugin_has_ended_and_left_nothing_after_each_call() {
    let dir = tempfile::tempdir().unwrap();
    let stays = format!("{PLUGIN}trap '' HUP INT TERM PIPE\nwhile :; do sleep 0.1; done\n");
    for (name, text, calls) in [("ends", PLUGIN, 10), ("stays", &stays, 1)] {
        let path = program(&dir.path().join(name), text);
        let said = Said(Mutex::default());
        let plugin = client(&path, &said);
        for _ in 0..calls {
            let file = encrypt([&plugin as &dyn sealane_age::Recipient], b"secret").unwrap();
            assert_eq!(decrypt([&plugin as &dyn sealane_age::Identity], &file).unwrap(), b"secret");
        }
        let said = said.0.into_inner().unwrap();
        assert_eq!(said.len(), 2 * calls);
        for message in said {
            let [process, mode, directory] = message.split(' ').collect::<Vec<_>>()[..] else { panic!("{message}") };
            assert_eq!(mode, "700");
            assert!(!std::env::temp_dir().join(directory).exists(), "{name}: {directory}");
            // An ended process stays there until its parent has waited for it.
            assert!(!Path::new("/proc").join(process).exists(), "{name}: {process}");
        }
    }
}

#[test]
fn a_plugin_that_cannot_start_is_not_one_whose_identity_does_not_match() {
    let dir = tempfile::tempdir().unwrap();
    let plugin = client(&program(&dir.path().join("plugin"), PLUGIN), NoCallbacks);
    let file = encrypt([&plugin as &dyn sealane_age::Recipient], b"secret").unwrap();
    // No interpreter, not executable, and no such file.
    let interpreter = program(&dir.path().join("interpreter"), "#!/nonexistent/interpreter\n");
    let mode = program(&dir.path().join("mode"), PLUGIN);
    fs::set_permissions(&mode, fs::Permissions::from_mode(0o600)).unwrap();
    for path in [interpreter, mode, dir.path().join("missing")] {
        let plugin = client(&path, NoCallbacks);
        let error = decrypt([&plugin as &dyn sealane_age::Identity], &file).unwrap_err();
        assert!(matches!(error, DecryptError::Identity(_)), "{error:?}");
        assert!(error.to_string().starts_with("plugin age-plugin-test failed: "), "{error}");
        let error = encrypt([&plugin as &dyn sealane_age::Recipient], b"secret").unwrap_err();
        assert!(matches!(error, EncryptError::Recipient(_)), "{error:?}");
        assert!(matches!(plugin.unwrap(&[]).unwrap_err().failure, Failure::Io(_)));
    }
    let ends = client(&program(&dir.path().join("ends"), "#!/bin/sh\n"), NoCallbacks);
    assert!(matches!(ends.unwrap(&[]).unwrap_err().failure, Failure::Ended));
}
