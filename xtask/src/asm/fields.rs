//! Recognising the hot loops of secret sharing, GF(2^8), Haraka and GF(2^n): by the function that they are in, and the instruction that
//! does the work.

use super::architecture::Operation;
use super::kernels::{Code, Work};

/// Shares that are combined at once.
const ROWS: usize = 4;
/// Rounds of AES on a vector of blocks in one round of Haraka-512, or two of Haraka-256.
const AES_ROUNDS: usize = 8;

/// The kernel that a loop belongs to, and how many units of its work it does.
pub(super) fn recognise(code: &Code) -> Option<(&'static str, Work)> {
    let function = code.function;
    // In GF(2^8) a product takes two shuffles, or one instruction; of a constant, LLVM may make the other one.
    let products = || code.count(&[Operation::Shuffle]) / 2 + code.count(&[Operation::Gf8Product]);
    let (name, units) = if function.contains("sealane::shamir::bytes::") {
        // ChaCha, which makes the coefficients, shuffles too.
        if code.count(&[Operation::AddWords]) > 0 {
            return None;
        }
        let products = products();
        match products {
            0 => return None,
            // A whole row. Loops for fewer shares have the same source.
            ROWS if function.contains("::combine::") => ("shamir combine", 1),
            _ if !function.contains("Splitter>::split") => return None,
            // Three products, with 2, 4 and the high bits of the points, or twice as many.
            _ if products.is_multiple_of(3) => ("shamir threshold 2 or 3", products),
            // One for each coefficient, and LLVM may unroll that.
            _ => ("shamir any threshold", products),
        }
    } else if function.contains("::Gf8Family>>::multiply_") {
        // LLVM may unroll it.
        match products() {
            0 => return None,
            products if function.contains("::multiply_add_slice") => ("gf8 multiply and add", products),
            products => ("gf8 multiply", products),
        }
    } else if function.contains("sealane::haraka::") {
        let rounds = code.count(&[Operation::AesRound]);
        if rounds == 0 || !rounds.is_multiple_of(AES_ROUNDS) {
            return None;
        }
        (if function.contains("::bytes_32::") { "haraka-256" } else { "haraka-512" }, rounds / AES_ROUNDS)
    } else if function.contains("sealane::gf2n::backend::") {
        let products = code.count(&[Operation::CarrylessProduct]);
        let operation =
            OPERATIONS.iter().find(|(operation, field, _)| function.contains(operation) && function.contains(field));
        match operation {
            Some((_, _, name)) if products > 0 => (*name, 1),
            _ => return None,
        }
    } else {
        return None;
    };
    Some((name, Work { units, blocks_beside: 0 }))
}

/// The operations on slices that all others are made like, in a field of one block and in one of two.
const OPERATIONS: &[(&str, &str, &str)] = &[
    ("::scale<", "Degree<128>", "gf2n scale 128"),
    ("::scale<", "Degree<256>", "gf2n scale 256"),
    ("::evaluate<", "Degree<128>", "gf2n evaluate 128"),
    ("::evaluate<", "Degree<256>", "gf2n evaluate 256"),
    ("::dot_product<", "Degree<128>", "gf2n dot product 128"),
    ("::dot_product<", "Degree<256>", "gf2n dot product 256"),
];

#[cfg(test)]
mod tests {
    use super::super::architecture::Architecture;
    use super::super::disassembly::parse;
    use super::super::kernels::{find, tests::canned};

    const ENTRY: &str = "as sealane_simd::level::Token>::enter::entry::<(), ";

    /// The backend, the kernel and the units of what is found in a function of that name.
    fn found(name: &str, body: &str) -> Option<(&'static str, &'static str, usize)> {
        let functions = parse(&canned(name, body)).unwrap();
        find(Architecture::X86_64, &functions).first().map(|found| (found.backend, found.kernel, found.work.units))
    }

    #[test]
    fn loops_are_known_by_their_function_and_instruction() {
        let shuffles = |n: usize| "vpshufb %ymm0,%ymm1,%ymm2\n".repeat(n);
        let combine =
            format!("<sealane_simd::x86::avx2::Avx2 {ENTRY}<sealane::shamir::bytes::combine::Combiner>::combine");
        let split = format!("<sealane_simd::x86::avx2::Avx2 {ENTRY}<sealane::shamir::bytes::split::Splitter>::split");
        assert_eq!(found(&combine, &shuffles(8)), Some(("avx2", "shamir combine", 1)));
        assert_eq!(found(&combine, &shuffles(2)), None);
        assert_eq!(found(&split, &shuffles(2)), Some(("avx2", "shamir any threshold", 1)));
        assert_eq!(found(&split, &shuffles(12)), Some(("avx2", "shamir threshold 2 or 3", 6)));
        let gfni = split.replace("avx2::Avx2", "gf8_gfni::Gfni512");
        let products = "vgf2p8mulb %zmm0,%zmm1,%zmm2\n".repeat(3);
        assert_eq!(found(&gfni, &products), Some(("gfni512", "shamir threshold 2 or 3", 3)));
        // The key stream, not a product.
        assert_eq!(found(&split, &format!("{}vpaddd %ymm0,%ymm1,%ymm1\n", shuffles(2))), None);

        let multiply = format!(
            "<sealane_simd::x86::avx2::Avx2 {ENTRY}<sealane::backend::family::BackendOf<\
             sealane::backend::gf8::Gf8Family>>::multiply_slice"
        );
        assert_eq!(found(&multiply, &shuffles(4)), Some(("avx2", "gf8 multiply", 2)));
        let add = multiply.replace("multiply", "multiply_add");
        assert_eq!(found(&add, &shuffles(2)), Some(("avx2", "gf8 multiply and add", 1)));
        assert_eq!(found(&add, "vpxor %ymm0,%ymm1,%ymm2\n"), None);

        let scale = format!(
            "<sealane_simd::x86::clmul::Vpclmulqdq {ENTRY}<sealane::backend::family::BackendOf<\
             sealane::gf2n::backend::ClmulFamily>>::scale<sealane::gf2n::field::Degree<128>>"
        );
        let product = "vpclmulhqlqdq %ymm0,%ymm1,%ymm2\n";
        assert_eq!(found(&scale, product), Some(("vpclmulqdq", "gf2n scale 128", 1)));
        assert_eq!(found(&scale.replace("128", "64"), product), None);
        assert_eq!(found(&scale, "vpxor %ymm0,%ymm1,%ymm2\n"), None);

        let hash = format!("<sealane_simd::x86::aes::Vaes {ENTRY}sealane::haraka::bytes_64::many_6");
        assert_eq!(found(&hash, &"vaesenc %ymm0,%ymm1,%ymm2\n".repeat(32)), Some(("vaes", "haraka-512", 4)));
        assert_eq!(found(&hash, "vaesenc %ymm0,%ymm1,%ymm2\n"), None);
    }
}
