//! `sealane bench`: measures the named cells, checks their results, and draws plots of them.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::support::{self, Dir, Run, finish};
use crate::terminal::{ends, in_terminal};

/// The shortest time that the command allows.
const QUICK: [&str; 3] = ["bench", "--time-per-cell", "1"];

/// Benchmarks of the family of ChaCha20 that take messages of any length.
const MESSAGES: [&str; 7] = [
    "chacha20",
    "poly1305",
    "chacha20poly1305-seal",
    "chacha20poly1305-open",
    "xchacha20poly1305-seal",
    "chacha20poly1305-seal-batch",
    "chacha20poly1305-open-batch",
];
/// Some of the other benchmarks, each with a primitive that has the same backends, and with one of
/// its sizes.
const OTHERS: [(&str, &str, &str); 6] = [
    ("haraka512", "haraka512", "8 inputs"),
    ("gf2n-multiply", "gf2n", "2^256"),
    ("gf2n-invert", "gf2n", "2^2048"),
    ("shamir-element-split", "gf2n", "10 of 10"),
    ("gf8-multiply-add", "gf8", "64 KiB"),
    ("shamir-combine", "gf8", "32 B"),
];

fn bench(dir: &Dir, args: &[&str]) -> Run {
    let mut command = dir.command(QUICK.iter().chain(args));
    command.env_remove("SEALANE_BACKEND");
    finish(command)
}

fn json(dir: &Dir, args: &[&str]) -> Value {
    let args = [&["--json"], args].concat();
    serde_json::from_slice(&bench(dir, &args).quiet().stdout).unwrap()
}

/// Returns the backends of a primitive that `sealane cpu` lists as available.
fn backends(dir: &Dir, primitive: &str) -> Vec<String> {
    let report: Value = serde_json::from_slice(&dir.run(["cpu", "--json"]).quiet().stdout).unwrap();
    let supported = support::backends(&report, primitive).iter().filter(|backend| backend["supported"] == true);
    supported.map(|backend| backend["name"].as_str().unwrap().to_owned()).collect()
}

fn number(value: &Value) -> f64 {
    let number = value.as_f64().unwrap_or_else(|| panic!("no number: {value}"));
    assert!(number.is_finite() && number > 0.0, "{number}");
    number
}

#[track_caller]
fn near(a: f64, b: f64) {
    assert!((a / b - 1.0).abs() < 1e-3, "{a} is not {b}");
}

#[test]
fn json_has_every_cell_once_and_all_are_verified() {
    let dir = Dir::new();
    let report = json(&dir, &["--filter", &MESSAGES.join(","), "--sizes", "1,64,1KiB,1350"]);
    assert_eq!((report["schema"].as_str(), report["version"].as_u64()), (Some("sealane-bench"), Some(3)));
    let environment = &report["environment"];
    assert_eq!(environment["sealane"], env!("CARGO_PKG_VERSION"));
    assert_eq!(environment["architecture"], std::env::consts::ARCH);
    assert_eq!(environment["time_per_cell_ms"], 1);
    let backends = backends(&dir, "chacha20");
    let family = serde_json::json!([{ "name": "chacha", "backends": backends, "default_backend": backends.last() }]);
    assert_eq!(environment["families"], family);
    let clock = number(&environment["clock_ghz"]);
    assert!((0.2..8.0).contains(&clock), "{clock} GHz");

    let mut expected = BTreeSet::new();
    for benchmark in MESSAGES {
        for backend in &backends {
            expected.extend([1, 64, 1024, 1350].map(|bytes| (benchmark.to_owned(), backend.clone(), bytes)));
        }
    }
    let cells = report["cells"].as_array().unwrap();
    assert_eq!(cells.len(), expected.len());
    for cell in cells {
        let text = |field: &str| cell[field].as_str().unwrap().to_owned();
        let bytes = cell["bytes"].as_u64().unwrap();
        assert!(expected.remove(&(text("benchmark"), text("backend"), bytes)), "twice, or not asked for: {cell}");
        assert_eq!(cell["verified"], true);
        assert!(number(&cell["rounds"]) >= 3.0 && number(&cell["operations_per_round"]) >= 1.0);
        let (ns, clock) = (number(&cell["ns"]), number(&cell["clock_ghz"]));
        assert!(number(&cell["best_ns"]) <= ns);
        near(number(&cell["gb_per_s"]), bytes as f64 / ns);
        near(number(&cell["cycles_per_byte"]), ns * clock / bytes as f64);
    }
    assert_eq!(expected, BTreeSet::new());
}

