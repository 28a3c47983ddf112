//! Recognises the kernels' hot loops by their instructions. A set of ChaCha20 has one block for
//! each row of four words in a vector. A group has one block for each word: four sets.

use super::architecture::{Architecture, Operation};
use super::disassembly::{Function, Instruction};
use super::loops::{Code, Count, has_frame_pointer, innermost};
use super::served::Served;

/// A kernel's hot loop.
pub(super) struct Found<'a> {
    pub(super) backend: String,
    pub(super) kernel: String,
    pub(super) work: Work,
    pub(super) count: Count,
    pub(super) function: &'a str,
    pub(super) body: &'a [Instruction],
}

impl Found<'_> {
    /// Returns the backend and the kernel, as the limits name them.
    pub(super) fn name(&self) -> String {
        format!("{} {}", self.backend, self.kernel)
    }
}

/// The work of one iteration of a loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Work {
    /// The number of the kernel's units: double rounds on vectors, rows of blocks, or blocks.
    pub(super) units: usize,
    /// The number of blocks of Poly1305 on 64-bit integers between a ChaCha kernel's double rounds.
    pub(super) interleaved_blocks: usize,
}

/// Returns the hot loops of all functions.
pub(super) fn find(architecture: Architecture, functions: &[Function]) -> Vec<Found<'_>> {
    let served = Served::of(functions);
    let mut found = Vec::new();
    for (index, function) in functions.iter().enumerate() {
        // Code of other crates could look like a kernel by chance. Portable code that was inlined
        // is found in the function that calls it.
        if !function.name.contains("sealane") {
            continue;
        }
        let backend = architecture.backend(&function.name);
        let frame_pointer = has_frame_pointer(architecture, function);
        for body in innermost(architecture, function) {
            let code = Code { architecture, backend: &backend, one_message: served.takes_one_message(index), body };
            let known = served.kernel(index, &code);
            let known = known.map(|(kernel, units)| (kernel.to_owned(), Work { units, interleaved_blocks: 0 }));
            let Some((kernel, work)) = known.or_else(|| recognise(&code)) else { continue };
            let count = Count::of(architecture, body, frame_pointer);
            found.push(Found { backend: backend.clone(), kernel, work, count, function: &function.name, body });
        }
    }
    found
}

