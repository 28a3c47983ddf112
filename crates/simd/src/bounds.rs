//! Lanes that are upper bounds. A kernel that is generic over [`U64Lanes`] runs on them as on any
//! other lanes, and panics where a lane could overflow for some input.
//!
//! Each lane holds the largest value that it may have; the smallest is 0. Sums, products and shifts
//! of larger values are larger, so an operation on bounds returns a bound of its result; a
//! conjunction is no more than either operand. A run with the largest input proves the bounds for
//! every input, because constant-time code takes the same path for all inputs.
//!
//! A word of a message, and a value that lost bits in a shift to the left, are *cut*: only
//! operations that are meant to take some of the bits accept them (a conjunction, a shift to the
//! right, the low half of a factor). Any other operation that would lose bits panics.
//!
//! The operations are never inlined. Kernels are inlined, and with a copy of the operation for each
//! use, compiling these tests would take longer than compiling the library.

use crate::kernels::ChaCha20Rounds;
use crate::pair::Pair;
use crate::sealed::Sealed;
use crate::simd::{MAX_U64_LANES, Simd, U64Lanes, serves_itself};
use crate::token::Token;
use crate::tuning::Tuning;
use crate::words::{MAX_WORDS_LANES, Words};

/// The token of vectors of `LANES` bounds. With `MUL_ADD_52`, sums of 52-bit products are
/// instructions, and limbs that come from integers (values above 2^32) stand for any limb of up to
/// 44 bits: a kernel computes them from its key, and the bound must hold for all keys.
#[derive(Clone, Copy, Debug, Default)]
pub struct Bounds<const LANES: usize, const MUL_ADD_52: bool>(());

impl<const LANES: usize, const MUL_ADD_52: bool> Bounds<LANES, MUL_ADD_52> {
    /// Returns the token. There is nothing to detect.
    #[must_use]
    pub const fn new() -> Self {
        Self(())
    }
}

impl<const LANES: usize, const MUL_ADD_52: bool> Sealed for Bounds<LANES, MUL_ADD_52> {}

impl<const LANES: usize, const MUL_ADD_52: bool> Token for Bounds<LANES, MUL_ADD_52> {
    fn enter<R>(self, kernel: impl FnOnce(Self) -> R) -> R {
        kernel(self)
    }
}

impl<const LANES: usize, const MUL_ADD_52: bool> Simd for Bounds<LANES, MUL_ADD_52> {
    type Words = NoWords<LANES, MUL_ADD_52>;
    type U64Lanes = U64Bounds<LANES, MUL_ADD_52>;
    const MUL_ADD_52: bool = MUL_ADD_52;
    const TUNING: Tuning = crate::tuning::of_bounds(LANES);

    serves_itself!();

    #[inline(never)]
    fn add_low_52(self, sum: Self::U64Lanes, a: Self::U64Lanes, b: Self::U64Lanes) -> Self::U64Lanes {
        sum.add(a.map2(b, |a, b| Bound::exact(a.product_52(b).min((1 << 52) - 1))))
    }

    #[inline(never)]
    fn add_high_52(self, sum: Self::U64Lanes, a: Self::U64Lanes, b: Self::U64Lanes) -> Self::U64Lanes {
        sum.add(a.map2(b, |a, b| Bound::exact(a.product_52(b) >> 52)))
    }
}

/// The largest value of a lane.
#[derive(Clone, Copy, Debug)]
struct Bound {
    most: u64,
    /// Whether bits may have been cut off.
    cut: bool,
}

impl Bound {
    fn exact(most: u128) -> Self {
        Self { most: most.try_into().expect("a lane may overflow"), cut: false }
    }

    fn of_integer<const ANY_LIMB: bool>(value: u64) -> Self {
        Self::exact(if ANY_LIMB && value >> 32 > 0 { value.max(1 << 44) } else { value }.into())
    }

    /// Returns the low `bits` bits. A number that is not cut must not have more.
    fn low(self, bits: u32) -> u128 {
        let most = (1 << bits) - 1;
        assert!(self.cut || u128::from(self.most) <= most, "a factor may have more than {bits} bits");
        u128::from(self.most).min(most)
    }

