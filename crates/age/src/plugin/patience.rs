//! Notices that a plugin is slow.

use std::sync::mpsc;
use std::thread::{Builder, Scope};
use std::time::Duration;

/// Calls a function if a single wait takes long. A question to the user is not a wait.
pub(super) struct Patience(Option<mpsc::Sender<()>>);

impl Patience {
    /// Calls `tell` in a thread of `scope` when a wait takes longer than `slow`, if that is given.
    pub(super) fn new<'scope>(
        scope: &'scope Scope<'scope, '_>,
        slow: Option<Duration>,
        tell: impl Fn() + Send + 'scope,
    ) -> Self {
        let Some(slow) = slow else { return Self(None) };
        // Each wait sends its beginning and its end.
        let (sender, waits) = mpsc::channel();
        // If no thread can be started, nobody is told.
        let _ = Builder::new().spawn_scoped(scope, move || {
            while waits.recv().is_ok() {
                if waits.recv_timeout(slow) == Err(mpsc::RecvTimeoutError::Timeout) {
                    tell();
                    let _ = waits.recv();
                }
            }
        });
        Self(Some(sender))
    }

    pub(super) fn wait<T>(&self, wait: impl FnOnce() -> T) -> T {
        let tick = || self.0.as_ref().map(|sender| sender.send(()));
        tick();
        let result = wait();
        tick();
        result
    }
}

#[cfg(test)]
mod tests {
    use std::thread;

    use super::*;

    #[test]
    fn the_user_is_told_only_during_a_wait() {
        let (tell, told) = mpsc::channel();
        let slow = Duration::from_millis(10);
        thread::scope(|scope| {
            let patience = Patience::new(scope, Some(slow), move || tell.send(()).unwrap());
            for _ in 0..2 {
                patience.wait(|| told.recv_timeout(Duration::from_secs(60)).unwrap());
                // The time of a question.
                thread::sleep(20 * slow);
                assert_eq!(told.try_recv(), Err(mpsc::TryRecvError::Empty));
            }
        });
    }
}
