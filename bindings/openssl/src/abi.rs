//! The types and numbers from OpenSSL's `core.h`, `core_dispatch.h` and `core_names.h` that this
//! crate uses. They are stable from OpenSSL 3.0 on.

use std::ffi::{c_char, c_int, c_uint, c_void};
use std::ptr;

/// OpenSSL's handle of a loaded provider. Only OpenSSL knows what it points to.
pub(crate) enum OSSL_CORE_HANDLE {}

/// A function and its number. A table ends with number 0.
#[repr(C)]
pub(crate) struct OSSL_DISPATCH {
    pub(crate) function_id: c_int,
    pub(crate) function: *const c_void,
}

// SAFETY: the pointer is to a function, which never changes.
unsafe impl Sync for OSSL_DISPATCH {}

impl OSSL_DISPATCH {
    pub(crate) const END: Self = Self::new(0, ptr::null());

    pub(crate) const fn new(function_id: c_int, function: *const c_void) -> Self {
        Self { function_id, function }
    }
}

/// The names of an algorithm, its properties and its functions. A table ends with a null pointer.
#[repr(C)]
pub(crate) struct OSSL_ALGORITHM {
    pub(crate) algorithm_names: *const c_char,
    pub(crate) property_definition: *const c_char,
    pub(crate) implementation: *const OSSL_DISPATCH,
    pub(crate) algorithm_description: *const c_char,
}

// SAFETY: all pointers are to constants.
unsafe impl Sync for OSSL_ALGORITHM {}

impl OSSL_ALGORITHM {
    pub(crate) const END: Self = Self {
        algorithm_names: ptr::null(),
        property_definition: ptr::null(),
        implementation: ptr::null(),
        algorithm_description: ptr::null(),
    };
}

/// A number and a text. A table ends with number 0.
#[repr(C)]
pub(crate) struct OSSL_ITEM {
    pub(crate) id: c_uint,
    pub(crate) ptr: *const c_char,
}

// SAFETY: the pointer is to a constant.
unsafe impl Sync for OSSL_ITEM {}

/// A parameter: a value from OpenSSL, or room for one. A table ends with a null pointer.
#[repr(C)]
pub(crate) struct OSSL_PARAM {
    pub(crate) key: *const c_char,
    pub(crate) data_type: c_uint,
    pub(crate) data: *mut c_void,
    pub(crate) data_size: usize,
    pub(crate) return_size: usize,
}

// SAFETY: only tables that describe parameters are shared. Their pointers are null or to constants.
unsafe impl Sync for OSSL_PARAM {}

impl OSSL_PARAM {
    pub(crate) const END: Self =
        Self { key: ptr::null(), data_type: 0, data: ptr::null_mut(), data_size: 0, return_size: 0 };

    /// Returns the description of a parameter without a value.
    pub(crate) const fn described(key: &'static std::ffi::CStr, data_type: c_uint, data_size: usize) -> Self {
        Self { key: key.as_ptr(), data_type, data: ptr::null_mut(), data_size, return_size: usize::MAX }
    }
}

// Types of parameters.
pub(crate) const OSSL_PARAM_INTEGER: c_uint = 1;
pub(crate) const OSSL_PARAM_UNSIGNED_INTEGER: c_uint = 2;
pub(crate) const OSSL_PARAM_OCTET_STRING: c_uint = 5;
pub(crate) const OSSL_PARAM_UTF8_PTR: c_uint = 6;
pub(crate) const OSSL_PARAM_OCTET_PTR: c_uint = 7;

// Functions of OpenSSL.
pub(crate) const OSSL_FUNC_CORE_GET_PARAMS: c_int = 2;
pub(crate) const OSSL_FUNC_CORE_NEW_ERROR: c_int = 5;
pub(crate) const OSSL_FUNC_CORE_VSET_ERROR: c_int = 7;

