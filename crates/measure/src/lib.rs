//! Shared parts of Sealane's benchmarks: the command `sealane bench`, `bench/` and
//! `examples/dispatch`.
//!
//! [`take_turns`] measures rows in rounds, and the core's clock with them. [`Work`] gives the
//! fewest cycles in which any CPU can do an operation, which exposes a loop that the compiler
//! removed. [`Messages`] holds the messages that ciphers and authenticators process. [`largest_t`]
//! says whether two sets of times differ. [`Table`], [`Lines`] and [`Bars`] show figures.
#![forbid(unsafe_code)]

mod bars;
mod bound;
mod clock;
mod figure;
mod lines;
mod messages;
mod statistics;
mod svg;
mod sweep;
mod table;
mod turns;
mod welch;

pub use bars::{Bar, Bars, Group};
pub use bound::{TooFast, Work, check};
pub use clock::{METHOD as CLOCK_METHOD, sample as clock_ghz};
pub use figure::{figure, size_name};
pub use lines::{Axis, Line, Lines, Point};
pub use messages::{Batch, Each, Many, Messages, Processing, Seal, Tag};
pub use statistics::{best, median, quartiles};
pub use svg::escaped;
pub use sweep::{Slow, slow_lengths};
pub use table::Table;
pub use turns::{Rounds, Samples, take_turns};
pub use welch::largest_t;

/// Runs the example of the README with the documentation's.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
