//! The progress bar at a terminal. It is drawn between measurements, never during one.

use std::io::{self, IsTerminal as _};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

const TEMPLATE: &str = "{wide_bar} {percent:>3}%  {msg:32} {eta} left";

/// The bar, if it is visible.
pub(super) struct Progress {
    bar: Option<ProgressBar>,
    begun: bool,
}

impl Progress {
    /// Returns a bar for `steps` calls of [`Progress::step`].
    pub(super) fn new(steps: usize) -> Self {
        let bar = io::stderr().is_terminal().then(|| {
            let bar = ProgressBar::with_draw_target(Some(steps as u64), ProgressDrawTarget::stderr());
            // The template is a constant, and a test parses it.
            bar.with_style(ProgressStyle::with_template(TEMPLATE).unwrap_or_else(|_| ProgressStyle::default_bar()))
        });
        Self { bar, begun: false }
    }

    /// Starts the next step.
    pub(super) fn step(&mut self, what: impl FnOnce() -> String) {
        if let Some(bar) = &self.bar {
            if self.begun {
                bar.inc(1);
            }
            self.begun = true;
            bar.set_message(what());
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if let Some(bar) = &self.bar {
            // Removes the bar, before a message about the result.
            bar.finish_and_clear();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_template_is_right() {
        assert!(ProgressStyle::with_template(TEMPLATE).is_ok());
    }
}
