//! Enumerates combinations.

/// Returns the next choice of `choice.len()` numbers from `0..total`, in lexicographic order.
pub(crate) fn next_combination(choice: &[usize], total: usize) -> Option<Vec<usize>> {
    let mut next = choice.to_vec();
    let at = (0..next.len()).rev().find(|&at| next[at] < total - next.len() + at)?;
    next[at] += 1;
    for later in at + 1..next.len() {
        next[later] = next[later - 1] + 1;
    }
    Some(next)
}
