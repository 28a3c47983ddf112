//! Shared parts of the tests: the backends, inputs, and oracles that give the result for every
//! prefix of one input.

use std::ops::RangeInclusive;
use std::panic::Location;
use std::sync::{Mutex, MutexGuard, PoisonError};

use proptest::test_runner::Config as ProptestConfig;
use sealane::chacha20::{ChaCha, Extended, Ietf, Layout, Original};
use sealane::{Backend, BackendOf, BackendStatusOf, ChaChaFamily, Family};
use sealane_simd::CpuClass;
use sealane_spec::chacha::{Nonce, chacha_block};
use sealane_spec::num::Num;
use sealane_spec::{poly1305, xchacha};

use crate::exercised;

/// Returns the backends of the ChaCha family that a test must run on: see [`backends_of`].
#[track_caller]
pub(crate) fn backends() -> Vec<Backend> {
    backends_of::<ChaChaFamily>()
}

/// Returns the backends that a test must run on: the one that `SEALANE_BACKEND` names for this
/// family, or all backends of this CPU.
///
/// # Panics
/// If the named backend cannot be used: a run that must test it must not pass without it. If a
/// backend of this CPU fails its self-test: `BackendOf::available` would leave it out, and the
/// tests would pass without it.
#[track_caller]
pub(crate) fn backends_of<F: Family>() -> Vec<BackendOf<F>> {
    let names = std::env::var("SEALANE_BACKEND").unwrap_or_default();
    if let Some(name) = names.split(',').map(str::trim).rfind(|name| F::NAMES.contains(name)) {
        let backend = BackendOf::by_name(name).unwrap_or_else(|error| panic!("SEALANE_BACKEND={names}: {error}"));
        exercised::report(Location::caller(), &[backend]);
        return vec![backend];
    }
    let supported = BackendStatusOf::<F>::all().filter(|status| status.supported());
    let backends: Vec<_> = supported.map(|status| status.backend().unwrap_or_else(|e| panic!("{e}"))).collect();
    assert_eq!(backends.first().map(|backend| backend.name()), Some("scalar"));
    exercised::report(Location::caller(), &backends);
    backends
}

/// Returns the classes of CPUs for which this backend has special code. Each class is forced in
/// turn, for the whole process. Only one test at a time holds such an iterator, so the forced class
/// stays. A class never changes a result, even if it changes during a call
/// ([`while_class_changes`]), so all other tests may run on any class.
pub(crate) fn cpu_classes(backend: Backend) -> impl Iterator<Item = CpuClass> {
    let lock = lock_class(backend);
    let count = if lock.is_some() { CpuClass::ALL.len() } else { 1 };
    CpuClass::ALL.into_iter().take(count).inspect(move |class| {
        if lock.is_some() {
            CpuClass::force(Some(*class));
            assert_eq!(CpuClass::detect(), *class, "the forced class");
        }
    })
}

/// Runs `work` on a thread while the class of CPUs changes again and again, if this backend has
/// special code for classes. Otherwise just runs `work`.
///
/// # Panics
/// If `work` panics.
pub(crate) fn while_class_changes(backend: Backend, work: impl FnOnce() + Send) {
    let Some(_lock) = lock_class(backend) else { return work() };
    std::thread::scope(|scope| {
        let work = scope.spawn(work);
        while !work.is_finished() {
            CpuClass::ALL.into_iter().for_each(|class| CpuClass::force(Some(class)));
        }
    });
    CpuClass::force(None);
}

/// Waits until no other test forces a class. Returns `None` if the backend has no special code for
/// classes.
fn lock_class(backend: Backend) -> Option<MutexGuard<'static, ()>> {
    static FORCED: Mutex<()> = Mutex::new(());
    backend.name().starts_with("avx").then(|| FORCED.lock().unwrap_or_else(PoisonError::into_inner))
}

/// Returns the number n in `SEALANE_TEST_ONE_IN`, which is set for emulators. Tests then try one in
/// n combinations (of lengths with lengths or positions), and one in n random cases. They still try
/// every length by itself.
fn one_in() -> usize {
    let number = std::env::var("SEALANE_TEST_ONE_IN").unwrap_or_else(|_| "1".to_owned());
    number.parse().ok().filter(|number| *number > 0).expect("SEALANE_TEST_ONE_IN is a number")
}

/// Returns the members of `range` to combine with others: its ends, and one in n between them.
pub(crate) fn combined(range: RangeInclusive<usize>) -> impl Iterator<Item = usize> {
    let (step, ends) = (one_in(), [*range.start(), *range.end()]);
    range.filter(move |number| number % step == 0 || ends.contains(number))
}