#[test]
fn every_family_is_measured_on_its_own_backends() {
    let dir = Dir::new();
    for (benchmark, primitive, size) in OTHERS {
        let report = json(&dir, &["--filter", benchmark]);
        let cells = report["cells"].as_array().unwrap();
        let measured: Vec<_> = cells.iter().filter(|cell| cell["size"] == size).map(|cell| &cell["backend"]).collect();
        assert_eq!(measured, backends(&dir, primitive).iter().collect::<Vec<_>>(), "{benchmark} {size}");
        for cell in cells {
            let (ns, bytes) = (number(&cell["ns"]), number(&cell["bytes"]));
            assert_eq!((&cell["benchmark"], &cell["verified"]), (&benchmark.into(), &true.into()));
            near(number(&cell["gb_per_s"]), bytes / ns);
        }
    }
    // Slices and secrets may have any length. Other benchmarks keep their sizes, and their table
    // shows times.
    let report = json(&dir, &["--filter", "gf8,shamir-split,haraka256", "--backend", "scalar", "--sizes", "7"]);
    let cells = report["cells"].as_array().unwrap();
    let sizes = |name: &str| {
        cells
            .iter()
            .filter(|cell| cell["benchmark"] == name)
            .map(|cell| cell["size"].as_str().unwrap())
            .collect::<Vec<_>>()
    };
    assert_eq!((sizes("gf8-multiply"), sizes("shamir-split")), (vec!["7 B"], vec!["7 B"]));
    assert_eq!(sizes("haraka256"), ["1 input", "4 inputs", "8 inputs", "64 inputs"]);
    let text = bench(&dir, &["--filter", "haraka512"]).quiet().stdout;
    let text = String::from_utf8(text).unwrap();
    assert!(text.contains("Haraka-512: ") && text.contains("cycles") && !text.contains("cyc/B"), "{text}");
}

#[test]
fn a_page_needs_no_other_file_and_has_a_line_for_each_backend() {
    let dir = Dir::new();
    bench(
        &dir,
        &[
            "--filter",
            &MESSAGES[..5].join(","),
            "--filter",
            "haraka256",
            "--sizes",
            "16,256,4KiB",
            "--html",
            "page.html",
        ],
    )
    .quiet();
    let page = String::from_utf8(dir.read("page.html")).unwrap();
    for foreign in ["http:", "https:", "//", "<script", "<link", "<img", "<iframe", "src=", "href", "@import", "url("] {
        assert!(!page.contains(foreign), "{foreign}");
    }
    assert!(page.starts_with("<!DOCTYPE html>\n<html lang=\"en\">"));
    assert!(page.trim_end().ends_with("</html>"));
    assert_eq!(page.matches("<title>sealane bench: ").count(), 1);
    for part in ["prefers-color-scheme: dark", "width=device-width", "GHz measured", env!("CARGO_PKG_VERSION")] {
        assert!(page.contains(part), "{part}");
    }
    assert!(page.contains("<section id=\"haraka256\">") && page.contains("<th scope=\"row\">8 inputs</th>"));
    let backends = backends(&dir, "chacha20");
    for primitive in &MESSAGES[..5] {
        let start = page.find(&format!("<section id=\"{primitive}\">")).unwrap_or_else(|| panic!("{primitive}"));
        let section = &page[start..start + page[start..].find("</section>").unwrap()];
        assert_eq!(section.matches("<polyline").count(), backends.len());
        for backend in &backends {
            let group =
                section.split(&format!("<g class=\"{backend}\">")).nth(1).unwrap_or_else(|| panic!("{backend}"));
            let points = group.split("points=\"").nth(1).unwrap().split('"').next().unwrap();
            let points: Vec<(f64, f64)> = points
                .split_whitespace()
                .map(|point| point.split_once(',').unwrap())
                .map(|(x, y)| (x.parse().unwrap(), y.parse().unwrap()))
                .collect();
            assert_eq!(points.len(), 3, "{points:?}");
            // Both axes are logarithmic: 16, 256 and 4096 are equally far apart.
            assert!((points[1].0 - points[0].0 - (points[2].0 - points[1].0)).abs() < 0.3, "{points:?}");
            assert!(
                points.iter().all(|&(x, y)| (58.0..=468.0).contains(&x) && (34.0..=282.0).contains(&y)),
                "{points:?}"
            );
            assert!(section.contains(&format!(">{backend}</text>")), "the legend names it");
            assert!(section.contains(&format!("<title>{backend}, 4 KiB: ")), "a point tells its figures");
        }
        for what in ["throughput in GB/s</text>", "message size</text>", "<table>", "<th scope=\"row\">256 B</th>"] {
            assert!(section.contains(what), "{primitive}: {what}");
        }
    }
    well_formed(&page);
}

