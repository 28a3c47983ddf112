//! Shares in the formats of other programs.

mod distinct;
mod error;
mod hex;
pub mod slip39;
pub mod ssss;
pub mod vault;

pub use error::ForeignError;
