//! Wipes secrets with ordinary stores: a few vector stores instead of one volatile store for each
//! element.

/// Overwrites `secret` with zeros. The compiler must not remove the stores.
#[inline(always)]
pub(crate) fn wipe<T: Copy + Default>(secret: &mut [T]) {
    secret.fill(T::default());
    zeroize::optimization_barrier(secret);
}
