//! `sealane share`: works on shares without computing the secret.

mod inspect;
mod refresh;
mod reissue;

use crate::args::ShareAction;
use crate::error::Result;

/// Runs the subcommand.
pub(crate) fn run(action: &ShareAction) -> Result<()> {
    match action {
        ShareAction::Inspect(args) => inspect::run(args),
        ShareAction::Refresh(args) => refresh::run(args),
        ShareAction::Reissue(args) => reissue::run(args),
    }
}
