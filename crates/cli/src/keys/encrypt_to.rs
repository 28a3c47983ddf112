//! The recipients that the command line names.

use sealane_age::Recipient;
use sealane_age::threshold::ThresholdRecipient;

use super::identities::Identities;
use super::passphrase::Passphrases;
use super::recipients::{Recipients, SharedRecipient};
use super::scrypt;
use crate::args::{IdentitySource, RecipientArgs};
use crate::error::{Error, Result};
use crate::io::stdin::StdinUse;

/// Runs `act` with `recipients` or, with -k, with one recipient that combines them.
pub(crate) fn with_threshold<T>(
    args: &RecipientArgs,
    recipients: &[SharedRecipient],
    act: impl FnOnce(&[&dyn Recipient]) -> Result<T>,
) -> Result<T> {
    let recipients: Vec<_> = recipients.iter().map(|recipient| &**recipient as &dyn Recipient).collect();
    let Some(threshold) = args.threshold else { return act(&recipients) };
    let together = ThresholdRecipient::new(threshold, recipients).map_err(|error| {
        Error::usage(error.to_string()).hint("-k gives the number of recipients (-r, -R) that are needed")
    })?;
    act(&[&together.with_label(args.label.clone())])
}

/// Returns the recipients of the command line, and of the identities in `sources`. With -p, returns
/// only the recipient of a passphrase.
pub(crate) fn recipients(
    args: &RecipientArgs,
    sources: &[IdentitySource],
    stdin: &StdinUse,
    passphrases: &Passphrases,
) -> Result<Vec<SharedRecipient>> {
    if args.passphrase {
        return Ok(vec![Box::new(scrypt::recipient(passphrases.to_encrypt()?.secret())?)]);
    }
    build(args, collect(args, sources, stdin, passphrases)?)
}

/// Builds the recipients. With -k, each one counts as a holder.
pub(crate) fn build(args: &RecipientArgs, recipients: Recipients) -> Result<Vec<SharedRecipient>> {
    if args.threshold.is_some() { recipients.build_holders() } else { recipients.build() }
}

/// Collects all recipients except a passphrase.
pub(crate) fn collect(
    args: &RecipientArgs,
    sources: &[IdentitySource],
    stdin: &StdinUse,
    passphrases: &Passphrases,
) -> Result<Recipients> {
    let mut recipients = Recipients::default();
    for recipient in &args.recipients {
        recipients.add_argument(recipient)?;
    }
    for path in &args.recipients_files {
        recipients.add_file(path, stdin)?;
    }
    recipients.add_identities(Identities::load(sources, stdin, passphrases)?)?;
    Ok(recipients)
}
