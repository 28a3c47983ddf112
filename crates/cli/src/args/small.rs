//! The arguments of subcommands with few arguments.

use std::path::PathBuf;

use clap::{Args, Command};
use clap_complete::Shell;

use super::tables::{ENVIRONMENT, table};

/// The arguments of `sealane cpu`.
#[derive(Args, Debug)]
pub(crate) struct CpuArgs {
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// The arguments of `sealane completions`.
#[derive(Args, Debug)]
pub(crate) struct CompletionsArgs {
    /// The shell
    #[arg(value_name = "SHELL")]
    pub(crate) shell: Shell,
}

/// The arguments of `sealane man`.
#[derive(Args, Debug)]
pub(crate) struct ManArgs {
    /// Write a page for each command into folder DIR (created if missing); "-" prints the page of
    /// sealane
    #[arg(short, long, value_name = "DIR")]
    pub(crate) output: Option<PathBuf>,
}

pub(super) fn cpu_command(base: Command) -> Command {
    let rows = ENVIRONMENT.iter().filter_map(|&(name, what)| match name {
        "SEALANE_BACKEND" => Some((name, "the backend for encryption and decryption: a name from the first table")),
        "SEALANE_CPU_CLASS" => Some((name, what)),
        _ => None,
    });
    CpuArgs::augment_args(base).after_help(table("Environment", &rows.collect::<Vec<_>>()))
}

pub(super) fn completions_command(base: Command) -> Command {
    CompletionsArgs::augment_args(base).after_help(
        "Examples:\n  \
             sealane completions bash > ~/.local/share/bash-completion/completions/sealane\n  \
             sealane completions zsh > \"${fpath[1]}/_sealane\"\n  \
             sealane completions fish > ~/.config/fish/completions/sealane.fish",
    )
}

pub(super) fn man_command(base: Command) -> Command {
    ManArgs::augment_args(base).after_help("Example:\n  sealane man -o ~/.local/share/man/man1")
}
