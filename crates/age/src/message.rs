//! Parts of error messages.

use alloc::collections::BTreeSet;
use alloc::string::{String, ToString as _};
use core::fmt;

/// Displays the labels of a recipient.
pub(crate) struct Labels<'a>(pub(crate) &'a BTreeSet<String>);

impl fmt::Display for Labels<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_empty() {
            return f.write_str("no label");
        }
        for (i, label) in self.0.iter().enumerate() {
            write!(f, "{}\"{label}\"", if i > 0 { ", " } else { "" })?;
        }
        Ok(())
    }
}

/// Displays an error of another crate, with all lines of its message joined into one.
pub(crate) struct OneLine<'a, E>(pub(crate) &'a E);

impl<E: fmt::Display> fmt::Display for OneLine<'_, E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = self.0.to_string();
        let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
        for (i, line) in lines.enumerate() {
            if i > 0 {
                f.write_str("; ")?;
            }
            f.write_str(line)?;
        }
        Ok(())
    }
}
