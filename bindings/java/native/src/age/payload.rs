//! Headers and chunks.

use jni_sys::{JNIEnv, jboolean, jbyteArray, jclass, jint, jlong, jlongArray};
use sealane_age::stream::{CHUNK_BYTES, PayloadKey, SEALED_CHUNK_BYTES, SealingKey};
use sealane_age::{Preamble, Prefix, StreamError};

use super::failure::{Failure, Reason};
use super::keys::{Identities, Recipients};
use super::machine::{bytes, free, give, new_array, object, run, set_long};
use crate::jni::arrays::{Critical, Environment};
use crate::memory::{Lent, at, at_mut};

/// Calls `transform` with input and output in critical sections, which `Native` limits to one
/// chunk. Returns its result.
fn chunk(
    env: &Environment,
    (input, input_offset, input_len): (jbyteArray, jint, jint),
    (output, output_offset, output_len): (jbyteArray, jint, jint),
    transform: impl FnOnce(&[u8], &mut [u8]) -> Result<usize, Failure>,
) -> Result<jint, Failure> {
    let no_memory = || Failure::new(Reason::System, "there is not enough memory");
    let result = {
        let from = Critical::read(env, input).ok_or_else(no_memory)?;
        let to = Critical::write(env, output).ok_or_else(no_memory)?;
        // SAFETY: the pointers are those of two different arrays, the ranges are within them by the
        // rules in `mod.rs`, and the sections end after this value.
        let lent = unsafe { Lent::new() };
        transform(
            lent.input(at(from.start(), input_offset), input_len as usize),
            lent.output(at_mut(to.start(), output_offset), output_len as usize),
        )
    };
    // The result fits, because the length of the output did.
    Ok(result? as jint)
}

fn seal(key: &SealingKey, number: u64, is_last: bool, from: &[u8], to: &mut [u8]) -> Result<usize, Failure> {
    // Nothing is wrong with the file: `AgeOutputStream` has cut the plaintext into wrong chunks.
    key.seal_part(number, is_last, from, to).map_err(|error| Failure::new(Reason::Internal, error))
}

/// Opens a chunk. If the chunks end too early, the error names the one that is missing.
fn open(key: &PayloadKey, number: u64, is_last: bool, from: &[u8], to: &mut [u8]) -> Result<usize, Failure> {
    key.open_chunks(number, is_last, from, to).map_err(|error| match error {
        StreamError::Truncated => {
            let missing = number.saturating_add(from.len().div_ceil(SEALED_CHUNK_BYTES) as u64);
            let start = u128::from(missing) * CHUNK_BYTES as u128;
            let message = format!("the file is cut short: chunk {missing} (plaintext from byte {start}) is missing");
            Failure { chunk: Some(missing), ..Failure::new(Reason::NotAuthentic, message) }
        }
        error => error.into(),
    })
}

/// Creates a header for recipients. Returns it with the nonce, and writes the number of the key.
#[unsafe(no_mangle)]
pub unsafe extern "system" fn Java_sealane_age_Native_start(
    env: *mut JNIEnv,
    _class: jclass,
    recipients: jlong,
    key: jlongArray,
) -> jbyteArray {
    let body = |env: &_| {
        // SAFETY: the rules in `mod.rs`.
        let recipients: &Recipients = unsafe { object(recipients) };
        let (start, sealing_key) = recipients.encryptor()?.into_parts()?;
        let array = new_array(env, &start)?;
        if !array.is_null() {
            set_long(env, key, give(sealing_key));
        }
        Ok(array)
    };
    // SAFETY: the rules in `mod.rs`.
    unsafe { run(env, core::ptr::null_mut(), body) }
}

/// Defines a function for chunks.
macro_rules! chunk_function {
    ($(#[$doc:meta])* $name:ident, $transform:expr) => {
        $(#[$doc])*
        #[unsafe(no_mangle)]
        pub unsafe extern "system" fn $name(
            env: *mut JNIEnv,
            _class: jclass,
            key: jlong,
            number: jlong,
            is_last: jboolean,
            input: jbyteArray,
            input_offset: jint,
            len: jint,
            output: jbyteArray,
            output_offset: jint,
            output_len: jint,
        ) -> jint {
            let body = |env: &_| {
                // SAFETY: the rules in `mod.rs`.
                let key = unsafe { object(key) };
                let (from, to) = ((input, input_offset, len), (output, output_offset, output_len));
                chunk(env, from, to, |from, to| $transform(key, number as u64, is_last, from, to))
            };
            // SAFETY: the rules in `mod.rs`.
            unsafe { run(env, -1, body) }
        }
    };
}

chunk_function! {
    /// Seals a chunk. Returns its length.
    Java_sealane_age_Native_sealChunk, seal
}
chunk_function! {
    /// Opens a chunk. Returns the length of its plaintext.
    Java_sealane_age_Native_openChunk, open
}

/// Frees a key that seals chunks.
#[unsafe(no_mangle)]
pub unsafe extern "system" fn Java_sealane_age_Native_sealingKeyFree(_env: *mut JNIEnv, _class: jclass, number: jlong) {
    // SAFETY: the rules in `mod.rs`.
    unsafe { free::<SealingKey>(number) }
}

/// Returns the length of the header and the nonce at the start of a file. If `start` is too short,
/// returns a negative number: minus the smallest number of bytes that may be enough.
#[unsafe(no_mangle)]
pub unsafe extern "system" fn Java_sealane_age_Native_preambleLength(
    env: *mut JNIEnv,
    _class: jclass,
    start: jbyteArray,
) -> jint {
    let body = |env: &_| {
        Ok(match Preamble::parse(&bytes(env, start)?)? {
            // Headers have at most a few MiB.
            Prefix::Complete(preamble) => preamble.len() as jint,
            Prefix::Incomplete { at_least } => -(at_least as jint),
        })
    };
    // SAFETY: the rules in `mod.rs`.
    unsafe { run(env, 0, body) }
}

/// Unlocks a file from its header and nonce. Returns the number of the key.
#[unsafe(no_mangle)]
pub unsafe extern "system" fn Java_sealane_age_Native_unlock(
    env: *mut JNIEnv,
    _class: jclass,
    identities: jlong,
    start: jbyteArray,
) -> jlong {
    let body = |env: &_| {
        // SAFETY: the rules in `mod.rs`.
        let identities: &Identities = unsafe { object(identities) };
        match Preamble::parse(&bytes(env, start)?)? {
            Prefix::Complete(preamble) => Ok(give(identities.with(|all| preamble.unlock(all.iter().copied()))?)),
            Prefix::Incomplete { .. } => Err(sealane_age::header::HeaderError::Truncated.into()),
        }
    };
    // SAFETY: the rules in `mod.rs`.
    unsafe { run(env, 0, body) }
}

/// Frees a key that opens chunks.
#[unsafe(no_mangle)]
pub unsafe extern "system" fn Java_sealane_age_Native_payloadKeyFree(_env: *mut JNIEnv, _class: jclass, number: jlong) {
    // SAFETY: the rules in `mod.rs`.
    unsafe { free::<PayloadKey>(number) }
}
