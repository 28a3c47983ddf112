//! The functions of the Java Native Interface that give access to arrays and buffers.

use core::ptr;

use jni_sys::{JNI_ABORT, JNIEnv, jbyteArray, jint, jobject};
use zeroize::{Zeroize as _, Zeroizing};

use crate::memory::at;
use crate::message::HEAD_BYTES;

/// The function table of the virtual machine, for the duration of one call.
pub(crate) struct Environment(*mut JNIEnv);

impl Environment {
    /// # Safety
    /// The virtual machine has passed `env` to the running native method, and the methods of this
    /// type receive references from the same call, with offsets and lengths within the array.
    pub(crate) unsafe fn new(env: *mut JNIEnv) -> Self {
        Self(env)
    }

    /// Returns the pointer that the functions in the table take.
    pub(crate) fn raw(&self) -> *mut JNIEnv {
        self.0
    }

    pub(crate) fn table(&self) -> &jni_sys::JNINativeInterface__1_4 {
        // SAFETY: `new` promises that the pointer is that of the virtual machine.
        let table = unsafe { *self.0 };
        // SAFETY: the table lives as long as the virtual machine, and nothing writes to it.
        let table = unsafe { &*table };
        // SAFETY: the table of every version from 1.4 on has the functions of 1.4.
        unsafe { &table.v1_4 }
    }

    /// Copies a range of an array to the memory at `to`.
    pub(crate) fn get(&self, array: jbyteArray, offset: jint, len: usize, to: *mut u8) {
        // SAFETY: `new` promises a valid array and range; the callers here pass memory of `len`
        // bytes.
        unsafe { (self.table().GetByteArrayRegion)(self.0, array, offset, len as jint, to.cast()) }
    }

    /// Returns a copy of the first `len` bytes of an array, which is wiped on drop, or `None` if
    /// there is not enough memory. The caller chooses the length, and a failed allocation would end
    /// the virtual machine.
    pub(crate) fn copy(&self, array: jbyteArray, len: usize) -> Option<Zeroizing<Vec<u8>>> {
        let mut copy = Zeroizing::new(Vec::new());
        copy.try_reserve_exact(len).ok()?;
        copy.resize(len, 0);
        self.get(array, 0, len, copy.as_mut_ptr());
        Some(copy)
    }

    /// Copies the memory at `from` to a range of an array.
    pub(crate) fn set(&self, array: jbyteArray, offset: jint, len: usize, from: *const u8) {
        // SAFETY: `new` promises a valid array and range; the callers here pass memory of `len`
        // bytes.
        unsafe { (self.table().SetByteArrayRegion)(self.0, array, offset, len as jint, from.cast()) }
    }

    /// Returns whether both are the same array.
    pub(crate) fn same(&self, a: jbyteArray, b: jbyteArray) -> bool {
        // SAFETY: `new` promises valid references.
        unsafe { (self.table().IsSameObject)(self.0, a, b) }
    }

    /// Returns the address of a direct buffer.
    pub(crate) fn address(&self, buffer: jobject) -> *mut u8 {
        // SAFETY: `new` promises a valid reference.
        unsafe { (self.table().GetDirectBufferAddress)(self.0, buffer) }.cast()
    }
}

/// An array in a critical section: the garbage collector does not move it. Until the section ends,
/// only JNI functions that begin or end critical sections may be called. Dropping this ends the
/// section.
pub(crate) struct Critical<'a> {
    env: &'a Environment,
    array: jbyteArray,
    start: *mut u8,
    /// If the virtual machine has made a copy: 0 to write it back, or `JNI_ABORT` to discard it.
    mode: jint,
}

impl<'a> Critical<'a> {
    /// Begins a section that only reads. Returns `None` if there is not enough memory.
    pub(crate) fn read(env: &'a Environment, array: jbyteArray) -> Option<Self> {
        Self::new(env, array, JNI_ABORT)
    }

    /// Begins a section that writes. Returns `None` if there is not enough memory.
    pub(crate) fn write(env: &'a Environment, array: jbyteArray) -> Option<Self> {
        Self::new(env, array, 0)
    }

    fn new(env: &'a Environment, array: jbyteArray, mode: jint) -> Option<Self> {
        // SAFETY: `Environment::new` promises a valid reference.
        let start = unsafe { (env.table().GetPrimitiveArrayCritical)(env.0, array, ptr::null_mut()) };
        (!start.is_null()).then_some(Self { env, array, start: start.cast(), mode })
    }

    pub(crate) fn start(&self) -> *mut u8 {
        self.start
    }
}

impl Drop for Critical<'_> {
    fn drop(&mut self) {
        // SAFETY: `new` has begun the section of this array and pointer, which ends once.
        unsafe {
            (self.env.table().ReleasePrimitiveArrayCritical)(self.env.0, self.array, self.start.cast(), self.mode);
        }
    }
}

/// Associated data up to this length needs no allocation.
const SHORT_AAD_BYTES: usize = 64;

/// A copy of the key, the nonce and the associated data. At least the key is wiped on drop.
pub(crate) enum HeadCopy {
    Short([u8; HEAD_BYTES + SHORT_AAD_BYTES]),
    Long(Zeroizing<Vec<u8>>),
}

impl HeadCopy {
    /// Copies the start of `head`. Returns `None` if there is not enough memory.
    pub(crate) fn new(env: &Environment, head: jbyteArray, aad_len: jint) -> Option<Self> {
        let len = HEAD_BYTES + aad_len as usize;
        if len <= HEAD_BYTES + SHORT_AAD_BYTES {
            let mut copy = [0; HEAD_BYTES + SHORT_AAD_BYTES];
            env.get(head, 0, len, copy.as_mut_ptr());
            return Some(Self::Short(copy));
        }
        env.copy(head, len).map(Self::Long)
    }

    pub(crate) fn start(&self) -> *const u8 {
        match self {
            Self::Short(copy) => copy.as_ptr(),
            Self::Long(copy) => at(copy.as_ptr(), 0),
        }
    }
}

impl Drop for HeadCopy {
    fn drop(&mut self) {
        if let Self::Short(copy) = self {
            copy[..32].zeroize();
        }
    }
}
