//! The arguments of `sealane` without a subcommand: age's flags and additional ones.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use clap::Args;

use super::action::Action;
use super::decrypt::DecryptArgs;
use super::encrypt::EncryptArgs;
use super::groups::{KeyArgs, OpeningArgs, RecipientArgs, SealingArgs};
use crate::error::{Error, Result, quoted};

/// The arguments.
#[derive(Args, Debug, Default)]
pub(crate) struct AgeArgs {
    /// Encrypt the input to the output (the default)
    #[arg(short, long)]
    pub(crate) encrypt: bool,
    /// Decrypt the input to the output
    #[arg(short, long)]
    pub(crate) decrypt: bool,
    #[command(flatten)]
    pub(crate) sealing: SealingArgs,
    #[command(flatten)]
    pub(crate) opening: OpeningArgs,
}

impl AgeArgs {
    /// Returns the action that the flags select, encryption or decryption, and refuses flags that
    /// belong to the other one.
    fn action(self) -> Result<Action> {
        self.check()?;
        let Self { decrypt, sealing, opening, .. } = self;
        if decrypt {
            return Ok(Action::Decrypt(DecryptArgs { output: sealing.output, opening, many: false }));
        }
        let OpeningArgs { keys: KeyArgs { identities, .. }, threads, folder, inputs, .. } = opening;
        Ok(Action::Encrypt(EncryptArgs { sealing, identities, threads, folder, inputs, many: false }))
    }

    /// Returns the action, with what [`EncryptArgs::checked`] or [`DecryptArgs::checked`] sets and
    /// checks.
    pub(super) fn checked_action(self) -> Result<Action> {
        match self.action()? {
            Action::Encrypt(args) => args.checked().map(Action::Encrypt),
            Action::Decrypt(args) => args.checked().map(Action::Decrypt),
            action => Ok(action),
        }
    }

    /// Returns the action of a command line of the program `age`, and checks it. `rest` has the
    /// arguments after the flags: at most one input.
    pub(crate) fn action_of_age(mut self, rest: Vec<OsString>) -> Result<Action> {
        if rest.len() > 1 {
            let shown: Vec<_> = rest.iter().map(quoted).collect();
            let error = Error::usage(format!("too many INPUT arguments: {}", shown.join(" ")));
            return Err(if rest[1].as_encoded_bytes().starts_with(b"-") {
                error.hint("the input file must be specified after all flags")
            } else {
                error.hint("only a single input file may be specified at a time")
            });
        }
        // In scripts, an empty name means "no input file".
        let inputs = rest.into_iter().filter(|input| !input.is_empty()).map(PathBuf::from);
        self.opening.inputs.inputs = inputs.collect();
        let action = self.action()?;
        match &action {
            Action::Encrypt(args) => args.check()?,
            Action::Decrypt(args) => args.check()?,
            _ => {}
        }
        Ok(action)
    }

    /// Refuses the first argument if it is neither a command nor a file, and was probably meant as
    /// a command. `similar` is the most similar command.
    pub(super) fn refuse_unknown_command(&self, first: &OsStr, similar: Option<&str>) -> Result<()> {
        if first.as_encoded_bytes().starts_with(b"-") || Path::new(first).symlink_metadata().is_ok() {
            return Ok(());
        }
        let RecipientArgs { passphrase, .. } = self.sealing.recipients;
        let has_identities = !self.opening.keys.identities.given.is_empty();
        let has_keys = passphrase || self.sealing.recipients.are_named() || has_identities;
        if (has_keys || self.encrypt || self.decrypt) && similar.is_none() {
            return Ok(());
        }
        let hint =
            similar.map_or("see sealane -h".to_owned(), |name| format!("did you mean sealane {name}? see sealane -h"));
        Err(Error::usage(format!("unknown command or file: {}", quoted(first))).hint(hint))
    }

    /// Refuses flags that do not go with the selected action, for the reasons that age gives.
    fn check(&self) -> Result<()> {
        if self.decrypt { self.check_to_decrypt() } else { self.check_to_encrypt() }
    }

    fn check_to_decrypt(&self) -> Result<()> {
        let identity = "give a private key with -i/--identity";
        let SealingArgs { armor, recipients, .. } = &self.sealing;
        let refused = [
            (self.encrypt, "-e/--encrypt", "give one of them"),
            (armor.armor, "-a/--armor", "armored files are recognised: leave -a/--armor out"),
            (
                recipients.passphrase,
                "-p/--passphrase",
                "files encrypted with a passphrase are recognised: leave -p out",
            ),
            (!recipients.recipients.is_empty(), "-r/--recipient", identity),
            (!recipients.recipients_files.is_empty(), "-R/--recipients-file", identity),
            (recipients.threshold.is_some(), "-k/--threshold", "the file says how many holders are needed"),
            (recipients.label.is_some(), "--label", "the file already has a label: sealane inspect shows it"),
        ];
        match refused.into_iter().find(|(given, ..)| *given) {
            Some((_, flag, hint)) => Err(Error::usage(format!("{flag} can't be used to decrypt")).hint(hint)),
            None => Ok(()),
        }
    }

    fn check_to_encrypt(&self) -> Result<()> {
        let OpeningArgs { keys, decryption, .. } = &self.opening;
        let forgotten = "did you forget -d/--decrypt?";
        let refused = [
            (decryption.range.is_some(), "--range", forgotten),
            (decryption.salvage, "--salvage", forgotten),
            (
                decryption.allow_external_links,
                "--allow-external-links",
                "encryption keeps all links; the flag is for decryption",
            ),
            (!keys.parts.is_empty(), "--part", forgotten),
        ];
        if let Some((_, flag, hint)) = refused.into_iter().find(|(given, ..)| *given) {
            return Err(Error::usage(format!("{flag} can't be used to encrypt")).hint(hint));
        }
        if !keys.identities.given.is_empty() && !self.encrypt {
            return Err(Error::usage("-i/--identity and -j encrypt only together with an explicit -e/--encrypt")
                .hint(forgotten));
        }
        Ok(())
    }
}
