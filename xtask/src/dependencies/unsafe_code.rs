//! Whether a crate's source has `unsafe` code.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};

/// Whether a source file in `folder` or below has a block, function, implementation, trait or foreign interface that is `unsafe`, for
/// whatever platform or feature.
pub(super) fn is_in(folder: &Path) -> Result<bool> {
    let entries = fs::read_dir(folder).with_context(|| format!("cannot list {}", folder.display()))?;
    for entry in entries {
        let path = entry?.path();
        let found = if path.is_dir() {
            is_in(&path)?
        } else {
            path.extension().is_some_and(|extension| extension == "rs")
                && has_unsafe(&fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?)
        };
        if found {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Comments do not count; a string that looks like code would.
fn has_unsafe(source: &str) -> bool {
    let code: String =
        source.lines().map(|line| line.split("//").next().unwrap_or_default()).collect::<Vec<_>>().join("\n");
    code.match_indices("unsafe").any(|(at, word)| {
        let part_of_a_name = |c: char| c.is_alphanumeric() || c == '_';
        let next = code[at + word.len()..].trim_start();
        !code[..at].ends_with(part_of_a_name)
            && !code[at + word.len()..].starts_with(part_of_a_name)
            && ["{", "fn ", "impl ", "impl<", "trait ", "extern "].iter().any(|start| next.starts_with(start))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tells_code_from_comments_and_lints() {
        for code in [
            "unsafe { x() }",
            "pub unsafe fn x()",
            "unsafe impl<T> Send for X<T>",
            "unsafe\n    { x() }",
            "unsafe extern \"C\" {}",
        ] {
            assert!(has_unsafe(code), "{code}");
        }
        for code in
            ["#![forbid(unsafe_code)]", "// unsafe { x() }", "/// An unsafe fn would do.", "let not_unsafe = 1; {}", ""]
        {
            assert!(!has_unsafe(code), "{code}");
        }
    }
}
