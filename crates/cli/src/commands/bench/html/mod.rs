//! The report as one standalone page, without network, scripts or fonts.

mod lines;

use std::fmt::Write as _;

use sealane_measure::escaped;

use super::report::{Report, Section};

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
         <h1>Sealane on {cpu}</h1>\n"
    );
    facts(&mut out, report);
    out.push_str("<div class=\"panels\">\n");
    for section in report.benchmarks() {
        let benchmark = section.benchmark;
        let _ = write!(
            out,
            "<section id=\"{}\">\n<h2>{}</h2>\n<p class=\"faint\">{}</p>\n",
            benchmark.name, benchmark.title, benchmark.what
        );
        // The other benchmarks have few sizes, and their times are far apart.
        if benchmark.takes_any_length() {
            lines::plot(&mut out, &section);
        }
        table(&mut out, &section);
        out.push_str("</section>\n");
    }
    out.push_str("</div>\n</body>\n</html>\n");
    out
}

fn facts(out: &mut String, report: &Report) {
    let environment = &report.environment;
    let features = environment.features.join(" ");
    let families = environment.families.iter().map(|family| {
        format!("{}: {}; unless forced, {} is used", family.name, family.backends.join(", "), family.default_backend)
    });
    let facts = [
        ("Version", format!("sealane {}, {} {}", environment.sealane, environment.architecture, environment.os)),
        ("Features", if features.is_empty() { "none of those that Sealane knows".into() } else { features }),
        ("Backends", families.collect::<Vec<_>>().join("; ")),
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

fn table(out: &mut String, section: &Section<'_>) {
    let backends = section.backends();
    out.push_str("<div class=\"scroll\"><table>\n<thead>\n<tr><th scope=\"col\">size</th>");
    for backend in &backends {
        let _ = write!(out, "<th scope=\"colgroup\" class=\"group\" colspan=\"2\">{backend}</th>");
    }
    out.push_str("</tr>\n<tr><th></th>");
    let [first, second] = section.units();
    for _ in backends {
        let _ = write!(out, "<th class=\"unit group\">{first}</th><th class=\"unit\">{second}</th>");
    }
    out.push_str("</tr>\n</thead>\n<tbody>\n");
    for row in section.rows() {
        let _ = write!(out, "<tr><th scope=\"row\">{}</th>", row[0].size);
        for cell in row {
            let [first, second] = section.figures(cell);
            let _ = write!(out, "<td class=\"group\">{first}</td><td>{second}</td>");
        }
        out.push_str("</tr>\n");
    }
    out.push_str("</tbody>\n</table></div>\n");
}
