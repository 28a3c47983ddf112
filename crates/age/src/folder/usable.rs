//! The names that a system can have.
//!
//! Windows reserves names for devices in every folder, and does not allow some characters. It
//! removes dots and spaces at the end of a name, so such a name would lead to another file.

use std::io;

use super::path_form::PathForm;

/// Returns whether this system can have a file or a folder with the name `component`. A file system
/// may refuse more names: long ones, for example.
pub(super) fn is_usable(component: &str) -> bool {
    if cfg!(windows) { is_windows_name(component) } else { !component.contains('\0') }
}

/// Returns whether a file system gives this error for a name that it does not allow. Entries with
/// other names can then be created.
pub fn refuses_name(error: &io::Error) -> bool {
    // Some file systems refuse names that are not UTF-8 with this error, which has no kind.
    #[cfg(unix)]
    let is_not_text = error.raw_os_error() == Some(libc::EILSEQ);
    #[cfg(not(unix))]
    let is_not_text = false;
    is_not_text || matches!(error.kind(), io::ErrorKind::InvalidFilename | io::ErrorKind::InvalidInput)
}

/// Returns whether Windows can have a file or a folder with the name `component`.
pub(super) fn is_windows_name(component: &str) -> bool {
    // The text after a colon names an alternate data stream.
    let is_refused = |char: char| char < ' ' || "<>:\"/\\|?*".contains(char);
    let stem = component.split('.').next().unwrap_or_default().trim_end_matches(' ');
    !component.is_empty() && !component.contains(is_refused) && !component.ends_with(['.', ' ']) && !is_device(stem)
}

/// Returns whether Windows has a device of this name. An extension makes no difference.
fn is_device(stem: &str) -> bool {
    const DEVICES: [&str; 6] = ["CON", "PRN", "AUX", "NUL", "CONIN$", "CONOUT$"];
    const NUMBERS: &str = "0123456789\u{b9}\u{b2}\u{b3}";
    let stem = stem.to_ascii_uppercase();
    let is_numbered = |port: &str| {
        let mut number = stem.strip_prefix(port).unwrap_or_default().chars();
        number.next().is_some_and(|number| NUMBERS.contains(number)) && number.next().is_none()
    };
    DEVICES.contains(&stem.as_str()) || is_numbered("COM") || is_numbered("LPT")
}

/// Returns the bytes of a name in a manifest, and the same name with `_` in place of each component
/// that `is_usable` refuses or that is not Unicode. Returns `None` if there is no such component.
/// Components that no system can have, such as `..`, stay, so that the name is refused.
pub(super) fn stand_in(name: PathForm, is_usable: fn(&str) -> bool) -> Option<(Vec<u8>, String)> {
    let name = match name {
        PathForm::Text(text) => text.into_bytes(),
        PathForm::Bytes { base64 } => PathForm::decode(&base64).ok()?,
    };
    let is_kept = |part: &str| matches!(part, "" | "." | "..") || part.contains('\0') || is_usable(part);
    let parts: Vec<_> = name
        .split(|byte| *byte == b'/')
        .map(|part| str::from_utf8(part).ok().filter(|part| is_kept(part)).unwrap_or("_"))
        .collect();
    let usable = parts.join("/");
    (usable.as_bytes() != name).then_some((name, usable))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_devices_and_names_that_windows_changes() {
        for name in
            ["a", ".a", "a b", "a.b.c", "com", "com10", "comx", "lpt", "auxiliary", "nul1", "xnul", "conin", "ü", "_"]
        {
            assert!(is_windows_name(name), "{name}");
        }
        for name in [
            "",
            ".",
            "..",
            "a.",
            "a ",
            "a. ",
            "con",
            "PRN",
            "Aux",
            "nul",
            "NUL.txt",
            "nul .txt",
            "nul.tar.gz",
            "conin$",
            "CONOUT$",
            "com0",
            "COM1",
            "lpt9.txt",
            "com\u{b9}",
            "LPT\u{b3}.x",
            "10:30",
            "a:b",
            "a\\b",
            "a/b",
            "a?",
            "a*",
            "<a",
            "a>",
            "a|b",
            "\"a\"",
            "a\n",
            "\0",
        ] {
            assert!(!is_windows_name(name), "{name:?}");
        }
    }
}
