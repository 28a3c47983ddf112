//! Secrets of any length, such as keys and whole files, shared byte by byte over GF(2^8).
//!
//! The field is GF(2)\[x\] modulo x^8 + x^4 + x^3 + x + 1 (0x11b), as in AES, `ssss` and Vault. A
//! share is as long as the secret. Byte i of the share at point x is s\[i\] + c\[1\]\[i\] x + … +
//! c\[k-1\]\[i\] x^(k-1). The coefficients c are the ChaCha20 key stream of a seed, which comes
//! from the system or the caller. Fewer than k shares therefore reveal nothing to anyone who cannot
//! tell that key stream from uniform bytes.
//!
//! - [`Splitter`] creates shares. [`Combiner`] recovers the secret from k shares, or a lost share
//!   without computing the secret.
//! - [`Refresher`] replaces all shares by others of the same secret, so that shares seen before
//!   become useless.
//! - [`Checker`] compares more than k shares with each other, and names the wrong ones if that is
//!   possible.
//!
//! All of them work piece by piece: call them again with the next piece of every share. A share
//! holds no proof that it is right. If any of k shares is wrong, they combine to a wrong secret
//! without an error, so authenticate the secret.
//!
//! ```
//! use sealane::shamir::bytes::{Combiner, Splitter};
//!
//! let secret = *b"correct horse battery staple";
//! let mut shares = [[0; 28]; 5];
//! let mut buffers = shares.each_mut().map(|share| &mut share[..]);
//! // Use `Splitter::new`, or a new random seed: this constant is only for the example.
//! Splitter::from_seed(3, &[1, 2, 3, 4, 5], &[7; 32])?.split(&secret, &mut buffers)?;
//!
//! let mut recovered = [0; 28];
//! Combiner::new(&[5, 1, 4])?.combine(&[&shares[4], &shares[0], &shares[3]], &mut recovered)?;
//! assert_eq!(recovered, secret);
//! # Ok::<(), sealane::shamir::Error>(())
//! ```

mod check;
mod coefficients;
mod combine;
mod decode;
mod field;
pub(crate) mod kernel;
mod points;
mod split;

pub use crate::backend::Gf8Backend;
pub use check::{Checker, Verdict};
pub use combine::Combiner;
pub use points::{MAX_SHARES, Points};
pub use split::{Refresher, Splitter};