/// Checks that each element is closed, in order, and that each attribute has quotes.
fn well_formed(page: &str) {
    let style = page.find("<style>").unwrap() + "<style>".len()..page.find("</style>").unwrap();
    let page =
        [&page[.."<!DOCTYPE html>".len()], &page["<!DOCTYPE html>".len()..style.start], &page[style.end..]].concat();
    let mut open = Vec::new();
    for tag in page.split('<').skip(2) {
        let (tag, text) = tag.split_once('>').unwrap_or_else(|| panic!("no end: {tag}"));
        assert!(!text.contains('>') && tag.matches('"').count() % 2 == 0, "{tag}>{text}");
        match tag.strip_prefix('/') {
            Some(name) => assert_eq!(open.pop(), Some(name)),
            None if tag.ends_with('/') || tag.starts_with("meta ") => {}
            None => open.push(tag.split(' ').next().unwrap()),
        }
    }
    assert_eq!(open, [""; 0]);
}

#[test]
fn a_file_is_replaced_completely_or_not_at_all() {
    let dir = Dir::new();
    let args = |file: &'static str| ["--filter", "poly1305", "--sizes", "64", "--html", file];
    dir.write("page.html", "older");
    dir.set_mode("page.html", 0o640);
    bench(&dir, &args("page.html")).quiet();
    assert!(dir.read("page.html").ends_with(b"</html>\n"));
    assert_eq!(dir.mode("page.html"), 0o640);
    std::fs::create_dir(dir.path("sub")).unwrap();
    bench(&dir, &args("missing/page.html")).fails("cannot write to \"missing/page.html\"");
    let run = bench(&dir, &args("sub"));
    assert!(run.err().contains("--html takes the name of a file"), "{}", run.err());
    run.fails("it is a directory");
    // The page is written even if the tables cannot be printed.
    let script = "exec \"$SEALANE\" bench --time-per-cell 1 --filter poly1305 --sizes 64 --html new.html > /dev/full";
    dir.sh(script).fails("cannot write to standard output");
    assert_eq!(dir.names(), ["new.html", "page.html", "sub"]);
}

#[test]
fn standard_output_has_either_the_page_or_the_tables() {
    let dir = Dir::new();
    let out = bench(&dir, &["--filter", "poly1305", "--sizes", "64", "--html", "-"]).quiet().stdout;
    assert!(out.starts_with(b"<!DOCTYPE html>") && out.ends_with(b"</html>\n"));
    bench(&dir, &["--html", "-", "--json"]).misused("both want standard output");
    assert_eq!(dir.names(), [""; 0]);
}