/// Returns the configuration for this many random cases.
pub(crate) fn cases(count: u32) -> ProptestConfig {
    let cases = count.div_ceil(one_in() as u32);
    // Failing cases are printed, and are not kept in a file.
    ProptestConfig { cases, failure_persistence: None, ..ProptestConfig::default() }
}

/// Returns pseudo-random bytes, whose period is not a power of two.
pub(crate) fn test_bytes(seed: u64, length: usize) -> Vec<u8> {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let step = |_| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 32) as u8
    };
    (0..length).map(step).collect()
}

/// Returns the same bytes as an array.
pub(crate) fn array<const N: usize>(seed: u64) -> [u8; N] {
    test_bytes(seed, N).try_into().unwrap()
}

pub(crate) fn xor(a: &[u8], b: &[u8]) -> Vec<u8> {
    assert_eq!(a.len(), b.len());
    a.iter().zip(b).map(|(a, b)| a ^ b).collect()
}

/// A layout of the ChaCha state, with the reference's functions for it.
pub(crate) trait Reference: Layout + Clone {
    const NAME: &str;
    /// The number of blocks of the key stream.
    const BLOCKS: u128;

    fn nonce(seed: u64) -> Self::Nonce;

    /// Returns the blocks `first`, `first + 1`, … of the key stream.
    fn key_stream(rounds: usize, key: &[u8; 32], nonce: &Self::Nonce, first: u64, blocks: u64) -> Vec<u8>;
}

fn blocks_of(rounds: usize, key: &[u8; 32], nonce: Nonce, first: u64, blocks: u64) -> Vec<u8> {
    (0..blocks).flat_map(|j| chacha_block(rounds, key, first + j, &nonce)).collect()
}

impl Reference for Ietf {
    const NAME: &str = "IETF";
    const BLOCKS: u128 = 1 << 32;

    fn nonce(seed: u64) -> [u8; 12] {
        array(seed)
    }

    fn key_stream(rounds: usize, key: &[u8; 32], nonce: &[u8; 12], first: u64, blocks: u64) -> Vec<u8> {
        blocks_of(rounds, key, Nonce::Ietf(*nonce), first, blocks)
    }
}

impl Reference for Original {
    const NAME: &str = "original";
    const BLOCKS: u128 = 1 << 64;

    fn nonce(seed: u64) -> [u8; 8] {
        array(seed)
    }

    fn key_stream(rounds: usize, key: &[u8; 32], nonce: &[u8; 8], first: u64, blocks: u64) -> Vec<u8> {
        blocks_of(rounds, key, Nonce::Original(*nonce), first, blocks)
    }
}

impl Reference for Extended {
    const NAME: &str = "XChaCha";
    const BLOCKS: u128 = 1 << 32;

    fn nonce(seed: u64) -> [u8; 24] {
        array(seed)
    }

    fn key_stream(rounds: usize, key: &[u8; 32], nonce: &[u8; 24], first: u64, blocks: u64) -> Vec<u8> {
        let (subkey, nonce) = xchacha::subkey_and_nonce(rounds, key, nonce);
        blocks_of(rounds, &subkey, Nonce::Ietf(nonce), first, blocks)
    }
}

/// Calls a generic function for every number of rounds and every layout.
macro_rules! for_every_variant {
    ($check:ident) => {{
        use sealane::chacha20::{Extended, Ietf, Original};
        $check::<8, Ietf>();
        $check::<12, Ietf>();
        $check::<20, Ietf>();
        $check::<8, Original>();
        $check::<12, Original>();
        $check::<20, Original>();
        $check::<8, Extended>();
        $check::<12, Extended>();
        $check::<20, Extended>();
    }};
}
pub(crate) use for_every_variant;

/// Returns a cipher at the start of a block.
pub(crate) fn at_block<const ROUNDS: usize, L: Reference>(
    key: &[u8; 32],
    nonce: &L::Nonce,
    backend: Backend,
    block: u128,
) -> ChaCha<ROUNDS, L> {
    let mut cipher = ChaCha::with_backend(key, nonce, backend);
    assert_eq!(cipher.backend(), backend);
    cipher.seek(block * 64).unwrap();
    cipher
}

/// The Poly1305 tags of every prefix of one message.
pub(crate) struct MacOracle {
    message: Vec<u8>,
    r: Num,
    s: Num,
    /// The accumulator after each number of whole blocks.
    accumulators: Vec<Num>,
}

impl MacOracle {
    pub(crate) fn new(key: &[u8; 32], message: &[u8]) -> Self {
        Self::continued(key, Num::ZERO, message)
    }