/// Returns the kernel of ChaCha or Poly1305 that a loop belongs to, and its work. The counts of
/// instructions tell the kernels apart.
pub(super) fn recognise(code: &Code) -> Option<(String, Work)> {
    use Operation::{AddWords, Columns, Product, RotateWord, Transpose, WideProduct, WideProductAndSum};
    let all = [AddWords, Columns, WideProduct, WideProductAndSum, Transpose, Product, RotateWord];
    let [adds, columns, wide_products, limbs52, transpositions, products, rotations] =
        all.map(|operation| code.count(&[operation]));
    let times = |count: usize, of: usize| (count > 0 && count.is_multiple_of(of)).then(|| count / of);
    let blocks = times(products, PRODUCTS).unwrap_or(0);
    let wide = code.backend.starts_with("avx512") && code.backend != "avx512vl";
    let sets_are_narrower = wide
        && code.any(|architecture, instruction| {
            architecture.operation(instruction) == Columns && instruction.operands.contains("%ymm")
        });
    if let Some(kernel) = mixed(adds, columns, rotations, sets_are_narrower) {
        return Some((kernel, Work { units: 1, interleaved_blocks: 0 }));
    }
    let (kernel, units) = match (adds, columns) {
        (0, _) if times(rotations, 32).is_some() => ("chacha20 words", rotations / 32),
        // A double round has 8 quarter rounds of 4 additions each.
        (_, 0) if times(adds, 32).is_some() => {
            let kernel = match (blocks, code.backend) {
                (0, "scalar") => "chacha20 portable",
                (0, _) => "chacha20 vertical",
                _ => "interleaved vertical",
            };
            (kernel, adds / 32)
        }
        // On rows, 2 quarter rounds do the work of 8.
        _ if times(adds, 8).is_some() && columns >= adds / 8 * 6 => {
            (if blocks == 0 { "chacha20 horizontal" } else { "interleaved horizontal" }, adds / 8)
        }
        _ if times(wide_products, 20).is_some() => ("poly1305 rows", wide_products / 20),
        // One, two or four rows share a carry. Further products are powers of r.
        _ if [18, 36, 72].contains(&limbs52) && !code.one_message => ("poly1305 limbs52 many", limbs52 / 18),
        _ if limbs52 == 18 => ("poly1305 limbs52 row", 1),
        _ if [36, 72].contains(&limbs52) => ("poly1305 limbs52 rows", limbs52 / 18),
        // Products of 5 limbs by 5, once or several times in an iteration. The loop for powers of r
        // transposes ten vectors to the rows of the table, with 20 instructions or more. Loading a
        // row of blocks takes two of these instructions.
        _ if times(wide_products, 25).is_some() => {
            let kernel = match (transpositions, code.one_message) {
                (20.., _) => "poly1305 powers",
                (_, true) => "poly1305 row by row",
                // Each block belongs to a different message.
                (_, false) => "poly1305 many",
            };
            (kernel, wide_products / 25)
        }
        // Blocks of 16 bytes. Other loops that multiply (to combine lanes, or for powers of r)
        // advance by another length, or write their results to vectors.
        _ if blocks > 0 && !code.any(Architecture::uses_vector) && code.any(Architecture::steps_by_block) => {
            (if blocks == 1 { "poly1305 blocks" } else { "poly1305 chains" }, blocks)
        }
        _ => return None,
    };
    let interleaved_blocks = if kernel.starts_with("interleaved") { blocks } else { 0 };
    Some((kernel.to_owned(), Work { units, interleaved_blocks }))
}

/// Returns the kernel of a double round of at least two of these: one block in general registers,
/// groups, and sets, which may be on narrower vectors than those of the backend.
fn mixed(adds: usize, columns: usize, rotations: usize, sets_are_narrower: bool) -> Option<String> {
    let sets = columns / 6;
    let groups = adds.checked_sub(8 * sets)? / 32;
    let set = if sets_are_narrower { "narrower set" } else { "set" };
    let parts = [(usize::from(rotations >= 32), "block"), (groups, "group"), (sets, set)];
    let name = |(count, what): &(usize, &str)| match count {
        0 => None,
        1 => Some((*what).to_owned()),
        _ => Some(format!("{count} {what}s")),
    };
    let names: Vec<_> = parts.iter().filter_map(name).collect();
    let fits = columns == 6 * sets && adds == 32 * groups + 8 * sets && names.len() > 1;
    fits.then(|| format!("chacha20 {}", names.join(" and ")))
}

/// The number of full multiplications of 64 by 64 bits for a block of Poly1305. The product h r
/// needs four of them. Its fifth and sixth product of limbs fit 64 bits.
const PRODUCTS: usize = 4;

/// Functions of `sealane_simd` for one architecture that are meant to be called: vectors of 512
/// bits at the ends of data.
const CALLED: [&str; 3] = [
    "sealane_simd::x86::bytes512::xor_before_page",
    "sealane_simd::x86::bytes512::xor_bytes",
    "sealane_simd::x86::bytes512::xor_start_of_blocks",
];

/// Returns an error message for each vector operation that was compiled to a separate function. In
/// this case, a function between the entry and the intrinsic is not `#[inline(always)]`, and each
/// use of the operation may be a call.
pub(super) fn lost_inlining(functions: &[Function]) -> Vec<String> {
    let is_lost = |name: &str| {
        let path = name.trim_start_matches('<');
        ["sealane_simd::x86::", "sealane_simd::arm::"].iter().any(|folder| path.starts_with(folder))
            && !name.contains(" as sealane_simd::token::Token>::enter")
            && !CALLED.iter().any(|called| path.starts_with(called))
    };
    let lost = functions.iter().filter(|function| is_lost(&function.name));
    lost.map(|function| format!("a vector operation is a function of its own, so calls replace it: {}", function.name))
        .collect()
}

