//! The functions that `sealane.jca.Native` of Java 22 and later calls through the Foreign Function
//! and Memory API.
//!
//! # Safety
//! One set of rules holds for all functions. `Native` keeps them, and is the only caller:
//! - Each array or buffer is valid for the given length from its offset on. The virtual machine
//!   neither moves nor frees it before the call returns.
//! - `head` has `HEAD_BYTES` bytes, followed by the associated data.
//! - Input and output are the same or do not overlap. Only the owner of a cipher uses output and
//!   contexts during a call; if another thread writes to the same arrays, the bytes are whatever it
//!   wrote, as in Java.
//! - A context is a result of `sealane_jca_context_new` that has not been freed.
#![allow(clippy::missing_safety_doc, reason = "the rules are those above")]

use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::context::Context;
use crate::memory::{Lent, at, at_mut};
use crate::message::{self, Head};
use crate::status::{Failure, guard};
use crate::wiped;

/// The maximum input of one call, not counting the key and the tag. The garbage collector waits
/// during a call.
const CALL_BYTES: usize = 64 * 1024;

/// Returns the lengths of the inputs of a call, or an error if they are more than [`CALL_BYTES`]
/// together.
fn of_one_call<const N: usize>(lengths: [i32; N]) -> Result<[usize; N], Failure> {
    // A negative length becomes one that is too long.
    let lengths = lengths.map(|len| len as usize);
    let total = lengths.iter().fold(0_usize, |sum, len| sum.saturating_add(*len));
    if total > CALL_BYTES { Err(Failure::Internal) } else { Ok(lengths) }
}

/// Defines a function for whole messages.
macro_rules! message {
    ($(#[$doc:meta])* $name:ident, $transform:path) => {
        $(#[$doc])*
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name(
            aead: i32,
            head: *const u8,
            aad_len: i32,
            input: *const u8,
            input_offset: i32,
            len: i32,
            output: *mut u8,
            output_offset: i32,
        ) -> i32 {
            // SAFETY: the rules above.
            let lent = unsafe { Lent::new() };
            guard(|| {
                let [aad_len, len] = of_one_call([aad_len, len])?;
                let head = Head::new(&lent, head, aad_len);
                $transform(&lent, aead, &head, at(input, input_offset), len, at_mut(output, output_offset))
            })
        }
    };
}

message! {
    /// Encrypts a message of `len` bytes. The tag follows the ciphertext.
    sealane_jca_seal, message::seal
}
message! {
    /// Decrypts a message of `len` bytes, which is followed by its tag.
    sealane_jca_open, message::open
}

/// Encrypts or decrypts with the key stream from byte `position` on.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealane_jca_xor(
    cipher: i32,
    head: *const u8,
    position: i64,
    input: *const u8,
    input_offset: i32,
    len: i32,
    output: *mut u8,
    output_offset: i32,
) -> i32 {
    // SAFETY: the rules above.
    let lent = unsafe { Lent::new() };
    guard(|| {
        let [len] = of_one_call([len])?;
        let head = Head::new(&lent, head, 0);
        let (from, to) = (at(input, input_offset), at_mut(output, output_offset));
        message::xor(&lent, cipher, &head, position as u64, from, len, to)
    })
}

/// Computes the Poly1305 tag of `len` bytes. The key is at the start of `head`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealane_jca_mac(
    head: *const u8,
    input: *const u8,
    input_offset: i32,
    len: i32,
    tag: *mut u8,
) -> i32 {
    // SAFETY: the rules above.
    let lent = unsafe { Lent::new() };
    guard(|| {
        let [len] = of_one_call([len])?;
        message::mac(&lent, head, at(input, input_offset), len, tag);
        Ok(())
    })
}

/// Returns a new context, or null after an error.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealane_jca_context_new(
    operation: i32,
    aead: i32,
    head: *const u8,
    aad_len: i32,
) -> *mut Context {
    // SAFETY: the rules above.
    let lent = unsafe { Lent::new() };
    let made = catch_unwind(AssertUnwindSafe(|| {
        let [aad_len] = of_one_call([aad_len])?;
        let head = Head::new(&lent, head, aad_len);
        Context::new(operation, aead, &head).map(Box::into_raw)
    }));
    made.ok().and_then(Result::ok).unwrap_or(core::ptr::null_mut())
}

/// Appends associated data.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealane_jca_context_associate(
    context: *mut Context,
    input: *const u8,
    input_offset: i32,
    len: i32,
) -> i32 {
    // SAFETY: the rules above.
    let lent = unsafe { Lent::new() };
    // SAFETY: the rules above: the context is live and exclusive, or null.
    let context = unsafe { context.as_mut() };
    guard(|| {
        let [len] = of_one_call([len])?;
        context.ok_or(Failure::Internal)?.associate(lent.input(at(input, input_offset), len))
    })
}

/// Authenticates the associated data.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealane_jca_context_start(context: *mut Context) -> i32 {
    // SAFETY: the rules above: the context is live and exclusive, or null.
    let context = unsafe { context.as_mut() };
    guard(|| context.ok_or(Failure::Internal)?.start())
}

/// Encrypts a piece, or decrypts a piece of a message whose tag has been verified.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealane_jca_context_transform(
    context: *mut Context,
    input: *const u8,
    input_offset: i32,
    len: i32,
    output: *mut u8,
    output_offset: i32,
) -> i32 {
    // SAFETY: the rules above.
    let lent = unsafe { Lent::new() };
    // SAFETY: the rules above: the context is live and exclusive, or null.
    let context = unsafe { context.as_mut() };
    guard(|| {
        let [len] = of_one_call([len])?;
        let (from, to) = (at(input, input_offset), at_mut(output, output_offset));
        context.ok_or(Failure::Internal)?.transform(&lent, from, len, to)
    })
}

/// Authenticates a piece of a ciphertext, or of a message that only gets a tag.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealane_jca_context_authenticate(
    context: *mut Context,
    input: *const u8,
    input_offset: i32,
    len: i32,
) -> i32 {
    // SAFETY: the rules above.
    let lent = unsafe { Lent::new() };
    // SAFETY: the rules above: the context is live and exclusive, or null.
    let context = unsafe { context.as_mut() };
    guard(|| {
        let [len] = of_one_call([len])?;
        context.ok_or(Failure::Internal)?.authenticate(lent.input(at(input, input_offset), len))
    })
}

/// Writes the tag, of 16 bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealane_jca_context_tag(context: *mut Context, tag: *mut u8) -> i32 {
    // SAFETY: the rules above.
    let lent = unsafe { Lent::new() };
    // SAFETY: the rules above: the context is live and exclusive, or null.
    let context = unsafe { context.as_mut() };
    guard(|| context.ok_or(Failure::Internal)?.tag(lent.output(tag, sealane::TAG_BYTES)))
}

/// Compares the tag, of 16 bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealane_jca_context_verify(context: *mut Context, tag: *const u8) -> i32 {
    // SAFETY: the rules above.
    let lent = unsafe { Lent::new() };
    // SAFETY: the rules above: the context is live and exclusive, or null.
    let context = unsafe { context.as_mut() };
    guard(|| context.ok_or(Failure::Internal)?.verify(&lent.array(tag)))
}

/// Wipes and frees a context.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealane_jca_context_free(context: *mut Context) {
    if !context.is_null() {
        // SAFETY: the rules above: the context comes from `Box::into_raw`, and nobody uses it any
        // more.
        unsafe { wiped::free(context) };
    }
}
