//! The reasons why a plugin did not wrap or unwrap a file key.

use std::io;

use crate::message::OneLine;

/// A plugin did not wrap or unwrap a file key.
#[derive(Debug, thiserror::Error)]
#[error("plugin age-plugin-{plugin} failed: {failure}")]
#[non_exhaustive]
pub struct PluginError {
    /// The name of the plugin.
    pub plugin: String,
    /// What happened.
    #[source]
    pub failure: Failure,
}

/// The reason why a conversation with a plugin ended without a result.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Failure {
    /// The plugin could not be started, or its answers could not be read, or are malformed or too
    /// long.
    #[error("{}", OneLine(.0))]
    Io(#[source] io::Error),
    /// The plugin ended before it was done.
    #[error("it ended unexpectedly")]
    Ended,
    /// The errors that the plugin reports, or the errors in its answers.
    #[error("{}", OneLine(&one_line(.0)))]
    Reported(Vec<String>),
}

/// Returns the texts of errors on one line.
fn one_line(errors: &[String]) -> String {
    let line = |error: &String| error.split_whitespace().collect::<Vec<_>>().join(" ");
    errors.iter().map(line).collect::<Vec<_>>().join("; ")
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        use io::ErrorKind::{BrokenPipe, ConnectionAborted, UnexpectedEof};
        match error.kind() {
            BrokenPipe | ConnectionAborted | UnexpectedEof => Self::Ended,
            _ => Self::Io(error),
        }
    }
}
