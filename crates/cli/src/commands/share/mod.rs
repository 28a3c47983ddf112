//! `sealane share`: what is done with shares without forming the secret.

mod inspect;
mod refresh;
mod reissue;

use crate::args::ShareAction;
use crate::error::Result;

/// Does it.
pub(crate) fn run(action: &ShareAction) -> Result<()> {
    match action {
        ShareAction::Inspect(args) => inspect::run(args),
        ShareAction::Refresh(args) => refresh::run(args),
        ShareAction::Reissue(args) => reissue::run(args),
    }
}
