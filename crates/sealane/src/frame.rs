//! Stack frames in builds without optimisation.

/// Evaluates `$body`. In builds with debug assertions, this happens in a separate function.
///
/// Without optimisation, a frame has a slot for every value of every function that is inlined into
/// it. The frame of a function with all plans for a message would take 1.4 MiB on AVX-512, where a
/// thread's stack has 2 MiB. Optimised code reuses the slots, and needs no separate function.
macro_rules! own_frame {
    ($token:ident => $body:expr) => {{
        #[cfg(debug_assertions)]
        let result = sealane_simd::Token::enter_apart(
            $token,
            #[inline(always)]
            |$token| $body,
        );
        #[cfg(not(debug_assertions))]
        let result = $body;
        result
    }};
}
pub(crate) use own_frame;
