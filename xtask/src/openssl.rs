//! `cargo xtask openssl --install DIR`: builds the provider for OpenSSL, and writes the module and a
//! configuration into a folder.

use std::path::PathBuf;
use std::process::Command;

use anyhow::Result;

use crate::process;

#[derive(clap::Args)]
pub(crate) struct Options {
    /// The folder for sealane.so and sealane.cnf
    // The chore runs in another folder than the user's.
    #[arg(long, value_name = "DIR", value_parser = |path: &str| std::path::absolute(path))]
    install: PathBuf,
}

/// Runs the chore.
pub(crate) fn run(options: &Options) -> Result<()> {
    process::run(Command::new("bindings/openssl/install").arg(&options.install))?;
    println!("OPENSSL_CONF={} loads the module", options.install.join("sealane.cnf").display());
    Ok(())
}

#[cfg(test)]
mod tests {
    use clap::Parser as _;

    use super::*;

    #[derive(clap::Parser)]
    struct Arguments {
        #[command(flatten)]
        options: Options,
    }

    #[test]
    fn the_folder_is_relative_to_the_users() {
        let here = std::env::current_dir().expect("tests run in a folder");
        let arguments = Arguments::parse_from(["openssl", "--install", "some/folder"]);
        assert_eq!(arguments.options.install, here.join("some/folder"));
        assert!(Arguments::try_parse_from(["openssl"]).is_err(), "the option is required");
    }
}
