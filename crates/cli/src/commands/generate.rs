//! Generates shell completions and the manual from the definitions of the arguments.

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::Path;
use std::{fs, io};

use clap::Command;
use clap_mangen::Man;

use crate::args::{
    CompletionsArgs, ENVIRONMENT, EXIT_STATUS, FILES, ManArgs, NOTES, VERSION, completion_command, whole_command,
};
use crate::error::{Error, Result, quoted};
use crate::io::output::{Temporary, print};

/// Prints a completion script.
pub(crate) fn completions(args: &CompletionsArgs) -> Result<()> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut completion_command(), "sealane", &mut script);
    print(&script)
}

/// Prints the first page of the manual, or writes all pages into a folder.
pub(crate) fn man(args: &ManArgs) -> Result<()> {
    let mut command = whole_command();
    command.build();
    let pages = page_names(&command);
    let Some(directory) = args.output.as_ref().filter(|directory| directory.as_os_str() != "-") else {
        let page = page(&command, &pages).map_err(|error| Error::io("cannot make the manual", &error))?;
        return print(&page);
    };
    let made = fs::create_dir_all(directory).and_then(|()| write_pages(&command, &pages, directory));
    made.map_err(|error| Error::io(format!("cannot write the manual to {}", quoted(directory)), &error))
}

fn write_pages(command: &Command, pages: &[String], directory: &Path) -> io::Result<()> {
    let target = directory.join(format!("{}.1", page_name(command)));
    let temporary = Temporary::create(directory, 0o666)?;
    temporary.file().write_all(&page(command, pages)?)?;
    temporary.persist(&target, true)?;
    command.get_subcommands().try_for_each(|command| write_pages(command, pages, directory))
}

fn page_name(command: &Command) -> String {
    command.get_display_name().unwrap_or_else(|| command.get_name()).to_owned()
}

/// Returns the names of the pages of `command` and all its subcommands.
fn page_names(command: &Command) -> Vec<String> {
    let mut names = vec![page_name(command)];
    names.extend(command.get_subcommands().flat_map(page_names));
    names
}

/// Returns the page of `command` in the language of man(7).
fn page(command: &Command, pages: &[String]) -> io::Result<Vec<u8>> {
    // The help of `sealane` and `sealane cpu` also has lists that have sections of their own.
    let notes = match command.get_name() {
        "sealane" => Some(NOTES.to_owned()),
        "cpu" => None,
        _ => command.get_after_long_help().or(command.get_after_help()).map(ToString::to_string),
    };
    let man = Man::new(command.clone()).source(format!("sealane {VERSION}"));
    let mut page = Vec::new();
    man.render_title(&mut page)?;
    man.render_name_section(&mut page)?;
    man.render_synopsis_section(&mut page)?;
    man.render_description_section(&mut page)?;
    man.render_options_section(&mut page)?;
    let mut text = String::new();
    if let Some(notes) = notes {
        section(&mut text, "NOTES", &notes);
    }
    if command.has_subcommands() {
        man.render_subcommands_section(&mut page)?;
    }
    table(&mut text, "EXIT STATUS", EXIT_STATUS);
    table(&mut text, "ENVIRONMENT", ENVIRONMENT);
    table(&mut text, "FILES", FILES);
    let own_name = page_name(command);
    let others: Vec<_> = pages.iter().filter(|page| **page != own_name).map(|page| format!("{page}(1)")).collect();
    section(&mut text, "SEE ALSO", &format!("{}, age(1), https://age-encryption.org/v1", others.join(", ")));
    page.extend_from_slice(text.as_bytes());
    Ok(page)
}

/// Appends a section with `text`, and keeps its line breaks.
fn section(page: &mut String, title: &str, text: &str) {
    // Writing to a string does not fail.
    let _ = writeln!(page, ".SH \"{title}\"");
    let is_prose = !text.contains('\n');
    if !is_prose {
        page.push_str(".nf\n");
    }
    text.lines().for_each(|line| page.push_str(&format!("{}\n", escaped(line))));
    if !is_prose {
        page.push_str(".fi\n");
    }
}

/// Appends a section with a list of names and their meanings.
fn table(page: &mut String, title: &str, rows: &[(&str, &str)]) {
    let _ = writeln!(page, ".SH \"{title}\"");
    for (name, what) in rows {
        let _ = writeln!(page, ".TP\n\\fB{}\\fR\n{}", escaped(name), escaped(what));
    }
}

/// Escapes `line`, so that roff reads no part of it as a command.
fn escaped(line: &str) -> String {
    let line = line.replace('\\', "\\e").replace('-', "\\-");
    if line.starts_with(['.', '\'']) { format!("\\&{line}") } else { line }
}
