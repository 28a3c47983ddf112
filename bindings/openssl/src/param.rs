//! Reads and writes parameters.

use std::ffi::{CStr, c_void};
use std::marker::PhantomData;
use std::slice;

use crate::abi::*;
use crate::nonce::ShownNonce;
use crate::reason::Reason;

/// The parameters of one call.
pub(crate) struct Params(*mut OSSL_PARAM);

impl Params {
    /// # Safety
    /// The pointer is null, or points to a table that ends with a null key. Until this value is
    /// dropped, the entries follow OpenSSL's rules: keys are texts, and non-null data is valid for
    /// its size and not used by others.
    pub(crate) unsafe fn new(params: *mut OSSL_PARAM) -> Self {
        Self(params)
    }

    /// Calls `each` with the name and the value of each parameter.
    pub(crate) fn each(self, mut each: impl FnMut(&[u8], &mut Param<'_>) -> Result<(), Reason>) -> Result<(), Reason> {
        let mut next = self.0;
        // SAFETY: `Params::new` promises a table; the loop stays before its end.
        while let Some(entry) = unsafe { next.as_ref() }.filter(|entry| !entry.key.is_null()) {
            // SAFETY: `Params::new` promises a text.
            let key = unsafe { CStr::from_ptr(entry.key) };
            each(key.to_bytes(), &mut Param { entry: next, table: PhantomData })?;
            // SAFETY: the entry is not the last one.
            next = unsafe { next.add(1) };
        }
        Ok(())
    }
}

/// The value of a parameter, or the room for it.
pub(crate) struct Param<'a> {
    entry: *mut OSSL_PARAM,
    table: PhantomData<&'a mut OSSL_PARAM>,
}

impl Param<'_> {
    fn entry(&self) -> &OSSL_PARAM {
        // SAFETY: only `Params::each` creates these values, from entries before the end of a table.
        unsafe { &*self.entry }
    }

    /// Tells OpenSSL how many bytes there are. Only for parameters that OpenSSL asks for: others
    /// may be constants.
    fn set_return_size(&mut self, size: usize) {
        // SAFETY: as above; entries for results can be written, and no reference to this one is
        // live.
        unsafe { (*self.entry).return_size = size };
    }

    /// Returns the bytes, or only their number if there is no data.
    pub(crate) fn octets(&self) -> Result<(Option<&[u8]>, usize), Reason> {
        if self.entry().data_type != OSSL_PARAM_OCTET_STRING || self.entry().data_size > isize::MAX as usize {
            return Err(Reason::ParameterType);
        }
        let bytes = (!self.entry().data.is_null()).then(|| {
            // SAFETY: `Params::new` promises that non-null data is valid for its size.
            unsafe { slice::from_raw_parts(self.entry().data.cast::<u8>(), self.entry().data_size) }
        });
        Ok((bytes, self.entry().data_size))
    }

    /// Returns the bytes of a parameter, which must not be null.
    pub(crate) fn bytes(&self) -> Result<&[u8], Reason> {
        self.octets()?.0.ok_or(Reason::NullPointer)
    }

    /// Returns the number of bytes that OpenSSL has room for.
    pub(crate) fn capacity(&self) -> usize {
        self.entry().data_size
    }

    /// Writes bytes.
    pub(crate) fn set_bytes(&mut self, bytes: &[u8]) -> Result<(), Reason> {
        if self.entry().data_type != OSSL_PARAM_OCTET_STRING {
            return Err(Reason::ParameterType);
        }
        self.write(bytes)
    }

    /// Writes a nonce, or a pointer to a copy of it for `EVP_CIPHER_CTX_iv`.
    pub(crate) fn set_nonce(&mut self, nonce: &[u8], copy: &mut ShownNonce) -> Result<(), Reason> {
        if self.entry().data_type != OSSL_PARAM_OCTET_PTR {
            return self.set_bytes(nonce);
        }
        self.set_pointer(copy.show(nonce).cast(), nonce.len());
        Ok(())
    }

    /// Writes a number.
    pub(crate) fn set_number(&mut self, number: usize) -> Result<(), Reason> {
        if !matches!(self.entry().data_type, OSSL_PARAM_INTEGER | OSSL_PARAM_UNSIGNED_INTEGER) {
            return Err(Reason::ParameterType);
        }
        match self.entry().data_size {
            // All numbers that the provider writes are below 2^31.
            4 => self.write(&(number as u32).to_ne_bytes()),
            // With 0, OpenSSL asks for the size.
            0 | 8 => self.write(&(number as u64).to_ne_bytes()),
            _ => Err(Reason::ParameterType),
        }
    }

    /// Writes a pointer to a text.
    pub(crate) fn set_text(&mut self, text: &'static CStr) -> Result<(), Reason> {
        if self.entry().data_type != OSSL_PARAM_UTF8_PTR {
            return Err(Reason::ParameterType);
        }
        self.set_pointer(text.as_ptr().cast(), text.count_bytes());
        Ok(())
    }

    /// Writes a pointer. The type of the parameter must be one of pointers.
    fn set_pointer(&mut self, pointer: *const c_void, len: usize) {
        self.set_return_size(len);
        if !self.entry().data.is_null() {
            // SAFETY: data of these types is room for a pointer, as `Params::new` promises.
            unsafe { self.entry().data.cast::<*const c_void>().write(pointer) };
        }
    }

    /// Returns a number.
    pub(crate) fn number(&self) -> Result<usize, Reason> {
        let is_number = matches!(self.entry().data_type, OSSL_PARAM_INTEGER | OSSL_PARAM_UNSIGNED_INTEGER);
        let is_usable = is_number && !self.entry().data.is_null();
        match self.entry().data_size {
            // SAFETY: `Params::new` promises that non-null data is valid for its size.
            4 if is_usable => Ok(unsafe { self.entry().data.cast::<u32>().read_unaligned() } as usize),
            8 if is_usable => {
                // SAFETY: as above.
                let number = unsafe { self.entry().data.cast::<u64>().read_unaligned() };
                usize::try_from(number).map_err(|_| Reason::ParameterType)
            }
            _ => Err(Reason::ParameterType),
        }
    }

    fn write(&mut self, bytes: &[u8]) -> Result<(), Reason> {
        self.set_return_size(bytes.len());
        if self.entry().data.is_null() {
            return Ok(());
        }
        if self.entry().data_size < bytes.len() {
            return Err(Reason::ParameterType);
        }
        // SAFETY: `Params::new` promises that non-null data is valid for its size, which is enough,
        // and is not used by others, so it is not a part of `bytes`.
        unsafe { self.entry().data.cast::<u8>().copy_from_nonoverlapping(bytes.as_ptr(), bytes.len()) };
        Ok(())
    }
}
