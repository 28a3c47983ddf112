//! The functions that the version of `sealane.jca.Native` for Java 17 to 21 calls through the Java
//! Native Interface (JNI).
//!
//! Short messages are copied, which is faster than entering a critical section for each array.
//! Longer ones are accessed in critical sections. `ffm` refuses more than 64 KiB in one call.
//!
//! # Safety
//! One set of rules holds for all functions. `Native` keeps them, and is the only caller: `env` and
//! the arrays are those that the virtual machine passes, offsets and lengths are within the arrays
//! and buffers, buffers are direct, and the rules of `ffm` hold.
#![allow(clippy::missing_safety_doc, reason = "the rules are those above")]

pub(crate) mod arrays;
mod pieces;

use core::mem::MaybeUninit;

use jni_sys::{JNIEnv, jbyteArray, jclass, jint, jlong, jobject};
use zeroize::Zeroize as _;

use self::arrays::{Critical, Environment, HeadCopy};
use crate::ffm;
use crate::memory::{at, at_mut};
use crate::status::Failure;

/// The longest message that is copied.
const COPIED_BYTES: usize = 1024;
const TAG_BYTES: usize = sealane::TAG_BYTES;

/// Calls `transform` with pointers to the input and output arrays. `transform` reads `read` bytes
/// and writes `write` bytes.
fn with_arrays(
    env: &Environment,
    (input, input_offset, read): (jbyteArray, jint, usize),
    (output, output_offset, write): (jbyteArray, jint, usize),
    transform: impl FnOnce(*const u8, *mut u8) -> i32,
) -> i32 {
    if read.max(write) <= COPIED_BYTES + TAG_BYTES {
        // Words are wiped faster than bytes.
        let mut copy = [MaybeUninit::<u64>::uninit(); (COPIED_BYTES + TAG_BYTES) / 8];
        let start = copy.as_mut_ptr().cast::<u8>();
        env.get(input, input_offset, read, start);
        let status = transform(start, start);
        if status == 0 {
            env.set(output, output_offset, write, start);
        }
        // The output can be plaintext. After it, the copy holds at most the tag from the input.
        copy[..write.div_ceil(8)].zeroize();
        return status;
    }
    // No other function may be called in a critical section.
    let same = env.same(input, output);
    let Some(to) = Critical::write(env, output) else { return Failure::OutOfMemory as i32 };
    if same {
        return transform(at(to.start(), input_offset), at_mut(to.start(), output_offset));
    }
    let Some(from) = Critical::read(env, input) else { return Failure::OutOfMemory as i32 };
    transform(at(from.start(), input_offset), at_mut(to.start(), output_offset))
}

/// Calls `read` with a pointer to an array.
fn with_array(env: &Environment, array: jbyteArray, offset: jint, read: impl FnOnce(*const u8) -> i32) -> i32 {
    let Some(from) = Critical::read(env, array) else { return Failure::OutOfMemory as i32 };
    read(at(from.start(), offset))
}

/// Defines two functions for whole messages, in arrays and in direct buffers. `$argument` is the
/// argument of `$transform` after the head, which is followed by `$aad_len` bytes of associated
/// data. `$behind_input` and `$behind_output` are the numbers of bytes after the message in the
/// input and the output.
macro_rules! message {
    (
        $arrays:ident, $buffers:ident, $transform:path,
        $argument:ident: $type:ty, $aad_len:expr, $behind_input:expr, $behind_output:expr
    ) => {
        /// Encrypts or decrypts a message in arrays.
        #[unsafe(no_mangle)]
        pub unsafe extern "system" fn $arrays(
            env: *mut JNIEnv,
            _class: jclass,
            algorithm: jint,
            head: jbyteArray,
            $argument: $type,
            input: jbyteArray,
            input_offset: jint,
            len: jint,
            output: jbyteArray,
            output_offset: jint,
        ) -> jint {
            // SAFETY: the rules above.
            let env = unsafe { Environment::new(env) };
            let Some(head) = HeadCopy::new(&env, head, $aad_len) else { return Failure::OutOfMemory as i32 };
            let (read, write) = (len as usize + $behind_input, len as usize + $behind_output);
            with_arrays(&env, (input, input_offset, read), (output, output_offset, write), |from, to| {
                // SAFETY: the pointers are those of the arrays or of copies, and the rules above.
                unsafe { $transform(algorithm, head.start(), $argument, from, 0, len, to, 0) }
            })
        }

        /// Encrypts or decrypts a message in direct buffers.
        #[unsafe(no_mangle)]
        pub unsafe extern "system" fn $buffers(
            env: *mut JNIEnv,
            _class: jclass,
            algorithm: jint,
            head: jbyteArray,
            $argument: $type,
            input: jobject,
            input_offset: jint,
            len: jint,
            output: jobject,
            output_offset: jint,
        ) -> jint {
            // SAFETY: the rules above.
            let env = unsafe { Environment::new(env) };
            let (from, to) = (env.address(input), env.address(output));
            let Some(head) = HeadCopy::new(&env, head, $aad_len) else { return Failure::OutOfMemory as i32 };
            // SAFETY: the addresses are those of the buffers, and the rules above.
            unsafe { $transform(algorithm, head.start(), $argument, from, input_offset, len, to, output_offset) }
        }
    };
}

message!(
    Java_sealane_jca_Native_sealArrays, Java_sealane_jca_Native_sealBuffers, ffm::sealane_jca_seal,
    aad_len: jint, aad_len, 0, TAG_BYTES
);
message!(
    Java_sealane_jca_Native_openArrays, Java_sealane_jca_Native_openBuffers, ffm::sealane_jca_open,
    aad_len: jint, aad_len, TAG_BYTES, 0
);
message!(
    Java_sealane_jca_Native_xorArrays, Java_sealane_jca_Native_xorBuffers, ffm::sealane_jca_xor,
    position: jlong, 0, 0, 0
);

/// Computes a Poly1305 tag.
#[unsafe(no_mangle)]
pub unsafe extern "system" fn Java_sealane_jca_Native_macArray(
    env: *mut JNIEnv,
    _class: jclass,
    head: jbyteArray,
    input: jbyteArray,
    input_offset: jint,
    len: jint,
    tag: jbyteArray,
) -> jint {
    // SAFETY: the rules above.
    let env = unsafe { Environment::new(env) };
    let Some(head) = HeadCopy::new(&env, head, 0) else { return Failure::OutOfMemory as i32 };
    let mut computed = [0; TAG_BYTES];
    let status = with_array(&env, input, input_offset, |from| {
        // SAFETY: the pointers are those of the arrays, and the rules above.
        unsafe { ffm::sealane_jca_mac(head.start(), from, 0, len, computed.as_mut_ptr()) }
    });
    env.set(tag, 0, TAG_BYTES, computed.as_ptr());
    status
}

/// Returns the address of a direct buffer.
#[unsafe(no_mangle)]
pub unsafe extern "system" fn Java_sealane_jca_Native_bufferAddress(
    env: *mut JNIEnv,
    _class: jclass,
    buffer: jobject,
) -> jlong {
    // SAFETY: the rules above.
    let env = unsafe { Environment::new(env) };
    env.address(buffer).addr() as jlong
}
