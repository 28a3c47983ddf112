//! `sealane share reissue` makes a lost or an additional share.

use std::collections::BTreeSet;
use std::path::Path;

use sealane_shares::{CombineError, Header, reissue_to};

use crate::args::ReissueArgs;
use crate::error::Result;
use crate::shares::{LeftOut, NewShares, Shares, combine_error, say_where, stem_of, warn_of_unchecked};

/// Makes one share from others.
pub(super) fn run(args: &ReissueArgs) -> Result<()> {
    let mut shares = Shares::open_own(&args.shares, args.set.as_deref(), "reissued")?;
    let places = shares.places();
    let failed = |error| combine_error(error, &places, &mut LeftOut::default());
    let first = shares.own.first().ok_or_else(|| failed(CombineError::NoShares))?;
    let (stem, form) = (stem_of(first.path.as_deref(), &first.header), first.form);
    let comments = shares.common_comment().into_iter().collect();
    let (set, field, threshold) = (first.header.set(), first.header.field(), first.header.threshold());
    // A repetition of a share checks nothing.
    let distinct = shares.own.iter().map(|share| share.header.point()).collect::<BTreeSet<_>>().len();
    let header = Header::new(set, field, threshold, first.header.count(), args.index);
    let header = header.map_err(|error| failed(error.into()))?;
    let files = NewShares::create(args.output.as_deref().unwrap_or(Path::new(".")), &stem, vec![(header, form)])?
        .with_comments(comments);
    let progress = shares.show_progress();
    let readers = shares.readers()?;
    let sink = reissue_to(readers, args.index, files.sinks().remove(0)).map_err(failed)?;
    files.complete(vec![sink])?;
    drop(progress);
    say_where(&files.finish()?);
    warn_of_unchecked(distinct, threshold);
    Ok(())
}
