//! `array::map` that is always inlined.

/// Returns the array with `operation` applied to each element, from the first to the last.
///
/// `N` must not be 0: that is a compile error.
///
/// Kernels use it in place of `array::map`, which the compiler may leave as a function: with the
/// usual 16 code generation units it often does. That function lacks the kernel's target features,
/// so all vectors of a call go through memory.
///
/// ```
/// assert_eq!(sealane_simd::map_array([1_u8, 2, 3], u32::from), [1, 2, 3]);
/// ```
#[inline(always)]
pub fn map_array<T: Copy, U: Copy, const N: usize>(array: [T; N], operation: impl Fn(T) -> U) -> [U; N] {
    const { assert!(N > 0, "map_array needs at least one element") };
    let mut results = [operation(array[0]); N];
    let mut i = 1;
    while i < N {
        results[i] = operation(array[i]);
        i += 1;
    }
    results
}