    fn product_52(self, other: Self) -> u128 {
        self.low(52) * other.low(52)
    }

    /// Returns a number that is not cut.
    fn whole(self) -> u128 {
        assert!(!self.cut, "bits may have been cut off");
        self.most.into()
    }
}

/// A vector of bounds.
#[derive(Clone, Copy, Debug)]
pub struct U64Bounds<const LANES: usize, const MUL_ADD_52: bool>([Bound; LANES]);

impl<const LANES: usize, const MUL_ADD_52: bool> U64Bounds<LANES, MUL_ADD_52> {
    fn map(self, operation: impl Fn(Bound) -> Bound) -> Self {
        Self(self.0.map(operation))
    }

    fn map2(self, other: Self, operation: impl Fn(Bound, Bound) -> Bound) -> Self {
        Self(core::array::from_fn(|i| operation(self.0[i], other.0[i])))
    }
}

impl<const LANES: usize, const MUL_ADD_52: bool> U64Lanes for U64Bounds<LANES, MUL_ADD_52> {
    type Token = Bounds<LANES, MUL_ADD_52>;
    const LANES: usize = LANES;
    const BLOCK_OF_LANE: [usize; MAX_U64_LANES] = [0, 1, 2, 3, 4, 5, 6, 7];

    #[inline(never)]
    fn splat(_: Self::Token, value: u64) -> Self {
        Self([Bound::of_integer::<MUL_ADD_52>(value); LANES])
    }
    #[inline(never)]
    fn splat_low(_: Self::Token, value: u32) -> Self {
        Self([Bound::exact(value.into()); LANES])
    }
    #[inline(never)]
    fn from_lanes(_: Self::Token, lanes: &[u64; MAX_U64_LANES]) -> Self {
        Self(core::array::from_fn(|i| Bound::of_integer::<MUL_ADD_52>(lanes[i])))
    }
    #[inline(never)]
    fn to_lanes(self) -> [u64; MAX_U64_LANES] {
        let mut lanes = [0; MAX_U64_LANES];
        for (lane, bound) in lanes.iter_mut().zip(self.0) {
            *lane = bound.most;
        }
        lanes
    }
    #[inline(never)]
    fn splat_pair(_: Self::Token, pair: &Pair) -> Self {
        let [even, odd] = [pair.even(), pair.odd()].map(|factor| Bound::exact(factor.into()));
        let _: [u128; 2] = [even.low(32), odd.low(32)];
        Self(core::array::from_fn(|i| if i % 2 == 0 { even } else { odd }))
    }
    #[inline(never)]
    fn to_pairs(even: Self, odd: Self) -> [Pair; MAX_U64_LANES] {
        let bits = if MUL_ADD_52 { 52 } else { 32 };
        let mut pairs = [Pair::default(); MAX_U64_LANES];
        for (i, pair) in pairs.iter_mut().take(LANES).enumerate() {
            let [even, odd] = [even.0[i], odd.0[i]].map(|factor| {
                assert!(factor.whole() >> bits == 0, "a factor in a table may have more than {bits} bits");
                factor.most
            });
            *pair = Pair::new(even, odd);
        }
        pairs
    }
    /// Returns bounds of any words. The contents of `blocks` do not matter.
    #[inline(never)]
    fn load(_: Self::Token, blocks: &[u8]) -> (Self, Self) {
        assert!(blocks.len() >= 16 * LANES);
        let any = Self([Bound { most: u64::MAX, cut: true }; LANES]);
        (any, any)
    }
    #[inline(never)]
    fn unpack(self, other: Self) -> (Self, Self) {
        let lane = |i: usize| if i < LANES { self.0[i] } else { other.0[i - LANES] };
        (Self(core::array::from_fn(|i| lane(2 * i))), Self(core::array::from_fn(|i| lane(2 * i + 1))))
    }
    #[inline(never)]
    fn sum_lanes(self) -> u64 {
        Bound::exact(self.0.iter().map(|bound| bound.whole()).sum()).most
    }
    #[inline(never)]
    fn add(self, other: Self) -> Self {
        self.map2(other, |a, b| Bound::exact(a.whole() + b.whole()))
    }
    #[inline(never)]
    fn and(self, other: Self) -> Self {
        self.map2(other, |a, b| Bound::exact(a.most.min(b.most).into()))
    }
    #[inline(never)]
    fn or(self, other: Self) -> Self {
        self.map2(other, |a, b| {
            // At most the sum, and without bits above the highest bit of either operand.
            let below = u64::MAX.checked_shr((a.most | b.most).leading_zeros()).unwrap_or(0);
            Bound { most: below.min(a.most.saturating_add(b.most)), cut: a.cut || b.cut }
        })
    }
    #[inline(never)]
    fn shl<const BITS: u32>(self) -> Self {
        self.map(|a| match u64::try_from(u128::from(a.most) << BITS) {
            Ok(most) => Bound { most, cut: a.cut },
            Err(_) => Bound { most: u64::MAX << BITS, cut: true },
        })
    }
    #[inline(never)]
    fn shr<const BITS: u32>(self) -> Self {
        self.map(|a| Bound { most: a.most >> BITS, cut: false })
    }
    #[inline(never)]
    fn mul_low(self, other: Self) -> Self {
        self.map2(other, |a, b| Bound::exact(a.low(32) * b.low(32)))
    }
}

