//! Helpers that the tests share.

use std::io::{self, Read, Write};
use std::sync::OnceLock;

use sealane_age::{Backend, Decryptor, Encryptor, Identity, Recipient, StreamError, StreamReader, x25519};

/// The length of a chunk's plaintext. The lengths here are the test's own numbers, not the crate's.
pub(crate) const CHUNK: usize = 65536;
pub(crate) const SEALED: usize = 65552;

/// Lengths around the ends of chunks and of the buffer of four chunks.
pub(crate) const LENGTHS: [usize; 13] =
    [0, 1, 47, 65535, 65536, 65537, 131072, 131073, 200000, 262143, 262144, 262145, 600000];

/// Returns the backend that `SEALANE_BACKEND` names, or the best one. If the named one is missing,
/// the test fails.
pub(crate) fn backend() -> Backend {
    Backend::from_env().unwrap()
}

pub(crate) fn identity() -> &'static x25519::Identity {
    static IDENTITY: OnceLock<x25519::Identity> = OnceLock::new();
    IDENTITY.get_or_init(|| x25519::Identity::generate().unwrap())
}

/// Returns bytes without a period that fits a chunk.
pub(crate) fn plaintext(len: usize) -> Vec<u8> {
    (0..len as u64).map(|i| (i.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 56) as u8 ^ (i >> 16) as u8).collect()
}

pub(crate) fn encryptor() -> Encryptor {
    Encryptor::with_recipients([&identity().to_public() as &dyn Recipient]).unwrap().with_backend(backend())
}

/// Returns a file for [`identity`].
pub(crate) fn seal(plaintext: &[u8]) -> Vec<u8> {
    let mut writer = encryptor().wrap_output(Vec::new()).unwrap();
    writer.write_all(plaintext).unwrap();
    writer.finish().unwrap()
}

pub(crate) fn open<R: Read>(input: R) -> StreamReader<R> {
    let decryptor = Decryptor::new(input).unwrap().with_backend(backend());
    decryptor.decrypt([identity() as &dyn Identity]).unwrap()
}

/// Returns the position of the first chunk of `file`.
pub(crate) fn payload_start(file: &[u8]) -> usize {
    sealane_age::header::Header::parse(file).unwrap().1 + 16
}

/// Reads to the end or to an error.
pub(crate) fn drain(reader: &mut impl Read) -> (Vec<u8>, Option<io::Error>) {
    let mut out = Vec::new();
    let error = reader.read_to_end(&mut out).err();
    (out, error)
}

/// Opens a damaged file. Returns the released plaintext and the payload error.
#[track_caller]
pub(crate) fn open_damaged(file: &[u8]) -> (Vec<u8>, StreamError) {
    let mut reader = open(file);
    let (released, error) = drain(&mut reader);
    let error = error.expect("the damage must be noticed");
    let stream_error = StreamError::of(&error).expect("a payload error");
    one_line(&error);
    let (more, again) = drain(&mut reader);
    assert!(more.is_empty(), "nothing is released after an error");
    assert_eq!(StreamError::of(&again.expect("the error stays")), Some(stream_error));
    (released, stream_error)
}

#[track_caller]
pub(crate) fn one_line(error: &dyn std::fmt::Display) {
    let text = error.to_string();
    assert!(!text.is_empty() && !text.contains('\n'), "{text:?}");
}
