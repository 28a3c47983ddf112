//! 512-bit vectors.

#[cfg(target_arch = "x86")]
use core::arch::x86::*;
#[cfg(target_arch = "x86_64")]
use core::arch::x86_64::*;

use super::avx512vl::Avx512Vl;
use super::bytes512::{load_up_to_64, xor_block, xor_bytes, xor_start_of_keys};
use super::feature_sets;
use super::macros::{binary, from_lanes, shifts_and_opaque, simd, token, u64_lanes, unary, with_features, words};
use super::messages512::{blocks_of_messages, transposed};
use super::ssse3::store_pair;
use crate::aligned::AlignedBytes;
use crate::class::CpuClass;
use crate::cpuid::Features;
use crate::kernels::ChaCha20Rounds;
#[cfg(target_arch = "x86_64")]
use crate::kernels::groups512::asm_on_two_groups;
#[cfg(all(target_arch = "x86_64", target_pointer_width = "64"))]
use crate::kernels::{POLY1305_BLOCKS_PER_PAIR, rounds::avx512 as rounds};
use crate::map_array::map_array;
use crate::pair::Pair;
#[cfg(all(target_arch = "x86_64", target_pointer_width = "64"))]
use crate::pending_poly1305::PendingPoly1305;
use crate::simd::{MAX_U64_LANES, Simd, U64Lanes};
use crate::words::{MAX_WORDS_LANES, Words};

token! {
    /// Proof of AVX-512 F, BW, VL and DQ, and of AVX2 and BMI2.
    Avx512: "avx512f,avx512bw,avx512vl,avx512dq,avx2,bmi2", feature_sets::AVX512
}

macro_rules! ifma {
    ($proof:expr, $($rest:tt)*) => { with_features!(Avx512Ifma, "avx512ifma", $proof, $($rest)*) };
}

token! {
    /// Proof of AVX-512 IFMA, F, BW, VL and DQ, and of AVX2 and BMI2.
    Avx512Ifma: "avx512ifma,avx512f,avx512bw,avx512vl,avx512dq,avx2,bmi2", feature_sets::AVX512.union(Features::AVX512IFMA)
}

simd! { Avx512: Avx512Words<Self>, Avx512U64Lanes<Self>, Avx512Vl, Avx512, AVX512;
    #[inline(always)]
    fn cpu_class(self) -> CpuClass {
        CpuClass::detect()
    }
}
simd! { Avx512Ifma: Avx512Words<Self>, Avx512U64Lanes<Self>, Avx512Vl, Avx512, AVX512_IFMA;
    const MUL_ADD_52: bool = true;

    #[inline(always)]
    fn cpu_class(self) -> CpuClass {
        CpuClass::detect()
    }

    #[inline(always)]
    fn add_low_52(self, sum: Avx512U64Lanes<Self>, a: Avx512U64Lanes<Self>, b: Avx512U64Lanes<Self>) -> Avx512U64Lanes<Self> {
        let sum = ifma!(self, (sum: __m512i = sum.0, a: __m512i = a.0, b: __m512i = b.0) -> __m512i {
            _mm512_madd52lo_epu64(sum, a, b)
        });
        Avx512U64Lanes(sum, self)
    }

    #[inline(always)]
    fn add_high_52(self, sum: Avx512U64Lanes<Self>, a: Avx512U64Lanes<Self>, b: Avx512U64Lanes<Self>) -> Avx512U64Lanes<Self> {
        let sum = ifma!(self, (sum: __m512i = sum.0, a: __m512i = a.0, b: __m512i = b.0) -> __m512i {
            _mm512_madd52hi_epu64(sum, a, b)
        });
        Avx512U64Lanes(sum, self)
    }
}

/// A token that proves the features of [`Avx512`].
pub trait ProvesAvx512: Simd<Words = Avx512Words<Self>, U64Lanes = Avx512U64Lanes<Self>> {
    /// Returns the token [`Avx512`], whose features this one proves.
    fn avx512(self) -> Avx512;
}

impl ProvesAvx512 for Avx512 {
    #[inline(always)]
    fn avx512(self) -> Self {
        self
    }
}

impl ProvesAvx512 for Avx512Ifma {
    #[inline(always)]
    fn avx512(self) -> Avx512 {
        const { assert!(Self::BITS.contains(Avx512::BITS), "a token does not prove another") };
        Avx512::implied_by(self)
    }
}

