//! Benchmarks: operations as their users call them, with results that can be compared.

pub mod gf2n;
pub mod gf8;
pub mod haraka;
pub mod messages;
pub mod pieces;
pub mod shamir;

use std::fmt::{self, Display, Formatter};
use std::hint::black_box;

use rand_core::CryptoRng;
use sealane::BackendError;
use sealane::chacha20::ChaCha20;
use sealane_measure::{Messages, Processing, Seal, Work, size_name};

use crate::generator::Generator;

/// An operation that is timed.
pub struct Benchmark {
    /// The name in reports and filters.
    pub name: &'static str,
    /// The name in tables for readers.
    pub title: &'static str,
    /// A description of one operation.
    pub what: &'static str,
    /// The sizes that are timed.
    pub sizes: &'static [Size],
    /// The code.
    pub code: Code,
    /// The digest of the results of the first call, at each of [`Benchmark::known_sizes`].
    pub digest: u64,
}

/// The size of an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Size {
    /// Bytes of a message, piece, slice or secret. Any number works.
    Bytes(usize),
    /// The number of inputs in each call. An operation is one input.
    Inputs(usize),
    /// The degree of a field. An operation has one element as its result.
    Degree(usize),
    /// A sharing: the threshold, and the number of shares.
    Sharing(usize, usize),
}

/// The code of a benchmark.
pub enum Code {
    /// Processes messages that the benchmark owns, so that other implementations can process the
    /// same messages.
    Messages {
        /// The work for each byte, from which the least possible number of cycles follows.
        work: Work,
        /// The number of messages in a call.
        batch: usize,
        /// Makes the function that seals messages, for an operation that opens.
        seal: Option<fn() -> Seal>,
        /// Makes the operation on a named backend.
        processing: MakeProcessing,
    },
    /// Has its own inputs and outputs, on a named backend and for one of the sizes.
    Own(MakePrepared),
}

/// Makes an operation on a named backend.
pub type MakeProcessing = fn(&str) -> Result<Processing, BackendError>;
/// Prepares a benchmark on a named backend, for one of the sizes.
pub type MakePrepared = fn(&str, Size) -> Result<Prepared, BackendError>;

/// A prepared benchmark with its own inputs and outputs.
pub struct Prepared {
    /// Operations in each call.
    pub operations: usize,
    /// Bytes of an operation: its input, or its result where that is shorter.
    pub bytes: usize,
    /// The work of an operation, from which the least possible number of cycles follows.
    pub work: Work,
    code: Box<dyn Calls>,
}

trait Calls {
    fn call(&mut self, calls: u64);
    fn result(&self) -> Vec<u8>;
}

struct Parts<S, C, R> {
    state: S,
    call: C,
    result: R,
}

impl<S, C: FnMut(&mut S), R: Fn(&S) -> Vec<u8>> Calls for Parts<S, C, R> {
    fn call(&mut self, calls: u64) {
        for _ in 0..calls {
            // `black_box` hides the state from the compiler, which therefore cannot move work out
            // of the loop.
            (self.call)(black_box(&mut self.state));
            black_box(&mut self.state);
        }
    }

    fn result(&self) -> Vec<u8> {
        (self.result)(&self.state)
    }
}

impl Prepared {
    /// Returns a benchmark of `call`, whose inputs and outputs are `state`. An operation at least
    /// reads or writes its bytes.
    pub fn new<S: 'static>(
        (operations, bytes): (usize, usize),
        state: S,
        call: impl FnMut(&mut S) + 'static,
        result: impl Fn(&S) -> Vec<u8> + 'static,
    ) -> Self {
        Self { operations, bytes, work: Work::Copy, code: Box::new(Parts { state, call, result }) }
    }

    /// Makes that many calls.
    pub fn call(&mut self, calls: u64) {
        self.code.call(calls);
    }

    /// Returns the result of the latest call.
    #[must_use]
    pub fn result(&self) -> Vec<u8> {
        self.code.result()
    }
}

/// Lengths around blocks and groups of blocks.
const KNOWN_BYTES: [usize; 16] = [1, 15, 16, 63, 64, 65, 128, 255, 256, 512, 513, 1024, 1350, 4096, 5000, 16384];

impl Benchmark {
    /// Returns whether the sizes are numbers of bytes, so that any other number can be measured
    /// too.
    #[must_use]
    pub fn takes_any_length(&self) -> bool {
        matches!(self.sizes, [Size::Bytes(_), ..])
    }

    /// Returns the sizes with known results. For sharings, these are the sizes that the reference
    /// processes in seconds.
    #[must_use]
    pub fn known_sizes(&self) -> Vec<Size> {
        let is_small = |size: &Size| !matches!(size, Size::Sharing(threshold, _) if *threshold > 10);
        let sizes = self.sizes.iter().copied().filter(is_small);
        if self.takes_any_length() { KNOWN_BYTES.map(Size::Bytes).into() } else { sizes.collect() }
    }

    /// Returns the result of the first call: what it writes.
    ///
    /// # Errors
    /// [`BackendError`] if the backend is unknown or cannot be used.
    ///
    /// # Panics
    /// If the operation refuses an authentic message.
    pub fn result(&self, backend: &str, size: Size) -> Result<Vec<u8>, BackendError> {
        match &self.code {
            Code::Messages { batch, seal, processing, .. } => {
                let mut messages = Messages::new(size.length(), 0, *batch, *batch);
                seal.iter().for_each(|seal| messages.seal(&mut seal()));
                assert!(messages.process(&mut processing(backend)?, 0), "an authentic message was refused");
                Ok(messages.iter_mut().flat_map(|(data, tag)| [data, tag].concat()).collect())
            }
            Code::Own(prepare) => {
                let mut prepared = prepare(backend, size)?;
                prepared.call(1);
                Ok(prepared.result())
            }
        }
    }