/// A placeholder without operations: bounds of 32-bit words are of no use, because ciphers compute
/// modulo 2^32.
#[derive(Clone, Copy, Debug)]
pub struct NoWords<const LANES: usize, const MUL_ADD_52: bool>(());

macro_rules! no_words {
    ($($name:ident($($argument:ident: $type:ty),*) -> $result:ty;)*) => {$(
        fn $name($($argument: $type),*) -> $result {
            $(let _ = $argument;)*
            unimplemented_words()
        }
    )*};
}

fn unimplemented_words() -> ! {
    panic!("bounds are for kernels on `U64Lanes`")
}

impl<const LANES: usize, const MUL_ADD_52: bool> Words for NoWords<LANES, MUL_ADD_52> {
    type Token = Bounds<LANES, MUL_ADD_52>;
    type Blocks = [u8; 64];
    const ZERO_BLOCKS: [u8; 64] = [0; 64];
    const ROWS: usize = 1;

    no_words! {
        splat(token: Self::Token, word: u32) -> Self;
        splat_row(token: Self::Token, row: [u32; 4]) -> Self;
        from_lanes(token: Self::Token, words: &[u32; MAX_WORDS_LANES]) -> Self;
        transpose(a: Self, b: Self, c: Self, d: Self) -> (Self, Self, Self, Self);
        xor_rows(a: Self, b: Self, c: Self, d: Self, data: &mut [u8]) -> ();
    }
    fn first(self) -> u32 {
        unimplemented_words()
    }
    fn add(self, _: Self) -> Self {
        unimplemented_words()
    }
    fn xor(self, _: Self) -> Self {
        unimplemented_words()
    }
    fn and(self, _: Self) -> Self {
        unimplemented_words()
    }
    fn rotate_left_16(self) -> Self {
        unimplemented_words()
    }
    fn rotate_left_12(self) -> Self {
        unimplemented_words()
    }
    fn rotate_left_8(self) -> Self {
        unimplemented_words()
    }
    fn rotate_left_7(self) -> Self {
        unimplemented_words()
    }
    fn rotate_columns_1(self) -> Self {
        unimplemented_words()
    }
    fn rotate_columns_2(self) -> Self {
        unimplemented_words()
    }
    fn rotate_columns_3(self) -> Self {
        unimplemented_words()
    }
}

impl<const LANES: usize, const MUL_ADD_52: bool> ChaCha20Rounds for NoWords<LANES, MUL_ADD_52> {}

