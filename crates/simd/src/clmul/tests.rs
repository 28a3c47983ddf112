//! Compares every operation on every level, lane by lane, with bit-by-bit arithmetic on integers.

use super::*;
use crate::level::ClmulLevel;
use crate::level_list::LevelList;

fn product(a: u64, b: u64) -> [u64; 2] {
    let product = (0..64).filter(|i| b >> i & 1 == 1).fold(0, |sum, i| sum ^ u128::from(a) << i);
    [product as u64, (product >> 64) as u64]
}

fn lanes<V: ClmulLanes>(vector: V, length: usize) -> [[u64; 2]; MAX_CLMUL_LANES] {
    let mut lanes = [[0; 2]; MAX_CLMUL_LANES];
    for (i, lane) in lanes.iter_mut().enumerate().take(length) {
        vector.store(i, lane);
        assert_eq!(vector.low(i), lane[0]);
    }
    lanes
}

#[inline(always)]
fn check<V: ClmulLanes>(token: V::Token, a: &[[u64; 2]; MAX_CLMUL_LANES], b: &[[u64; 2]; MAX_CLMUL_LANES]) {
    let x = V::load(
        token,
        #[inline(always)]
        |i| &a[i],
    );
    let y = V::load(
        token,
        #[inline(always)]
        |i| &b[i],
    );
    let expect = |vector: V, expected: &dyn Fn([u64; 2], [u64; 2]) -> [u64; 2]| {
        let found = lanes(vector, V::LANES);
        for i in 0..V::LANES {
            assert_eq!(found[i], expected(a[i], b[i]), "lane {i} of {}", V::LANES);
        }
    };
    expect(V::zero(token), &|_, _| [0, 0]);
    expect(
        V::load_low(
            token,
            #[inline(always)]
            |i| a[i][1],
        ),
        &|a, _| [a[1], 0],
    );
    expect(x.xor(y), &|a, b| [a[0] ^ b[0], a[1] ^ b[1]]);
    for bits in [1, 2, 13, 43, 63] {
        expect(x.shl(bits), &|a, _| [a[0] << bits, a[1] << bits]);
        expect(x.shr(bits), &|a, _| [a[0] >> bits, a[1] >> bits]);
    }
    expect(x.swap(), &|a, _| [a[1], a[0]]);
    expect(x.low_to_high(), &|a, _| [0, a[0]]);
    expect(x.high_to_low(), &|a, _| [a[1], 0]);
    expect(x.above(y), &|a, b| [b[1], a[0]]);
    expect(x.mul_low(y), &|a, b| product(a[0], b[0]));
    expect(x.mul_high(y), &|a, b| product(a[1], b[1]));
    expect(x.square().0, &|a, _| product(a[0], a[0]));
    expect(x.square().1, &|a, _| product(a[1], a[1]));
}

#[inline(always)]
fn check_both<T: Clmul>(token: T, a: &[[u64; 2]; MAX_CLMUL_LANES], b: &[[u64; 2]; MAX_CLMUL_LANES]) {
    check::<T::One>(token, a, b);
    check::<T::Many>(token, a, b);
}

#[test]
fn operations_on_every_level_are_those_on_integers() {
    let mut state = 1_u64;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        // Values with all bits, many, none and few. With all bits set, the columns of the portable
        // product are full.
        match state >> 61 {
            0 => u64::MAX,
            1 => state | state.rotate_left(17) | state.rotate_left(40),
            2 => 0,
            3 => 0x1111_1111_1111_1111 << (state & 3),
            _ => state,
        }
    };
    for round in 0..500 {
        let mut operand =
            || [[(); 2]; MAX_CLMUL_LANES].map(|lane| lane.map(|()| if round == 0 { u64::MAX } else { next() }));
        let (a, b) = (operand(), operand());
        for level in ClmulLevel::available() {
            dispatch_clmul!(level, token => check_both(token, &a, &b));
        }
    }
}
