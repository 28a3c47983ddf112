//! Sheets of paper with shares: one page for each share, with a QR code, the text, and
//! instructions.

mod qr;

use std::fmt::Write as _;

use sealane_measure::escaped;
use sealane_shares::TEXT_PREFIX;
use zeroize::Zeroizing;

use crate::error::{Error, Result};
use crate::os::tty::MAX_LINE;

const STYLE: &str = include_str!("style.css");

/// The number of characters in a group. A line has [`GROUPS`] groups, or [`DENSE_GROUPS`] in small
/// print.
const GROUP: usize = 5;
const GROUPS: usize = 10;
const DENSE_GROUPS: usize = 19;
/// The number of characters above which a share needs a large code and small print to fit on a
/// page.
const DENSE: usize = 900;
/// The number of words above which they need small print. With a passphrase, Chromium prints about
/// 75 words on a page of US Letter, and about 340 in small print.
const DENSE_WORDS: usize = 60;
/// The number of characters of a public key above which a sheet shows only its ends, which are
/// [`SHOWN`] characters each.
const LONG_KEY: usize = 100;
const SHOWN: usize = 24;

/// The share of one sheet.
pub(super) struct Sheet<'a> {
    /// The number of the share, from 1.
    pub(super) index: usize,
    /// The line of text, or the words.
    pub(super) text: &'a str,
}

/// The properties that all sheets share.
pub(super) struct Sheets<'a> {
    /// The name of the secret.
    pub(super) stem: &'a str,
    /// The identifier of the set.
    pub(super) set: &'a str,
    pub(super) threshold: usize,
    pub(super) count: usize,
    /// Whether the shares are words (SLIP-39).
    pub(super) words: bool,
    /// Whether the words need a passphrase too.
    pub(super) passphrase: bool,
    /// The public key, if the secret is an identity.
    pub(super) public: Option<&'a str>,
}

