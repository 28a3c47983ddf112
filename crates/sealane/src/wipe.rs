//! Wipes secrets with ordinary stores, which the compiler turns into a few vector stores. With
//! volatile stores, the compiler would emit one store for each element.

/// Overwrites `secret` with zeros. The barrier keeps the compiler from removing the stores.
#[inline(always)]
pub(crate) fn wipe<T: Copy + Default>(secret: &mut [T]) {
    secret.fill(T::default());
    zeroize::optimization_barrier(secret);
}
