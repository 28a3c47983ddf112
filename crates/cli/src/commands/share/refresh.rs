//! `sealane share refresh` makes new shares of the same secret.

use std::collections::HashSet;
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

    let headers: Vec<_> = refresh.headers().zip(forms).collect();
    let new: HashSet<u16> = headers.iter().map(|(header, _)| header.index()).collect();
    let old: Vec<u16> = (1..=count).filter(|index| !new.contains(index)).collect();
    let files =
        NewShares::create(args.output.as_deref().unwrap_or(Path::new(".")), &stem, headers)?.with_comments(comments);
    files.complete(refresh.write_to(files.sinks()).map_err(failed)?)?;
    drop(progress);
    let paths = files.finish()?;
    say_where(&paths);
    warn_of_unchecked(places.len(), threshold);
    if !old.is_empty() {
        warn(format!(
            "{} of {count} shares were refreshed: {} of the old set, and cannot be combined with the new ones",
            usize::from(count) - old.len(),
            named(&old)
        ));
    }
    warn("combine the new shares once; then destroy the old ones, which still restore the secret together");
    Ok(())
}

/// Names shares by their indices. If there are many, names the first ones and the number of the
/// others.
fn named(indices: &[u16]) -> String {
    const SHOWN: usize = 8;
    let list = |indices: &[u16]| indices.iter().map(u16::to_string).collect::<Vec<_>>().join(", ");
    match indices {
        [index] => format!("share {index} is"),
        [few @ .., last] if few.len() < SHOWN => format!("shares {} and {last} are", list(few)),
        many => format!("shares {} and {} more are", list(&many[..SHOWN]), many.len() - SHOWN),
    }
}
