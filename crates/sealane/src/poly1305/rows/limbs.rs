//! The operations on elements that rows need, whatever the size of the limbs.

use sealane_simd::U64Lanes;

use crate::poly1305::field::Element;

/// The token of the vectors of `L`.
pub(in crate::poly1305) type TokenOf<L> = <<L as Limbs>::Lanes as U64Lanes>::Token;

/// Elements in limbs: a vector for each limb, with one element in each lane.
pub(in crate::poly1305) trait Limbs: Copy {
    /// The vector of one limb.
    type Lanes: U64Lanes;
    /// Elements that are prepared as factors.
    type Factor: Copy;
    /// Sums of products, without carries.
    type Products;
    /// The position of the bit 2^128 in the last limb.
    const BIT_128: u32;

    /// Returns zeros.
    fn zero(token: TokenOf<Self>) -> Self;
    /// Returns `elements` in lanes. `place` makes a vector of one limb, or one word, of each
    /// element.
    fn of_elements<const N: usize>(
        token: TokenOf<Self>,
        elements: &[Element; N],
        place: impl Fn([u64; N]) -> Self::Lanes,
    ) -> Self;
    /// Returns the elements `low + 2^64 high + 2^128 top`, where `top` is below 8.
    fn of_words(token: TokenOf<Self>, low: Self::Lanes, high: Self::Lanes, top: Self::Lanes) -> Self;
    /// Returns the elements `low + 2^64 high`, with the bits of `top` set in the last limb. They
    /// are at [`Limbs::BIT_128`] or above.
    fn of_blocks(token: TokenOf<Self>, low: Self::Lanes, high: Self::Lanes, top: Self::Lanes) -> Self;
    /// Returns the sums, limb by limb.
    fn add(self, other: Self) -> Self;
    /// Returns the elements in the lanes where `mask` has ones, and 1 in the lanes where `ones` is
    /// 1.
    fn masked_or_one(self, mask: Self::Lanes, ones: Self::Lanes) -> Self;
    /// Prepares carried elements as factors.
    fn factor(self) -> Self::Factor;
    /// Returns an empty sum of products.
    fn no_products(token: TokenOf<Self>) -> Self::Products;
    /// Adds the products of `self` and `factor` to `products`. The limbs of `self` are at most the
    /// sum of a carried element, an element and a block.
    fn add_product(self, token: TokenOf<Self>, products: Self::Products, factor: &Self::Factor) -> Self::Products;
    /// Carries sums of products once, so that the limbs are small enough for [`Limbs::factor`].
    fn carry(token: TokenOf<Self>, products: Self::Products) -> Self;
    /// Returns the sum of the products in all lanes.
    fn sum_of_lanes(products: Self::Products) -> Element;
}
