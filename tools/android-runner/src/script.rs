//! The script that the device runs: a command line of `adb shell` is as short as 1 KiB on old devices.

use std::ffi::{OsStr, OsString};
use std::fmt::Write as _;

use anyhow::{Context, Result};

use crate::output::Marker;

/// What is of this machine and not of the device.
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

/// A script that runs `program` beside it, with these arguments and this environment, and ends its output with the marker and the
/// exit status: some devices' `adb shell` does not return it.
pub(crate) fn script(
    arguments: &[OsString],
    environment: impl Iterator<Item = (OsString, OsString)>,
    marker: &Marker,
) -> Result<String> {
    let mut script = String::from("cd \"${0%/*}\" || exit 1\nchmod 700 program || exit 1\n");
    for (name, value) in environment {
        let Some(name) = name.to_str().filter(|name| passes(name)) else { continue };
        // What is not text is not meant for a program elsewhere.
        let Some(value) = value.to_str() else { continue };
        writeln!(script, "export {name}={}", quote(value))?;
    }
    script.push_str("export HOME=\"$PWD\" TMPDIR=\"$PWD\"\n");
    // In the background, with its number written down before it begins, so that it can be ended; and with this script's standard
    // input, which the shell would take from it.
    script.push_str("exec 3<&0\nsh -c 'echo $$ >pid && exec ./program \"$@\"' sh");
    for argument in arguments {
        let argument = argument.to_str().with_context(|| format!("{} is not UTF-8", argument.display()))?;
        write!(script, " {}", quote(argument))?;
    }
    script.push_str(" <&3 3<&- &\nwait $!\n");
    writeln!(script, "status=$?\nrm -f pid\necho {}$status", quote(marker.text()))?;
    Ok(script)
}

/// Whether the variable is passed on: shells have names of letters, digits and underscores only.
fn passes(name: &str) -> bool {
    let is_name =
        name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') && !name.starts_with(|c: char| c.is_ascii_digit());
    is_name && !name.is_empty() && !name.starts_with("ANDROID_") && !NOT_PASSED.contains(&name)
}

/// The word as a shell takes it.
pub(crate) fn quote(word: impl AsRef<OsStr>) -> String {
    format!("'{}'", word.as_ref().to_string_lossy().replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_come_through_a_shell() {
        for word in ["", "a b", "it's", "'", "$HOME `x` \\ \"", "line\nline", "*", "ümlaut"] {
            let output = std::process::Command::new("sh").args(["-c", &format!("printf %s {}", quote(word))]).output();
            assert_eq!(output.unwrap().stdout, word.as_bytes());
        }
    }

    #[test]
    fn what_is_of_this_machine_stays() {
        for name in ["RUST_BACKTRACE", "SEALANE_BACKEND", "CARGO_PKG_NAME", "x_1"] {
            assert!(passes(name), "{name}");
        }
        for name in ["PATH", "LD_LIBRARY_PATH", "ANDROID_SERIAL", "", "1x", "BASH_FUNC_x%%", "A-B"] {
            assert!(!passes(name), "{name}");
        }
    }
}
