//! Which instruction set does the work.

mod self_test;

use core::fmt;
use core::str::FromStr;
use core::sync::atomic::{AtomicU8, Ordering};

use sealane_simd::Level;

pub use self_test::SelfTest;

use crate::BackendError;

/// An instruction set that this CPU has and that computes right results: what a cipher runs on.
///
/// A value is proof of both, so every constructor that takes one is infallible.
///
/// ```
/// use sealane::{Backend, ChaCha20Poly1305};
///
/// for backend in Backend::available() {
///     let cipher = ChaCha20Poly1305::with_backend(&[0; 32], backend);
///     assert_eq!(cipher.backend(), backend);
/// }
/// ```
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Backend(Level);

impl Backend {
    /// The widest backend that this CPU has and that passes its self-test.
    ///
    /// The first call in a process tests (some microseconds); later ones read a cache.
    ///
    /// # Panics
    /// If not even portable code passes: the program is miscompiled or the machine is broken.
    #[must_use]
    #[inline]
    pub fn detect() -> Self {
        /// Index of the level, plus 1.
        static CACHE: AtomicU8 = AtomicU8::new(0);
        // Relaxed: the value stands for itself, and every thread would compute the same one.
        let cached = usize::from(CACHE.load(Ordering::Relaxed));
        if let Some(level) = cached.checked_sub(1).and_then(Level::by_index) {
            return Self(level);
        }
        let backend = Self::select(Level::available(), |level| SelfTest::of(level).passed());
        CACHE.store(backend.0.index() as u8 + 1, Ordering::Relaxed);
        backend
    }

    /// The last of `levels`, which go from narrow to wide, that passes.
    #[cold]
    fn select(levels: impl DoubleEndedIterator<Item = Level>, passes: impl Fn(Level) -> bool) -> Self {
        levels.rev().find(|&level| passes(level)).map(Self).expect("no backend computes right results on this machine")
    }

    /// All backends that this CPU has and that pass their self-test, the narrowest first.
    pub fn available() -> impl DoubleEndedIterator<Item = Self> {
        Level::available().filter(|&level| SelfTest::of(level).passed()).map(Self)
    }

    /// The backend of that name: see [`Backend::name`].
    ///
    /// # Errors
    /// [`BackendError`], which says why there is none.
    pub fn by_name(name: &str) -> Result<Self, BackendError> {
        BackendStatus::all().find(|status| status.name() == name).ok_or(BackendError::Unknown)?.backend()
    }

    /// The backend named by the environment variable `SEALANE_BACKEND` if it is set and not empty, else
    /// [`Backend::detect`]. For tests and commands: a library should leave the choice to its caller.
    ///
    /// # Errors
    /// [`BackendError`] if the one named cannot be used: it is never silently replaced.
    #[cfg(feature = "std")]
    pub fn from_env() -> Result<Self, BackendError> {
        match std::env::var_os("SEALANE_BACKEND") {
            Some(name) if !name.is_empty() => Self::by_name(name.to_str().ok_or(BackendError::Unknown)?),
            _ => Ok(Self::detect()),
        }
    }

    /// The name: `scalar`, `ssse3`, `avx2`, `avx512` or `neon`.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.0.name()
    }

    #[inline]
    pub(crate) fn level(self) -> Level {
        self.0
    }

    /// The backend of a level that was taken from one.
    #[inline]
    pub(crate) fn of(level: Level) -> Self {
        Self(level)
    }
}

impl FromStr for Backend {
    type Err = BackendError;

    fn from_str(name: &str) -> Result<Self, BackendError> {
        Self::by_name(name)
    }
}

impl fmt::Display for Backend {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl fmt::Debug for Backend {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A backend that was compiled for this architecture, whether or not this CPU can run it.
#[derive(Clone, Copy, Debug)]
pub struct BackendStatus {
    index: usize,
}

impl BackendStatus {
    /// All of them, the narrowest first.
    pub fn all() -> impl DoubleEndedIterator<Item = Self> {
        (0..Level::NAMES.len()).map(|index| Self { index })
    }

    /// The backend's name.
    #[must_use]
    pub fn name(self) -> &'static str {
        Level::NAMES[self.index]
    }

    /// Whether the CPU has the instructions and the operating system saves their registers.
    #[must_use]
    pub fn supported(self) -> bool {
        Level::by_index(self.index).is_some()
    }

    /// The result of the self-test, where the backend is supported.
    #[must_use]
    pub fn self_test(self) -> Option<SelfTest> {
        Level::by_index(self.index).map(SelfTest::of)
    }

    /// The backend, if it can be used.
    ///
    /// # Errors
    /// [`BackendError`], which says why it cannot.
    pub fn backend(self) -> Result<Backend, BackendError> {
        let level = Level::by_index(self.index).ok_or(BackendError::Unavailable(self.name()))?;
        if SelfTest::of(level).passed() { Ok(Backend(level)) } else { Err(BackendError::SelfTestFailed(self.name())) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_backend_that_fails_its_self_test_is_skipped_for_the_next_one() {
        let widest = Level::available().next_back().unwrap();
        assert_eq!(Backend::select(Level::available(), |_| true).0, widest);
        let narrower =
            Backend::select(Level::available(), |level| level != widest || Level::available().count() == 1).0;
        assert_eq!(narrower, Level::available().rev().nth(1).unwrap_or(widest));
        assert_eq!(Backend::select(Level::available(), |level| level.name() == "scalar").name(), "scalar");
    }

    #[test]
    #[should_panic(expected = "no backend computes right results")]
    fn wrong_results_are_never_used() {
        let _ = Backend::select(Level::available(), |_| false);
    }

    #[test]
    fn names_and_statuses_agree() {
        for status in BackendStatus::all() {
            match Backend::by_name(status.name()) {
                Ok(backend) => assert!(status.supported() && backend.name() == status.name()),
                Err(error) => {
                    assert_eq!(error, BackendError::Unavailable(status.name()));
                    assert!(!status.supported() && status.self_test().is_none());
                }
            }
        }
        assert_eq!("mmx".parse::<Backend>(), Err(BackendError::Unknown));
        assert_eq!(Backend::available().next_back(), Some(Backend::detect()));
    }
}