#[cfg(test)]
pub(super) mod tests {
    use super::super::disassembly::parse;
    use super::*;

    /// Returns the disassembly of a function with this name whose loop is `body`. `body` has one
    /// instruction in each line.
    pub(in super::super) fn canned(name: &str, body: &str) -> String {
        let lines = format!("{body}jne 1000 <{name}>\nret\n");
        let code =
            lines.lines().zip((0x1000..).step_by(4)).map(|(line, address)| format!("    {address:x}:\t{line}\n"));
        format!("0000000000001000 <{name}>:\n{}", code.collect::<String>())
    }

    /// Returns the disassembly of a program in which an operation reaches a function through a call
    /// and a function pointer. The function has a token's features and the loop `body`.
    pub(in super::super) fn program(operation: &str, token: &str, body: &str) -> String {
        let name = format!("<{token} as sealane_simd::token::Token>::enter::entry::<(), sealane::f>");
        format!(
            "0000000000000100 <sealane_workloads::{operation}::{{closure#0}}>:\n    100:\tcall 200 <f>\n\
             0000000000000200 <f>:\n    200:\tlea 0x100(%rip),%rax        # 1000 <g>\n{}",
            canned(&name, body)
        )
    }

    pub(in super::super) const ENTRY: &str =
        "<sealane_simd::x86::avx512::Avx512 as sealane_simd::token::Token>::enter::entry::<(), sealane::f>";

    /// Returns the lines, each repeated as often as its number says.
    fn mix(lines: &[(usize, &str)]) -> String {
        lines.iter().map(|(times, line)| format!("{line}\n").repeat(*times)).collect()
    }

    #[test]
    fn kernels_are_told_apart_by_their_mix() {
        let (add, columns, rotation) = ("vpaddd %zmm0,%zmm1,%zmm1", "vpshufd $57,%zmm0,%zmm0", "rol $7,%eax");
        let narrower = "vpshufd $57,%ymm0,%ymm0";
        let blocks = |n: usize| mix(&[(4 * n, "mulx %rax,%rbx,%rcx"), (1, "add $0x10,%rdi")]);
        let vertical = mix(&[(32, add), (32, "vprold $7,%zmm0,%zmm0")]);
        let horizontal = mix(&[(16, add), (12, columns)]);
        for (body, expected) in [
            (vertical.clone(), Some(("chacha20 vertical", 1, 0))),
            (vertical + &blocks(4), Some(("interleaved vertical", 1, 4))),
            (mix(&[(32, "paddd %xmm0,%xmm1"), (32, "pslld $7,%xmm0")]), Some(("chacha20 portable", 1, 0))),
            (horizontal.clone(), Some(("chacha20 horizontal", 2, 0))),
            (horizontal + &blocks(2), Some(("interleaved horizontal", 2, 2))),
            (mix(&[(40, add), (6, columns)]), Some(("chacha20 group and set", 1, 0))),
            (mix(&[(72, add), (6, columns)]), Some(("chacha20 2 groups and set", 1, 0))),
            (mix(&[(8, add), (6, columns), (32, rotation)]), Some(("chacha20 block and set", 1, 0))),
            (mix(&[(16, add), (12, columns), (32, rotation)]), Some(("chacha20 block and 2 sets", 1, 0))),
            (
                mix(&[(40, add), (6, narrower), (32, rotation)]),
                Some(("chacha20 block and group and narrower set", 1, 0)),
            ),
            (mix(&[(32, add), (32, rotation)]), Some(("chacha20 block and group", 1, 0))),
            (mix(&[(64, add), (32, rotation)]), Some(("chacha20 block and 2 groups", 1, 0))),
            (mix(&[(32, "add %eax,%ebx"), (32, rotation)]), Some(("chacha20 words", 1, 0))),
            (mix(&[(40, "vpmuludq (%rdi){1to8},%zmm1,%zmm1")]), Some(("poly1305 rows", 2, 0))),
            (mix(&[(50, "vpmuludq 0x20(%rsp),%ymm1,%ymm1")]), Some(("poly1305 many", 2, 0))),
            (blocks(1), Some(("poly1305 blocks", 1, 0))),
            (blocks(2), Some(("poly1305 chains", 2, 0))),
            (blocks(1) + "vmovq %rax,%xmm0\n", None),
            (mix(&[(4, "mul %rbx"), (1, "add $0x28,%rdi")]), None),
            (mix(&[(8, add)]), None),
        ] {
            let portable = expected.is_some_and(|(kernel, _, _)| kernel == "chacha20 portable");
            let functions = parse(&canned(if portable { "sealane" } else { ENTRY }, &body)).unwrap();
            let found = find(Architecture::X86_64, &functions);
            let found = found.first().map(|f| (&*f.kernel, f.work.units, f.work.interleaved_blocks));
            assert_eq!(found, expected, "{body}");
        }
    }

