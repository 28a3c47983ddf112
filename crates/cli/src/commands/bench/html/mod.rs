//! The report as one standalone page, without network, scripts or fonts.

mod lines;

use std::fmt::Write as _;

use sealane_measure::{escaped, figure, size_name};

use super::primitive::Primitive;
use super::report::Report;

const STYLE: &str = include_str!("style.css");

/// Returns the page.
pub(super) fn page(report: &Report) -> String {
    let mut out = String::new();
    let environment = &report.environment;
    let cpu = escaped(environment.cpu.as_deref().unwrap_or("unknown CPU"));
    // Writing to a String cannot fail. The policy forbids everything except the page's own style.
    let _ = write!(
        out,
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>sealane bench: {cpu}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n\
         <h1>ChaCha20 and Poly1305 on {cpu}</h1>\n"
    );
    facts(&mut out, report);
    out.push_str("<div class=\"panels\">\n");
    for primitive in report.primitives() {
        let (title, what) = Primitive::title(primitive);
        let _ = write!(out, "<section id=\"{primitive}\">\n<h2>{title}</h2>\n<p class=\"faint\">{what}</p>\n");
        lines::plot(&mut out, report, primitive, title);
        table(&mut out, report, primitive);
        out.push_str("</section>\n");
    }
    out.push_str("</div>\n</body>\n</html>\n");
    out
}

fn facts(out: &mut String, report: &Report) {
    let environment = &report.environment;
    let features = environment.features.join(" ");
    let facts = [
        ("Version", format!("sealane {}, {} {}", environment.sealane, environment.architecture, environment.os)),
        ("Features", if features.is_empty() { "none that are known here".into() } else { features }),
        (
            "Backends",
            format!("{}; unless forced, {} is used", environment.backends.join(", "), environment.default_backend),
        ),
        ("Clock", format!("{}: {}", environment.clock(), environment.clock_method)),
        (
            "Figures",
            format!(
                "medians over {} ms for each cell, backends taking turns; every output was compared with the scalar \
                 backend's in this run, and that with known answers. GB/s are 10⁹ bytes a second.",
                environment.time_per_cell_ms
            ),
        ),
        ("Measured", environment.time.clone()),
    ];
    out.push_str("<dl class=\"facts\">\n");
    for (name, value) in facts {
        let _ = writeln!(out, "<dt>{name}</dt><dd>{}</dd>", escaped(&value));
    }
    out.push_str("</dl>\n");
}

fn table(out: &mut String, report: &Report, primitive: &str) {
    let backends = &report.environment.backends;
    out.push_str("<div class=\"scroll\"><table>\n<thead>\n<tr><th scope=\"col\">size</th>");
    for backend in backends {
        let _ = write!(out, "<th scope=\"colgroup\" class=\"group\" colspan=\"2\">{backend}</th>");
    }
    out.push_str("</tr>\n<tr><th></th>");
    for _ in backends {
        out.push_str("<th class=\"unit group\">GB/s</th><th class=\"unit\">cycles/B</th>");
    }
    out.push_str("</tr>\n</thead>\n<tbody>\n");
    for bytes in report.sizes() {
        let _ = write!(out, "<tr><th scope=\"row\">{}</th>", size_name(bytes));
        for backend in backends {
            if let Some(cell) = report.cell(primitive, backend, bytes) {
                let (speed, cycles) = (figure(cell.gb_per_s), figure(cell.cycles_per_byte));
                let _ = write!(out, "<td class=\"group\">{speed}</td><td>{cycles}</td>");
            }
        }
        out.push_str("</tr>\n");
    }
    out.push_str("</tbody>\n</table></div>\n");
}
