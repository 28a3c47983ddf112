//! `sealane share refresh` makes new shares of the same secret.

use std::path::Path;

use sealane_shares::Refresh;

use crate::args::RefreshArgs;
use crate::error::{Result, warn};
use crate::shares::{LeftOut, NewShares, Shares, combine_error, say_where, stem_of, warn_of_unchecked};

/// Makes new shares from old ones.
pub(super) fn run(args: &RefreshArgs) -> Result<()> {
    let mut shares = Shares::open_own(&args.shares, args.set.as_deref(), "refreshed")?;
    let places = shares.places();
    let forms: Vec<_> = shares.own.iter().map(|share| share.form).collect();
    let comments = shares.common_comment().into_iter().collect();
    let threshold = shares.own.first().map_or(0, |share| share.header.threshold());
    let first = shares.own.first().map(|share| (stem_of(share.path.as_deref(), &share.header), share.header.count()));
    let failed = |error| combine_error(error, &places, &mut LeftOut::default());
    let progress = shares.show_progress();
    let refresh = Refresh::new(shares.readers()?).map_err(failed)?;
    let (stem, count) = first.unwrap_or_default();

    let headers = refresh.headers().zip(forms).collect();
    let files =
        NewShares::create(args.output.as_deref().unwrap_or(Path::new(".")), &stem, headers)?.with_comments(comments);
    files.complete(refresh.write_to(files.sinks()).map_err(failed)?)?;
    drop(progress);
    let paths = files.finish()?;
    say_where(&paths);
    warn_of_unchecked(places.len(), threshold);
    if paths.len() < usize::from(count) {
        warn(format!(
            "{} of {count} shares were refreshed: the others are of the old set, and do not combine with the new ones",
            paths.len()
        ));
    }
    warn("combine the new shares once; then destroy the old ones, which still restore the secret together");
    Ok(())
}
