//! The boundary to OpenSSL: pointers become contexts and slices here, and panics become errors.

use std::ffi::{c_int, c_void};
use std::mem::MaybeUninit;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::{ptr, slice};

use crate::buffers::Buffers;
use crate::provider::Provider;
use crate::reason::Reason;
use crate::usage::Tally;
use crate::wiped;

/// The state of an algorithm, to which OpenSSL holds a pointer.
pub(crate) struct Context<T> {
    provider: Arc<Provider>,
    pub(crate) state: T,
    pub(crate) tally: Tally,
    /// Whether a function has panicked, so that the state may be inconsistent.
    broken: bool,
}

impl<T> Drop for Context<T> {
    fn drop(&mut self) {
        self.tally.add_to(&self.provider.usage);
    }
}

/// Returns a new context, or null if the provider is null or after a panic.
///
/// # Safety
/// The pointer is null, or is a live provider context from `OSSL_provider_init`.
pub(crate) unsafe fn new_context<T>(
    provider: *const c_void,
    algorithm: usize,
    make: impl FnOnce(&Provider) -> T,
) -> *mut c_void {
    // SAFETY: the caller promises it.
    let Some(provider) = (unsafe { provider.cast::<Arc<Provider>>().as_ref() }) else { return ptr::null_mut() };
    boxed(AssertUnwindSafe(|| {
        let state = make(provider);
        Context { provider: provider.clone(), state, tally: Tally::new(algorithm), broken: false }
    }))
}

fn boxed<T>(make: AssertUnwindSafe<impl FnOnce() -> Context<T>>) -> *mut c_void {
    catch_unwind(AssertUnwindSafe(|| {
        panic_if_asked();
        Box::into_raw(Box::new(make())).cast()
    }))
    .unwrap_or(ptr::null_mut())
}

/// Panics if an environment variable is set, but only in the module built for `tests/panic`.
pub(crate) fn panic_if_asked() {
    #[cfg(sealane_panic)]
    assert!(std::env::var_os("SEALANE_PANIC").is_none(), "a panic that a test asked for");
}

/// Returns a copy of a context, or null if the context is null or copying panics.
///
/// # Safety
/// The rules of [`call`].
pub(crate) unsafe fn copy_context<T: Clone>(context: *mut c_void, algorithm: usize) -> *mut c_void {
    // SAFETY: the caller promises it.
    let Some(context) = (unsafe { context.cast::<Context<T>>().as_ref() }) else { return ptr::null_mut() };
    boxed(AssertUnwindSafe(|| Context {
        provider: context.provider.clone(),
        state: context.state.clone(),
        tally: Tally::new(algorithm),
        broken: context.broken,
    }))
}

/// Drops a context and wipes its memory.
///
/// # Safety
/// The rules of [`call`]. The context must not be used again.
pub(crate) unsafe fn free_context<T>(context: *mut c_void) {
    if !context.is_null() {
        // SAFETY: the pointer is from `Box::into_raw`, and OpenSSL does not use it again.
        unsafe { wiped::free(context.cast::<Context<T>>()) };
    }
}

/// Runs the body of a function on a context. Returns 1, or 0 after an error.
///
/// # Safety
/// The pointer is null, or from [`new_context`] or [`copy_context`] with the same type. It is live
/// and not used by others during the call.
pub(crate) unsafe fn call<T>(context: *mut c_void, body: impl FnOnce(&mut Context<T>) -> Result<(), Reason>) -> c_int {
    // SAFETY: the caller promises it.
    let Some(context) = (unsafe { context.cast::<Context<T>>().as_mut() }) else { return 0 };
    let result = if context.broken {
        Err(Reason::Internal)
    } else {
        let body = AssertUnwindSafe(|| {
            panic_if_asked();
            body(context)
        });
        catch_unwind(body).unwrap_or_else(|_| {
            context.broken = true;
            Err(Reason::Internal)
        })
    };
    match result {
        Ok(()) => 1,
        // No error is stored, as in OpenSSL's own provider: servers skip early data by trying to
        // decrypt it, and `SSL_get_error` would mistake the stored error for a new one.
        Err(Reason::NotAuthentic) => 0,
        Err(reason) => {
            context.provider.core.raise(reason);
            0
        }
    }
}

