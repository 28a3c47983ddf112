//! Messages in pieces.
//!
//! # Safety
//! The rules of the module above.

use jni_sys::{JNIEnv, jbyteArray, jclass, jint, jlong, jobject};

use super::arrays::{Environment, HeadCopy};
use super::{TAG_BYTES, with_array, with_arrays};
use crate::context::Context;
use crate::ffm;

/// Returns a new context, or 0 after an error.
#[unsafe(no_mangle)]
pub unsafe extern "system" fn Java_sealane_jca_Native_contextNew(
    env: *mut JNIEnv,
    _class: jclass,
    operation: jint,
    aead: jint,
    head: jbyteArray,
    aad_len: jint,
) -> jlong {
    // SAFETY: the rules above.
    let env = unsafe { Environment::new(env) };
    let Some(head) = HeadCopy::new(&env, head, aad_len) else { return 0 };
    // SAFETY: the rules above.
    let context = unsafe { ffm::sealane_jca_context_new(operation, aead, head.start(), aad_len) };
    context.expose_provenance() as jlong
}

/// Returns the context for a number that `contextNew` returned.
fn context(number: jlong) -> *mut Context {
    core::ptr::with_exposed_provenance_mut(number as usize)
}

/// Appends associated data.
#[unsafe(no_mangle)]
pub unsafe extern "system" fn Java_sealane_jca_Native_contextAssociate(
    env: *mut JNIEnv,
    _class: jclass,
    number: jlong,
    input: jbyteArray,
    input_offset: jint,
    len: jint,
) -> jint {
    // SAFETY: the rules above.
    let env = unsafe { Environment::new(env) };
    with_array(&env, input, input_offset, |from| {
        // SAFETY: the pointer is that of the array, and the rules above.
        unsafe { ffm::sealane_jca_context_associate(context(number), from, 0, len) }
    })
}

/// Authenticates the associated data.
#[unsafe(no_mangle)]
pub unsafe extern "system" fn Java_sealane_jca_Native_contextStart(
    _env: *mut JNIEnv,
    _class: jclass,
    number: jlong,
) -> jint {
    // SAFETY: the rules above.
    unsafe { ffm::sealane_jca_context_start(context(number)) }
}

/// Encrypts or decrypts a piece in arrays.
#[unsafe(no_mangle)]
pub unsafe extern "system" fn Java_sealane_jca_Native_contextTransformArrays(
    env: *mut JNIEnv,
    _class: jclass,
    number: jlong,
    input: jbyteArray,
    input_offset: jint,
    len: jint,
    output: jbyteArray,
    output_offset: jint,
) -> jint {
    // SAFETY: the rules above.
    let env = unsafe { Environment::new(env) };
    let size = len as usize;
    with_arrays(&env, (input, input_offset, size), (output, output_offset, size), |from, to| {
        // SAFETY: the pointers are those of the arrays or of copies, and the rules above.
        unsafe { ffm::sealane_jca_context_transform(context(number), from, 0, len, to, 0) }
    })
}

/// Encrypts or decrypts a piece in direct buffers.
#[unsafe(no_mangle)]
pub unsafe extern "system" fn Java_sealane_jca_Native_contextTransformBuffers(
    env: *mut JNIEnv,
    _class: jclass,
    number: jlong,
    input: jobject,
    input_offset: jint,
    len: jint,
    output: jobject,
    output_offset: jint,
) -> jint {
    // SAFETY: the rules above.
    let env = unsafe { Environment::new(env) };
    let (from, to) = (env.address(input), env.address(output));
    // SAFETY: the addresses are those of the buffers, and the rules above.
    unsafe { ffm::sealane_jca_context_transform(context(number), from, input_offset, len, to, output_offset) }
}

/// Authenticates a piece in an array.
#[unsafe(no_mangle)]
pub unsafe extern "system" fn Java_sealane_jca_Native_contextAuthenticateArray(
    env: *mut JNIEnv,
    _class: jclass,
    number: jlong,
    input: jbyteArray,
    input_offset: jint,
    len: jint,
) -> jint {
    // SAFETY: the rules above.
    let env = unsafe { Environment::new(env) };
    with_array(&env, input, input_offset, |from| {
        // SAFETY: the pointer is that of the array, and the rules above.
        unsafe { ffm::sealane_jca_context_authenticate(context(number), from, 0, len) }
    })
}

/// Authenticates a piece in a direct buffer.
#[unsafe(no_mangle)]
pub unsafe extern "system" fn Java_sealane_jca_Native_contextAuthenticateBuffer(
    env: *mut JNIEnv,
    _class: jclass,
    number: jlong,
    input: jobject,
    input_offset: jint,
    len: jint,
) -> jint {
    // SAFETY: the rules above.
    let env = unsafe { Environment::new(env) };
    let from = env.address(input);
    // SAFETY: the address is that of the buffer, and the rules above.
    unsafe { ffm::sealane_jca_context_authenticate(context(number), from, input_offset, len) }
}

/// Writes the tag.
#[unsafe(no_mangle)]
pub unsafe extern "system" fn Java_sealane_jca_Native_contextTag(
    env: *mut JNIEnv,
    _class: jclass,
    number: jlong,
    tag: jbyteArray,
) -> jint {
    // SAFETY: the rules above.
    let env = unsafe { Environment::new(env) };
    let mut computed = [0; TAG_BYTES];
    // SAFETY: the rules above, and the array has the length of a tag.
    let status = unsafe { ffm::sealane_jca_context_tag(context(number), computed.as_mut_ptr()) };
    env.set(tag, 0, TAG_BYTES, computed.as_ptr());
    status
}

/// Compares the tag.
#[unsafe(no_mangle)]
pub unsafe extern "system" fn Java_sealane_jca_Native_contextVerify(
    env: *mut JNIEnv,
    _class: jclass,
    number: jlong,
    tag: jbyteArray,
) -> jint {
    // SAFETY: the rules above.
    let env = unsafe { Environment::new(env) };
    let mut expected = [0; TAG_BYTES];
    env.get(tag, 0, TAG_BYTES, expected.as_mut_ptr());
    // SAFETY: the rules above, and the array has the length of a tag.
    unsafe { ffm::sealane_jca_context_verify(context(number), expected.as_ptr()) }
}

/// Wipes and frees a context.
#[unsafe(no_mangle)]
pub unsafe extern "system" fn Java_sealane_jca_Native_contextFree(_env: *mut JNIEnv, _class: jclass, number: jlong) {
    // SAFETY: the rules above.
    unsafe { ffm::sealane_jca_context_free(context(number)) }
}