#[test]
fn flags_choose_the_measurements() {
    let dir = Dir::new();
    let report =
        json(&dir, &["--filter", "chacha20,chacha20poly1305-open", "--backend", "scalar", "--sizes", "100,100,1"]);
    let cells: Vec<_> = report["cells"].as_array().unwrap().iter().collect();
    let named: Vec<_> =
        cells.iter().map(|cell| (cell["benchmark"].as_str().unwrap(), cell["bytes"].as_u64().unwrap())).collect();
    let open = "chacha20poly1305-open";
    assert_eq!(named, [("chacha20", 1), ("chacha20", 100), (open, 1), (open, 100)]);
    assert!(cells.iter().all(|cell| cell["backend"] == "scalar"));

    let mut command = dir.command(QUICK.iter().chain(&["--json", "--filter", "poly1305", "--sizes", "1"]));
    command.env("SEALANE_BACKEND", "scalar");
    let report: Value = serde_json::from_slice(&finish(command).quiet().stdout).unwrap();
    assert_eq!(report["environment"]["families"][0]["backends"], serde_json::json!(["scalar"]));
}

#[test]
fn tables_are_readable() {
    let dir = Dir::new();
    let text = bench(&dir, &["--filter", &MESSAGES[..5].join(","), "--sizes", "64,1MiB"]).quiet().stdout;
    let text = String::from_utf8(text).unwrap();
    for backend in backends(&dir, "chacha20") {
        assert!(text.lines().any(|line| line.trim_start().starts_with("scalar") && line.contains(&backend)), "{text}");
    }
    let rows = |start: &str| text.lines().filter(|line| line.trim_start().starts_with(start)).count();
    assert_eq!((rows("64 B "), rows("1 MiB "), rows("size ")), (5, 5, 5), "{text}");
    for what in ["clock ", "GHz measured", "medians", "ChaCha20-Poly1305, open", "cyc/B"] {
        assert!(text.contains(what), "{what}:\n{text}");
    }
    assert!(text.lines().all(|line| line.chars().count() <= 120), "{text}");
}

#[test]
fn impossible_measurements_are_errors() {
    let dir = Dir::new();
    for (args, what) in [
        ("--backend mmx", "--backend \"mmx\": no such backend"),
        ("--backend scalar,", "no such backend"),
        ("--filter dispatch", "--filter \"dispatch\""),
        ("--filter haraka --backend ssse3", "--backend \"ssse3\": no such backend"),
        ("--sizes 0", "an empty message"),
        ("--sizes 64,0", "an empty message"),
        ("--sizes 1.5KiB", "not a number of bytes"),
        ("--sizes 2048MiB", "more than 1024MiB"),
        ("--sizes", "value is required"),
        ("--html --json", "value is required"),
        ("--time-per-cell 0", "0 is not in 1..=60000"),
        ("--frobnicate", "--frobnicate"),
        ("x", "'x'"),
    ] {
        let mut command = dir.command(["bench"].into_iter().chain(args.split(' ')));
        command.env_remove("SEALANE_BACKEND");
        let out = finish(command).misused(what);
        assert!(String::from_utf8_lossy(&out.stderr).contains("hint"), "{args}");
        assert!(out.stdout.is_empty(), "{args}");
    }
    let report: Value = serde_json::from_slice(&dir.run(["cpu", "--json"]).quiet().stdout).unwrap();
    for backend in support::backends(&report, "chacha20").iter().filter(|backend| backend["supported"] == false) {
        bench(&dir, &["--backend", backend["name"].as_str().unwrap()]).fails("available here: scalar");
    }
    let mut command = dir.command(["bench"]);
    command.env("SEALANE_BACKEND", "mmx");
    finish(command).fails("SEALANE_BACKEND: no such backend");
}

