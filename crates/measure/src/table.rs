//! Tables for a terminal.

use std::fmt::Write as _;

/// Rows of cells. The first column is flush left, the others are flush right.
#[derive(Debug)]
pub struct Table {
    rows: Vec<Vec<String>>,
}

impl Table {
    /// Returns a table with that first row.
    pub fn new(head: impl IntoIterator<Item = String>) -> Self {
        Self { rows: vec![head.into_iter().collect()] }
    }

    /// Adds a row.
    pub fn row(&mut self, cells: impl IntoIterator<Item = String>) {
        self.rows.push(cells.into_iter().collect());
    }

    /// Returns the text, two spaces between columns, each line indented by `indent` spaces.
    #[must_use]
    pub fn text(&self, indent: usize) -> String {
        let columns = self.rows.iter().map(Vec::len).max().unwrap_or(0);
        let width = |column: usize| {
            let cells = self.rows.iter().filter_map(|row| row.get(column));
            cells.map(|cell| cell.chars().count()).max().unwrap_or(0)
        };
        let widths: Vec<_> = (0..columns).map(width).collect();
        let mut text = String::new();
        for row in &self.rows {
            let mut line = " ".repeat(indent);
            for (i, (cell, &width)) in row.iter().zip(&widths).enumerate() {
                // Writing to a String cannot fail.
                let _ = if i == 0 { write!(line, "{cell:width$}") } else { write!(line, "  {cell:>width$}") };
            }
            text.push_str(line.trim_end());
            text.push('\n');
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_as_wide_as_their_widest_cell() {
        let mut table = Table::new(["", "64 B", "1 KiB"].map(String::from));
        table.row(["ring", "1.50", "-"].map(String::from));
        table.row(["sealane ×"].map(String::from));
        assert_eq!(table.text(1), "            64 B  1 KiB\n ring       1.50      -\n sealane ×\n");
    }
}
