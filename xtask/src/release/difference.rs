//! Where two programs differ.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

use anyhow::Result;

use crate::process;

/// The shortest text that counts as a string.
const MIN_LENGTH: usize = 6;
/// As many strings are shown of each program.
const SHOWN: usize = 12;

/// The runs of printable ASCII in a program, each once.
pub(super) fn strings(bytes: &[u8]) -> BTreeSet<String> {
    (bytes.split(|byte| !(b' '..=b'~').contains(byte)))
        .filter(|run| run.len() >= MIN_LENGTH)
        .map(|run| String::from_utf8_lossy(run).into_owned())
        .collect()
}

/// In words: the first byte that differs, its section, and the strings that only one of them has.
pub(super) fn describe(a: (&Path, &[u8]), b: (&Path, &[u8])) -> Result<String> {
    let at = a.1.iter().zip(b.1).position(|(x, y)| x != y).unwrap_or(a.1.len().min(b.1.len()));
    let section = section(a.0, at)?;
    let mut text = format!("{} and {} bytes, the first that differs at {at:#x} ({section})", a.1.len(), b.1.len());
    let (in_a, in_b) = (strings(a.1), strings(b.1));
    for (path, only) in [(a.0, in_a.difference(&in_b)), (b.0, in_b.difference(&in_a))] {
        for string in only.take(SHOWN) {
            text.push_str(&format!("\n  only in {}: {string}", path.display()));
        }
    }
    Ok(text)
}

/// The name of the section of an ELF file that has the byte at `offset`.
fn section(program: &Path, offset: usize) -> Result<String> {
    let readelf = process::tool("readelf", "binutils")?;
    let table = process::output(Command::new(readelf).args(["--section-headers", "--wide"]).arg(program))?;
    let found = String::from_utf8_lossy(&table).lines().find_map(|line| section_with(line, offset));
    Ok(found.unwrap_or_else(|| "in no section".to_owned()))
}

/// `  [16] .text PROGBITS 0000000000051b40 050b40 0f2d12 00 AX 0 0 64`: number, name, type, address, offset, size.
fn section_with(line: &str, offset: usize) -> Option<String> {
    let (_, fields) = line.trim_start().strip_prefix('[')?.split_once(']')?;
    let fields: Vec<_> = fields.split_whitespace().collect();
    let [name, kind, _, start, size, ..] = fields.as_slice() else { return None };
    let (start, size) = (usize::from_str_radix(start, 16).ok()?, usize::from_str_radix(size, 16).ok()?);
    (*kind != "NOBITS" && (start..start + size).contains(&offset)).then(|| (*name).to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_strings() {
        let found: Vec<_> = strings(b"\x01abcdef\0abc\xffghijkl mn\0abcdef").into_iter().collect();
        assert_eq!(found, ["abcdef", "ghijkl mn"]);
    }

    #[test]
    fn finds_sections() {
        let line = "  [16] .text             PROGBITS        0000000000051b40 050b40 000010 00  AX  0   0 64";
        assert_eq!(section_with(line, 0x50b4f).as_deref(), Some(".text"));
        assert_eq!(section_with(line, 0x50b50), None);
        assert_eq!(section_with("  [Nr] Name Type Address Off Size", 0), None);
    }
}
