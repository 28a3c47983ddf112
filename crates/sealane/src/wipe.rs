//! Wiping of secrets that ordinary stores can do: a few vector stores instead of one volatile store
//! for each element.

/// Overwrites `secret` with zeros; the compiler may not leave the stores out.
#[inline(always)]
pub(crate) fn wipe<T: Copy + Default>(secret: &mut [T]) {
    secret.fill(T::default());
    zeroize::optimization_barrier(secret);
}
