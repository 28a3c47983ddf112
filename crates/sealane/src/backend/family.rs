//! The common parts of the backends of all families: their names, their self-tests, and the choice
//! of one of them.

use core::fmt;
use core::marker::PhantomData;
use core::str::FromStr;
use core::sync::atomic::{AtomicU32, Ordering};

use sealane_simd::{CachedLevel, LevelList};

use super::families::Sealed;
#[cfg(feature = "std")]
use super::families::{AesFamily, ChaChaFamily, ClmulFamily, Gf8Family};
use crate::error::BackendError;

/// Primitives that use the same CPU operations, and therefore share a list of backends.
///
/// The trait is sealed.
pub trait Family: Sealed + Copy + Eq + Send + Sync + 'static {
    /// The instruction sets that the family's kernels are compiled for.
    type Level: LevelList;

    /// The names of the primitives, in lower case. Each primitive has a known-answer test.
    const PRIMITIVES: &'static [&'static str];

    /// The names of the backends.
    const NAMES: &'static [&'static str] = <Self::Level as LevelList>::NAMES;

    #[doc(hidden)]
    /// Returns whether the primitive at index `primitive` of [`Family::PRIMITIVES`] gives its known
    /// answers on `level`.
    fn gives_known_answers(level: Self::Level, primitive: usize) -> bool;

    #[doc(hidden)]
    /// Returns the cache of the backend that [`BackendOf::detect`] chose.
    fn chosen() -> &'static CachedLevel<Self::Level>;

    #[doc(hidden)]
    /// Returns the cache of the self-tests' results.
    fn tested() -> &'static SelfTestCache;
}

/// An instruction set for a family of primitives. The CPU has it, and it has computed right
/// results.
///
/// A value is proof of both, so a function that takes one does not fail because of it.
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
pub struct BackendOf<F: Family>(F::Level);

impl<F: Family> BackendOf<F> {
    /// Returns the widest backend that this CPU has and that passes its self-test.
    ///
    /// The first call in a process runs the self-tests (some microseconds); later ones read a
    /// cache.
    ///
    /// # Panics
    /// If not even portable code passes: then the program was miscompiled or the machine is faulty.
    #[must_use]
    #[inline]
    pub fn detect() -> Self {
        match F::chosen().get() {
            Some(level) => Self(level),
            None => Self::choose(),
        }
    }

    #[cold]
    fn choose() -> Self {
        let backend = Self::select(F::Level::available(), |level| SelfTestOf::<F>::of(level).passed());
        F::chosen().set(backend.0);
        backend
    }

    /// Returns the widest of `levels` that passes. They go from narrow to wide.
    #[cold]
    fn select(levels: impl DoubleEndedIterator<Item = F::Level>, passes: impl Fn(F::Level) -> bool) -> Self {
        levels.rev().find(|&level| passes(level)).map(Self).expect("no backend computes right results on this machine")
    }

    /// Returns all backends that this CPU has and that pass their self-tests, the narrowest first.
    pub fn available() -> impl DoubleEndedIterator<Item = Self> {
        F::Level::available().filter(|&level| SelfTestOf::<F>::of(level).passed()).map(Self)
    }

    /// Returns the backend with the given name (see [`BackendOf::name`]).
    ///
    /// # Errors
    /// [`BackendError`], which gives the reason.
    pub fn by_name(name: &str) -> Result<Self, BackendError> {
        let mut statuses = BackendStatusOf::<F>::all();
        statuses.find(|status| status.name() == name).ok_or(BackendError::Unknown(F::NAMES))?.backend()
    }

    /// Returns the backend that the environment variable `SEALANE_BACKEND` names. If the variable
    /// is unset or empty, or names no backend of this family, returns [`BackendOf::detect`].
    ///
    /// This is for tests and command-line programs: a library should leave the choice to its
    /// caller.
    ///
    /// The variable holds one name or several names separated by commas, such as `avx2,aesni`. Each
    /// family of primitives uses the last name that it knows.
    ///
    /// # Errors
    /// [`BackendError`] if a backend of this family is named but cannot be used, or if no family
    /// knows one of the names: no backend is silently replaced.
    #[cfg(feature = "std")]
    pub fn from_env() -> Result<Self, BackendError> {
        let Some(names) = std::env::var_os("SEALANE_BACKEND").filter(|names| !names.is_empty()) else {
            return Ok(Self::detect());
        };
        Self::by_names(names.to_str().ok_or(BackendError::Unknown(F::NAMES))?)
    }