    /// Returns whether the results on a backend are the known ones.
    ///
    /// # Errors
    /// [`BackendError`] if the backend is unknown or cannot be used.
    pub fn gives_known_results(&self, backend: &str) -> Result<bool, BackendError> {
        Ok(digest(self.known_sizes().into_iter().map(|size| self.result(backend, size)))? == self.digest)
    }
}

/// Returns a digest of results (FNV-1a, 64 bits).
///
/// # Errors
/// If a result is an error.
pub fn digest<E>(results: impl Iterator<Item = Result<Vec<u8>, E>>) -> Result<u64, E> {
    let mut digest = 0xcbf2_9ce4_8422_2325;
    for result in results {
        result?.iter().for_each(|byte| digest = (digest ^ u64::from(*byte)).wrapping_mul(0x100_0000_01b3));
    }
    Ok(digest)
}

impl Size {
    /// Returns the length of a message, piece, slice or secret.
    ///
    /// # Panics
    /// If the size is of another kind.
    #[must_use]
    pub fn length(self) -> usize {
        match self {
            Self::Bytes(length) => length,
            _ => panic!("the sizes of this benchmark are not of bytes"),
        }
    }
}

impl Display for Size {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bytes(bytes) => f.write_str(&size_name(*bytes)),
            Self::Inputs(1) => f.write_str("1 input"),
            Self::Inputs(inputs) => write!(f, "{inputs} inputs"),
            Self::Degree(degree) => write!(f, "2^{degree}"),
            Self::Sharing(threshold, count) => write!(f, "{threshold} of {count}"),
        }
    }
}

/// The sizes of small packets, Ethernet frames, TLS records, pages and files: those of the tables
/// in `docs/performance`.
pub(crate) const MESSAGES: &[Size] = &[
    Size::Bytes(16),
    Size::Bytes(64),
    Size::Bytes(128),
    Size::Bytes(256),
    Size::Bytes(512),
    Size::Bytes(1024),
    Size::Bytes(1350),
    Size::Bytes(2048),
    Size::Bytes(4096),
    Size::Bytes(5000),
    Size::Bytes(16 << 10),
    Size::Bytes(64 << 10),
    Size::Bytes(1 << 20),
];
pub(crate) const PACKETS: &[Size] = &[Size::Bytes(64), Size::Bytes(256), Size::Bytes(1350)];
pub(crate) const CALLS: &[Size] = &[Size::Inputs(1), Size::Inputs(4), Size::Inputs(8), Size::Inputs(64)];
pub(crate) const FIELDS: &[Size] = &[
    Size::Degree(8),
    Size::Degree(64),
    Size::Degree(128),
    Size::Degree(256),
    Size::Degree(512),
    Size::Degree(1024),
    Size::Degree(2048),
];
pub(crate) const SHARINGS: &[Size] =
    &[Size::Sharing(10, 10), Size::Sharing(10, 20), Size::Sharing(3, 255), Size::Sharing(255, 255)];
/// The sizes of pieces: a block of Poly1305 and of ChaCha20, packets, pages and records.
pub(crate) const PIECES: &[Size] = &[
    Size::Bytes(16),
    Size::Bytes(64),
    Size::Bytes(256),
    Size::Bytes(1024),
    Size::Bytes(1350),
    Size::Bytes(4096),
    Size::Bytes(16 << 10),
];
/// The sizes of blocks, packets and pages. All but the last fit the cache.
pub(crate) const SLICES: &[Size] = &[
    Size::Bytes(64),
    Size::Bytes(1350),
    Size::Bytes(4096),
    Size::Bytes(16 << 10),
    Size::Bytes(64 << 10),
    Size::Bytes(1 << 20),
];
/// The sizes of keys, packets and files.
pub(crate) const SECRETS: &[Size] =
    &[Size::Bytes(32), Size::Bytes(1024), Size::Bytes(16 << 10), Size::Bytes(64 << 10), Size::Bytes(1 << 20)];

pub(crate) const fn message(work: Work, processing: MakeProcessing) -> Code {
    Code::Messages { work, batch: 1, seal: None, processing }
}

/// Messages of a batch share vectors, so the bound for one message does not hold for them.
pub(crate) const fn batch(processing: MakeProcessing) -> Code {
    Code::Messages { work: Work::Copy, batch: messages::BATCH, seal: None, processing }
}

pub(crate) const fn opening(work: Work, batch: usize, processing: MakeProcessing) -> Code {
    Code::Messages { work, batch, seal: Some(messages::sealed), processing }
}

/// The seed of everything that is random.
pub const SEED: [u8; 32] = [0x42; 32];

/// Returns a generator: the key stream of [`SEED`].
pub fn generator() -> impl CryptoRng + 'static {
    let mut stream = ChaCha20::new(&SEED, &[0; 12]);
    Generator(move |bytes: &mut [u8]| {
        bytes.fill(0);
        stream.apply_keystream(bytes).expect("the key stream has 2^38 bytes");
    })
}

/// Returns bytes without a pattern that repeats with a vector's width.
#[must_use]
pub fn data(size: usize) -> Vec<u8> {
    (0..size).map(|i| (i * 31 + i / 256) as u8).collect()
}
