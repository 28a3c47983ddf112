//! QR codes (ISO/IEC 18004) as images in a page.

use std::fmt::Write as _;

use qrcodegen_no_heap::{QrCode, QrCodeEcc, Version};
use zeroize::Zeroizing;

/// The empty border, in modules, that readers need.
const BORDER: i32 = 4;

/// Returns an SVG image of a code for `text`, with error correction of level Quartile, or of a
/// lower level if the text is too long for that. `class` is its CSS class. Returns `None` if the
/// text is too long for any code.
pub(super) fn svg(text: &str, class: &str) -> Option<Zeroizing<String>> {
    [QrCodeEcc::Quartile, QrCodeEcc::Medium, QrCodeEcc::Low].into_iter().find_map(|level| {
        // The code is as secret as the text, so it is in buffers that are wiped.
        let buffer = || Zeroizing::new(vec![0; Version::MAX.buffer_len()]);
        let (mut work, mut modules) = (buffer(), buffer());
        let (least, most) = (Version::MIN, Version::MAX);
        let code = QrCode::encode_text(text, &mut work, &mut modules, level, least, most, None, true);
        code.ok().map(|code| image(&code, class))
    })
}

/// Draws a code.
fn image(code: &QrCode<'_>, class: &str) -> Zeroizing<String> {
    let size = code.size();
    let whole = size + 2 * BORDER;
    // A dark module takes about 12 characters, and about half of the modules are dark. The capacity
    // is enough, so that the text does not grow.
    let modules = usize::try_from(size * size).unwrap_or_default();
    let mut out = Zeroizing::new(String::with_capacity(14 * modules + 256));
    // Writing to a string does not fail.
    let _ = write!(
        out,
        "<svg class=\"{class}\" viewBox=\"0 0 {whole} {whole}\" shape-rendering=\"crispEdges\" role=\"img\" \
         aria-label=\"The share as a QR code\">\n<path d=\""
    );
    for y in 0..size {
        for x in (0..size).filter(|&x| code.get_module(x, y)) {
            let _ = write!(out, "M{},{}h1v1h-1z", x + BORDER, y + BORDER);
        }
    }
    out.push_str("\"/>\n</svg>\n");
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_modules_are_those_of_the_code() {
        let (mut work, mut modules) = ([0; 4000], [0; 4000]);
        let (level, least, most) = (QrCodeEcc::Quartile, Version::MIN, Version::MAX);
        let code = QrCode::encode_text("SEALANE", &mut work, &mut modules, level, least, most, None, true);
        let code = code.unwrap();
        let dark = (0..code.size()).flat_map(|y| (0..code.size()).map(move |x| (x, y)));
        let dark: Vec<_> = dark.filter(|&(x, y)| code.get_module(x, y)).collect();
        let image = svg("SEALANE", "code").unwrap();
        assert_eq!(image.matches("h1v1h-1z").count(), dark.len());
        // The corner of a finder pattern, inside the border.
        assert!(image.contains("\"M4,4h1v1h-1z"));
        assert!(image.contains(&format!("viewBox=\"0 0 {0} {0}\"", code.size() + 8)));
    }

    #[test]
    fn every_share_of_text_has_a_code() {
        let longest = "Q".repeat(4095);
        assert!(svg(&longest, "code").is_some());
        assert!(svg(&"q".repeat(4095), "code").is_none(), "lower case does not fit");
    }

    #[test]
    fn the_text_does_not_grow() {
        for length in [1, 100, 1000, 4095] {
            let image = svg(&"Q".repeat(length), "code").unwrap();
            let size =
                image.split("viewBox=\"0 0 ").nth(1).unwrap().split(' ').next().unwrap().parse::<usize>().unwrap();
            assert!(image.len() <= 14 * (size - 8) * (size - 8) + 256, "{length}");
        }
    }
}