    /// Starts with the accumulator `first`, as if after earlier blocks.
    fn continued(key: &[u8; 32], first: Num, message: &[u8]) -> Self {
        let (r, s) = poly1305::r_and_s(key);
        let mut accumulators = vec![first];
        let (blocks, _) = message.as_chunks::<16>();
        for block in blocks {
            accumulators.push(poly1305::accumulate(accumulators[accumulators.len() - 1], r, block));
        }
        Self { message: message.to_vec(), r, s, accumulators }
    }

    /// Returns the tag of the first `length` bytes.
    pub(crate) fn tag(&self, length: usize) -> [u8; 16] {
        let mut a = self.accumulators[length / 16];
        let rest = &self.message[length - length % 16..length];
        if !rest.is_empty() {
            a = poly1305::accumulate(a, self.r, rest);
        }
        (a + self.s).num_to_16_le_bytes()
    }
}

/// The sealed form of every prefix of one message. The associated data is the same for all.
pub(crate) struct AeadOracle {
    pub(crate) plaintext: Vec<u8>,
    pub(crate) ciphertext: Vec<u8>,
    pub(crate) aad: Vec<u8>,
    mac: MacOracle,
}

impl AeadOracle {
    /// Returns the oracle for ChaCha20-Poly1305.
    pub(crate) fn new(key: &[u8; 32], nonce: &[u8; 12], aad: &[u8], plaintext: &[u8]) -> Self {
        let key_stream = Ietf::key_stream(20, key, nonce, 0, 1 + plaintext.len().div_ceil(64) as u64);
        Self::with_key_stream(&key_stream, aad, plaintext)
    }

    /// Returns the oracle for the construction with any stream cipher.
    pub(crate) fn with_key_stream(key_stream: &[u8], aad: &[u8], plaintext: &[u8]) -> Self {
        let (block_0, key_stream) = key_stream.split_at(64);
        let one_time_key = block_0[..32].try_into().unwrap();
        let ciphertext = xor(plaintext, &key_stream[..plaintext.len()]);
        let padded_aad = [aad, sealane_spec::aead::pad16(aad)].concat();
        let after_aad = *MacOracle::new(&one_time_key, &padded_aad).accumulators.last().unwrap();
        let mac = MacOracle::continued(&one_time_key, after_aad, &ciphertext);
        Self { plaintext: plaintext.to_vec(), ciphertext, aad: aad.to_vec(), mac }
    }

    /// Returns the oracle for XChaCha20-Poly1305.
    pub(crate) fn extended(key: &[u8; 32], nonce: &[u8; 24], aad: &[u8], plaintext: &[u8]) -> Self {
        let (subkey, nonce) = xchacha::subkey_and_nonce(20, key, nonce);
        Self::new(&subkey, &nonce, aad, plaintext)
    }

    /// Returns the tag of the message of the first `length` bytes.
    pub(crate) fn tag(&self, length: usize) -> [u8; 16] {
        let MacOracle { r, s, accumulators, .. } = &self.mac;
        let mut a = accumulators[length / 16];
        let rest = &self.ciphertext[length - length % 16..length];
        if !rest.is_empty() {
            a = poly1305::accumulate(a, *r, &[rest, sealane_spec::aead::pad16(rest)].concat());
        }
        let lengths = [(self.aad.len() as u64).to_le_bytes(), (length as u64).to_le_bytes()].concat();
        (poly1305::accumulate(a, *r, &lengths) + *s).num_to_16_le_bytes()
    }
}

#[test]
fn the_oracles_of_every_length_agree_with_the_references() {
    let (key, message) = (array::<32>(1), test_bytes(2, 200));
    let mac = MacOracle::new(&key, &message);
    for length in [0, 1, 15, 16, 17, 31, 32, 199, 200] {
        assert_eq!(mac.tag(length), poly1305::poly1305_mac(&message[..length], &key));
    }
    let (nonce, xnonce, aad) = (array(3), array(4), test_bytes(5, 21));
    let aead = AeadOracle::new(&key, &nonce, &aad, &message);
    let extended = AeadOracle::extended(&key, &xnonce, &aad, &message);
    for length in [0, 1, 15, 16, 17, 63, 64, 65, 199, 200] {
        let plaintext = &message[..length];
        let expected = sealane_spec::aead::chacha20_aead_encrypt(&aad, &key, &nonce, plaintext);
        assert_eq!((aead.ciphertext[..length].to_vec(), aead.tag(length)), expected);
        let expected = sealane_spec::aead::xchacha20_aead_encrypt(&aad, &key, &xnonce, plaintext);
        assert_eq!((extended.ciphertext[..length].to_vec(), extended.tag(length)), expected);
    }
}