    /// Returns this family's last backend in a list of names separated by commas, or
    /// [`BackendOf::detect`] if the list has none.
    #[cfg(feature = "std")]
    fn by_names(names: &str) -> Result<Self, BackendError> {
        let mut chosen = None;
        for name in names.split(',').map(str::trim) {
            if F::NAMES.contains(&name) {
                chosen = Some(Self::by_name(name)?);
            } else if !is_known(name) {
                return Err(BackendError::Unknown(F::NAMES));
            }
        }
        Ok(chosen.unwrap_or_else(Self::detect))
    }

    /// Returns the name, in lower case: `scalar` for portable code, or the name of the instruction
    /// set, such as `avx2`.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.0.name()
    }

    #[inline]
    pub(crate) fn level(self) -> F::Level {
        self.0
    }

    /// Returns the backend of `level`, which must come from a backend.
    #[inline]
    pub(crate) fn of(level: F::Level) -> Self {
        Self(level)
    }
}

impl<F: Family> FromStr for BackendOf<F> {
    type Err = BackendError;

    fn from_str(name: &str) -> Result<Self, BackendError> {
        Self::by_name(name)
    }
}

impl<F: Family> fmt::Display for BackendOf<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl<F: Family> fmt::Debug for BackendOf<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A backend that was compiled for this architecture, whether or not this CPU can run it.
///
/// ```
/// use sealane::{Backend, BackendError, BackendStatus, BackendStatusOf, SelfTest, SelfTestOf};
/// use sealane::{AesFamily, ChaChaFamily, ClmulFamily, Family, Gf8Family};
///
/// /// Prints each backend of a family, and why it cannot be used.
/// fn print<F: Family>() {
///     for status in BackendStatusOf::<F>::all() {
///         match status.backend() {
///             Ok(backend) => println!("{}", backend.name()),
///             Err(error) => println!("{}: {error}", status.name()),
///         }
///     }
/// }
/// print::<ChaChaFamily>();
/// print::<AesFamily>();
/// print::<Gf8Family>();
/// print::<ClmulFamily>();
///
/// // Portable code is there, and is right.
/// let portable = BackendStatus::all().next().expect("the narrowest");
/// let test: Option<SelfTest> = portable.self_test();
/// assert!(test.is_some_and(SelfTestOf::passed));
/// assert!(matches!(Backend::by_name("mmx"), Err(BackendError::Unknown(_))));
/// ```
#[derive(Clone, Copy)]
pub struct BackendStatusOf<F> {
    index: usize,
    family: PhantomData<F>,
}

impl<F: Family> BackendStatusOf<F> {
    /// Returns the status of every backend that was compiled for this architecture, the narrowest
    /// first.
    pub fn all() -> impl DoubleEndedIterator<Item = Self> {
        (0..F::NAMES.len()).map(|index| Self { index, family: PhantomData })
    }

    /// Returns the backend's name.
    #[must_use]
    pub fn name(self) -> &'static str {
        F::NAMES[self.index]
    }

    /// Returns whether the CPU has the instructions and the operating system saves their registers.
    #[must_use]
    pub fn supported(self) -> bool {
        F::Level::by_index(self.index).is_some()
    }

    /// Returns the result of the self-test, if the backend is supported.
    #[must_use]
    pub fn self_test(self) -> Option<SelfTestOf<F>> {
        F::Level::by_index(self.index).map(SelfTestOf::of)
    }

    /// Returns the backend, if it can be used.
    ///
    /// # Errors
    /// [`BackendError`], which gives the reason.
    pub fn backend(self) -> Result<BackendOf<F>, BackendError> {
        let level = F::Level::by_index(self.index).ok_or(BackendError::Unavailable(self.name()))?;
        if SelfTestOf::<F>::of(level).passed() {
            Ok(BackendOf(level))
        } else {
            Err(BackendError::SelfTestFailed(self.name()))
        }
    }
}

impl<F: Family> fmt::Debug for BackendStatusOf<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "BackendStatus({})", self.name())
    }
}

/// The results of a backend's known-answer test, primitive by primitive.
///
/// Emulators and virtual machines have shipped with wrong vector instructions. The self-test takes
/// a few microseconds once in a process. With it, such a fault leads to a slower backend, not to a
/// file that cannot be opened.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct SelfTestOf<F> {
    passed: u32,
    family: PhantomData<F>,
}

impl<F: Family> SelfTestOf<F> {
    const ALL: u32 = (1 << F::PRIMITIVES.len()) - 1;

