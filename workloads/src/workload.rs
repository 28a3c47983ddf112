//! The parts of a row of the table.

#[cfg(any(feature = "bench", feature = "run"))]
use sealane::{BackendOf, Family as _};

#[cfg(feature = "bench")]
use crate::benchmarks::Benchmark;

/// A primitive.
pub struct Workload {
    /// The name by which the tests report that they exercise the primitive.
    pub name: &'static str,
    /// The primitives of one family have the same backends.
    pub family: Family,
    /// Parts of the names of the tests that cover the primitive and the primitives that it uses.
    pub tests: &'static [&'static str],
    /// Part of the name of a test that compares every backend with the reference, in seconds even
    /// in an emulator.
    pub quick_test: &'static str,
    /// The operations that the probes run.
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
    /// Products without carries.
    Clmul,
    /// Bytes of GF(2^8).
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

    /// Returns the names of the backends that this CPU has, the narrowest first.
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

    /// Returns the backend that `SEALANE_BACKEND` names, or the widest.
    ///
    /// # Errors
    /// If the CPU lacks the backend, or no backend has the name.
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
    /// The function that prepares the operation, as a symbol names it: `gf2n::scale::<128>`.
    pub symbol: &'static str,
    /// Sizes that reach every kernel of every backend, with and without a rest: of one message in
    /// bytes, or a number of elements.
    pub sizes: &'static [usize],
    /// Sizes at which instructions are counted.
    pub counted: &'static [usize],
    /// Sizes at which times are compared.
    pub timed: &'static [usize],
    /// The number of messages of that size that one run processes.
    pub messages: usize,
    /// The operation that each run does first and that its count does not include.
    pub after: Option<&'static str>,
    /// Whether a run ends with a public verdict, such as whether a tag is right.
    pub has_verdict: bool,
    /// The loops that the assembly gate attributes to the operation.
    pub loops: &'static [Loop],
    /// Prepares the operation.
    #[cfg(feature = "run")]
    pub prepare: Prepare,
}

/// Prepares an operation on a named backend, for one size. It fills its secrets by calling the
/// function that it is given. All memory that a run of the result reads or writes is allocated
/// before.
#[cfg(feature = "run")]
pub type Prepare = fn(&str, usize, Secrets<'_>) -> Result<Run, sealane::BackendError>;

/// A prepared operation.
#[cfg(feature = "run")]
pub type Run = Box<dyn FnMut()>;

/// Fills octets with a secret: constants, random octets, or octets that a checker tracks.
#[cfg(feature = "run")]
pub type Secrets<'a> = &'a mut dyn FnMut(&mut [u8]);

/// A loop in the machine code of an operation.
pub struct Loop {
    /// The kernel's name in `xtask/asm-limits-*.toml`.
    pub kernel: &'static str,
    /// The instruction that does the work.
    pub work: Work,
    /// The number of units of work in one turn of the loop.
    pub units: Units,
}

/// An instruction that a loop is recognised by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Work {
    /// A product of bytes in GF(2^8).
    ByteProduct,
    /// A round of AES.
    AesRound,
    /// A product without carries.
    CarrylessProduct,
}

/// Computes the units of work in one turn of a loop from its number of instructions of one kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Units {
    /// A unit for each.
    Each,
    /// A unit for each, in a loop whose number is a multiple of this.
    EachOfMultiple(usize),
    /// A unit for each group of this number, with nothing left over.
    Groups(usize),
    /// One unit, in a loop with exactly this number.
    Exactly(usize),
    /// One unit, for any number.
    Turn,
}

impl Units {
    /// Returns the units of a loop with `count` such instructions, or `None` for another loop.
    #[must_use]
    pub fn of(self, count: usize) -> Option<usize> {
        let (is, units) = match self {
            Self::Each => (true, count),
            Self::EachOfMultiple(of) => (count.is_multiple_of(of), count),
            Self::Groups(of) => (count.is_multiple_of(of), count / of),
            Self::Exactly(number) => (count == number, 1),
            Self::Turn => (true, 1),
        };
        (count > 0 && is).then_some(units)
    }
}