macro_rules! avx512 {
    ($proof:expr, $($rest:tt)*) => {
        with_features!(Avx512, "avx512f,avx512bw", ProvesAvx512::avx512($proof), $($rest)*)
    };
}

/// Sixteen 32-bit words: four rows.
#[derive(Clone, Copy)]
pub struct Avx512Words<T>(__m512i, T);

impl<T: ProvesAvx512> Words for Avx512Words<T> {
    type Token = T;
    type Blocks = AlignedBytes<256>;
    const ZERO_BLOCKS: Self::Blocks = AlignedBytes([0; 256]);
    const ROWS: usize = 4;

    words! { avx512, T, __m512i:
        splat = _mm512_set1_epi32;
        splat_row = |row| _mm512_broadcast_i32x4(row);
        first = _mm512_cvtsi512_si32;
        transpose = _mm512_unpacklo_epi32, _mm512_unpackhi_epi32, _mm512_unpacklo_epi64, _mm512_unpackhi_epi64;
    }

    from_lanes! { avx512, T, __m512i, _mm512_loadu_si512: [u32; MAX_WORDS_LANES] }
    binary! { avx512, __m512i:
        add = _mm512_add_epi32;
        xor = _mm512_xor_si512;
        and = _mm512_and_si512;
    }

    unary! { avx512, __m512i:
        rotate_left_16 = |a| _mm512_rol_epi32::<16>(a);
        rotate_left_12 = |a| _mm512_rol_epi32::<12>(a);
        rotate_left_8 = |a| _mm512_rol_epi32::<8>(a);
        rotate_left_7 = |a| _mm512_rol_epi32::<7>(a);
        rotate_columns_1 = |a| _mm512_shuffle_epi32::<0b00_11_10_01>(a);
        rotate_columns_2 = |a| _mm512_shuffle_epi32::<0b01_00_11_10>(a);
        rotate_columns_3 = |a| _mm512_shuffle_epi32::<0b10_01_00_11>(a);
    }

    #[inline(always)]
    fn xor_rows(a: Self, b: Self, c: Self, d: Self, data: &mut [u8]) {
        let (blocks, _) = data[..256].as_chunks_mut::<64>();
        let [e, f, g, h]: &mut [_; 4] = blocks.first_chunk_mut().expect("256 bytes are four blocks");
        xor_rows(a, b, c, d, [e, f, g, h]);
    }

    #[inline(always)]
    fn xor_start_of_rows(token: T, a: Self, b: Self, c: Self, d: Self, data: &mut [u8]) {
        avx512!(token, (v: [__m512i; 4] = [a.0, b.0, c.0, d.0], data: &mut [u8] = data) -> () {
            xor_start_of_keys(transposed(v), data);
        });
    }

    #[inline(always)]
    fn xor_bytes(token: T, data: &mut [u8], key_stream: &[u8]) {
        // Values in registers would be spilled around the call.
        if data.is_empty() {
            return;
        }
        avx512!(token, (data: &mut [u8] = data, key_stream: &[u8] = key_stream) -> () {
            xor_bytes(data, key_stream);
        });
    }

    #[inline(always)]
    fn xor_blocks(a: Self, b: Self, c: Self, d: Self, blocks: &mut [&mut [u8; 64]]) {
        let [e, f, g, h]: &mut [_; 4] = blocks.first_chunk_mut().expect("a block for each row");
        xor_rows(a, b, c, d, [e, f, g, h]);
    }
}

/// XORs four blocks with four rows.
#[inline(always)]
fn xor_rows<T: ProvesAvx512>(
    a: Avx512Words<T>,
    b: Avx512Words<T>,
    c: Avx512Words<T>,
    d: Avx512Words<T>,
    blocks: [&mut [u8; 64]; 4],
) {
    let token = a.1;
    let keys = avx512!(token, (v: [__m512i; 4] = [a.0, b.0, c.0, d.0]) -> [__m512i; 4] {
        // A block has the same row of each vector.
        transposed(v)
    });
    // Block by block, because a function for all four may be too large to be inlined. From a `zip`
    // of keys and blocks, LLVM generated code whose order differed between builds.
    let ([k0, k1, k2, k3], [b0, b1, b2, b3]) = (keys, blocks);
    for (key, block) in [(k0, b0), (k1, b1), (k2, b2), (k3, b3)] {
        avx512!(token, (key: __m512i = key, block: &mut [u8; 64] = block) -> () { xor_block(key, block) });
    }
}

