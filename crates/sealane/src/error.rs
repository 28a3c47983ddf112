//! The errors of this crate.

use core::fmt;

/// A message, its associated data, its nonce or its tag is not authentic.
///
/// The error deliberately does not say which. It also stands for data that is too short or too long
/// to be a sealed message, and for a message that has not been opened yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OpenError;

impl fmt::Display for OpenError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("message is not authentic")
    }
}

impl core::error::Error for OpenError {}

impl From<CounterOverflow> for OpenError {
    /// Converts the error for a message that is longer than its key stream: no such message is
    /// authentic.
    fn from(_: CounterOverflow) -> Self {
        Self
    }
}

/// The key stream ends before the requested bytes: its block counter would overflow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CounterOverflow;

impl fmt::Display for CounterOverflow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("key stream exhausted: the block counter would overflow")
    }
}

impl core::error::Error for CounterOverflow {}

/// The generator of random numbers failed. Nothing was generated or encrypted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RandomError;

impl fmt::Display for RandomError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the generator of random numbers failed")
    }
}

impl core::error::Error for RandomError {}

/// A backend that was requested by name cannot be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum BackendError {
    /// No backend of the family has the requested name, or it was not compiled for this
    /// architecture. The names are those of the family's backends that were compiled.
    Unknown(&'static [&'static str]),
    /// The CPU, or the operating system, lacks the instruction set.
    Unavailable(&'static str),
    /// The CPU, or an emulator of it, computes wrong results with the instruction set.
    SelfTestFailed(&'static str),
}

impl fmt::Display for BackendError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unknown(names) => {
                f.write_str("no such backend; those compiled for this architecture are")?;
                names.iter().try_for_each(|name| write!(f, " {name}"))
            }
            Self::Unavailable(name) => write!(f, "this CPU cannot run the backend {name}"),
            Self::SelfTestFailed(name) => {
                write!(
                    f,
                    "the backend {name} failed its self-test: this CPU or emulator computes wrong results with it"
                )
            }
        }
    }
}

impl core::error::Error for BackendError {}