/// `--tune` prints a line for each field of the table and for each constant beside it, on every
/// backend. Each line has a value and an answer.
#[test]
fn tuning_lists_every_threshold() {
    let source = include_str!("../../../simd/src/tuning/mod.rs");
    let table = source.split_once("pub struct Tuning {").unwrap().1.split_once("\n}").unwrap().0;
    let fields = table.lines().filter_map(|line| line.trim().strip_prefix("pub ")?.split_once(':'));
    let constants = source.lines().filter_map(|line| line.strip_prefix("pub const ")?.split_once(": u"));
    let constants = constants.filter(|(name, _)| !name.starts_with("fn "));
    let expected: BTreeSet<_> = fields.chain(constants).map(|(name, _)| name).collect();
    assert!(expected.contains("batch_max_bytes") && expected.contains("SHORT_MAX_AAD_BYTES"), "{expected:?}");

    let dir = Dir::new();
    for backend in backends(&dir, "chacha20") {
        let mut command = dir.command(QUICK.iter().chain(&["--tune"]));
        command.env("SEALANE_BACKEND", &backend);
        let text = String::from_utf8(finish(command).quiet().stdout).unwrap();
        let (head, lines) = text.split_once("\n\n").unwrap();
        assert!(head.starts_with("CPU ") && head.contains(&format!("backend   {backend}, class ")), "{head}");
        let mut lines = lines.lines();
        let titles: Vec<_> = lines.next().unwrap().split_whitespace().collect();
        assert_eq!(titles, ["threshold", "value", "here", "gain", "measured"]);
        let mut listed = BTreeSet::new();
        for line in lines.filter(|line| line.contains(|char: char| char.is_alphanumeric())) {
            let cells: Vec<_> = line.split("  ").map(str::trim).filter(|cell| !cell.is_empty()).collect();
            let [name, value, here, gain, measured] = cells[..] else { panic!("{backend}: {line}") };
            assert!(listed.insert(name.to_owned()), "{backend}: {name} is listed twice");
            assert!(!value.is_empty() && !measured.is_empty(), "{line}");
            if name == "authenticate_between_rounds" {
                assert_eq!(value == "true", measured.contains("512 B") && measured.contains("528 B"), "{line}");
            }
            match here {
                "-" | "keep" => assert_eq!(gain, "-", "{line}"),
                "less" | "more" | "alone" | "false" | "one-cycle" | "half-width" | "two-cycles" => {
                    let percent: u32 = gain.strip_suffix('%').unwrap().parse().unwrap();
                    assert!(percent >= 2 && measured.contains(" ns"), "{line}");
                }
                _ => panic!("{line}"),
            }
        }
        assert_eq!(listed.iter().map(String::as_str).collect::<BTreeSet<_>>(), expected, "{backend}");
    }
}

#[test]
fn help_describes_the_measurements() {
    let dir = Dir::new();
    for args in [["bench", "--help"], ["help", "bench"]] {
        let text = String::from_utf8(dir.run(args).quiet().stdout).unwrap();
        for what in MESSAGES
            .into_iter()
            .chain(OTHERS.map(|(name, ..)| name))
            .chain(["--html", "--json", "--sizes", "median", "clock"])
        {
            assert!(text.contains(what), "{what}:\n{text}");
        }
    }
}

#[test]
fn the_bar_is_shown_at_a_terminal_only() {
    let dir = Dir::new();
    let shown = |redirections: &str| {
        let script = format!(
            "exec \"$SEALANE\" bench --time-per-cell 20 --filter poly1305,chacha20 --sizes 64,1024 {redirections}"
        );
        ends(in_terminal(&dir, &script), 0, "")
    };
    let bar = shown("> tables");
    assert!(bar.contains("%  chacha20 64 B") && bar.contains("poly1305 1 KiB"), "{bar}");
    assert!(!bar.contains("GB/s"), "{bar}");
    assert!(String::from_utf8(dir.read("tables")).unwrap().contains("GB/s"));
    let tables = shown("2> log");
    assert!(tables.contains("GB/s") && !tables.contains('%'), "{tables}");
    assert_eq!(dir.read("log"), b"");
}
