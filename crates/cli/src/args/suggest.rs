//! Finds the command with the name most similar to a mistyped one.

use strsim::osa_distance;

use super::subcommand::Subcommand;

/// Returns the name of the subcommand that is most similar to `typed`, if one is similar enough.
pub(super) fn nearest(typed: &str, subcommands: &[Subcommand]) -> Option<&'static str> {
    let names = subcommands.iter().map(|subcommand| subcommand.name);
    let near =
        names.map(|name| (osa_distance(typed, name), name)).filter(|(distance, name)| *distance <= name.len() / 3);
    near.min().map(|(_, name)| name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::SUBCOMMANDS;

    #[test]
    fn typing_errors_are_recognised() {
        for (typed, meant) in [
            ("encrpyt", Some("encrypt")),
            ("decryt", Some("decrypt")),
            ("keygn", Some("keygen")),
            ("comibne", Some("combine")),
            ("splti", Some("split")),
            ("cpi", Some("cpu")),
            ("frobnicate", None),
            ("notes.txt", None),
            ("x", None),
            ("", None),
        ] {
            assert_eq!(nearest(typed, SUBCOMMANDS), meant, "{typed}");
        }
    }
}
