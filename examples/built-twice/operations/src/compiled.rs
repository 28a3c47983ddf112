//! The operations on the instruction set that this crate is compiled for: nothing here detects the
//! CPU. In the copy that `built-twice` makes, they have their own symbol names, and it calls them
//! by these.

use sealane_simd::Scalar;
#[cfg(target_feature = "avx2")]
use sealane_simd::x86;

use crate::{Combine, Hash, MANY, Packet, Product, Split, Stream};
use crate::{block_on, combine_on, haraka_on, multiply_on, seal_on, split_on};

/// Names a token for the features that this crate is compiled with. The compiler proves that the
/// CPU has them.
macro_rules! token {
    ($name:ident: $($feature:literal => $token:ty,)*) => {
        cfg_select! {
            $(target_feature = $feature => {
                #[inline(always)]
                fn $name() -> $token {
                    <$token>::detect().expect("this crate was compiled for it")
                }
            })*
            _ => {
                #[inline(always)]
                fn $name() -> Scalar {
                    Scalar::new()
                }
            }
        }
    };
}

token!(vectors: "avx2" => x86::Avx2,);
token!(aes: "vaes" => x86::Vaes, "aes" => x86::AesNi,);
token!(products: "vpclmulqdq" => x86::Vpclmulqdq, "pclmulqdq" => x86::Pclmulqdq,);

macro_rules! functions {
    ($($(#[$doc:meta])* $name:ident as $symbol:literal ($data:ident: $type:ty) $call:expr;)*) => {$(
        $(#[$doc])*
        #[cfg_attr(copy = "simd", unsafe(export_name = $symbol))]
        pub extern "C" fn $name($data: &mut $type) {
            $call;
        }
    )*};
}

functions! {
    /// A 64-bit carry-less multiply.
    multiply as "simd_multiply" (product: Product) multiply_on(products(), product);
    /// Haraka-256 with 5 rounds.
    haraka as "simd_haraka" (hash: Hash) haraka_on(aes(), hash);
    /// One block of ChaCha20.
    block as "simd_block" (stream: Stream) block_on(vectors(), stream);
    /// ChaCha20-Poly1305 of a message of 64 bytes.
    seal as "simd_seal" (packet: Packet) seal_on(vectors(), packet);
    /// A secret of 16 bytes, split.
    split_one as "simd_split_one" (split: Split<1>) split_on(products(), split);
    /// A secret of 1 KiB, split.
    split_many as "simd_split_many" (split: Split<MANY>) split_on(products(), split);
    /// A secret of 16 bytes, reconstructed.
    combine_one as "simd_combine_one" (combine: Combine<1>) combine_on(products(), combine);
    /// A secret of 1 KiB, reconstructed.
    combine_many as "simd_combine_many" (combine: Combine<MANY>) combine_on(products(), combine);
}