/// `int core_get_params(const OSSL_CORE_HANDLE *, OSSL_PARAM[])`
pub(crate) type CoreGetParams = unsafe extern "C" fn(*const OSSL_CORE_HANDLE, *mut OSSL_PARAM) -> c_int;
/// `void core_new_error(const OSSL_CORE_HANDLE *)`
pub(crate) type CoreNewError = unsafe extern "C" fn(*const OSSL_CORE_HANDLE);
/// `void core_vset_error(const OSSL_CORE_HANDLE *, uint32_t, const char *, va_list)`
pub(crate) type CoreVsetError = unsafe extern "C" fn(*const OSSL_CORE_HANDLE, u32, *const c_char, *mut c_void);

// Functions of a provider.
pub(crate) const OSSL_FUNC_PROVIDER_TEARDOWN: c_int = 1024;
pub(crate) const OSSL_FUNC_PROVIDER_GETTABLE_PARAMS: c_int = 1025;
pub(crate) const OSSL_FUNC_PROVIDER_GET_PARAMS: c_int = 1026;
pub(crate) const OSSL_FUNC_PROVIDER_QUERY_OPERATION: c_int = 1027;
pub(crate) const OSSL_FUNC_PROVIDER_GET_REASON_STRINGS: c_int = 1029;

// Operations.
pub(crate) const OSSL_OP_CIPHER: c_int = 2;
pub(crate) const OSSL_OP_MAC: c_int = 3;

// Functions of a cipher.
pub(crate) const OSSL_FUNC_CIPHER_NEWCTX: c_int = 1;
pub(crate) const OSSL_FUNC_CIPHER_ENCRYPT_INIT: c_int = 2;
pub(crate) const OSSL_FUNC_CIPHER_DECRYPT_INIT: c_int = 3;
pub(crate) const OSSL_FUNC_CIPHER_UPDATE: c_int = 4;
pub(crate) const OSSL_FUNC_CIPHER_FINAL: c_int = 5;
pub(crate) const OSSL_FUNC_CIPHER_CIPHER: c_int = 6;
pub(crate) const OSSL_FUNC_CIPHER_FREECTX: c_int = 7;
pub(crate) const OSSL_FUNC_CIPHER_DUPCTX: c_int = 8;
pub(crate) const OSSL_FUNC_CIPHER_GET_PARAMS: c_int = 9;
pub(crate) const OSSL_FUNC_CIPHER_GET_CTX_PARAMS: c_int = 10;
pub(crate) const OSSL_FUNC_CIPHER_SET_CTX_PARAMS: c_int = 11;
pub(crate) const OSSL_FUNC_CIPHER_GETTABLE_PARAMS: c_int = 12;
pub(crate) const OSSL_FUNC_CIPHER_GETTABLE_CTX_PARAMS: c_int = 13;
pub(crate) const OSSL_FUNC_CIPHER_SETTABLE_CTX_PARAMS: c_int = 14;

// Functions of a MAC.
pub(crate) const OSSL_FUNC_MAC_NEWCTX: c_int = 1;
pub(crate) const OSSL_FUNC_MAC_DUPCTX: c_int = 2;
pub(crate) const OSSL_FUNC_MAC_FREECTX: c_int = 3;
pub(crate) const OSSL_FUNC_MAC_INIT: c_int = 4;
pub(crate) const OSSL_FUNC_MAC_UPDATE: c_int = 5;
pub(crate) const OSSL_FUNC_MAC_FINAL: c_int = 6;
pub(crate) const OSSL_FUNC_MAC_GET_PARAMS: c_int = 7;
pub(crate) const OSSL_FUNC_MAC_SET_CTX_PARAMS: c_int = 9;
pub(crate) const OSSL_FUNC_MAC_GETTABLE_PARAMS: c_int = 10;
pub(crate) const OSSL_FUNC_MAC_SETTABLE_CTX_PARAMS: c_int = 12;

/// The length of the associated data of a TLS 1.2 record (`EVP_AEAD_TLS1_AAD_LEN`).
pub(crate) const EVP_AEAD_TLS1_AAD_LEN: usize = 13;
