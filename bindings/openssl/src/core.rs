//! Asks OpenSSL to read the configuration and to store errors.

use std::ffi::{CStr, CString, c_char, c_void};
use std::mem::transmute;
use std::ptr;

use crate::abi::*;
use crate::reason::Reason;

/// OpenSSL's handle of this provider, and OpenSSL's functions.
pub(crate) struct Core {
    handle: *const OSSL_CORE_HANDLE,
    get_params: Option<CoreGetParams>,
    new_error: Option<CoreNewError>,
    vset_error: Option<CoreVsetError>,
}

// SAFETY: OpenSSL allows calls with the handle from every thread.
unsafe impl Send for Core {}
// SAFETY: as above.
unsafe impl Sync for Core {}

impl Core {
    /// Reads OpenSSL's table of functions.
    ///
    /// # Safety
    /// The handle and the table are those that OpenSSL passed to `OSSL_provider_init`, and the
    /// provider stays loaded as long as this value exists.
    pub(crate) unsafe fn new(handle: *const OSSL_CORE_HANDLE, mut functions: *const OSSL_DISPATCH) -> Self {
        let mut core = Self { handle, get_params: None, new_error: None, vset_error: None };
        // SAFETY: the caller promises a table; the loop stays before its end.
        while let Some(entry) = unsafe { functions.as_ref() }.filter(|entry| entry.function_id != 0) {
            let function = entry.function;
            match entry.function_id {
                OSSL_FUNC_CORE_GET_PARAMS => {
                    // SAFETY: with this number there is a function of this type, or a null pointer:
                    // `None`.
                    core.get_params = unsafe { transmute::<*const c_void, Option<CoreGetParams>>(function) };
                }
                OSSL_FUNC_CORE_NEW_ERROR => {
                    // SAFETY: this number has a function of this type, or a null pointer: `None`.
                    core.new_error = unsafe { transmute::<*const c_void, Option<CoreNewError>>(function) };
                }
                OSSL_FUNC_CORE_VSET_ERROR => {
                    // SAFETY: this number has a function of this type, or a null pointer: `None`.
                    core.vset_error = unsafe { transmute::<*const c_void, Option<CoreVsetError>>(function) };
                }
                _ => {}
            }
            // SAFETY: the entry is not the last one.
            functions = unsafe { functions.add(1) };
        }
        core
    }

    /// Returns a value from the provider's section of the configuration.
    pub(crate) fn configured(&self, key: &CStr) -> Result<Option<String>, String> {
        let Some(get_params) = self.get_params else { return Ok(None) };
        let mut value: *const c_char = ptr::null();
        let mut params = [
            OSSL_PARAM {
                key: key.as_ptr(),
                data_type: OSSL_PARAM_UTF8_PTR,
                data: (&raw mut value).cast(),
                data_size: 0,
                return_size: usize::MAX,
            },
            OSSL_PARAM::END,
        ];
        // SAFETY: the handle is OpenSSL's, and the table ends. OpenSSL writes a pointer to `value`.
        if unsafe { get_params(self.handle, params.as_mut_ptr()) } != 1 {
            return Err(format!("cannot read the configuration of {}", key.to_string_lossy()));
        }
        if value.is_null() {
            return Ok(None);
        }
        // SAFETY: OpenSSL's pointer is to a text that lives as long as the provider is loaded.
        let value = unsafe { CStr::from_ptr(value) };
        let value = value.to_str().map_err(|_| format!("{} is not UTF-8", key.to_string_lossy()))?;
        Ok(Some(value.to_owned()))
    }

    /// Stores an error in OpenSSL's list of errors of this thread.
    pub(crate) fn raise(&self, reason: Reason) {
        self.set_error(reason, None);
    }

    /// Stores an error with its own text, because OpenSSL does not know the texts of the reasons
    /// until the provider is loaded.
    pub(crate) fn raise_with(&self, reason: Reason, text: &str) {
        // The text is used as a `printf` format.
        self.set_error(reason, CString::new(text.replace('%', "%%")).ok());
    }

    #[cold]
    fn set_error(&self, reason: Reason, format: Option<CString>) {
        let (Some(new_error), Some(vset_error)) = (self.new_error, self.vset_error) else { return };
        let format = format.as_ref().map_or(ptr::null(), |format| format.as_ptr());
        // A `va_list` is a pointer, or is passed as one, on all targets of this crate. The formats
        // take no arguments, so nothing is read from it.
        let mut va_list = [0_u64; 8];
        // SAFETY: the handle is OpenSSL's.
        unsafe { new_error(self.handle) };
        // SAFETY: as above; the format is null or ends with a zero byte, and takes no arguments.
        unsafe { vset_error(self.handle, reason.id(), format, va_list.as_mut_ptr().cast::<c_void>()) };
    }
}