impl<T: ProvesAvx512> ChaCha20Rounds for Avx512Words<T> {
    #[cfg(all(target_arch = "x86_64", target_pointer_width = "64"))]
    #[inline(always)]
    fn double_rounds(v: &mut [Self; 16], count: u8, _: &mut PendingPoly1305<'_>) -> bool {
        let token = v[0].1;
        if !T::TUNING.rounds_in_assembly.of(token.cpu_class()) {
            return false;
        }
        let mut vectors = vectors_of(v);
        avx512!(token, (v: &mut [__m512i; 16] = &mut vectors, count: u8 = count) -> () {
            rounds::double_rounds(v, count);
        });
        *v = words_of(vectors, token);
        true
    }

    #[cfg(all(target_arch = "x86_64", target_pointer_width = "64"))]
    #[inline(always)]
    fn double_rounds_of_two(v: &mut [Self; 16], w: &mut [Self; 16], count: u8) -> bool {
        on_two_groups(
            v,
            w,
            #[inline(always)]
            |token, v, w| {
                avx512!(token, (v: &mut [__m512i; 16] = v, w: &mut [__m512i; 16] = w, count: u8 = count) -> () {
                    rounds::double_rounds_of_two(v, w, count);
                });
            },
        );
        true
    }

    #[cfg(all(target_arch = "x86_64", target_pointer_width = "64"))]
    #[inline(always)]
    fn nineteen_rounds_with_poly1305(
        v: &mut [Self; 16],
        w: &mut [Self; 16],
        r: [u64; 3],
        blocks: &[[u8; 16]; POLY1305_BLOCKS_PER_PAIR],
    ) -> Option<[[u64; 3]; 2]> {
        Some(on_two_groups(
            v,
            w,
            #[inline(always)]
            |token, v, w| {
                with_features!(
                    Avx512, "avx512f,avx512bw,bmi2", ProvesAvx512::avx512(token),
                    (
                        v: &mut [__m512i; 16] = v,
                        w: &mut [__m512i; 16] = w,
                        r: [u64; 3] = r,
                        blocks: &[[u8; 16]; POLY1305_BLOCKS_PER_PAIR] = blocks
                    ) -> [[u64; 3]; 2] { rounds::nineteen_rounds_with_poly1305(v, w, r, blocks) }
                )
            },
        ))
    }

    #[cfg(target_arch = "x86_64")]
    #[inline(always)]
    fn pin_registers(v: &mut [Self; 16], w: &mut [Self; 16]) {
        on_two_groups(
            v,
            w,
            #[inline(always)]
            |token, v, w| {
                avx512!(token, (v: &mut [__m512i; 16] = v, w: &mut [__m512i; 16] = w) -> () {
                    // SAFETY: the assembly is empty.
                    unsafe { asm_on_two_groups!(["",] v w [] pure nomem nostack preserves_flags) }
                });
            },
        );
    }
}

/// Returns what `work` does with the vectors of two groups.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn on_two_groups<T: ProvesAvx512, R>(
    v: &mut [Avx512Words<T>; 16],
    w: &mut [Avx512Words<T>; 16],
    work: impl FnOnce(T, &mut [__m512i; 16], &mut [__m512i; 16]) -> R,
) -> R {
    let token = v[0].1;
    let (mut first, mut second) = (vectors_of(v), vectors_of(w));
    let result = work(token, &mut first, &mut second);
    *v = words_of(first, token);
    *w = words_of(second, token);
    result
}

#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn vectors_of<T: ProvesAvx512>(words: &[Avx512Words<T>; 16]) -> [__m512i; 16] {
    map_array(
        *words,
        #[inline(always)]
        |word| word.0,
    )
}

#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn words_of<T: ProvesAvx512>(vectors: [__m512i; 16], token: T) -> [Avx512Words<T>; 16] {
    map_array(
        vectors,
        #[inline(always)]
        |vector| Avx512Words(vector, token),
    )
}

/// Eight 64-bit lanes.
#[derive(Clone, Copy)]
pub struct Avx512U64Lanes<T>(__m512i, T);

