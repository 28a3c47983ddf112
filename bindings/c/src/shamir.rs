//! Shamir's secret sharing, byte by byte.

use core::mem::MaybeUninit;

use primitives::shamir::Error;
use primitives::shamir::bytes::{Combiner, MAX_SHARES, Splitter};

use crate::boundary::{Caller, Region, check_disjoint, guard};
use crate::status::sealane_status::{self, *};

/// The largest number of shares of one secret.
pub const SEALANE_SHARES_MAX: usize = 255;

const _: () = assert!(SEALANE_SHARES_MAX == MAX_SHARES);

impl From<Error> for sealane_status {
    fn from(error: Error) -> Self {
        if error == Error::SystemRandomness { SEALANE_RANDOM } else { SEALANE_INVALID_SHARES }
    }
}

/// Splits a secret of any length into shares. Any `threshold` of them restore it, and fewer reveal
/// nothing about it.
///
/// `points` has `count` evaluation points: different numbers from 1 to 255, such as 1, 2, 3 for
/// three shares. `shares[i]` becomes the share at `points[i]`, and is as long as the secret. Keep
/// each point with its share.
///
/// Returns SEALANE_INVALID_SHARES if the threshold is 0 or above `count`, `count` is above
/// SEALANE_SHARES_MAX, or a point is 0 or occurs twice; SEALANE_RANDOM if the operating system's
/// generator fails.
///
/// # Safety
/// The rules of the header.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealane_shamir_split(
    threshold: usize,
    points: *const u8,
    count: usize,
    secret: *const u8,
    secret_len: usize,
    shares: *const *mut u8,
) -> sealane_status {
    // SAFETY: the header requires of the caller what `Caller::new` requires.
    let caller = unsafe { Caller::new() };
    guard(|| {
        let mut splitter = Splitter::with_points(threshold, caller.input(points, count)?)?;
        let list = caller.input(shares, count)?;
        let outputs: Vec<_> = list.iter().map(|share| Region::new(*share, secret_len)).collect();
        check_disjoint(
            &outputs,
            &[Region::new(secret, secret_len), Region::new(shares, count), Region::new(points, count)],
        )?;
        let secret = caller.input(secret, secret_len)?;
        // All pointers are checked before the first share is written.
        for share in list {
            caller.output(*share, secret_len)?;
        }
        let mut buffers = Vec::with_capacity(count);
        for share in list {
            // A slice needs initialised bytes.
            caller.output(*share, secret_len)?.fill(MaybeUninit::new(0));
            buffers.push(caller.in_out(*share, secret_len)?);
        }
        Ok(splitter.split(secret, &mut buffers)?)
    })
}

/// Combines shares: `shares[i]`, of `share_len` bytes, is the share at `points[i]`. Pass exactly
/// `threshold` shares. More are allowed if all of them are right.
///
/// `target` 0 gives the secret. Another number gives the share at that point, so that a lost share
/// can be restored. `output` has `share_len` bytes.
///
/// **Wrong or too few shares give a wrong secret without an error**, so authenticate the secret:
/// for example, use it as the key of an AEAD.
///
/// Returns SEALANE_INVALID_SHARES if `count` is 0 or above SEALANE_SHARES_MAX, or a point is 0 or
/// occurs twice.
///
/// # Safety
/// The rules of the header.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealane_shamir_combine(
    points: *const u8,
    count: usize,
    target: u8,
    shares: *const *const u8,
    share_len: usize,
    output: *mut u8,
) -> sealane_status {
    // SAFETY: the header requires of the caller what `Caller::new` requires.
    let caller = unsafe { Caller::new() };
    guard(|| {
        let combiner = Combiner::at(caller.input(points, count)?, target)?;
        let list = caller.input(shares, count)?;
        let inputs: Vec<_> = list.iter().map(|share| Region::new(*share, share_len)).collect();
        let written = Region::new(output, share_len);
        check_disjoint(&[written], &inputs)?;
        check_disjoint(&[written], &[Region::new(shares, count), Region::new(points, count)])?;
        let shares: Vec<_> = list.iter().map(|share| caller.input(*share, share_len)).collect::<Result<_, _>>()?;
        // A slice needs initialised bytes.
        caller.output(output, share_len)?.fill(MaybeUninit::new(0));
        Ok(combiner.combine(&shares, caller.in_out(output, share_len)?)?)
    })
}
