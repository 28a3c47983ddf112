//! The program that this process acts as, by the name under which it was started.

use std::ffi::OsStr;
use std::path::Path;
use std::sync::OnceLock;

/// A program that the process can act as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Program {
    Sealane,
    Age,
    AgeKeygen,
    AgeInspect,
    PluginSealane,
    PluginPq,
}

/// The program of this process.
static PROGRAM: OnceLock<Program> = OnceLock::new();

impl Program {
    const ALL: [Self; 6] =
        [Self::Sealane, Self::Age, Self::AgeKeygen, Self::AgeInspect, Self::PluginSealane, Self::PluginPq];

    /// Returns the program of this process. Before [`Program::set`] it is `sealane`.
    pub(crate) fn current() -> Self {
        PROGRAM.get().copied().unwrap_or(Self::Sealane)
    }

    /// Sets the program from the name under which the process was started.
    pub(crate) fn set(name: Option<&OsStr>) -> Self {
        *PROGRAM.get_or_init(|| name.map_or(Self::Sealane, Self::named))
    }

    /// Returns the program that the path `started` names. Unknown names mean `sealane`.
    fn named(started: &OsStr) -> Self {
        let name = Path::new(started).file_name().and_then(OsStr::to_str).unwrap_or_default();
        let name = if cfg!(windows) { name.to_ascii_lowercase() } else { name.to_owned() };
        let name = name.strip_suffix(".exe").unwrap_or(&name);
        Self::ALL.into_iter().find(|program| program.name() == name).unwrap_or(Self::Sealane)
    }

    /// Returns the name, which begins each message.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Sealane => "sealane",
            Self::Age => "age",
            Self::AgeKeygen => "age-keygen",
            Self::AgeInspect => "age-inspect",
            Self::PluginSealane => "age-plugin-sealane",
            Self::PluginPq => "age-plugin-pq",
        }
    }

    /// Returns the exit status for an error in the command line. For the programs other than
    /// `sealane`, this is the status for a well-formed command line whose arguments exclude each
    /// other; malformed ones get theirs where they are parsed.
    pub(crate) fn usage_status(self) -> u8 {
        if self == Self::Sealane { 2 } else { 1 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names() {
        for (path, program) in [
            ("age", Program::Age),
            ("/usr/bin/age-keygen", Program::AgeKeygen),
            ("./age-inspect", Program::AgeInspect),
            ("age-plugin-sealane.exe", Program::PluginSealane),
            ("x/age-plugin-pq", Program::PluginPq),
            ("sealane", Program::Sealane),
            ("age/sealane", Program::Sealane),
            ("age2", Program::Sealane),
            ("", Program::Sealane),
        ] {
            assert_eq!(Program::named(OsStr::new(path)), program, "{path}");
        }
    }
}
