//! The trait that ciphers implement, and on which the functions for OpenSSL build.

use std::ffi::CStr;
use std::mem::MaybeUninit;

use sealane::Backend;

use crate::abi::OSSL_PARAM;
use crate::buffers::Buffers;
use crate::direction::Direction;
use crate::param::Param;
use crate::reason::Reason;

/// The length of all keys in bytes.
pub(crate) const KEY_BYTES: usize = 32;

/// A cipher with a key, a nonce and a message. A clone continues the same message.
pub(crate) trait Cipher: Clone {
    /// The index in [`crate::usage::COUNTED`].
    const ALGORITHM: usize;
    const NONCE_BYTES: usize;
    const IS_AEAD: bool;
    /// The parameters of a context that can be read.
    const GETTABLE: &'static [OSSL_PARAM];
    /// The parameters of a context that can be set.
    const SETTABLE: &'static [OSSL_PARAM];

    fn new(backend: Backend) -> Self;

    /// Sets the direction and, if given, the key and the nonce. Starts a message if either is
    /// given. An AEAD also starts one if the direction changes, or the previous message has ended.
    fn init(&mut self, direction: Direction, key: Option<&[u8; KEY_BYTES]>, nonce: Option<&[u8]>)
    -> Result<(), Reason>;

    fn associated_data(&mut self, data: &[u8]) -> Result<(), Reason>;

    /// Returns the number of bytes at the end of the piece that are output only: the tag of an
    /// encrypted TLS 1.2 record, otherwise 0. Fails if a record has another length than `len`.
    fn only_written(&self, _len: usize) -> Result<usize, Reason> {
        Ok(0)
    }

    /// Encrypts or decrypts a piece. `tag` has room for the bytes that are only written. Returns
    /// the length of the output.
    fn update(&mut self, buffers: Buffers<'_>, tag: &mut [MaybeUninit<u8>]) -> Result<usize, Reason>;

    /// Ends the message.
    fn finish(&mut self) -> Result<(), Reason>;

    /// Reads a parameter if this cipher has it; others are left unchanged.
    fn get(&mut self, name: &[u8], param: &mut Param<'_>) -> Result<(), Reason>;

    /// Sets a parameter if this cipher has it; others are ignored.
    fn set(&mut self, name: &[u8], param: &Param<'_>) -> Result<(), Reason>;
}

/// Returns the description of a parameter that is a number.
pub(crate) const fn number(key: &'static CStr) -> OSSL_PARAM {
    OSSL_PARAM::described(key, crate::abi::OSSL_PARAM_UNSIGNED_INTEGER, size_of::<usize>())
}

/// Returns the description of a parameter that consists of bytes.
pub(crate) const fn octets(key: &'static CStr) -> OSSL_PARAM {
    OSSL_PARAM::described(key, crate::abi::OSSL_PARAM_OCTET_STRING, 0)
}
