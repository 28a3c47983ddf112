//! Operations on shares: splitting, combining, refreshing and reissuing.

pub(crate) mod combinations;
mod combine;
mod commitment;
mod error;
mod interpolation;
mod lockstep;
mod maintain;
pub(crate) mod polynomial;
mod positions;
pub(crate) mod rows;
mod split;
mod split_element;

pub use combine::{Recovered, Report, Restart, combine, combine_seek, combine_to};
pub use error::{BadShare, CombineError, Fault, ShareSet, SplitError};
pub use maintain::{Refresh, refresh, reissue, reissue_to};
pub use split::{Split, SplitWriter, split};
pub use split_element::split_element;
