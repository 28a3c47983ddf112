//! The functions of libcrypto that the benchmark calls.

use std::ffi::{CStr, CString, c_char, c_int, c_uchar, c_void};
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;
use std::ptr;

use libloading::Library;

const EVP_CTRL_AEAD_GET_TAG: c_int = 0x10;
const EVP_CTRL_AEAD_SET_TAG: c_int = 0x11;

type Ctx = *mut c_void;

macro_rules! functions {
    ($($name:ident: fn($($type:ty),*) -> $result:ty;)*) => {
        /// A libcrypto with two providers: Sealane's and OpenSSL's default.
        #[allow(non_snake_case, reason = "the names of OpenSSL")]
        pub(crate) struct Evp {
            $($name: unsafe extern "C" fn($($type),*) -> $result,)*
            library: *mut c_void,
            // Stays loaded as long as the functions are used.
            _libcrypto: Library,
        }

        impl Evp {
            fn resolve(libcrypto: Library) -> Result<Self, libloading::Error> {
                Ok(Self {
                    // SAFETY: libcrypto has this function with this type, according to its manual.
                    $($name: *unsafe { libcrypto.get(concat!(stringify!($name), "\0").as_bytes()) }?,)*
                    library: ptr::null_mut(),
                    _libcrypto: libcrypto,
                })
            }
        }
    };
}

functions! {
    OpenSSL_version: fn(c_int) -> *const c_char;
    OSSL_LIB_CTX_new: fn() -> *mut c_void;
    OSSL_LIB_CTX_load_config: fn(*mut c_void, *const c_char) -> c_int;
    OSSL_PROVIDER_available: fn(*mut c_void, *const c_char) -> c_int;
    EVP_CIPHER_fetch: fn(*mut c_void, *const c_char, *const c_char) -> *mut c_void;
    EVP_CIPHER_free: fn(*mut c_void) -> ();
    EVP_CIPHER_CTX_new: fn() -> Ctx;
    EVP_CIPHER_CTX_free: fn(Ctx) -> ();
    EVP_CIPHER_CTX_ctrl: fn(Ctx, c_int, c_int, *mut c_void) -> c_int;
    EVP_CipherInit_ex: fn(Ctx, *const c_void, *mut c_void, *const c_uchar, *const c_uchar, c_int) -> c_int;
    EVP_CipherUpdate: fn(Ctx, *mut c_uchar, *mut c_int, *const c_uchar, c_int) -> c_int;
    EVP_CipherFinal_ex: fn(Ctx, *mut c_uchar, *mut c_int) -> c_int;
}

impl Evp {
    /// Loads libcrypto, and into it the two providers, which a configuration file names.
    pub(crate) fn load(libcrypto: &Path, configuration: &Path) -> Result<Self, Box<dyn std::error::Error>> {
        // SAFETY: the library that the caller names runs code when it is loaded.
        let libcrypto = unsafe { Library::new(libcrypto) }?;
        let mut evp = Self::resolve(libcrypto)?;
        let path = CString::new(configuration.as_os_str().as_bytes())?;
        // SAFETY: no arguments.
        evp.library = unsafe { (evp.OSSL_LIB_CTX_new)() };
        // SAFETY: the context is live or null, which is the default one, and the path is a text.
        if unsafe { (evp.OSSL_LIB_CTX_load_config)(evp.library, path.as_ptr()) } != 1 {
            return Err("libcrypto does not accept the configuration".into());
        }
        for name in [c"sealane", c"default"] {
            // SAFETY: as above.
            if unsafe { (evp.OSSL_PROVIDER_available)(evp.library, name.as_ptr()) } != 1 {
                return Err(format!("libcrypto cannot load the provider {name:?}").into());
            }
        }
        Ok(evp)
    }

    /// Returns the version of libcrypto.
    pub(crate) fn version(&self) -> String {
        // SAFETY: 0 asks for a constant text.
        let version = unsafe { (self.OpenSSL_version)(0) };
        // SAFETY: as above.
        let version = unsafe { CStr::from_ptr(version) }.to_string_lossy();
        version.split(' ').take(2).collect::<Vec<_>>().join(" ")
    }
}