#[cfg(test)]
mod tests {
    use super::Bounds;
    use crate::pair::Pair;
    use crate::simd::Simd;
    use crate::simd::U64Lanes;

    type W = <Bounds<4, false> as Simd>::U64Lanes;
    const TOKEN: Bounds<4, false> = Bounds::new();

    fn splat(value: u64) -> W {
        W::splat(TOKEN, value)
    }

    fn most(bounds: W) -> u64 {
        let lanes = bounds.to_lanes();
        assert_eq!(lanes[..4], [lanes[0]; 4]);
        lanes[0]
    }

    /// Compares the bounds with the largest results over all small operands.
    #[test]
    fn bounds_hold_and_are_reached() {
        for a in 0..32_u64 {
            for b in 0..32 {
                let largest = |operation: fn(u64, u64) -> u64| {
                    (0..=a).flat_map(|x| (0..=b).map(move |y| operation(x, y))).max().expect("zero is among them")
                };
                assert_eq!(most(splat(a).add(splat(b))), largest(|x, y| x + y));
                assert_eq!(most(splat(a).mul_low(splat(b))), largest(|x, y| x * y));
                assert_eq!(most(splat(a).shl::<3>().shr::<1>()), largest(|x, _| (x << 3) >> 1));
                assert_eq!(most(splat(a).and(splat(b))), largest(|x, y| x & y));
                let disjunction = most(splat(a).or(splat(b)));
                assert!(disjunction >= largest(|x, y| x | y) && disjunction <= (a + b).min(31), "{a} {b}");
            }
        }
    }

    #[test]
    fn sums_of_products_have_halves() {
        let token = Bounds::<2, true>::new();
        let splat = |value| <Bounds<2, true> as Simd>::U64Lanes::splat(token, value);
        let low = token.add_low_52(splat(1), splat(1 << 50), splat(1 << 51));
        assert_eq!(low.to_lanes()[..2], [1 << 52; 2]);
        let high = token.add_high_52(splat(1), splat(1 << 50), splat(1 << 51));
        assert_eq!(high.to_lanes()[..2], [(1 << 49) + 1; 2]);
        assert_eq!(splat(1 << 40).to_lanes()[0], 1 << 44, "any limb");
    }

    /// A multiplication takes the low half of a message's word; a shift or a mask takes the whole
    /// word.
    #[test]
    fn words_are_cut_on_purpose() {
        let (word, _) = W::load(TOKEN, &[0; 64]);
        assert_eq!(most(word.mul_low(splat(2))), 2 * 0xffff_ffff);
        assert_eq!(most(word.shr::<32>().mul_low(splat(1)).add(splat(1))), 1 << 32);
        assert_eq!(most(word.shl::<12>().and(splat(0xff)).add(splat(1))), 0x100);
    }

    #[test]
    #[should_panic(expected = "bits may have been cut off")]
    fn a_cut_word_is_not_added() {
        let (word, _) = W::load(TOKEN, &[0; 64]);
        let _ = word.add(splat(0));
    }

    #[test]
    #[should_panic(expected = "bits may have been cut off")]
    fn a_shift_that_loses_bits_is_noticed() {
        let _ = splat(1 << 60).shl::<4>().add(splat(0));
    }

    #[test]
    #[should_panic(expected = "a lane may overflow")]
    fn a_sum_that_overflows_is_noticed() {
        let _ = splat(1 << 63).add(splat(1 << 63));
    }

    #[test]
    #[should_panic(expected = "more than 32 bits")]
    fn a_factor_that_is_too_long_is_noticed() {
        let _ = splat(1 << 32).mul_low(splat(1));
    }

    #[test]
    #[should_panic(expected = "more than 32 bits")]
    fn a_factor_in_a_table_that_is_too_long_is_noticed() {
        let _: [Pair; 8] = W::to_pairs(splat(1), splat(1 << 32));
    }

    #[test]
    #[should_panic(expected = "a lane may overflow")]
    fn a_sum_of_lanes_that_overflows_is_noticed() {
        let _ = splat(1 << 62).sum_lanes();
    }
}
