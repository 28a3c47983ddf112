//! Finds repeated shares.

use std::collections::HashMap;
use std::hash::Hash;

use subtle::ConstantTimeEq;

use super::error::ForeignError;

/// Returns the position of the first share at each point. `shares` are points and values. All
/// values must have the same length, and repeated shares the same value.
pub(crate) fn distinct<P: Copy + Eq + Hash>(shares: &[(P, &[u8])]) -> Result<Vec<usize>, ForeignError> {
    let mut distinct: Vec<usize> = Vec::new();
    let mut known: HashMap<P, usize> = HashMap::new();
    for (at, (point, value)) in shares.iter().enumerate() {
        if value.len() != shares[0].1.len() {
            return Err(ForeignError::DifferentLengths { positions: [0, at] });
        }
        let first = *known.entry(*point).or_insert(at);
        if first == at {
            distinct.push(at);
        } else if !bool::from(shares[first].1.ct_eq(value)) {
            return Err(ForeignError::Conflict { positions: [first, at] });
        }
    }
    Ok(distinct)
}
