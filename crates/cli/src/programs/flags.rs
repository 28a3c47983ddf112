//! Parses command lines like Go's package `flag`: one dash or two, no clusters, and no flags after
//! the first other argument.

use std::ffi::{OsStr, OsString};

use crate::args::tail;

/// A flag: all its names, the main one first, and whether it takes a value.
pub(super) struct Flag {
    pub(super) names: &'static [&'static str],
    pub(super) takes_value: bool,
}

/// Returns a flag without a value.
pub(super) const fn switch(names: &'static [&'static str]) -> Flag {
    Flag { names, takes_value: false }
}

/// Returns a flag with a value.
pub(super) const fn value(names: &'static [&'static str]) -> Flag {
    Flag { names, takes_value: true }
}

/// The reason why a command line was not parsed.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Fault {
    /// The user asked for help.
    Help,
    Malformed(String),
}

/// A parsed command line.
#[derive(Debug, Default)]
pub(super) struct Flags {
    /// The main name and the value of each flag, in order. The value of a switch is `true` or
    /// `false`.
    found: Vec<(&'static str, OsString)>,
    /// The arguments after the flags.
    pub(super) rest: Vec<OsString>,
}

impl Flags {
    /// Returns whether the last value of the switch is `true`.
    pub(super) fn is_set(&self, name: &str) -> bool {
        self.last(name).is_some_and(|value| value == "true")
    }

    /// Returns the last value of the flag `name`, unless it is empty.
    pub(super) fn last(&self, name: &str) -> Option<&OsString> {
        self.all(name).last().filter(|value| !value.is_empty())
    }

    /// Returns all values of the flag `name`.
    pub(super) fn all(&self, name: &str) -> impl DoubleEndedIterator<Item = &OsString> {
        self.found.iter().filter(move |(found, _)| *found == name).map(|(_, value)| value)
    }

    /// Returns each flag with its value, in order.
    pub(super) fn in_order(&self) -> impl Iterator<Item = (&'static str, &OsString)> {
        self.found.iter().map(|(name, value)| (*name, value))
    }
}

/// Parses `args`, which lack the program's name.
pub(super) fn parse(args: impl IntoIterator<Item = OsString>, flags: &[Flag]) -> Result<Flags, Fault> {
    let mut parsed = Flags::default();
    let mut args = args.into_iter();
    while let Some(arg) = args.next() {
        let bytes = arg.as_encoded_bytes();
        let dashes = match bytes {
            b"--" => break,
            [b'-', b'-', ..] => 2,
            [b'-', _, ..] => 1,
            _ => {
                parsed.rest.push(arg);
                break;
            }
        };
        let body = &bytes[dashes..];
        if body.is_empty() || body[0] == b'-' || body[0] == b'=' {
            return Err(Fault::Malformed(format!("bad flag syntax: {}", arg.display())));
        }
        let equals = body.iter().position(|&byte| byte == b'=').map(|at| dashes + at);
        let name = String::from_utf8_lossy(&bytes[dashes..equals.unwrap_or(bytes.len())]);
        let value = equals.map(|at| tail(&arg, at + 1).to_owned());
        let Some(flag) = flags.iter().find(|flag| flag.names.contains(&&*name)) else {
            if name == "h" || name == "help" {
                return Err(Fault::Help);
            }
            return Err(Fault::Malformed(format!("flag provided but not defined: -{name}")));
        };
        let value = match (flag.takes_value, value) {
            (true, Some(value)) => value,
            (true, None) => args.next().ok_or_else(|| Fault::Malformed(format!("flag needs an argument: -{name}")))?,
            (false, None) => "true".into(),
            (false, Some(value)) => truth(&value)
                .ok_or_else(|| {
                    Fault::Malformed(format!(
                        "invalid boolean value {:?} for -{name}: parse error",
                        value.display().to_string()
                    ))
                })?
                .into(),
        };
        parsed.found.push((flag.names[0], value));
    }
    parsed.rest.extend(args);
    Ok(parsed)
}

/// Parses a truth value as Go does.
fn truth(value: &OsStr) -> Option<&'static str> {
    match value.to_str()? {
        "1" | "t" | "T" | "true" | "TRUE" | "True" => Some("true"),
        "0" | "f" | "F" | "false" | "FALSE" | "False" => Some("false"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FLAGS: &[Flag] = &[switch(&["a", "armor"]), value(&["o", "output"]), value(&["r", "recipient"])];

    fn parsed(line: &str) -> Result<Flags, Fault> {
        parse(line.split_whitespace().map(OsString::from), FLAGS)
    }

    fn shown(line: &str) -> String {
        let flags = parsed(line).unwrap();
        let found = flags.in_order().map(|(name, value)| format!("{name}={}", value.display()));
        found.chain(flags.rest.iter().map(|rest| rest.display().to_string())).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn one_dash_or_two_and_values() {
        assert_eq!(shown("-a --armor -o x --output=y -r=-z in"), "a=true a=true o=x o=y r=-z in");
        assert_eq!(shown("-o -a in"), "o=-a in");
        assert_eq!(shown("-o -- in"), "o=-- in");
        assert_eq!(shown("-o= in"), "o= in");
        assert!(!parsed("-a -a=false").unwrap().is_set("a"));
        assert_eq!(parsed("-o x -o=").unwrap().last("o"), None);
    }

    #[test]
    fn flags_end_at_the_first_argument_that_is_none() {
        assert_eq!(shown("-a in -o x"), "a=true in -o x");
        assert_eq!(shown("-a -- -o"), "a=true -o");
        assert_eq!(shown("- -o"), "- -o");
    }

    #[test]
    fn what_is_malformed() {
        for (line, fault) in [
            ("-x", "flag provided but not defined: -x"),
            ("-ao x", "flag provided but not defined: -ao"),
            ("-x=1", "flag provided but not defined: -x"),
            ("-o", "flag needs an argument: -o"),
            ("-a=maybe", "invalid boolean value \"maybe\" for -a: parse error"),
            ("---a", "bad flag syntax: ---a"),
            ("-=a", "bad flag syntax: -=a"),
        ] {
            assert_eq!(parsed(line).unwrap_err(), Fault::Malformed(fault.to_owned()), "{line}");
        }
        assert_eq!(parsed("-h").unwrap_err(), Fault::Help);
        assert_eq!(parsed("--help").unwrap_err(), Fault::Help);
    }

    #[cfg(unix)]
    #[test]
    fn names_that_are_not_utf8() {
        use std::os::unix::ffi::OsStringExt as _;
        let name = |bytes: &[u8]| OsString::from_vec(bytes.to_vec());
        let flags = parse([name(b"-o=\xff"), name(b"\xfe")], FLAGS).unwrap();
        assert_eq!((flags.last("o"), flags.rest.as_slice()), (Some(&name(b"\xff")), &[name(b"\xfe")][..]));
        assert!(parse([name(b"-\xff")], FLAGS).is_err());
    }
}
