//! The operations that rows need of a representation of elements.

use sealane_simd::U64Lanes;

use crate::poly1305::field::Element;

/// The token of the vectors.
pub(in crate::poly1305) type TokenOf<L> = <<L as Limbs>::Lanes as U64Lanes>::Token;

/// An element in limbs, one in each lane.
pub(in crate::poly1305) trait Limbs: Copy {
    /// The vector of one limb.
    type Lanes: U64Lanes;
    /// An element as a factor.
    type Factor: Copy;
    /// A sum of products.
    type Products;
    /// The place of 2^128 in the last limb.
    const BIT_128: u32;

    /// Returns zeros.
    fn zero(token: TokenOf<Self>) -> Self;
    /// Returns elements in the lanes that `place` gives to their limbs or words.
    fn of_elements<const N: usize>(
        token: TokenOf<Self>,
        elements: &[Element; N],
        place: impl Fn([u64; N]) -> Self::Lanes,
    ) -> Self;
    /// Returns the elements `low + 2^64 high + 2^128 top`, where `top` is below 8.
    fn of_words(token: TokenOf<Self>, low: Self::Lanes, high: Self::Lanes, top: Self::Lanes) -> Self;
    /// Returns blocks, and `top`, the last limb of the element that is added to them.
    fn of_blocks(token: TokenOf<Self>, low: Self::Lanes, high: Self::Lanes, top: Self::Lanes) -> Self;
    /// Returns the sums of all limbs.
    fn add(self, other: Self) -> Self;
    /// Returns the limbs where `mask` has ones, and 1 where `ones` is 1.
    fn masked_or_one(self, mask: Self::Lanes, ones: Self::Lanes) -> Self;
    /// Prepares a carried element as a factor.
    fn factor(self) -> Self::Factor;
    /// Returns no products.
    fn no_products(token: TokenOf<Self>) -> Self::Products;
    /// Adds the product with `factor`. The limbs of `self` are at most the sum of a carried element
    /// and a block.
    fn add_product(self, token: TokenOf<Self>, products: Self::Products, factor: &Self::Factor) -> Self::Products;
    /// Returns the sum of products in limbs that are factors after one carry.
    fn carry(token: TokenOf<Self>, products: Self::Products) -> Self;
    /// Returns the sum of the products in all lanes.
    fn sum_of_lanes(products: Self::Products) -> Element;
}
