//! Converts age's command line, which has the grammar of Go's package `flag`, to the grammar of
//! clap.
//!
//! Go accepts one dash or two before any flag (`-decrypt`, `--r`), a value after `=` with either,
//! and `=true` or `=false` after a switch. `-decrypt` becomes `--decrypt`, `--r` becomes `-r`, and
//! `-a=false` disappears together with an earlier `-a`. Values of flags stay as they are, and so do
//! all arguments after `--`. If the only input has an empty name, it is left out.

use std::ffi::{OsStr, OsString};

use clap::Command;

/// A flag of a command: its names, and whether it takes a value.
pub(super) struct Flag {
    short: Option<char>,
    long: Option<String>,
    takes_value: bool,
    /// Whether `-o ""` means "no output file", as it does in age.
    may_be_empty: bool,
}

/// Returns the flags of `command`, including those for help and the version.
pub(super) fn flags_of(command: &Command) -> Vec<Flag> {
    let mut command = command.clone();
    command.build();
    // age does not have these. Without an output file, `rekey` would change the input.
    let needs_output = ["rekey", "contribute"].contains(&command.get_name());
    let flags = command.get_arguments().filter(|arg| !arg.is_positional());
    flags
        .map(|arg| Flag {
            short: arg.get_short(),
            long: arg.get_long().map(str::to_owned),
            takes_value: arg.get_action().takes_values(),
            may_be_empty: arg.get_short() == Some('o') && !needs_output,
        })
        .collect()
}

/// Converts `args`, which lack the program's name. `flags` are the flags of their command.
pub(super) fn normalise(args: impl IntoIterator<Item = OsString>, flags: &[Flag]) -> Vec<OsString> {
    let mut out = Converted(Vec::new());
    let mut args = args.into_iter();
    while let Some(arg) = args.next() {
        let Some(text) = arg.to_str().filter(|text| text.len() > 1 && text.starts_with('-')) else {
            let is_flag = arg.len() > 1 && arg.as_encoded_bytes().starts_with(b"-");
            out.push(rewrite_non_utf8(arg, flags), if is_flag { Part::Other } else { Part::Operand });
            continue;
        };
        if text == "--" {
            out.push(arg, Part::Other);
            args.by_ref().for_each(|arg| out.push(arg, Part::Operand));
            break;
        }
        let body = text.trim_start_matches('-');
        let (name, value) = body.split_once('=').map_or((body, None), |(name, value)| (name, Some(value)));
        let flag = (text.len() - body.len() <= 2).then(|| find(flags, name)).flatten();
        let Some(flag) = flag else {
            // A cluster of short flags, or an error that clap explains.
            let needs_value = cluster_needs_value(text, flags);
            out.push(arg, Part::Other);
            if needs_value && let Some(value) = args.next() {
                out.push(value, Part::Other);
            }
            continue;
        };
        let dashed = if name.chars().count() == 1 { format!("-{name}") } else { format!("--{name}") };
        if flag.takes_value {
            // Flag and value in one argument, so that a value that looks like a flag stays a value.
            let mut joined = OsString::from(&dashed);
            match value.map(OsString::from).or_else(|| args.next()) {
                Some(value) if value.is_empty() && flag.may_be_empty => {
                    out.remove(flag);
                    continue;
                }
                Some(value) => {
                    joined.push("=");
                    joined.push(value);
                }
                None => {}
            }
            out.push(joined, Part::Flag(flag));
        } else {
            match value {
                Some("false" | "0" | "f" | "F" | "FALSE" | "False") => out.remove(flag),
                None | Some("true" | "1" | "t" | "T" | "TRUE" | "True") => out.push(dashed.into(), Part::Flag(flag)),
                Some(_) => out.push(arg, Part::Other),
            }
        }
    }
    out.finish()
}

/// The converted arguments.
struct Converted<'f>(Vec<(OsString, Part<'f>)>);

/// The part that an argument has in the command line.
enum Part<'f> {
    /// This flag, together with its value if it takes one.
    Flag(&'f Flag),
    /// An input.
    Operand,
    /// A cluster of short flags, the value after it, or an error that clap explains.
    Other,
}

impl<'f> Converted<'f> {
    fn push(&mut self, arg: OsString, part: Part<'f>) {
        self.0.push((arg, part));
    }

    /// Removes what was given for a flag so far.
    fn remove(&mut self, flag: &Flag) {
        self.0.retain(|(_, part)| !matches!(part, Part::Flag(given) if std::ptr::eq(*given, flag)));
    }

    /// Returns the arguments. In scripts, an empty name of the only input means "no input file".
    fn finish(mut self) -> Vec<OsString> {
        let is_operand = |part: &Part<'_>| matches!(part, Part::Operand);
        if self.0.iter().filter(|(_, part)| is_operand(part)).count() == 1 {
            self.0.retain(|(arg, part)| !(is_operand(part) && arg.is_empty()));
        }
        self.0.into_iter().map(|(arg, _)| arg).collect()
    }
}

