//! Calls between the virtual machine and this library: throws exceptions, copies arrays, and passes
//! Rust objects to Java as numbers.

use core::ffi::CStr;
use std::ffi::CString;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr;

use jni_sys::{JNIEnv, jbyteArray, jint, jlong, jlongArray, jvalue};
use zeroize::Zeroizing;

use super::failure::{Failure, Reason};
use crate::jni::arrays::Environment;
use crate::wiped;

const EXCEPTION: &CStr = c"sealane/age/AgeException";
/// The constructor takes the ordinal of the reason, the message, and the number of the chunk or -1.
const CONSTRUCTOR: &CStr = c"(ILjava/lang/String;J)V";

/// Runs the body of a function. An error or a panic becomes an exception, and `failed` is returned.
///
/// # Safety
/// The rules in `mod.rs`.
pub(super) unsafe fn run<T>(env: *mut JNIEnv, failed: T, body: impl FnOnce(&Environment) -> Result<T, Failure>) -> T {
    // SAFETY: the rules in `mod.rs`.
    let env = unsafe { Environment::new(env) };
    // A panic cannot expose an object that is half changed: `body` changes only decoders and
    // identities that are being built, and Java uses neither after an exception.
    let failure = match catch_unwind(AssertUnwindSafe(|| body(&env))) {
        Ok(Ok(result)) => return result,
        Ok(Err(failure)) => failure,
        Err(_) => Failure::new(Reason::Internal, "an error in the native library"),
    };
    throw(&env, &failure);
    failed
}

fn throw(env: &Environment, failure: &Failure) {
    // The virtual machine expects its own encoding, modified UTF-8, which is the same as ASCII for
    // these characters.
    let message: String = failure.message.chars().map(|c| if matches!(c, ' '..='~') { c } else { '?' }).collect();
    let message = CString::new(message).unwrap_or_default();
    // SAFETY: the table is that of `env`, the name ends with a zero byte.
    let class = unsafe { (env.table().FindClass)(env.raw(), EXCEPTION.as_ptr()) };
    // Each of these functions throws its own exception if it fails.
    if class.is_null() {
        return;
    }
    // SAFETY: the class is valid, and both texts end with a zero byte.
    let constructor = unsafe { (env.table().GetMethodID)(env.raw(), class, c"<init>".as_ptr(), CONSTRUCTOR.as_ptr()) };
    if constructor.is_null() {
        return;
    }
    // SAFETY: the text ends with a zero byte.
    let text = unsafe { (env.table().NewStringUTF)(env.raw(), message.as_ptr()) };
    if text.is_null() {
        return;
    }
    let chunk = failure.chunk.and_then(|chunk| jlong::try_from(chunk).ok()).unwrap_or(-1);
    let arguments = [jvalue { i: failure.reason as jint }, jvalue { l: text }, jvalue { j: chunk }];
    // SAFETY: the constructor belongs to this class, and takes these three types.
    let exception = unsafe { (env.table().NewObjectA)(env.raw(), class, constructor, arguments.as_ptr()) };
    if !exception.is_null() {
        // SAFETY: the object is an exception.
        unsafe { (env.table().Throw)(env.raw(), exception) };
    }
}

/// Returns a copy of an array, or an empty one for null. The copy is wiped on drop.
pub(super) fn bytes(env: &Environment, array: jbyteArray) -> Result<Zeroizing<Vec<u8>>, Failure> {
    if array.is_null() {
        return Ok(Zeroizing::default());
    }
    // SAFETY: the array is valid by the rules in `mod.rs`.
    let len = unsafe { (env.table().GetArrayLength)(env.raw(), array) };
    let copy = env.copy(array, usize::try_from(len).unwrap_or(0));
    copy.ok_or_else(|| Failure::new(Reason::System, "there is not enough memory"))
}

/// Returns a new array, or null if the virtual machine has thrown an exception.
pub(super) fn new_array(env: &Environment, bytes: &[u8]) -> Result<jbyteArray, Failure> {
    let len = jint::try_from(bytes.len()).map_err(|_| Failure::new(Reason::Internal, "too long for an array"))?;
    // SAFETY: the table is that of `env`.
    let array = unsafe { (env.table().NewByteArray)(env.raw(), len) };
    if !array.is_null() {
        env.set(array, 0, bytes.len(), bytes.as_ptr());
    }
    Ok(array)
}

/// Writes the first element of an array, which must have at least one.
pub(super) fn set_long(env: &Environment, array: jlongArray, value: jlong) {
    // SAFETY: the array is valid by the rules in `mod.rs`, and the value is one number.
    unsafe { (env.table().SetLongArrayRegion)(env.raw(), array, 0, 1, ptr::from_ref(&value)) };
}

/// Moves an object to the heap and returns its number, which is its address.
pub(super) fn give<T>(object: T) -> jlong {
    Box::into_raw(Box::new(object)).expose_provenance() as jlong
}

/// Returns a shared reference to the object with this number.
///
/// # Safety
/// The number belongs to an object of this type that has not been freed, and is not freed while it
/// is used.
pub(super) unsafe fn object<'a, T>(number: jlong) -> &'a T {
    // SAFETY: the rule above.
    unsafe { &*ptr::with_exposed_provenance(number as usize) }
}

/// Returns an exclusive reference to the object with this number.
///
/// # Safety
/// The rule of [`object`], and nobody else uses the object.
pub(super) unsafe fn object_mut<'a, T>(number: jlong) -> &'a mut T {
    // SAFETY: the rule above.
    unsafe { &mut *ptr::with_exposed_provenance_mut(number as usize) }
}

/// Frees the object with this number.
///
/// # Safety
/// The number belongs to an object of this type that has not been freed, and nobody else uses it.
pub(super) unsafe fn free<T>(number: jlong) {
    // SAFETY: the rule above; the object was created by `give`.
    unsafe { wiped::free(ptr::with_exposed_provenance_mut::<T>(number as usize)) };
}
