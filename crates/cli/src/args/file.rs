//! The arguments of all subcommands for files: age's flags and additional ones.

use std::ffi::OsString;
use std::num::NonZero;
use std::path::PathBuf;

use clap::{ArgMatches, Args, Command, FromArgMatches};
use sealane_age::Threads;
use sealane_age::armor::Format;
use sealane_age::threshold::Label;

use super::compat;
use super::groups::{DecryptionArgs, FolderArgs, OpeningArgs, RecipientArgs, SealingArgs};
use super::matches;
use super::range::PlaintextRange;
use crate::os::config;

/// The arguments for files. Each subcommand sets the fields that it has flags for.
#[derive(Debug, Default)]
pub(crate) struct FileArgs {
    /// `-e`, or the subcommand `encrypt`.
    pub(crate) encrypt: bool,
    /// `-d`, or the subcommand `decrypt`.
    pub(crate) decrypt: bool,
    pub(crate) output: Option<PathBuf>,
    pub(crate) armor: bool,
    pub(crate) passphrase: bool,
    pub(crate) recipients: Vec<String>,
    pub(crate) recipients_files: Vec<PathBuf>,
    pub(crate) threshold: Option<usize>,
    pub(crate) label: Option<Label>,
    pub(crate) parts: Vec<PathBuf>,
    pub(crate) threads: Option<NonZero<usize>>,
    pub(crate) range: Option<PlaintextRange>,
    pub(crate) salvage: bool,
    pub(crate) resume: bool,
    pub(crate) no_manifest: bool,
    pub(crate) allow_external_links: bool,
    /// All INPUT arguments, until they are checked.
    pub(crate) inputs: Vec<PathBuf>,
    /// `-i` and `-j` in the order of the command line.
    pub(crate) identities: Vec<IdentitySource>,
    /// The identity file that opens files if there are no `identities`.
    pub(crate) default_identity: Option<PathBuf>,
    /// The file to read; `None` is standard input.
    pub(crate) input: Option<PathBuf>,
    /// Several files, or folders, instead of `input`.
    pub(crate) many: Vec<PathBuf>,
}

impl FileArgs {
    /// Returns the sources of identities that open files.
    pub(crate) fn opening_identities(&self) -> Vec<IdentitySource> {
        let default = self.default_identity.iter().filter(|_| self.identities.is_empty());
        self.identities.iter().cloned().chain(default.cloned().map(IdentitySource::File)).collect()
    }

    /// Sets the default identity, for commands that open files.
    pub(super) fn with_default_identity(self) -> Self {
        Self { default_identity: config::default_identity(), ..self }
    }

    /// Returns the number of threads to use.
    pub(crate) fn threads(&self) -> Threads {
        self.threads.map_or_else(Threads::available, Threads::new)
    }

    /// Returns the form in which encrypted files are written.
    pub(crate) fn format(&self) -> Format {
        if self.armor { Format::Armored } else { Format::Binary }
    }

    pub(super) fn set_sealing(&mut self, args: SealingArgs) {
        let SealingArgs { output, armor, recipients } = args;
        (self.output, self.armor) = (output.output, armor.armor);
        self.set_recipients(recipients);
    }

    pub(super) fn set_recipients(&mut self, args: RecipientArgs) {
        let RecipientArgs { recipients, recipients_files, passphrase, threshold, label } = args;
        (self.recipients, self.recipients_files, self.passphrase) = (recipients, recipients_files, passphrase);
        (self.threshold, self.label) = (threshold, label);
    }

    pub(super) fn set_opening(&mut self, args: OpeningArgs) {
        let OpeningArgs { identities: _, parts, threads, decryption, folder, inputs } = args;
        (self.parts, self.threads, self.inputs) = (parts.parts, threads.threads, inputs.inputs);
        let DecryptionArgs { range, salvage, allow_external_links } = decryption;
        (self.range, self.salvage, self.allow_external_links) = (range, salvage, allow_external_links);
        self.set_folder(&folder);
    }

    pub(super) fn set_folder(&mut self, args: &FolderArgs) {
        (self.resume, self.no_manifest) = (args.resume, args.no_manifest);
    }
}

/// A source of identities.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum IdentitySource {
    /// `-i PATH`
    File(PathBuf),
    /// `-j PLUGIN`
    Plugin(String),
}

/// The flags of `sealane` without a subcommand: age's flags and additional ones.
#[derive(Args, Debug)]
pub(super) struct AgeArgs {
    /// Encrypt the input to the output (the default)
    #[arg(short, long)]
    encrypt: bool,
    /// Decrypt the input to the output
    #[arg(short, long)]
    decrypt: bool,
    #[command(flatten)]
    sealing: SealingArgs,
    #[command(flatten)]
    opening: OpeningArgs,
}

impl From<AgeArgs> for FileArgs {
    fn from(args: AgeArgs) -> Self {
        let mut file = Self { encrypt: args.encrypt, decrypt: args.decrypt, ..Self::default() };
        file.set_sealing(args.sealing);
        file.set_opening(args.opening);
        file
    }
}

/// Reads `args` in age's grammar: the arguments of a subcommand, and its identities in their order.
pub(super) fn read<A: FromArgMatches>(
    command: Command,
    args: Vec<OsString>,
) -> Result<(A, Vec<IdentitySource>), clap::Error> {
    let flags = compat::flags_of(&command);
    let found = matches::read(command, compat::normalise(args, &flags))?;
    Ok((A::from_arg_matches(&found)?, identities(&found)))
}

/// Reads `args` as files to encrypt or decrypt.
pub(super) fn read_files<A: FromArgMatches + Into<FileArgs>>(
    command: Command,
    args: Vec<OsString>,
) -> Result<FileArgs, clap::Error> {
    let (args, identities) = read::<A>(command, args)?;
    Ok(FileArgs { identities, ..args.into() })
}

/// Returns `-i` and `-j` in the order of the command line, in which identities are tried.
fn identities(found: &ArgMatches) -> Vec<IdentitySource> {
    let positions = |name| found.indices_of(name).into_iter().flatten();
    let files = found.get_many::<PathBuf>("identity_files").into_iter().flatten().cloned().map(IdentitySource::File);
    let plugins = found.get_many::<String>("plugins").into_iter().flatten().cloned().map(IdentitySource::Plugin);
    let mut identities: Vec<_> =
        positions("identity_files").zip(files).chain(positions("plugins").zip(plugins)).collect();
    identities.sort_by_key(|&(position, _)| position);
    identities.into_iter().map(|(_, source)| source).collect()
}
