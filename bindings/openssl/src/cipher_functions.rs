//! The functions for ciphers that OpenSSL calls.
//!
//! Each function relies on OpenSSL's rules (`provider-cipher(7)`): contexts are live and used by
//! one thread at a time, buffers are valid for their lengths, and parameter tables are terminated.

use std::ffi::{c_int, c_void};
use std::marker::PhantomData;
use std::mem::MaybeUninit;

use crate::abi::*;
use crate::boundary::{Context, call, call_without_context, copy_context, free_context, input, new_context};
use crate::buffers::Buffers;
use crate::cipher::{Cipher, KEY_BYTES, number};
use crate::direction::Direction;
use crate::param::Params;
use crate::reason::Reason;

/// The function table of a cipher.
pub(crate) struct Functions<C>(PhantomData<C>);

impl<C: Cipher> Functions<C> {
    pub(crate) const TABLE: [OSSL_DISPATCH; 15] = [
        OSSL_DISPATCH::new(OSSL_FUNC_CIPHER_NEWCTX, newctx::<C> as *const c_void),
        OSSL_DISPATCH::new(OSSL_FUNC_CIPHER_DUPCTX, dupctx::<C> as *const c_void),
        OSSL_DISPATCH::new(OSSL_FUNC_CIPHER_FREECTX, freectx::<C> as *const c_void),
        OSSL_DISPATCH::new(OSSL_FUNC_CIPHER_ENCRYPT_INIT, encrypt_init::<C> as *const c_void),
        OSSL_DISPATCH::new(OSSL_FUNC_CIPHER_DECRYPT_INIT, decrypt_init::<C> as *const c_void),
        OSSL_DISPATCH::new(OSSL_FUNC_CIPHER_UPDATE, update::<C> as *const c_void),
        OSSL_DISPATCH::new(OSSL_FUNC_CIPHER_FINAL, finish::<C> as *const c_void),
        OSSL_DISPATCH::new(OSSL_FUNC_CIPHER_CIPHER, cipher::<C> as *const c_void),
        OSSL_DISPATCH::new(OSSL_FUNC_CIPHER_GET_PARAMS, get_params::<C> as *const c_void),
        OSSL_DISPATCH::new(OSSL_FUNC_CIPHER_GET_CTX_PARAMS, get_ctx_params::<C> as *const c_void),
        OSSL_DISPATCH::new(OSSL_FUNC_CIPHER_SET_CTX_PARAMS, set_ctx_params::<C> as *const c_void),
        OSSL_DISPATCH::new(OSSL_FUNC_CIPHER_GETTABLE_PARAMS, gettable_params as *const c_void),
        OSSL_DISPATCH::new(OSSL_FUNC_CIPHER_GETTABLE_CTX_PARAMS, gettable_ctx_params::<C> as *const c_void),
        OSSL_DISPATCH::new(OSSL_FUNC_CIPHER_SETTABLE_CTX_PARAMS, settable_ctx_params::<C> as *const c_void),
        OSSL_DISPATCH::END,
    ];
}

static GETTABLE: [OSSL_PARAM; 7] = [
    number(c"mode"),
    number(c"keylen"),
    number(c"ivlen"),
    number(c"blocksize"),
    number(c"aead"),
    number(c"custom-iv"),
    OSSL_PARAM::END,
];

unsafe extern "C" fn newctx<C: Cipher>(provider: *mut c_void) -> *mut c_void {
    // SAFETY: OpenSSL's rules, see above.
    unsafe { new_context(provider, C::ALGORITHM, |provider| C::new(provider.backend)) }
}

unsafe extern "C" fn dupctx<C: Cipher>(context: *mut c_void) -> *mut c_void {
    // SAFETY: OpenSSL's rules.
    unsafe { copy_context::<C>(context, C::ALGORITHM) }
}

unsafe extern "C" fn freectx<C: Cipher>(context: *mut c_void) {
    // SAFETY: OpenSSL's rules.
    unsafe { free_context::<C>(context) }
}

unsafe extern "C" fn encrypt_init<C: Cipher>(
    context: *mut c_void,
    key: *const u8,
    key_len: usize,
    nonce: *const u8,
    nonce_len: usize,
    params: *const OSSL_PARAM,
) -> c_int {
    // SAFETY: OpenSSL's rules.
    unsafe { init::<C>(context, Direction::Encrypt, (key, key_len), (nonce, nonce_len), params) }
}

unsafe extern "C" fn decrypt_init<C: Cipher>(
    context: *mut c_void,
    key: *const u8,
    key_len: usize,
    nonce: *const u8,
    nonce_len: usize,
    params: *const OSSL_PARAM,
) -> c_int {
    // SAFETY: OpenSSL's rules.
    unsafe { init::<C>(context, Direction::Decrypt, (key, key_len), (nonce, nonce_len), params) }
}

