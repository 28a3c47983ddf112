//! The script that runs on the device. A script is needed because a command line of `adb shell` is
//! limited to 1 KiB on some old devices.

use std::ffi::{OsStr, OsString};

use crate::output::Marker;

/// Variables that belong to this machine, not to the device.
const NOT_PASSED: &[&str] = &[
    "PATH",
    "HOME",
    "PWD",
    "OLDPWD",
    "SHELL",
    "SHLVL",
    "USER",
    "LOGNAME",
    "HOSTNAME",
    "TERM",
    "DISPLAY",
    "TMPDIR",
    "TMP",
    "TEMP",
    "_",
    "ADB",
    "LD_LIBRARY_PATH",
    "LD_PRELOAD",
    "DYLD_LIBRARY_PATH",
    "DYLD_FALLBACK_LIBRARY_PATH",
];

/// Variables that shells set themselves. Setting one can be an error that ends the script.
const OF_SHELLS: &[&str] =
    &["ENV", "EGID", "EUID", "GID", "IFS", "LINENO", "OPTIND", "PPID", "RANDOM", "SECONDS", "UID"];

/// Returns a script that runs `program`, in the script's folder, with these arguments and this
/// environment. The script ends its output with the marker and the exit status, because `adb shell`
/// on some devices does not return the exit status.
pub(crate) fn script(
    arguments: &[OsString],
    environment: impl Iterator<Item = (OsString, OsString)>,
    marker: &Marker,
) -> Vec<u8> {
    let mut script = Vec::new();
    let mut add = |text: &[u8]| script.extend_from_slice(text);
    // Writes the process ids of this shell, which leads its process group, and of the program,
    // before the program starts. When the folder is removed, both are ended.
    add(b"cd \"${0%/*}\" && echo $$ >pids && chmod 700 program || exit 1\n");
    for (name, value) in environment {
        let Some(name) = name.to_str().filter(|name| passes(name)) else { continue };
        add(format!("export {name}=").as_bytes());
        add(&quote(value));
        add(b"\n");
    }
    add(b"export HOME=\"$PWD\" TMPDIR=\"$PWD\"\n");
    add(b"sh -c 'echo $$ >>pids && exec ./program \"$@\"' sh");
    for argument in arguments {
        add(b" ");
        add(&quote(argument));
    }
    add(b"\nstatus=$?\nrm -f pids\n");
    add(format!("echo {}\"$status\"\n", marker.text()).as_bytes());
    script
}

/// Returns whether the variable is passed on. Shells accept only names of letters, digits and
/// underscores.
fn passes(name: &str) -> bool {
    let is_name =
        name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') && !name.starts_with(|c: char| c.is_ascii_digit());
    let is_of_adb = ["ADB_", "ANDROID_"].iter().any(|prefix| name.starts_with(prefix));
    is_name && !name.is_empty() && !is_of_adb && !NOT_PASSED.contains(&name) && !OF_SHELLS.contains(&name)
}

/// Quotes the word for a shell. On Unix, a word may have any bytes.
pub(crate) fn quote(word: impl AsRef<OsStr>) -> Vec<u8> {
    let mut quoted = vec![b'\''];
    for &byte in word.as_ref().as_encoded_bytes() {
        match byte {
            b'\'' => quoted.extend_from_slice(br"'\''"),
            _ => quoted.push(byte),
        }
    }
    quoted.push(b'\'');
    quoted
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_come_through_a_shell() {
        for word in ["", "a b", "it's", "'", "$HOME `x` \\ \"", "line\nline", "*", "ümlaut"] {
            let command = format!("printf %s {}", String::from_utf8(quote(word)).unwrap());
            let output = std::process::Command::new("sh").args(["-c", &command]).output();
            assert_eq!(output.unwrap().stdout, word.as_bytes());
        }
    }

    #[test]
    fn what_is_of_this_machine_stays() {
        for name in ["RUST_BACKTRACE", "SEALANE_BACKEND", "CARGO_PKG_NAME", "x_1"] {
            assert!(passes(name), "{name}");
        }
        for name in
            ["PATH", "LD_LIBRARY_PATH", "ANDROID_SERIAL", "ADB_SERVER_SOCKET", "UID", "", "1x", "BASH_FUNC_x%%", "A-B"]
        {
            assert!(!passes(name), "{name}");
        }
    }
}