    /// Returns the name of each primitive of the family, and whether it gave the known answers.
    pub fn results(self) -> impl Iterator<Item = (&'static str, bool)> {
        F::PRIMITIVES.iter().enumerate().map(move |(i, &primitive)| (primitive, self.passed >> i & 1 == 1))
    }

    /// Returns whether all primitives gave the known answers.
    #[must_use]
    pub fn passed(self) -> bool {
        self.passed == Self::ALL
    }

    /// Returns the results for `level`. The first call in a process computes them.
    pub(crate) fn of(level: F::Level) -> Self {
        const { assert!(F::PRIMITIVES.len() <= SelfTestCache::MAX_PRIMITIVES) };
        const { assert!(F::NAMES.len() <= SelfTestCache::MAX_LEVELS) };
        let test = || {
            let passes = |i| crate::fault::paused(|| F::gives_known_answers(level, i));
            let bit = |i| u32::from(passes(i)) << i;
            (0..F::PRIMITIVES.len()).map(bit).fold(0, |passed, bit| passed | bit)
        };
        Self { passed: F::tested().get_or_test(level.index(), test), family: PhantomData }
    }
}

impl<F: Family> fmt::Debug for SelfTestOf<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.results()).finish()
    }
}

/// The results of the self-tests of a family's levels. Each level has a bit for "tested", and one
/// bit for each primitive.
#[derive(Debug)]
pub struct SelfTestCache(AtomicU32);

impl SelfTestCache {
    /// The number of bits for each level.
    const WIDTH: usize = 4;
    /// The largest number of primitives in a family.
    pub const MAX_PRIMITIVES: usize = Self::WIDTH - 1;
    /// The largest number of levels in a family.
    pub const MAX_LEVELS: usize = 32 / Self::WIDTH;

    /// Returns a cache without results.
    pub(crate) const fn new() -> Self {
        Self(AtomicU32::new(0))
    }

    /// Returns one bit for each primitive, for the level at `index`. The first call computes them
    /// with `test`.
    fn get_or_test(&self, index: usize, test: impl FnOnce() -> u32) -> u32 {
        let shift = Self::WIDTH * index;
        // Relaxed ordering is enough: the value guards no other data, and every thread would
        // compute the same value.
        let cached = self.0.load(Ordering::Relaxed);
        let level = cached >> shift & ((1 << Self::WIDTH) - 1);
        if level & 1 == 1 {
            return level >> 1;
        }
        let passed = test();
        // This does not use an atomic "or", because some CPUs lack it. If another thread's result
        // is lost, it is computed again.
        self.0.store(cached | (passed << 1 | 1) << shift, Ordering::Relaxed);
        passed
    }
}

/// The names of the backends of every family.
#[cfg(feature = "std")]
const NAMES_OF_FAMILIES: [&[&str]; 4] = [ChaChaFamily::NAMES, AesFamily::NAMES, Gf8Family::NAMES, ClmulFamily::NAMES];

/// Returns whether any family has a backend with this name.
#[cfg(feature = "std")]
fn is_known(name: &str) -> bool {
    NAMES_OF_FAMILIES.iter().any(|names| names.contains(&name))
}

#[cfg(all(feature = "checks", feature = "std"))]
impl BackendOf<ChaChaFamily> {
    /// Checks that a list of names chooses the family's last one, and that an unknown name is an
    /// error.
    #[doc(hidden)]
    pub fn check_lists_of_names() {
        assert_eq!(Self::by_names("scalar").unwrap().name(), "scalar");
        let widest = Self::detect();
        assert_eq!(Self::by_names(&std::format!("scalar, {widest}")).unwrap(), widest);
        assert_eq!(Self::by_names("scalar,mmx"), Err(BackendError::Unknown(ChaChaFamily::NAMES)));
        assert_eq!(Self::by_names(""), Err(BackendError::Unknown(ChaChaFamily::NAMES)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::backend::Backend;
    use sealane_simd::Level;

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
    fn results_of_self_tests_are_kept_apart() {
        let cache = SelfTestCache::new();
        for (index, passed) in [(0, 0b111), (7, 0b010), (3, 0)] {
            assert_eq!(cache.get_or_test(index, || passed), passed);
        }
        for (index, passed) in [(0, 0b111), (7, 0b010), (3, 0)] {
            assert_eq!(cache.get_or_test(index, || unreachable!("tested before")), passed);
        }
    }
}
