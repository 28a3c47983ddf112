//! The plots of every length: docs/lengths-NAME.svg from docs/lengths-NAME.json.

use anyhow::{Context as _, Result, ensure};
use sealane_measure::{Axis, Line, Lines, Point};
use serde::Deserialize;

use crate::process;

/// A file that `bench/` saves with `--sweep STEP --save FILE`.
#[derive(Deserialize)]
struct Sweep {
    /// The backend and the class of the CPU.
    place: String,
    bytes: Vec<u32>,
    lines: Vec<Series>,
}

/// The nanoseconds of a primitive, for each length.
#[derive(Deserialize)]
struct Series {
    name: String,
    ns: Vec<f64>,
}

/// Returns the plots and their names, one for each saved sweep in docs/.
pub(super) fn plots() -> Result<Vec<(String, String)>> {
    let mut names = Vec::new();
    for entry in std::fs::read_dir(process::workspace_root().join("docs")).context("cannot list docs")? {
        let name = entry?.file_name().to_string_lossy().into_owned();
        names.extend(name.strip_suffix(".json").filter(|name| name.starts_with("lengths-")).map(str::to_owned));
    }
    names.sort();
    let plot = |name: String| {
        let file = format!("docs/{name}.json");
        let plot = plot(&process::read(&file)?).with_context(|| format!("cannot draw {file}"))?;
        Ok((format!("docs/{name}.svg"), plot))
    };
    names.into_iter().map(plot).collect()
}

fn plot(json: &str) -> Result<String> {
    let Sweep { place, bytes, lines } = serde_json::from_str(json)?;
    let line = |(class, Series { name, ns }): (usize, Series)| {
        ensure!(ns.len() == bytes.len(), "{name} has {} times for {} lengths", ns.len(), bytes.len());
        let points = bytes.iter().zip(ns);
        let points = points.map(|(&bytes, y)| Point { x: bytes.into(), y, title: String::new() }).collect();
        Ok(Line { name: legend(&name).to_owned(), class: format!("line-{class}"), points })
    };
    let lines = lines.into_iter().enumerate().map(line).collect::<Result<_>>()?;
    let axis = |name: &str| Axis { name: name.into(), logarithmic: false, ticks: Vec::new() };
    let title = format!("Time over length, {place}");
    Ok(Lines { title, x: axis("length in bytes"), y: axis("nanoseconds"), lines, marks: false }.file())
}

/// Returns a benchmark's name in the legend, where whole names would overlap.
fn legend(name: &str) -> &str {
    match name {
        "xchacha20poly1305-seal" => "XChaCha20",
        name => name.strip_prefix("chacha20poly1305-").unwrap_or(name),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_length_needs_a_time() {
        let json = |ns: &str| {
            let line = format!(r#"{{"name":"chacha20poly1305-seal","ns":[{ns}]}}"#);
            format!(r#"{{"place":"avx2","bytes":[0,7],"lines":[{line}]}}"#)
        };
        let svg = plot(&json("0,10")).unwrap();
        assert!(svg.contains(r#"points="58.0,282.0 468.0,34.0 ""#) && svg.contains(">seal</text>"), "{svg}");
        let error = plot(&json("10")).unwrap_err().to_string();
        assert_eq!(error, "chacha20poly1305-seal has 1 times for 2 lengths");
    }
}