    #[test]
    fn products_of_one_message_and_of_many_are_told_apart() {
        let (one, batch) = ("chacha::poly1305", "chacha::seal_batch");
        let (low, high) = ("vpunpcklqdq %ymm0,%ymm1,%ymm2", "vpunpckhqdq %ymm0,%ymm1,%ymm3");
        let products = |unpacked, n| mix(&[(unpacked, low), (unpacked, high), (n, "vpmuludq %ymm0,%ymm1,%ymm2")]);
        for (name, body, expected) in [
            (one, products(10, 25), ("poly1305 powers", 1)),
            (one, products(1, 25), ("poly1305 row by row", 1)),
            (batch, products(1, 25), ("poly1305 many", 1)),
            (batch, products(2, 50), ("poly1305 many", 2)),
            (one, mix(&[(36, "vpmadd52luq %zmm0,%zmm1,%zmm1")]), ("poly1305 limbs52 rows", 2)),
            (batch, mix(&[(72, "vpmadd52luq %zmm0,%zmm1,%zmm1")]), ("poly1305 limbs52 many", 4)),
        ] {
            let functions = parse(&program(name, "sealane_simd::x86::avx2::Avx2", &body)).unwrap();
            let found = find(Architecture::X86_64, &functions);
            let found: Vec<_> = found.iter().map(|f| (&*f.kernel, f.work.units)).collect();
            assert_eq!(found, [expected], "{name}\n{body}");
        }
    }

    #[test]
    fn the_backend_is_the_token_of_the_entry() {
        let backend = |function: &str| Architecture::X86_64.backend(function);
        assert_eq!(backend(&format!("{ENTRY}::{{closure#0}}>")), "avx512");
        assert_eq!(backend("sealane::chacha20::portable::group::<20, false>"), "scalar");
    }

    #[test]
    fn a_vector_operation_that_is_not_inlined_is_seen() {
        for (name, lost) in [
            ("<sealane_simd::x86::avx2::Avx2Words as sealane_simd::words::Words>::add::instructions", 1),
            ("sealane_simd::x86::avx512vl::rotate_left::<7>", 1),
            ("sealane_simd::arm::neon::load", 1),
            ("sealane_simd::x86::bytes512::xor_before_page", 0),
            ("sealane_simd::scalar::clmul::multiply", 0),
            (ENTRY, 0),
        ] {
            let functions = parse(&canned(name, "vpaddd %ymm0,%ymm1,%ymm1")).unwrap();
            assert_eq!(lost_inlining(&functions).len(), lost, "{name}");
        }
    }
}
