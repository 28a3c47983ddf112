//! Reading memcheck's reports.

use std::fmt;

/// One place in the machine code that depends on a secret, as memcheck prints it: what it is, then the functions that it is in,
/// from the innermost on, inlined ones too.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Report<'a>(Vec<&'a str>);

/// The reports in what memcheck said.
pub(super) fn parse(said: &str) -> Vec<Report<'_>> {
    let mut reports: Vec<Report<'_>> = Vec::new();
    for line in said.lines() {
        // `==1234==    at 0x1111: f (f.rs:1)`
        let Some((_, text)) = line.strip_prefix("==").and_then(|line| line.split_once("== ")) else { continue };
        if text.starts_with("   ") {
            if let Some(Report(lines)) = reports.last_mut() {
                lines.push(text.trim());
            }
        } else if !text.trim().is_empty() {
            reports.push(Report(vec![text.trim()]));
        }
    }
    reports
}

impl<'a> Report<'a> {
    /// Whether it is a branch, or a conditional move; else it is an address.
    pub(super) fn is_branch(&self) -> bool {
        self.0[0].starts_with("Conditional jump or move depends on")
    }

    /// The innermost line of source in that folder: file and line.
    pub(super) fn line_in(&self, folder: &str) -> Option<(&'a str, usize)> {
        self.0[1..].iter().find_map(|frame| {
            let (_, place) = frame.strip_suffix(')')?.rsplit_once('(')?;
            let (path, line) = place.rsplit_once(':')?;
            let line = line.parse().ok().filter(|&line| line > 0)?;
            path.starts_with(folder).then_some((path, line))
        })
    }
}

impl fmt::Display for Report<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.join("\n    "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SAID: &str = "==7== Conditional jump or move depends on uninitialised value(s)\n\
                        ==7==    at 0x1111: is_ok<(), ()> (/rustc/5/library/core/src/result.rs:600)\n\
                        ==7==    by 0x1111: open (crates/sealane/src/aead/one_shot.rs:203)\n\
                        ==7==    by 0x2222: main (xtask/constant-time/src/main.rs:9)\n\
                        ==7== \nopen on avx2: done\n\
                        ==7== Use of uninitialised value of size 8\n\
                        ==7==    at 0x3333: main (in /tmp/program)\n==7== \n";

    #[test]
    fn reports_are_told_apart() {
        let reports = parse(SAID);
        assert_eq!(reports.iter().map(Report::is_branch).collect::<Vec<_>>(), [true, false]);
        assert_eq!(reports[0].line_in("crates/"), Some(("crates/sealane/src/aead/one_shot.rs", 203)));
        assert_eq!(reports[1].line_in("crates/"), None);
        assert!(reports[0].to_string().ends_with("main.rs:9)"), "{}", reports[0]);
        assert_eq!(parse("open on avx2: done\n"), []);
    }
}
