//! ChaCha20-Poly1305 and XChaCha20-Poly1305 (RFC 8439, section 2.8; draft-irtf-cfrg-xchacha-03,
//! section 2).
//!
//! [`construction`] defines the result. [`plan`] chooses a plan, which is the order of the work,
//! for a whole message: [`short`], [`one_call`], [`portions`], [`interleaved`] or [`two_pass`].
//! [`streaming`] processes a message in pieces, and [`batch`] many messages at once. [`openssh`] is
//! a different construction, for the packets of SSH. `committing` replaces the tag by one that
//! commits to the key. [`search`] finds messages in longer data.

/// Runs a kernel on the vectors of `Simd::Narrower`, in a function that all callers share. Defined
/// before the modules that use it.
macro_rules! on_narrower {
    ($token:ident => $kernel:expr) => {
        $token.for_narrower().enter_apart(
            #[inline(always)]
            |$token| $kernel,
        )
    };
}

#[cfg(any(feature = "rustcrypto", feature = "rustcrypto-05"))]
pub(crate) mod any_cipher;
mod batch;
mod byte_array;
mod cipher;
mod ciphertext_copy;
#[cfg(feature = "commit")]
mod committing;
mod construction;
mod entry;
mod first_portion;
#[cfg(any(feature = "getrandom", feature = "rand_core"))]
mod generate_key;
mod generic;
mod interleaved;
mod one_call;
mod openssh;
#[cfg(feature = "alloc")]
mod owned;
pub(crate) mod payload;
pub(crate) mod plan;
mod portions;
#[cfg(any(feature = "getrandom", feature = "rand_core"))]
mod random_nonce;
mod search;
mod short;
mod streaming;
mod two_pass;

pub use batch::{OpenRequest, SealRequest};
pub use byte_array::ByteArray;
pub use cipher::{AeadLayout, ChaCha20Poly1305, ChaChaPoly1305, KEY_BYTES, MAX_MESSAGE_BYTES, XChaCha20Poly1305};
#[cfg(feature = "commit")]
pub use committing::{
    COMMITTING_TAG_BYTES, CommittingChaCha20Poly1305, CommittingChaChaPoly1305, CommittingTag,
    CommittingXChaCha20Poly1305,
};
pub use generic::Aead;
pub use openssh::OpenSshChaCha20Poly1305;
pub use streaming::{Opener, Sealer, Verified};
