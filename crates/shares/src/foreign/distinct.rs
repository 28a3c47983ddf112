//! Finds repeated shares.

use subtle::ConstantTimeEq;

use super::error::ForeignError;

/// Returns the position of the first share at each point. `shares` are points and values. All
/// values must have the same length, and repeated shares the same value.
pub(crate) fn distinct<P: PartialEq>(shares: &[(P, &[u8])]) -> Result<Vec<usize>, ForeignError> {
    let mut distinct: Vec<usize> = Vec::new();
    for (at, (point, value)) in shares.iter().enumerate() {
        if value.len() != shares[0].1.len() {
            return Err(ForeignError::DifferentLengths { positions: [0, at] });
        }
        match distinct.iter().find(|&&first| shares[first].0 == *point) {
            None => distinct.push(at),
            Some(&first) if bool::from(shares[first].1.ct_eq(value)) => {}
            Some(&first) => return Err(ForeignError::Conflict { positions: [first, at] }),
        }
    }
    Ok(distinct)
}
