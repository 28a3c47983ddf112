//! Guesses which command was meant by a mistyped name.

use super::SUBCOMMANDS;

/// Returns the command that is most like `typed`, if one is like it.
pub(super) fn suggestion(typed: &str) -> Option<&'static str> {
    let names = SUBCOMMANDS.iter().map(|subcommand| subcommand.name);
    let near = names.map(|name| (distance(typed, name), name)).filter(|(distance, name)| *distance <= name.len() / 3);
    near.min().map(|(_, name)| name)
}

/// Returns the least number of letters to insert, remove, replace or swap with their neighbour that
/// makes `a` of `b`.
fn distance(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let mut rows = vec![(0..=b.len()).collect::<Vec<_>>()];
    for i in 1..=a.len() {
        let mut row = vec![i];
        for j in 1..=b.len() {
            let replaced = rows[i - 1][j - 1] + usize::from(a[i - 1] != b[j - 1]);
            let mut least = replaced.min(rows[i - 1][j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                least = least.min(rows[i - 2][j - 2] + 1);
            }
            row.push(least);
        }
        rows.push(row);
    }
    rows[a.len()][b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

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
            assert_eq!(suggestion(typed), meant, "{typed}");
        }
    }
}