/// Runs the body of a function without a context. Returns 1, or 0 after an error, which is stored
/// if the provider is known.
pub(crate) fn call_without_context(provider: Option<&Provider>, body: impl FnOnce() -> Result<(), Reason>) -> c_int {
    let body = AssertUnwindSafe(|| {
        panic_if_asked();
        body()
    });
    let result = catch_unwind(body).unwrap_or(Err(Reason::Internal));
    if let (Some(provider), Err(reason)) = (provider, result) {
        provider.core.raise(reason);
    }
    c_int::from(result.is_ok())
}

/// Returns `len` bytes of input. The pointer may be null only if `len` is 0.
///
/// # Safety
/// The pointer is null, or valid for `len` bytes during `'a`, and nobody writes to them.
pub(crate) unsafe fn input<'a>(start: *const u8, len: usize) -> Result<&'a [u8], Reason> {
    match () {
        () if len == 0 => Ok(&[]),
        () if start.is_null() => Err(Reason::NullPointer),
        () if len > isize::MAX as usize => Err(Reason::TooLong),
        // SAFETY: the pointer is not null, the size fits, and the caller promises the rest.
        () => Ok(unsafe { slice::from_raw_parts(start, len) }),
    }
}

impl<'a> Buffers<'a> {
    /// Returns `len` bytes of input and output, and the `tag_bytes` bytes of output after them.
    /// If input and output partially overlap, the input is first moved to the output.
    ///
    /// # Safety
    /// The pointers are null, or valid during `'a`: `from` for `len` bytes, and `to` for `len` and
    /// `tag_bytes` bytes. Nobody else uses them.
    pub(crate) unsafe fn new(
        from: *const u8,
        to: *mut u8,
        len: usize,
        tag_bytes: usize,
    ) -> Result<(Self, &'a mut [MaybeUninit<u8>]), Reason> {
        if from.is_null() || to.is_null() {
            return Err(Reason::NullPointer);
        }
        let written = len.checked_add(tag_bytes).filter(|&sum| sum <= isize::MAX as usize).ok_or(Reason::TooLong)?;
        let distance = from.addr().abs_diff(to.addr());
        let is_separate = distance >= written;
        if !is_separate && distance > 0 {
            // SAFETY: the caller promises that both are valid; they may overlap.
            unsafe { ptr::copy(from, to, len) };
        }
        // SAFETY: the pointer is not null, the size fits, and the caller promises that it is valid.
        // Unless the buffers are separate, the input is not used below.
        let output = unsafe { slice::from_raw_parts_mut(to.cast::<MaybeUninit<u8>>(), written) };
        let (text, tag) = output.split_at_mut(len);
        let buffers = if is_separate {
            // SAFETY: the pointer is not null, the size fits, and the caller promises that it is
            // valid. The distance is at least the length of the output, which is not shorter than
            // the input, so they do not overlap.
            Self::Separate(unsafe { slice::from_raw_parts(from, len) }, text)
        } else {
            // SAFETY: the slice is exclusive and has this length. Its bytes are input, or a copy of
            // input, so they are initialised.
            Self::InPlace(unsafe { slice::from_raw_parts_mut(text.as_mut_ptr().cast(), len) })
        };
        Ok((buffers, tag))
    }

    pub(crate) fn len(&self) -> usize {
        match self {
            Self::InPlace(buffer) => buffer.len(),
            Self::Separate(from, _) => from.len(),
        }
    }

    /// Calls `each` with pieces of `len` bytes of the buffers; the last one may be shorter.
    pub(crate) fn chunks(self, len: usize, mut each: impl FnMut(Buffers<'_>)) {
        match self {
            Self::InPlace(buffer) => buffer.chunks_mut(len).for_each(|piece| each(Buffers::InPlace(piece))),
            Self::Separate(from, to) => {
                from.chunks(len).zip(to.chunks_mut(len)).for_each(|(from, to)| each(Buffers::Separate(from, to)));
            }
        }
    }

    /// Splits the buffers into the first `at` bytes and the remainder.
    pub(crate) fn split(self, at: usize) -> (Self, Self) {
        match self {
            Self::InPlace(buffer) => {
                let (head, rest) = buffer.split_at_mut(at);
                (Self::InPlace(head), Self::InPlace(rest))
            }
            Self::Separate(from, to) => {
                let ((from, from_rest), (to, to_rest)) = (from.split_at(at), to.split_at_mut(at));
                (Self::Separate(from, to), Self::Separate(from_rest, to_rest))
            }
        }
    }

    pub(crate) fn input(&self) -> &[u8] {
        match self {
            Self::InPlace(buffer) => buffer,
            Self::Separate(from, _) => from,
        }
    }
}
