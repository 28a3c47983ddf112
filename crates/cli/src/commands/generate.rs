//! What is made from the definitions of the arguments: completions for shells, and the manual.

use std::fs;

use clap_mangen::Man;

use crate::args::{CompletionsArgs, ManArgs, whole_command};
use crate::error::{Error, Result, quoted};
use crate::io::output::print;

/// `sealane completions`.
pub(crate) fn completions(args: &CompletionsArgs) -> Result<()> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut whole_command(), "sealane", &mut script);
    print(&script)
}

/// `sealane man`.
pub(crate) fn man(args: &ManArgs) -> Result<()> {
    let Some(directory) = &args.output else {
        let mut page = Vec::new();
        Man::new(whole_command()).render(&mut page).map_err(|error| Error::io("cannot make the manual", &error))?;
        return print(&page);
    };
    let made = fs::create_dir_all(directory).and_then(|()| clap_mangen::generate_to(whole_command(), directory));
    made.map_err(|error| Error::io(format!("cannot write the manual to {}", quoted(directory)), &error))
}