impl Sheets<'_> {
    /// Returns a page for each of `sheets`, as HTML without network, scripts or fonts.
    pub(super) fn page(&self, sheets: &[Sheet<'_>]) -> Result<Zeroizing<String>> {
        let sections = sheets.iter().map(|sheet| self.section(sheet)).collect::<Result<Vec<_>>>()?;
        let len: usize = sections.iter().map(|section| section.len()).sum();
        // Allocated at once, because growing leaves a copy behind that is not wiped.
        let mut out = Zeroizing::new(String::with_capacity(len + STYLE.len() + 1024 + self.stem.len() * 6));
        let _ = write!(
            out,
            "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
             <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n\
             <title>Shares of {}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n",
            escaped(self.stem)
        );
        sections.iter().for_each(|section| out.push_str(section));
        out.push_str("</body>\n</html>\n");
        Ok(out)
    }

    /// Returns the page of one share.
    fn section(&self, sheet: &Sheet<'_>) -> Result<Zeroizing<String>> {
        let Self { stem, set, threshold, count, .. } = self;
        let is_dense = if self.words { sheet.text.split(' ').count() > DENSE_WORDS } else { sheet.text.len() > DENSE };
        // A code with many modules must be larger to be readable on paper.
        let class = if sheet.text.len() > DENSE { "large" } else { "small" };
        let upper = Zeroizing::new(sheet.text.to_ascii_uppercase());
        let code = qr::svg(&upper, class).ok_or_else(|| {
            Error::new("a share is too long for a QR code").hint("split a shorter secret, such as a key")
        })?;
        let mut out = Zeroizing::new(String::with_capacity(code.len() + 16 * sheet.text.len() + 8192));
        let _ = write!(
            out,
            "<section{}>\n<h1>Share {} of {count}</h1>\n<p class=\"what\">of {}, set {set}</p>\n<div class=\"top\">\n",
            if is_dense { " class=\"dense\"" } else { "" },
            sheet.index,
            escaped(stem),
        );
        out.push_str(&code);
        // A digest of the secret is shared together with words.
        let fewer = if self.words {
            format!("do not restore it, but {} can show whether a guess at it is right", threshold - 1)
        } else {
            "reveal nothing about it but its length".to_owned()
        };
        let _ = write!(
            out,
            "<div class=\"side\">\n<p><strong>Any {threshold} of the {count} shares restore the secret.</strong> Fewer \
             {fewer}. Keep this sheet secret, dry, and apart from the other shares.</p>\n"
        );
        self.instructions(&mut out, sheet.text);
        out.push_str("</div>\n</div>\n");
        self.text(&mut out, sheet.text);
        out.push_str(
            "<p class=\"blank\"><span>Kept by</span><span>Date</span><span>Checked on</span></p>\n</section>\n",
        );
        Ok(out)
    }

    /// Writes the words in numbered columns, or the line in groups.
    fn text(&self, out: &mut String, text: &str) {
        if self.words {
            out.push_str("<h2>The words</h2>\n<ol class=\"words\">\n");
            for word in text.split(' ') {
                out.extend(["<li>", word, "</li>\n"]);
            }
            out.push_str("</ol>\n");
            return;
        }
        let (prefix, body) = text.split_at_checked(TEXT_PREFIX.len()).unwrap_or((text, ""));
        out.extend(["<h2>The share</h2>\n<p class=\"text\">", prefix, "\n"]);
        let groups = if text.len() > DENSE { DENSE_GROUPS } else { GROUPS };
        for (at, letter) in body.chars().enumerate() {
            match at {
                0 => {}
                _ if at % (GROUP * groups) == 0 => out.push('\n'),
                _ if at % GROUP == 0 => out.push(' '),
                _ => {}
            }
            out.push(letter);
        }
        out.push_str("</p>\n<p class=\"what\">Spaces do not count, nor does the case of letters.</p>\n");
    }

    /// Writes the steps that restore the secret from shares such as `text`.
    fn instructions(&self, out: &mut String, text: &str) {
        let identity = if self.words && self.public.is_some() { " --identity" } else { "" };
        let passphrase = if self.passphrase { " -p" } else { "" };
        let line = match self.words {
            // They would not fit on one line of a terminal.
            true if text.len() > MAX_LINE => "Type the first four letters of each word, all on one line",
            true => "Type the words on one line",
            false => "Type the share on one line, or scan the code",
        };
        let _ = write!(
            out,
            "<h2>To restore the secret</h2>\n<ol>\n<li>Bring {} shares of this set to a computer that you trust, with the \
             program <code>sealane</code>.</li>\n\
             <li>Run <code>sealane combine{identity}{passphrase} -o restored.txt</code>.</li>\n\
             <li>{line}, one share after the other. Each is checked at once.</li>\n",
            self.threshold
        );
        if let Some(public) = self.public {
            // A post-quantum key would fill the page.
            let public = match public.len() {
                LONG_KEY.. => format!("{} … {}", &public[..SHOWN], &public[public.len() - SHOWN..]),
                _ => public.to_owned(),
            };
            let _ = writeln!(out, "<li>Compare the public key that is shown: <code>{}</code></li>", escaped(&public));
        }
        out.push_str("</ol>\n");
        if self.passphrase {
            out.push_str(
                "<p><strong>The passphrase is needed too.</strong> It is on none of the sheets. With a wrong \
                 passphrase, the shares give a wrong secret.</p>\n",
            );
        }
        if self.words {
            out.push_str(
                "<p class=\"what\">The words follow SLIP-39, which other programs and hardware wallets read too.</p>\n",
            );
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sheets(stem: &str) -> Sheets<'_> {
        Sheets { stem, set: "5f0c91d2", threshold: 2, count: 3, words: false, passphrase: false, public: None }
    }

    #[test]
    fn the_text_is_grouped_and_complete() {
        let text = format!("{TEXT_PREFIX}{}", "ABCDEFGHIJ".repeat(20));
        let mut out = String::new();
        sheets("key").text(&mut out, &text);
        let shown = out.split("<p class=\"text\">").nth(1).unwrap().split("</p>").next().unwrap();
        assert_eq!(shown.lines().next(), Some(TEXT_PREFIX));
        assert_eq!(shown.lines().nth(1), Some("ABCDE FGHIJ ABCDE FGHIJ ABCDE FGHIJ ABCDE FGHIJ ABCDE FGHIJ"));
        assert_eq!(shown.replace([' ', '\n'], ""), text);
    }

    /// US Letter, which is shorter than A4, has room for 39 lines of small print below the code.
    /// Browsers print each share on one page.
    #[test]
    fn the_longest_line_fits_a_page() {
        let share = &sealane_shares::split(&[7; 2048], 2, 3).unwrap()[0];
        let mut out = String::new();
        sheets("key").text(&mut out, &share.to_text().unwrap());
        let lines = out.split("<p class=\"text\">").nth(1).unwrap().split("</p>").next().unwrap().lines();
        let lengths: Vec<_> = lines.map(str::len).collect();
        assert!((35..=39).contains(&lengths.len()), "{}", lengths.len());
        assert!(share.to_text().unwrap().len() <= MAX_LINE, "it can be typed");
        assert_eq!(lengths.iter().max(), Some(&113));
    }

    #[test]
    fn many_words_are_in_small_print() {
        for (count, dense) in [(33, false), (60, false), (61, true), (300, true)] {
            let sheets = Sheets { words: true, ..sheets("key") };
            let page = sheets.page(&[Sheet { index: 1, text: &vec!["academic"; count].join(" ") }]).unwrap();
            assert_eq!(page.contains("<section class=\"dense\">"), dense, "{count}");
            assert_eq!(page.contains("<svg class=\"large\""), count == 300, "{count}");
        }
    }

    #[test]
    fn words_that_are_too_long_for_a_line_are_typed_in_short() {
        for (count, short) in [(33, false), (455, false), (456, true)] {
            let text = vec!["academic"; count].join(" ");
            assert_eq!(text.len() > MAX_LINE, short, "{count}");
            let mut out = String::new();
            Sheets { words: true, ..sheets("key") }.instructions(&mut out, &text);
            assert_eq!(out.contains("Type the first four letters of each word, all on one line"), short, "{count}");
            assert_eq!(out.contains("Type the words on one line"), !short, "{count}");
        }
    }

    #[test]
    fn a_passphrase_is_mentioned_where_one_is_needed() {
        for passphrase in [false, true] {
            let sheets = Sheets { words: true, passphrase, ..sheets("key") };
            let page = sheets.page(&[Sheet { index: 1, text: "academic acid" }]).unwrap();
            assert_eq!(page.contains("The passphrase is needed too"), passphrase);
            assert_eq!(page.contains("sealane combine -p"), passphrase);
        }
    }

    #[test]
    fn names_cannot_add_markup() {
        let page = sheets("<script>\"&").page(&[Sheet { index: 1, text: "ABC" }]).unwrap();
        assert!(!page.contains("<script>") && page.contains("&lt;script&gt;&quot;&amp;"));
    }

    #[test]
    fn a_share_that_is_too_long_is_an_error() {
        assert!(sheets("key").page(&[Sheet { index: 1, text: &"A".repeat(5000) }]).is_err());
    }
}