/// ChaCha20-Poly1305 with a key.
pub(crate) struct Cipher<'a> {
    evp: &'a Evp,
    context: Ctx,
}

impl<'a> Cipher<'a> {
    /// Returns the cipher with these properties, such as `provider=default`.
    pub(crate) fn new(evp: &'a Evp, properties: &str, key: &[u8; 32]) -> Self {
        let properties = CString::new(properties).expect("no zero byte");
        // SAFETY: both texts end with zero bytes.
        let cipher = unsafe { (evp.EVP_CIPHER_fetch)(evp.library, c"ChaCha20-Poly1305".as_ptr(), properties.as_ptr()) };
        assert!(!cipher.is_null(), "there is no ChaCha20-Poly1305 with {properties:?}");
        // SAFETY: no arguments.
        let context = unsafe { (evp.EVP_CIPHER_CTX_new)() };
        // SAFETY: cipher and context are live, and the key has the length of the cipher's.
        let status = unsafe { (evp.EVP_CipherInit_ex)(context, cipher, ptr::null_mut(), key.as_ptr(), ptr::null(), 1) };
        assert_eq!(status, 1);
        // SAFETY: the context holds its own reference to the cipher.
        unsafe { (evp.EVP_CIPHER_free)(cipher) };
        Self { evp, context }
    }

    /// Starts a message.
    pub(crate) fn init(&mut self, nonce: &[u8; 12], encrypt: bool) {
        let (none, no_key) = (ptr::null_mut(), ptr::null());
        // SAFETY: the context is live, and the nonce has the length of the cipher's.
        let status = unsafe {
            (self.evp.EVP_CipherInit_ex)(self.context, ptr::null(), none, no_key, nonce.as_ptr(), c_int::from(encrypt))
        };
        assert_eq!(status, 1);
    }

    /// Adds associated data.
    pub(crate) fn associated_data(&mut self, data: &[u8]) {
        self.update_at(ptr::null_mut(), data.as_ptr(), data.len());
    }

    /// Encrypts or decrypts in place.
    pub(crate) fn update(&mut self, buffer: &mut [u8]) {
        let start = buffer.as_mut_ptr();
        self.update_at(start, start, buffer.len());
    }

    /// Passes `len` bytes to OpenSSL. The pointers are valid for `len` bytes; `to` may be null.
    fn update_at(&mut self, to: *mut u8, from: *const u8, len: usize) {
        let mut written = 0;
        // SAFETY: the context is live, and both callers have slices of `len` bytes.
        let status = unsafe { (self.evp.EVP_CipherUpdate)(self.context, to, &mut written, from, len as c_int) };
        assert!(status == 1 && written == len as c_int);
    }

    /// Ends the message.
    pub(crate) fn finish(&mut self) {
        let (mut nothing, mut written) = ([0; 16], 0);
        // SAFETY: the context is live, and there is room for a block.
        let status = unsafe { (self.evp.EVP_CipherFinal_ex)(self.context, nothing.as_mut_ptr(), &mut written) };
        assert!(status == 1 && written == 0);
    }

    /// Returns the tag of an encrypted message.
    pub(crate) fn tag(&mut self, tag: &mut [u8; 16]) {
        self.control(EVP_CTRL_AEAD_GET_TAG, tag);
    }

    /// Sets the tag of a message to decrypt.
    pub(crate) fn set_tag(&mut self, tag: &[u8; 16]) {
        self.control(EVP_CTRL_AEAD_SET_TAG, &mut { *tag });
    }

    fn control(&mut self, command: c_int, tag: &mut [u8; 16]) {
        // SAFETY: the context is live, and both commands take a tag of 16 bytes.
        let status = unsafe { (self.evp.EVP_CIPHER_CTX_ctrl)(self.context, command, 16, tag.as_mut_ptr().cast()) };
        assert_eq!(status, 1);
    }
}

impl Drop for Cipher<'_> {
    fn drop(&mut self) {
        // SAFETY: the context is live, and is not used again.
        unsafe { (self.evp.EVP_CIPHER_CTX_free)(self.context) };
    }
}
