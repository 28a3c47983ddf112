//! Undoes the changes of mail programs, web pages and editors to text.

use zeroize::Zeroizing;

/// Returns the lines without quoting, invisible characters and soft line breaks. Spaces and hyphens
/// become ASCII.
pub(crate) fn clean(text: &str) -> Zeroizing<String> {
    let mut out = Zeroizing::new(String::with_capacity(text.len() * 2 + 1));
    for line in text.split('\n') {
        let line = line.strip_suffix('\r').unwrap_or(line);
        // Old Macs end lines with a single CR. Line ends that were converted twice have two.
        for line in line.split('\r') {
            let start = out.len();
            out.extend(line.chars().filter_map(plain));
            let quoted = out[start..].find(|c: char| !matches!(c, ' ' | '>' | '|')).map_or(out.len(), |at| start + at);
            out.replace_range(start..quoted, "");
            // Quoted-printable: "=" joins lines, "=20" keeps a space at the end.
            let kept = out[start..].trim_end().trim_end_matches("=20").trim_end_matches('=').trim_end().len();
            out.truncate(start + kept);
            out.push('\n');
        }
    }
    out
}

/// Returns the character if it is visible. Spaces and hyphens become ASCII.
fn plain(c: char) -> Option<char> {
    match c {
        // Soft hyphen, zero-width characters, marks of direction, byte order mark.
        '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}' => None,
        '\u{2010}'..='\u{2015}' | '\u{2212}' | '\u{fe58}' | '\u{fe63}' | '\u{ff0d}' => Some('-'),
        c if c.is_whitespace() => Some(' '),
        c => Some(c),
    }
}
