//! The entry point, and the functions and algorithms of the provider.

use std::ffi::{CStr, c_int, c_void};
use std::io::Write as _;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr;
use std::sync::Arc;

use sealane::chacha20::{Extended, Ietf};

use crate::abi::*;
use crate::aead::Aead;
use crate::boundary::{call_without_context, panic_if_asked};
use crate::cipher_functions::Functions;
use crate::core::Core;
use crate::mac_functions::POLY1305;
use crate::param::Params;
use crate::provider::Provider;
use crate::reason::{REASON_STRINGS, Reason};
use crate::stream::Stream;

const NAME: &CStr = c"Sealane";
const VERSION: &CStr = match CStr::from_bytes_with_nul(concat!(env!("CARGO_PKG_VERSION"), "\0").as_bytes()) {
    Ok(version) => version,
    Err(_) => panic!("no zero byte inside a version"),
};

static PROVIDER: [OSSL_DISPATCH; 6] = [
    OSSL_DISPATCH::new(OSSL_FUNC_PROVIDER_TEARDOWN, teardown as *const c_void),
    OSSL_DISPATCH::new(OSSL_FUNC_PROVIDER_GETTABLE_PARAMS, gettable_params as *const c_void),
    OSSL_DISPATCH::new(OSSL_FUNC_PROVIDER_GET_PARAMS, get_params as *const c_void),
    OSSL_DISPATCH::new(OSSL_FUNC_PROVIDER_QUERY_OPERATION, query_operation as *const c_void),
    OSSL_DISPATCH::new(OSSL_FUNC_PROVIDER_GET_REASON_STRINGS, reason_strings as *const c_void),
    OSSL_DISPATCH::END,
];

static CHACHA20_POLY1305: [OSSL_DISPATCH; 15] = Functions::<Aead<Ietf>>::TABLE;
static XCHACHA20_POLY1305: [OSSL_DISPATCH; 15] = Functions::<Aead<Extended>>::TABLE;
static CHACHA20: [OSSL_DISPATCH; 15] = Functions::<Stream>::TABLE;

const fn algorithm(
    names: &'static CStr,
    table: &'static [OSSL_DISPATCH],
    description: &'static CStr,
) -> OSSL_ALGORITHM {
    OSSL_ALGORITHM {
        algorithm_names: names.as_ptr(),
        property_definition: c"provider=sealane".as_ptr(),
        implementation: table.as_ptr(),
        algorithm_description: description.as_ptr(),
    }
}

static CIPHERS: [OSSL_ALGORITHM; 4] = [
    algorithm(
        c"ChaCha20-Poly1305:1.2.840.113549.1.9.16.3.18",
        &CHACHA20_POLY1305,
        c"ChaCha20-Poly1305 (RFC 8439) by Sealane",
    ),
    algorithm(
        c"XChaCha20-Poly1305",
        &XCHACHA20_POLY1305,
        c"XChaCha20-Poly1305 (draft-irtf-cfrg-xchacha-03) by Sealane",
    ),
    algorithm(c"ChaCha20", &CHACHA20, c"ChaCha20 by Sealane"),
    OSSL_ALGORITHM::END,
];
static MACS: [OSSL_ALGORITHM; 2] =
    [algorithm(c"POLY1305", &POLY1305, c"Poly1305 (RFC 8439) by Sealane"), OSSL_ALGORITHM::END];

static GETTABLE: [OSSL_PARAM; 5] = [
    OSSL_PARAM::described(c"name", OSSL_PARAM_UTF8_PTR, 0),
    OSSL_PARAM::described(c"version", OSSL_PARAM_UTF8_PTR, 0),
    OSSL_PARAM::described(c"buildinfo", OSSL_PARAM_UTF8_PTR, 0),
    OSSL_PARAM::described(c"status", OSSL_PARAM_INTEGER, size_of::<c_int>()),
    OSSL_PARAM::END,
];

/// Loads the provider. OpenSSL finds this function by its name.
///
/// # Safety
/// OpenSSL's rules (`provider-base(7)`): the handle is valid while the provider is loaded, the
/// function table is terminated, and the other pointers are valid for writing results.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn OSSL_provider_init(
    handle: *const OSSL_CORE_HANDLE,
    from_core: *const OSSL_DISPATCH,
    to_core: *mut *const OSSL_DISPATCH,
    context: *mut *mut c_void,
) -> c_int {
    // SAFETY: OpenSSL's rules.
    let core = unsafe { Core::new(handle, from_core) };
    let load = AssertUnwindSafe(|| {
        panic_if_asked();
        Provider::new(core)
    });
    let provider = match catch_unwind(load) {
        Ok(Ok(provider)) => provider,
        Ok(Err((core, text))) => {
            core.raise_with(Reason::Configuration, &format!("sealane: {text}"));
            // While OpenSSL reads its configuration, it drops this error and continues without the
            // provider, so the message is also printed.
            let _ = writeln!(std::io::stderr(), "sealane: {text}; OpenSSL goes on without this provider");
            return 0;
        }
        Err(_) => return 0,
    };
    // SAFETY: OpenSSL provides room for the result.
    unsafe { to_core.write(PROVIDER.as_ptr()) };
    // SAFETY: as above.
    unsafe { context.write(Box::into_raw(Box::new(Arc::new(provider))).cast()) };
    1
}

unsafe extern "C" fn teardown(provider: *mut c_void) {
    if provider.is_null() {
        return;
    }
    // SAFETY: the pointer is from `Box::into_raw`, and OpenSSL does not use it again.
    let provider = unsafe { Box::from_raw(provider.cast::<Arc<Provider>>()) };
    call_without_context(None, || {
        provider.usage.write();
        drop(provider);
        Ok(())
    });
}

extern "C" fn gettable_params(_: *mut c_void) -> *const OSSL_PARAM {
    GETTABLE.as_ptr()
}

unsafe extern "C" fn get_params(provider: *mut c_void, params: *mut OSSL_PARAM) -> c_int {
    // SAFETY: OpenSSL's rules: the pointer is from `OSSL_provider_init`.
    let provider = unsafe { provider.cast::<Arc<Provider>>().as_ref() };
    // SAFETY: OpenSSL's rules.
    let params = unsafe { Params::new(params) };
    call_without_context(provider.map(|provider| &**provider), || {
        params.each(|name, param| match name {
            b"name" => param.set_text(NAME),
            b"version" | b"buildinfo" => param.set_text(VERSION),
            b"status" => param.set_number(1),
            _ => Ok(()),
        })
    })
}

unsafe extern "C" fn query_operation(_: *mut c_void, operation: c_int, no_cache: *mut c_int) -> *const OSSL_ALGORITHM {
    if !no_cache.is_null() {
        // SAFETY: the pointer is not null, so OpenSSL provides room for a number.
        unsafe { no_cache.write(0) };
    }
    match operation {
        OSSL_OP_CIPHER => CIPHERS.as_ptr(),
        OSSL_OP_MAC => MACS.as_ptr(),
        _ => ptr::null(),
    }
}

extern "C" fn reason_strings(_: *mut c_void) -> *const OSSL_ITEM {
    REASON_STRINGS.as_ptr()
}
