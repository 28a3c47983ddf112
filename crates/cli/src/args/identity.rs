//! The identities that a command line names, in the order of the command line.

use std::path::PathBuf;

use clap::{ArgMatches, Args, Command, FromArgMatches};

use crate::os::config;

/// A source of identities.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum IdentitySource {
    /// `-i PATH`
    File(PathBuf),
    /// `-j PLUGIN`
    Plugin(String),
}

/// The sources of the identities (private keys) for a command.
#[derive(Clone, Debug, Default)]
pub(crate) struct IdentityArgs {
    /// The values of `-i` and `-j` in the order of the command line. Identities are tried in this
    /// order.
    pub(crate) given: Vec<IdentitySource>,
    /// The identity file that opens files if `given` is empty.
    pub(crate) default: Option<PathBuf>,
}

impl IdentityArgs {
    /// Returns the sources of identities that open files.
    pub(crate) fn opening(&self) -> Vec<IdentitySource> {
        let default = self.default.iter().filter(|_| self.given.is_empty());
        self.given.iter().cloned().chain(default.cloned().map(IdentitySource::File)).collect()
    }

    /// Sets the default identity, for commands that open files.
    pub(super) fn set_default(&mut self) {
        self.default = config::default_identity();
    }
}

/// The flags for [`IdentityArgs`].
#[derive(Args, Debug)]
struct IdentityFlags {
    /// Use the identity file PATH (repeatable)
    #[arg(short, long = "identity", value_name = "PATH", allow_hyphen_values = true)]
    identity_files: Vec<PathBuf>,
    /// Use the plugin age-plugin-PLUGIN without an identity file (repeatable)
    #[arg(short = 'j', long = "plugin", value_name = "PLUGIN", allow_hyphen_values = true)]
    plugins: Vec<String>,
}

impl Args for IdentityArgs {
    fn augment_args(command: Command) -> Command {
        IdentityFlags::augment_args(command)
    }

    fn augment_args_for_update(command: Command) -> Command {
        IdentityFlags::augment_args_for_update(command)
    }
}

impl FromArgMatches for IdentityArgs {
    fn from_arg_matches(found: &ArgMatches) -> Result<Self, clap::Error> {
        let positions = |name| found.indices_of(name).into_iter().flatten();
        let files = found.get_many::<PathBuf>("identity_files").into_iter().flatten().cloned();
        let plugins = found.get_many::<String>("plugins").into_iter().flatten().cloned();
        let files = positions("identity_files").zip(files.map(IdentitySource::File));
        let mut given: Vec<_> = files.chain(positions("plugins").zip(plugins.map(IdentitySource::Plugin))).collect();
        given.sort_by_key(|&(position, _)| position);
        Ok(Self { given: given.into_iter().map(|(_, source)| source).collect(), default: None })
    }

    fn update_from_arg_matches(&mut self, found: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(found)?;
        Ok(())
    }
}
