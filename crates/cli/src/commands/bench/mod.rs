//! `sealane bench`: times the benchmarks of the table of workloads on each backend of this CPU.

mod cells;
mod html;
mod plan;
mod progress;
mod report;
mod text;
mod tune;

use std::io::Write as _;
use std::time::Duration;

use crate::args::BenchArgs;
use crate::error::{Error, Result};
use crate::io::output::{Content, Output, print};
use plan::{Plan, SCALAR, Task};
use progress::Progress;
use report::{Environment, Report, Verified};

/// Measures, then prints.
pub(crate) fn run(args: &BenchArgs) -> Result<()> {
    if args.tune {
        return tune::run(Duration::from_millis(args.time_per_cell.into()));
    }
    let plan = Plan::new(args)?;
    // A file that cannot be written is an error before the measurement, not after it.
    let page = args.html.as_deref().map(|path| {
        Output::prepare(Some(path), Content::Text, false)
            .map_err(|error| error.hint("--html takes the name of a file, or - for standard output"))
    });
    let page = page.transpose()?;
    let page_on_stdout = args.html.as_ref().is_some_and(|path| path.as_os_str() == "-");
    if page_on_stdout && args.json {
        return Err(Error::usage("--json and --html - both want standard output").hint("give --html a file"));
    }

    let report = measure(&plan)?;
    if let Some(mut page) = page {
        let html = html::page(&report);
        page.write_all(html.as_bytes()).map_err(|error| Error::from_io("cannot write the page", error))?;
        page.finish()?;
    }
    if page_on_stdout {
        return Ok(());
    }
    let text = if args.json { report.to_json()? } else { text::tables(&report) };
    print(text.as_bytes())
}

fn measure(plan: &Plan) -> Result<Report> {
    let mut progress = Progress::new(plan.steps());
    let mut cells = Vec::new();
    for task in &plan.tasks {
        let Task { benchmark, sizes, .. } = task;
        let name = benchmark.name;
        let is_known = benchmark.gives_known_results(SCALAR).map_err(|error| Error::new(format!("{name}: {error}")))?;
        let _ = Verified::by((!is_known).then(|| format!("known answers of {name} on {SCALAR}")))?;
        for &size in sizes {
            progress.step(|| format!("{name} {size}"));
            cells.extend(cells::measure(task, size, &plan.rounds())?);
        }
    }
    let environment = Environment::read(plan, &cells);
    Ok(Report::new(environment, cells))
}
