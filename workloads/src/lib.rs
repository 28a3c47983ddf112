//! The table of workloads: each primitive's name, family, tests, operations, benchmarks and sizes.
//!
//! The assembly gate reads the machine code of the program `probe`. In each of its modes, for
//! constant time, for instruction counts and for timing, the program runs the operations that have
//! sizes for that mode. `cargo xtask sabotage`, `cross`, `emulate` and `figures` take the names of
//! primitives, families and tests from the table. `bench/` and `sealane bench` time every
//! benchmark. A new primitive is one row here, and a function that prepares each of its operations
//! and benchmarks.
#![allow(missing_debug_implementations, reason = "rows of functions, which nothing prints")]
#![forbid(unsafe_code)]

#[cfg(feature = "bench")]
pub mod benchmarks;
#[cfg(feature = "run")]
mod buffer;
#[cfg(feature = "run")]
pub mod chacha;
#[cfg(any(feature = "bench", feature = "run"))]
mod generator;
#[cfg(feature = "run")]
pub mod gf2n;
#[cfg(feature = "run")]
pub mod gf8;
#[cfg(feature = "run")]
pub mod haraka;
#[cfg(feature = "run")]
pub mod shamir;
mod table;
mod workload;

#[cfg(feature = "bench")]
pub use benchmarks::{Benchmark, Code, MakePrepared, MakeProcessing, Prepared, Size};
#[cfg(feature = "run")]
pub use buffer::Buffer;
pub use table::{TESTS_OF_EVERY_RUN, WORKLOADS};
pub use workload::{Family, Loop, Operation, Public, Units, Work, Workload};
#[cfg(feature = "run")]
pub use workload::{Prepare, Run, Secrets};

/// Runs the example of the README as a doc test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