impl<T: ProvesAvx512> U64Lanes for Avx512U64Lanes<T> {
    type Token = T;
    const LANES: usize = 8;
    const BLOCK_OF_LANE: [usize; MAX_U64_LANES] = [0, 4, 1, 5, 2, 6, 3, 7];

    u64_lanes! { avx512, T, __m512i:
        splat = _mm512_set1_epi64;
        splat_low = _mm512_set1_epi32;
        load = _mm512_loadu_si512;
        store = _mm512_storeu_si512;
        splat_pair = |pair| _mm512_broadcast_i32x4(pair);
        unpack = _mm512_unpacklo_epi64, _mm512_unpackhi_epi64;
    }

    from_lanes! { avx512, T, __m512i, _mm512_loadu_si512: [u64; MAX_U64_LANES] }
    #[inline(always)]
    fn to_pairs(even: Self, odd: Self) -> [Pair; MAX_U64_LANES] {
        avx512!(even.1, (even: __m512i = even.0, odd: __m512i = odd.0) -> [Pair; MAX_U64_LANES] {
            let (even_lanes, odd_lanes) = (_mm512_unpacklo_epi64(even, odd), _mm512_unpackhi_epi64(even, odd));
            let mut pairs = [Pair::default(); MAX_U64_LANES];
            store_pair(_mm512_castsi512_si128(even_lanes), &mut pairs[0]);
            store_pair(_mm512_castsi512_si128(odd_lanes), &mut pairs[1]);
            store_pair(_mm512_extracti32x4_epi32::<1>(even_lanes), &mut pairs[2]);
            store_pair(_mm512_extracti32x4_epi32::<1>(odd_lanes), &mut pairs[3]);
            store_pair(_mm512_extracti32x4_epi32::<2>(even_lanes), &mut pairs[4]);
            store_pair(_mm512_extracti32x4_epi32::<2>(odd_lanes), &mut pairs[5]);
            store_pair(_mm512_extracti32x4_epi32::<3>(even_lanes), &mut pairs[6]);
            store_pair(_mm512_extracti32x4_epi32::<3>(odd_lanes), &mut pairs[7]);
            pairs
        })
    }

    #[inline(always)]
    fn load_padded(token: T, bytes: &[u8]) -> (Self, Self) {
        assert!(bytes.len() <= 128, "eight blocks");
        let (first, second) = bytes.split_at(bytes.len().min(64));
        let (first, second) = avx512!(token, (first: &[u8] = first, second: &[u8] = second) -> (__m512i, __m512i) {
            let (first, second) = (load_up_to_64(first), load_up_to_64(second));
            (_mm512_unpacklo_epi64(first, second), _mm512_unpackhi_epi64(first, second))
        });
        (Self(first, token), Self(second, token))
    }

    #[inline(always)]
    fn load_messages(token: T, messages: &[&[u8; 64]; MAX_U64_LANES]) -> [(Self, Self); 4] {
        let rows = avx512!(token, (messages: &[&[u8; 64]; MAX_U64_LANES] = messages) -> [(__m512i, __m512i); 4] {
            blocks_of_messages(messages)
        });
        map_array(
            rows,
            #[inline(always)]
            |(low, high)| (Self(low, token), Self(high, token)),
        )
    }

    #[inline(always)]
    fn select_lanes(self, _: T, other: Self, indices: &[u64; MAX_U64_LANES]) -> Self {
        let indices = Self::from_lanes(self.1, indices);
        let lanes = avx512!(self.1, (a: __m512i = self.0, b: __m512i = other.0, i: __m512i = indices.0) -> __m512i {
            _mm512_permutex2var_epi64(a, i, b)
        });
        Self(lanes, self.1)
    }

    #[inline(always)]
    fn sum_lanes(self) -> u64 {
        avx512!(self.1, (a: __m512i = self.0) -> u64 { _mm512_reduce_add_epi64(a).cast_unsigned() })
    }

    binary! { avx512, __m512i:
        add = _mm512_add_epi64;
        and = _mm512_and_si512;
        or = _mm512_or_si512;
        mul_low = _mm512_mul_epu32;
    }

    shifts_and_opaque! { avx512, __m512i, zmm_reg: shl = _mm512_sll_epi64; shr = _mm512_srl_epi64; }
}
