//! Types that may hold secrets do not implement `Debug`, so no caller can print their contents.

use core::fmt::Debug;
use core::marker::PhantomData;

use crate::{AesToken, Block, Clmul, Gf8, Pair, Scalar, Simd};

/// Answers whether `T` implements `Debug`.
struct Printable<T>(PhantomData<T>);

/// The answer for types that do not implement `Debug`. For other types, the inherent function has
/// precedence.
trait Otherwise {
    fn answer() -> bool {
        false
    }
}

impl<T> Otherwise for Printable<T> {}

impl<T: Debug> Printable<T> {
    fn answer() -> bool {
        true
    }
}

#[test]
fn a_type_with_debug_would_be_noticed() {
    assert!(Printable::<[u8; 16]>::answer());
    assert!(Printable::<Scalar>::answer(), "a token holds nothing");
}

#[test]
fn portable_vectors_blocks_and_factors_are_not_printed() {
    assert!(!Printable::<<Scalar as Simd>::Words>::answer());
    assert!(!Printable::<<Scalar as Simd>::U64Lanes>::answer());
    assert!(!Printable::<<Scalar as Gf8>::Bytes>::answer());
    assert!(!Printable::<<Scalar as Clmul>::One>::answer());
    assert!(!Printable::<<Scalar as AesToken>::Blocks>::answer());
    assert!(!Printable::<Block>::answer());
    assert!(!Printable::<Pair>::answer());
}