/// Starts a message. Key and nonce are pointers with lengths, and may be null.
///
/// # Safety
/// OpenSSL's rules.
unsafe fn init<C: Cipher>(
    context: *mut c_void,
    direction: Direction,
    key: (*const u8, usize),
    nonce: (*const u8, usize),
    params: *const OSSL_PARAM,
) -> c_int {
    // SAFETY: OpenSSL's rules.
    let params = unsafe { Params::new(params.cast_mut()) };
    // SAFETY: OpenSSL's rules.
    let key = (!key.0.is_null()).then(|| unsafe { input(key.0, key.1) }).transpose();
    // SAFETY: OpenSSL's rules.
    let nonce = (!nonce.0.is_null()).then(|| unsafe { input(nonce.0, nonce.1) }).transpose();
    let body = |cipher: &mut C| {
        let key: Option<&[u8; KEY_BYTES]> =
            key?.map(|key| key.try_into().map_err(|_| Reason::KeyLength)).transpose()?;
        let nonce = nonce?;
        if nonce.is_some_and(|nonce| nonce.len() != C::NONCE_BYTES) {
            return Err(Reason::NonceLength);
        }
        cipher.init(direction, key, nonce)?;
        params.each(|name, param| cipher.set(name, param))
    };
    // SAFETY: OpenSSL's rules.
    unsafe { call(context, |context| body(&mut context.state)) }
}

/// Returns the room for the number of bytes written, which is 0 so far. OpenSSL's functions do not
/// initialise it.
///
/// # Safety
/// OpenSSL's rules.
unsafe fn result<'a>(written: *mut usize) -> Result<&'a mut usize, Reason> {
    // SAFETY: the pointer is null or valid for writing a number.
    let written = unsafe { written.cast::<MaybeUninit<usize>>().as_mut() }.ok_or(Reason::NullPointer)?;
    Ok(written.write(0))
}

/// Processes a piece of the message, or of the associated data if there is no output.
unsafe extern "C" fn update<C: Cipher>(
    context: *mut c_void,
    out: *mut u8,
    written: *mut usize,
    capacity: usize,
    from: *const u8,
    len: usize,
) -> c_int {
    let body = |context: &mut Context<C>| {
        // SAFETY: OpenSSL's rules.
        let written = unsafe { result(written) }?;
        if len == 0 {
            return Ok(());
        }
        if out.is_null() {
            // SAFETY: OpenSSL's rules.
            let data = unsafe { input(from, len) }?;
            context.state.associated_data(data)?;
            *written = len;
            return Ok(());
        }
        if capacity < len {
            return Err(Reason::OutputTooSmall);
        }
        let tag_bytes = context.state.only_written(len)?;
        // SAFETY: OpenSSL's rules.
        let (buffers, tag) = unsafe { Buffers::new(from, out, len - tag_bytes, tag_bytes) }?;
        *written = context.state.update(buffers, tag)?;
        context.tally.count(len);
        Ok(())
    };
    // SAFETY: OpenSSL's rules.
    unsafe { call(context, body) }
}

unsafe extern "C" fn finish<C: Cipher>(context: *mut c_void, _: *mut u8, written: *mut usize, _: usize) -> c_int {
    let body = |context: &mut Context<C>| {
        // SAFETY: OpenSSL's rules.
        unsafe { result(written) }?;
        context.state.finish()
    };
    // SAFETY: OpenSSL's rules.
    unsafe { call(context, body) }
}

/// For `EVP_Cipher`: processes a piece, or ends the message if there is no input.
unsafe extern "C" fn cipher<C: Cipher>(
    context: *mut c_void,
    out: *mut u8,
    written: *mut usize,
    capacity: usize,
    from: *const u8,
    len: usize,
) -> c_int {
    if from.is_null() {
        // SAFETY: OpenSSL's rules.
        return unsafe { finish::<C>(context, out, written, capacity) };
    }
    // SAFETY: OpenSSL's rules.
    unsafe { update::<C>(context, out, written, capacity, from, len) }
}

unsafe extern "C" fn get_params<C: Cipher>(params: *mut OSSL_PARAM) -> c_int {
    // SAFETY: OpenSSL's rules.
    let params = unsafe { Params::new(params) };
    call_without_context(None, || {
        params.each(|name, param| match name {
            // 0 means a stream cipher.
            b"mode" => param.set_number(0),
            b"keylen" => param.set_number(KEY_BYTES),
            b"ivlen" => param.set_number(C::NONCE_BYTES),
            b"blocksize" | b"custom-iv" => param.set_number(1),
            b"aead" => param.set_number(usize::from(C::IS_AEAD)),
            b"cts" | b"tls-multi" | b"has-randkey" => param.set_number(0),
            _ => Ok(()),
        })
    })
}

unsafe extern "C" fn get_ctx_params<C: Cipher>(context: *mut c_void, params: *mut OSSL_PARAM) -> c_int {
    // SAFETY: OpenSSL's rules.
    let params = unsafe { Params::new(params) };
    // SAFETY: OpenSSL's rules.
    unsafe { call::<C>(context, |context| params.each(|name, param| context.state.get(name, param))) }
}

unsafe extern "C" fn set_ctx_params<C: Cipher>(context: *mut c_void, params: *const OSSL_PARAM) -> c_int {
    // SAFETY: OpenSSL's rules.
    let params = unsafe { Params::new(params.cast_mut()) };
    // SAFETY: OpenSSL's rules.
    unsafe { call::<C>(context, |context| params.each(|name, param| context.state.set(name, param))) }
}

extern "C" fn gettable_params(_: *mut c_void) -> *const OSSL_PARAM {
    GETTABLE.as_ptr()
}

extern "C" fn gettable_ctx_params<C: Cipher>(_: *mut c_void, _: *mut c_void) -> *const OSSL_PARAM {
    C::GETTABLE.as_ptr()
}

extern "C" fn settable_ctx_params<C: Cipher>(_: *mut c_void, _: *mut c_void) -> *const OSSL_PARAM {
    C::SETTABLE.as_ptr()
}
