//! Measures the cost of six ways to choose an instruction set: `cargo run --release` prints the
//! results.
//!
//! docs/dispatch.md describes the method and the results.
#![forbid(unsafe_code)]

mod choices;
mod document;
mod leaf;
mod measure;
mod plot;
mod report;
mod rows;
mod static_build;

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, SystemTime};

use built_twice::Built;
use lexopt::{Arg, Parser, ValueExt};

use crate::measure::Plan;
use crate::report::Report;

const HELP: &str = "\
Measures the cost of choosing an instruction set, in each of six ways.

  --write           write the tables, the plots and the JSON document into docs/
  --json            print the JSON document instead of tables
  --from FILE       take what was measured from such a document
  --only CHOICE,…   these choices only; the first is what others are compared with
  --rounds NUMBER   turns of each row [301]
  --quick           11 turns
  --preliminary     say in the document that the machine was not idle
  --static-build    and compare `static` with a program that is compiled for this CPU (-C target-cpu=native), which is built first
";

struct Options {
    write: bool,
    json: bool,
    from: Option<PathBuf>,
    static_build: bool,
    preliminary: bool,
    plan: Plan,
}

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<(), String> {
    let Some(options) = options(Parser::from_env()).map_err(|error| error.to_string())? else {
        print!("{HELP}");
        return Ok(());
    };
    let report = match &options.from {
        Some(path) => read(path)?,
        None => measured(&options)?,
    };
    if options.write {
        document::write(&report, &docs())?;
    }
    if options.json {
        println!("{}", serde_json::to_string_pretty(&report).map_err(|error| error.to_string())?);
    } else {
        print!("{}", document::tables(&report));
    }
    Ok(())
}

/// Reads the options. Returns `None` if the user asked for help.
fn options(mut arguments: Parser) -> Result<Option<Options>, lexopt::Error> {
    let plan = Plan { rounds: 301, turn: Duration::from_millis(1), only: Vec::new() };
    let mut options = Options { write: false, json: false, from: None, static_build: false, preliminary: false, plan };
    while let Some(argument) = arguments.next()? {
        match argument {
            Arg::Long("write") => options.write = true,
            Arg::Long("json") => options.json = true,
            Arg::Long("from") => options.from = Some(arguments.value()?.into()),
            Arg::Long("only") => options.plan.only = only(&arguments.value()?.string()?)?,
            Arg::Long("rounds") => options.plan.rounds = arguments.value()?.parse()?,
            Arg::Long("quick") => options.plan.rounds = 11,
            Arg::Long("preliminary") => options.preliminary = true,
            Arg::Long("static-build") => options.static_build = true,
            Arg::Long("help") | Arg::Short('h') => return Ok(None),
            other => return Err(other.unexpected()),
        }
    }
    if options.plan.rounds == 0 {
        return Err("at least one round is needed".into());
    }
    Ok(Some(options))
}

fn only(names: &str) -> Result<Vec<String>, lexopt::Error> {
    let names: Vec<String> = names.split(',').map(str::to_owned).collect();
    match names.iter().find(|name| !choices::CHOICES.iter().any(|(choice, _)| choice == name)) {
        Some(unknown) => Err(format!("there is no choice {unknown:?}").into()),
        None => Ok(names),
    }
}

fn measured(options: &Options) -> Result<Report, String> {
    let copy = Built::simd().ok_or("this CPU lacks what the copy of the library is compiled for")?;
    let date = humantime::format_rfc3339_seconds(SystemTime::now()).to_string();
    Ok(Report {
        cpu: cpu(),
        date: date.split('T').next().unwrap_or_default().into(),
        preliminary: options.preliminary,
        rounds: options.plan.rounds,
        copy: copy.features().into(),
        operations: rows::measure(&options.plan)?,
        static_build: if options.static_build { static_build::compare(options.plan.rounds)? } else { Vec::new() },
    })
}

fn read(path: &Path) -> Result<Report, String> {
    let text = std::fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))?;
    serde_json::from_str(&text).map_err(|error| format!("{}: {error}", path.display()))
}

/// Returns the CPU's model name.
fn cpu() -> String {
    let cpuinfo = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let name = cpuinfo.lines().find_map(|line| line.strip_prefix("model name")?.split_once(": "));
    name.map_or("an unknown CPU", |(_, name)| name.trim()).into()
}

/// Returns the path of the repository's folder `docs`.
fn docs() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_choices_give_the_fallbacks_results_in_all_operations() {
        let plan = Plan { rounds: 1, turn: Duration::from_micros(1), only: Vec::new() };
        let operations = rows::measure(&plan).unwrap();
        assert_eq!(operations.len(), 8);
        assert!(operations.iter().all(|operation| operation.rows.len() == choices::CHOICES.len()));
    }

    #[test]
    fn arguments() {
        let parse = |arguments: &[&str]| options(Parser::from_args(arguments));
        let given = parse(&["--quick", "--only", "static,top", "--json"]).unwrap().unwrap();
        assert!(given.json && !given.write && given.plan.rounds == 11 && given.plan.only == ["static", "top"]);
        assert!(parse(&["--help"]).unwrap().is_none());
        for wrong in [&["--fast"][..], &["--only", "best"], &["--rounds", "0"], &["--from"]] {
            assert!(parse(wrong).is_err(), "{wrong:?}");
        }
    }

    #[test]
    fn the_committed_document_is_what_the_committed_page_and_plots_say() {
        let report = read(&docs().join("dispatch.json")).unwrap();
        let written = [
            ("dispatch.md", document::section(&report)),
            ("dispatch-multiples.svg", plot::multiples(&report)),
            ("dispatch-price.svg", plot::price(&report)),
        ];
        for (name, words) in written {
            let committed = std::fs::read_to_string(docs().join(name)).unwrap();
            assert!(
                committed.contains(&words),
                "{name} is not of docs/dispatch.json: --from docs/dispatch.json --write"
            );
        }
    }
}