fn find<'f>(flags: &'f [Flag], name: &str) -> Option<&'f Flag> {
    flags.iter().find(|flag| {
        flag.long.as_deref() == Some(name) || flag.short.is_some_and(|short| name.strip_prefix(short) == Some(""))
    })
}

/// Returns whether a value follows a cluster such as `-ao`, whose last flag takes one.
fn cluster_needs_value(text: &str, flags: &[Flag]) -> bool {
    if text.starts_with("--") {
        return false;
    }
    let mut letters = text[1..].chars().peekable();
    while let Some(letter) = letters.next() {
        match find(flags, letter.encode_utf8(&mut [0; 4])) {
            Some(flag) if flag.takes_value => return letters.peek().is_none(),
            Some(_) => {}
            None => return false,
        }
    }
    false
}

/// Converts `-o=NAME` with a NAME that is not UTF-8. Only the part up to `=` is read as text.
fn rewrite_non_utf8(arg: OsString, flags: &[Flag]) -> OsString {
    let bytes = arg.as_encoded_bytes();
    let Some(equals) = bytes.iter().position(|&b| b == b'=').filter(|_| bytes.starts_with(b"-")) else {
        return arg;
    };
    let Ok(head) = std::str::from_utf8(&bytes[..equals]) else { return arg };
    let name = head.trim_start_matches('-');
    if head.len() - name.len() > 2 || find(flags, name).is_none_or(|flag| !flag.takes_value) {
        return arg;
    }
    let mut out = OsString::from(if name.chars().count() == 1 { format!("-{name}=") } else { format!("--{name}=") });
    out.push(tail(&arg, equals + 1));
    out
}

/// Returns the argument without its first `from` bytes.
#[cfg(unix)]
pub(crate) fn tail(arg: &OsStr, from: usize) -> &OsStr {
    use std::os::unix::ffi::OsStrExt as _;
    OsStr::from_bytes(&arg.as_bytes()[from..])
}

/// Returns the argument without its first `from` bytes. Without `unsafe`, an argument that is not
/// Unicode cannot be split here, and is returned whole.
#[cfg(not(unix))]
pub(crate) fn tail(arg: &OsStr, from: usize) -> &OsStr {
    // No file has the name of the whole argument, so a flag that reads a file reports it.
    arg.to_str().and_then(|text| text.get(from..)).map_or(arg, OsStr::new)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file_flags() -> Vec<Flag> {
        flags_of(&crate::args::top_command())
    }

    fn normalised(line: &str) -> String {
        let out = normalise(line.split(' ').map(OsString::from), &file_flags());
        out.iter().map(|arg| arg.to_str().unwrap()).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn one_dash_or_two() {
        assert_eq!(normalised("-decrypt -identity k -output o in"), "--decrypt --identity=k --output=o in");
        assert_eq!(normalised("--d --i k --o o in"), "-d -i=k -o=o in");
        assert_eq!(normalised("-armor --r age1x"), "--armor -r=age1x");
        assert_eq!(normalised("-o=out --r=age1x -recipients-file=f"), "-o=out -r=age1x --recipients-file=f");
    }

    #[test]
    fn switches_with_values() {
        assert_eq!(normalised("-a=true -e=false -d=0 -p=1 x"), "-a -p x");
        assert_eq!(normalised("-a=maybe x"), "-a=maybe x");
        assert_eq!(normalised("-a --armor -e -armor=false x"), "-e x");
        assert_eq!(normalised("-a=false -a x"), "-a x");
        // A value is no flag.
        assert_eq!(normalised("-eo -a -a=false x"), "-eo -a x");
    }

    #[test]
    fn empty_names() {
        let out = |args: &[&str]| normalise(args.iter().map(OsString::from), &file_flags());
        assert_eq!(out(&["-r", "k", ""]), ["-r=k"]);
        assert_eq!(out(&["-r", "k", "--", ""]), ["-r=k", "--"]);
        assert_eq!(out(&["-r", "k", "a", ""]), ["-r=k", "a", ""]);
        assert_eq!(out(&["-o", "a", "--output", "b", "-o="]), [""; 0]);
    }

    #[test]
    fn values_and_operands_are_left_alone() {
        assert_eq!(normalised("-o -decrypt -r -- in"), "-o=-decrypt -r=-- in");
        assert_eq!(normalise(["-o", "", "in"].map(OsString::from), &file_flags()), ["in"]);
        assert_eq!(normalised("-a -- -decrypt"), "-a -- -decrypt");
        assert_eq!(normalised("-ao -decrypt in"), "-ao -decrypt in");
        assert_eq!(normalised("- -x ---decrypt"), "- -x ---decrypt");
    }

    #[cfg(unix)]
    #[test]
    fn names_that_are_not_utf8() {
        use std::os::unix::ffi::OsStringExt as _;
        let name = |bytes: &[u8]| OsString::from_vec(bytes.to_vec());
        let out = normalise([name(b"-output=\xff"), name(b"\xfe")], &file_flags());
        assert_eq!(out, [name(b"--output=\xff"), name(b"\xfe")]);
    }
}
