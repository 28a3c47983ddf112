//! The functions for MACs that OpenSSL calls.
//!
//! Each function relies on OpenSSL's rules (`provider-mac(7)`): contexts are live and used by one
//! thread at a time, buffers are valid for their lengths, and parameter tables are terminated.

use std::ffi::{c_int, c_void};

use sealane::TAG_BYTES;

use crate::abi::*;
use crate::boundary::{Context, call, call_without_context, copy_context, free_context, input, new_context};
use crate::cipher::{number, octets};
use crate::mac::Mac;
use crate::param::Params;
use crate::reason::Reason;

/// The index in [`crate::usage::COUNTED`].
const ALGORITHM: usize = 3;

/// The function table of Poly1305.
pub(crate) static POLY1305: [OSSL_DISPATCH; 11] = [
    OSSL_DISPATCH::new(OSSL_FUNC_MAC_NEWCTX, newctx as *const c_void),
    OSSL_DISPATCH::new(OSSL_FUNC_MAC_DUPCTX, dupctx as *const c_void),
    OSSL_DISPATCH::new(OSSL_FUNC_MAC_FREECTX, freectx as *const c_void),
    OSSL_DISPATCH::new(OSSL_FUNC_MAC_INIT, init as *const c_void),
    OSSL_DISPATCH::new(OSSL_FUNC_MAC_UPDATE, update as *const c_void),
    OSSL_DISPATCH::new(OSSL_FUNC_MAC_FINAL, finish as *const c_void),
    OSSL_DISPATCH::new(OSSL_FUNC_MAC_GET_PARAMS, get_params as *const c_void),
    OSSL_DISPATCH::new(OSSL_FUNC_MAC_SET_CTX_PARAMS, set_ctx_params as *const c_void),
    OSSL_DISPATCH::new(OSSL_FUNC_MAC_GETTABLE_PARAMS, gettable_params as *const c_void),
    OSSL_DISPATCH::new(OSSL_FUNC_MAC_SETTABLE_CTX_PARAMS, settable_ctx_params as *const c_void),
    OSSL_DISPATCH::END,
];

static GETTABLE: [OSSL_PARAM; 2] = [number(c"size"), OSSL_PARAM::END];
static SETTABLE: [OSSL_PARAM; 2] = [octets(c"key"), OSSL_PARAM::END];

unsafe extern "C" fn newctx(provider: *mut c_void) -> *mut c_void {
    // SAFETY: OpenSSL's rules, see above.
    unsafe { new_context(provider, ALGORITHM, |provider| Mac::new(provider.backend)) }
}

unsafe extern "C" fn dupctx(context: *mut c_void) -> *mut c_void {
    // SAFETY: OpenSSL's rules.
    unsafe { copy_context::<Mac>(context, ALGORITHM) }
}

unsafe extern "C" fn freectx(context: *mut c_void) {
    // SAFETY: OpenSSL's rules.
    unsafe { free_context::<Mac>(context) }
}

unsafe extern "C" fn init(context: *mut c_void, key: *const u8, len: usize, params: *const OSSL_PARAM) -> c_int {
    // SAFETY: OpenSSL's rules.
    let params = unsafe { Params::new(params.cast_mut()) };
    // SAFETY: OpenSSL's rules.
    let key = (!key.is_null()).then(|| unsafe { input(key, len) });
    let body = |mac: &mut Mac| {
        let has_key = set(mac, params)?;
        match key {
            Some(key) => mac.set_key(key?),
            None if has_key => Ok(()),
            None => mac.restart(),
        }
    };
    // SAFETY: OpenSSL's rules.
    unsafe { call(context, |context| body(&mut context.state)) }
}

unsafe extern "C" fn update(context: *mut c_void, data: *const u8, len: usize) -> c_int {
    // SAFETY: OpenSSL's rules.
    let data = unsafe { input(data, len) };
    // SAFETY: OpenSSL's rules.
    unsafe { call(context, |context| update_and_count(context, data)) }
}

fn update_and_count(context: &mut Context<Mac>, data: Result<&[u8], Reason>) -> Result<(), Reason> {
    let data = data?;
    context.state.update(data)?;
    context.tally.count(data.len());
    Ok(())
}

unsafe extern "C" fn finish(context: *mut c_void, out: *mut u8, written: *mut usize, capacity: usize) -> c_int {
    let body = |mac: &mut Mac| {
        if out.is_null() || written.is_null() {
            return Err(Reason::NullPointer);
        }
        if capacity < TAG_BYTES {
            return Err(Reason::OutputTooSmall);
        }
        let tag = mac.finish()?;
        // SAFETY: the pointer is not null, and OpenSSL provides room for `capacity` bytes, which is
        // enough.
        unsafe { out.copy_from_nonoverlapping(tag.as_ptr(), TAG_BYTES) };
        // SAFETY: the pointer is not null, and OpenSSL provides room for a number.
        unsafe { written.write(TAG_BYTES) };
        Ok(())
    };
    // SAFETY: OpenSSL's rules.
    unsafe { call(context, |context| body(&mut context.state)) }
}

unsafe extern "C" fn get_params(params: *mut OSSL_PARAM) -> c_int {
    // SAFETY: OpenSSL's rules.
    let params = unsafe { Params::new(params) };
    call_without_context(None, || {
        params.each(|name, param| match name {
            b"size" => param.set_number(TAG_BYTES),
            _ => Ok(()),
        })
    })
}

unsafe extern "C" fn set_ctx_params(context: *mut c_void, params: *const OSSL_PARAM) -> c_int {
    // SAFETY: OpenSSL's rules.
    let params = unsafe { Params::new(params.cast_mut()) };
    // SAFETY: OpenSSL's rules.
    unsafe { call(context, |context| set(&mut context.state, params).map(|_| ())) }
}

/// Sets the key, if it is among the parameters. Returns whether it was.
fn set(mac: &mut Mac, params: Params) -> Result<bool, Reason> {
    let mut has_key = false;
    params.each(|name, param| match name {
        b"key" => {
            has_key = true;
            mac.set_key(param.bytes()?)
        }
        _ => Ok(()),
    })?;
    Ok(has_key)
}

extern "C" fn gettable_params(_: *mut c_void) -> *const OSSL_PARAM {
    GETTABLE.as_ptr()
}

extern "C" fn settable_ctx_params(_: *mut c_void, _: *mut c_void) -> *const OSSL_PARAM {
    SETTABLE.as_ptr()
}
