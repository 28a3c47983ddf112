//! Finds wrong shares from the syndromes of one byte. Not constant time: syndromes depend on the
//! errors alone.

use super::field::PublicBytes;
use super::points::{MAX_SHARES, Points};
use crate::shamir::reed_solomon;

/// Returns the points whose shares are wrong, or `None` if no set of at most half as many shares as
/// syndromes explains the syndromes.
pub(super) fn locate(syndromes: &[u8], points: &[u8]) -> Option<Points> {
    let mut work = [[0; MAX_SHARES + 1]; 3];
    let work = work.each_mut().map(|part| &mut part[..=syndromes.len()]);
    let mut found = Points::NONE;
    reed_solomon::locate(&PublicBytes, syndromes, points, work, |i| found.push(points[i])).then_some(found)
}
