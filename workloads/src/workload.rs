//! Types for the table of workloads: a row, and its parts.

#[cfg(any(feature = "bench", feature = "run"))]
use sealane::{BackendOf, Family as _};

#[cfg(feature = "bench")]
use crate::benchmarks::Benchmark;

/// A row of the table: a primitive, with its tests, operations and benchmarks.
pub struct Workload {
    /// The name of the primitive. The tests print it when they exercise the primitive.
    pub name: &'static str,
    /// The family of the primitive, which determines its backends.
    pub family: Family,
    /// Parts of test names. They select the tests of the primitive and of the primitives that it
    /// uses.
    pub tests: &'static [&'static str],
    /// Part of test names. It selects tests that compare every backend with the reference. They
    /// take only seconds, even in an emulator.
    pub quick_test: &'static str,
    /// The operations that the probe program runs.
    pub operations: &'static [Operation],
    /// The operations that benchmarks time.
    #[cfg(feature = "bench")]
    pub benchmarks: &'static [Benchmark],
}

/// Primitives that have the same backends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Family {
    /// ChaCha20 and Poly1305.
    ChaCha,
    /// Rounds of AES.
    Aes,
    /// Carry-less multiplication.
    Clmul,
    /// Arithmetic on slices of GF(2^8).
    Gf8,
}

impl Family {
    /// All families.
    pub const ALL: [Self; 4] = [Self::ChaCha, Self::Aes, Self::Clmul, Self::Gf8];

    /// Returns the name, in lower case.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::ChaCha => "chacha",
            Self::Aes => "aes",
            Self::Clmul => "clmul",
            Self::Gf8 => "gf8",
        }
    }

    /// Returns the names of the backends that are compiled for this architecture.
    #[cfg(any(feature = "bench", feature = "run"))]
    #[must_use]
    pub fn backends(self) -> &'static [&'static str] {
        match self {
            Self::ChaCha => sealane::ChaChaFamily::NAMES,
            Self::Aes => sealane::AesFamily::NAMES,
            Self::Clmul => sealane::gf2n::ClmulFamily::NAMES,
            Self::Gf8 => sealane::Gf8Family::NAMES,
        }
    }

    /// Returns the names of the backends that this CPU has and that pass their self-test, the
    /// narrowest first.
    #[cfg(any(feature = "bench", feature = "run"))]
    #[must_use]
    pub fn available(self) -> Vec<&'static str> {
        match self {
            Self::ChaCha => sealane::Backend::available().map(BackendOf::name).collect(),
            Self::Aes => sealane::AesBackend::available().map(BackendOf::name).collect(),
            Self::Clmul => sealane::ClmulBackend::available().map(BackendOf::name).collect(),
            Self::Gf8 => sealane::Gf8Backend::available().map(BackendOf::name).collect(),
        }
    }

    /// Returns the name of the backend that `SEALANE_BACKEND` selects. If the variable names no
    /// backend of this family, returns the widest available one.
    ///
    /// # Errors
    /// If the named backend cannot be used, or no family has a backend with the name.
    #[cfg(any(feature = "bench", feature = "run"))]
    pub fn chosen(self) -> Result<&'static str, sealane::BackendError> {
        match self {
            Self::ChaCha => sealane::Backend::from_env().map(BackendOf::name),
            Self::Aes => sealane::AesBackend::from_env().map(BackendOf::name),
            Self::Clmul => sealane::ClmulBackend::from_env().map(BackendOf::name),
            Self::Gf8 => sealane::Gf8Backend::from_env().map(BackendOf::name),
        }
    }
}

/// One operation of a primitive, on secrets.
pub struct Operation {
    /// A stable name, which does not depend on the names of the library's functions.
    pub name: &'static str,
    /// The path of the function that prepares the operation, as it is written in symbols:
    /// `gf2n::scale::<128>`.
    pub symbol: &'static str,
    /// Sizes of the input, in the operation's unit: bytes of one message, the number of inputs,
    /// elements or messages, a threshold, or the degree of a field. Together they reach every
    /// kernel of every backend, with and without a remainder. One size is enough for an operation
    /// whose kernels another operation reaches.
    pub sizes: &'static [usize],
    /// Sizes at which instructions are counted.
    pub counted: &'static [usize],
    /// Sizes at which the time with all-zero secrets is compared with the time with random secrets.
    pub timed: &'static [usize],
    /// The number of messages that one run processes together: 1 if it processes single messages.
    /// For batches of mixed lengths and of QUIC packets, the size is the number of messages, and
    /// this field only marks the operation as a batch.
    pub messages: usize,
    /// An operation that each run performs first. Its instructions are subtracted from those that
    /// are counted.
    pub after: Option<&'static str>,
    /// The values that a run makes public.
    pub public: Public,
    /// The loops that the assembly gate attributes to the operation.
    pub loops: &'static [Loop],
    /// Prepares the operation.
    #[cfg(feature = "run")]
    pub prepare: Prepare,
}

/// The values that an operation makes public although they depend on secrets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Public {
    /// This many verdicts, such as whether a tag is right. Most operations have none.
    Verdicts(usize),
    /// The syndromes of shares, and whether they are zero. Their number depends on the sizes.
    Syndromes,
}

/// Prepares an operation on a named backend, for one size. Calls the given function to fill all
/// secrets, and allocates all memory that the returned closure reads or writes.
#[cfg(feature = "run")]
pub type Prepare = fn(&str, usize, Secrets<'_>) -> Result<Run, sealane::BackendError>;

/// A prepared operation.
#[cfg(feature = "run")]
pub type Run = Box<dyn FnMut()>;

/// Fills bytes with a secret: constants, random bytes, or bytes that a checker tracks.
#[cfg(feature = "run")]
pub type Secrets<'a> = &'a mut dyn FnMut(&mut [u8]);

/// A loop in the machine code of an operation.
pub struct Loop {
    /// The kernel's name in `xtask/asm-limits-*.toml`.
    pub kernel: &'static str,
    /// The kind of work by which the loop is recognised.
    pub work: Work,
    /// The rule for the units of work in one iteration.
    pub units: Units,
}

/// Work by which a loop is recognised: one instruction, or several that do the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Work {
    /// A product of bytes in GF(2^8).
    ByteProduct,
    /// A round of AES.
    AesRound,
    /// A carry-less product.
    CarrylessProduct,
}

/// A rule that converts the amount of [`Work`] in a loop's body to units for each iteration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Units {
    /// One unit for each piece of work.
    Each,
    /// One unit for each piece of work, if the amount is a multiple of this number. Other loops do
    /// not match.
    EachOfMultiple(usize),
    /// One unit for each group of this size, if the amount is a multiple of the size. Other loops
    /// do not match.
    Groups(usize),
    /// One unit, if the amount is exactly this number. Other loops do not match.
    Exactly(usize),
    /// One unit, for any amount above zero.
    One,
}

impl Units {
    /// Returns the units for each iteration of a loop whose body has `count` pieces of work, or
    /// `None` if the loop does not match.
    #[must_use]
    pub fn of(self, count: usize) -> Option<usize> {
        let (matches, units) = match self {
            Self::Each => (true, count),
            Self::EachOfMultiple(of) => (count.is_multiple_of(of), count),
            Self::Groups(of) => (count.is_multiple_of(of), count / of),
            Self::Exactly(number) => (count == number, 1),
            Self::One => (true, 1),
        };
        (count > 0 && matches).then_some(units)
    }
}
