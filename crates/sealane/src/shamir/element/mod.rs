//! Shamir's secret sharing of one element of a field GF(2^n).
//!
//! Evaluation points are *compact*, 1 to the number of shares ([`compact_points`]), or *random*
//! ([`random_points`]): uniform, distinct and not zero. A random point reveals neither how many
//! shares there are nor which of them has this point.
//!
//! Shares record neither their threshold nor the secret that they belong to; the caller keeps both.
//! If there are more shares than the threshold, reconstruction checks all of them against each
//! other.
//!
//! ```
//! # #[cfg(feature = "getrandom")] {
//! use sealane::gf2n::Gf256;
//! use sealane::shamir::element;
//!
//! let secret = Gf256::from_bytes(&[7; 32]);
//! let points = element::compact_points(5)?;
//! let shares = element::split(&secret, 3, &points)?;
//! assert!(element::reconstruct(3, &shares[1..4])? == secret);
//!
//! // The last share is lost. Three others restore it, and the secret is not computed.
//! let reissued = element::reconstruct_at(3, &shares[..3], &points[4])?;
//! assert!(reissued == shares[4]);
//! # }
//! # Ok::<(), sealane::shamir::Error>(())
//! ```

mod check;
#[cfg(any(feature = "getrandom", feature = "rand_core"))]
mod deal;
mod decode;
mod points;
mod reconstruct;
mod share;
mod small_points;

#[cfg(feature = "getrandom")]
pub use deal::{refresh, split, zero_shares};
#[cfg(feature = "rand_core")]
pub use deal::{
    refresh_with_rng, refresh_with_rng_and_backend, split_with_rng, split_with_rng_and_backend, zero_shares_with_rng,
    zero_shares_with_rng_and_backend,
};
pub use points::compact_points;
#[cfg(feature = "getrandom")]
pub use points::random_points;
#[cfg(feature = "rand_core")]
pub use points::random_points_with_rng;
pub use reconstruct::{bad_shares, reconstruct, reconstruct_at, reconstruct_at_with_backend, reconstruct_with_backend};
pub use share::Share;
