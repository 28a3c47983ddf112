//! Finds the operations that use a function, among those in the table of workloads. Follows calls
//! and function pointers from the closures that the probe runs, so that the names of the library's
//! functions do not matter.

use std::collections::HashMap;

use sealane_workloads::{Operation, Units, WORKLOADS, Work};

use super::architecture::Operation as Instructions;
use super::disassembly::Function;
use super::loops::Code;

/// The operations of each function, by its position.
pub(super) struct Served(Vec<Vec<&'static Operation>>);

impl Served {
    /// Follows the calls of a program.
    pub(super) fn of(functions: &[Function]) -> Self {
        let begins = |(index, function): (usize, &Function)| Some((function.instructions.first()?.address, index));
        let by_address: HashMap<u64, usize> = functions.iter().enumerate().filter_map(begins).collect();
        let calls: Vec<Vec<usize>> = functions.iter().map(|function| calls(function, &by_address)).collect();
        let mut served = vec![Vec::new(); functions.len()];
        for operation in WORKLOADS.iter().flat_map(|workload| workload.operations) {
            let root = root(operation);
            let mut reached = vec![false; functions.len()];
            let mut pending: Vec<usize> =
                (0..functions.len()).filter(|index| functions[*index].name.contains(&root)).collect();
            while let Some(index) = pending.pop() {
                if !std::mem::replace(&mut reached[index], true) {
                    served[index].push(operation);
                    pending.extend(&calls[index]);
                }
            }
        }
        Self(served)
    }

    /// Returns whether the function at that position processes single messages.
    pub(super) fn takes_one_message(&self, function: usize) -> bool {
        self.0[function].iter().any(|operation| operation.messages == 1)
    }

    /// Returns the kernel that a loop belongs to, and the loop's units, if one of the function's
    /// operations has such a kernel.
    pub(super) fn kernel(&self, function: usize, code: &Code) -> Option<(&'static str, usize)> {
        let mut loops = self.0[function].iter().flat_map(|operation| operation.loops);
        loops.find_map(|known| Some((known.kernel, units(known.work, known.units, code)?)))
    }
}

/// Returns the part of a name that only the closures of the operation have.
fn root(operation: &Operation) -> String {
    format!("sealane_workloads::{}::{{closure", operation.symbol)
}

/// Returns an error message for each operation without a closure in the program. The loops of such
/// an operation would not be found.
pub(super) fn unknown_symbols(functions: &[Function]) -> Vec<String> {
    let operations = WORKLOADS.iter().flat_map(|workload| workload.operations);
    let unknown = operations.filter(|operation| {
        let root = root(operation);
        !functions.iter().any(|function| function.name.contains(&root))
    });
    unknown.map(|operation| format!("{}: the program has no closure of {}", operation.name, operation.symbol)).collect()
}

fn units(work: Work, units: Units, code: &Code) -> Option<usize> {
    units.of(match work {
        // ChaCha20, which computes the coefficients of secret sharing, also shuffles.
        Work::ByteProduct if code.count(&[Instructions::AddWords]) > 0 => 0,
        // A product takes two shuffles, or one instruction. For products with a constant, LLVM may
        // use the other form.
        Work::ByteProduct => code.count(&[Instructions::Shuffle]) / 2 + code.count(&[Instructions::Gf8Product]),
        Work::AesRound => code.count(&[Instructions::AesRound]),
        Work::CarrylessProduct => code.count(&[Instructions::CarrylessProduct]),
    })
}

/// Returns the functions that this one calls, jumps to, or takes the address of: `2000 <name>` in
/// an operand.
fn calls(function: &Function, by_address: &HashMap<u64, usize>) -> Vec<usize> {
    let target = |operands: &str| {
        let (before, _) = operands.rsplit_once(" <")?;
        let address = before.rsplit([' ', ',']).next()?;
        by_address.get(&u64::from_str_radix(address.trim_start_matches("0x"), 16).ok()?).copied()
    };
    let mut calls: Vec<_> = function.instructions.iter().filter_map(|i| target(&i.operands)).collect();
    calls.sort_unstable();
    calls.dedup();
    calls
}

#[cfg(test)]
mod tests {
    use super::super::architecture::Architecture;
    use super::super::disassembly::parse;
    use super::super::kernels::{find, tests::program};

    #[test]
    fn loops_are_known_by_their_operation_and_instruction() {
        let shuffles = |n: usize| "vpshufb %ymm0,%ymm1,%ymm2\n".repeat(n);
        // The key stream shuffles too.
        let key_stream = format!("{}vpaddd %ymm0,%ymm1,%ymm1\n", shuffles(2));
        let products = "vgf2p8mulb %zmm0,%zmm1,%zmm2\n".repeat(3);
        let (clmul, round) = ("vpclmulhqlqdq %ymm0,%ymm1,%ymm2\n", "vaesenc %ymm0,%ymm1,%ymm2\n");
        let rounds = round.repeat(32);
        for (operation, token, body, expected) in [
            ("shamir::combine", "Avx2", &*shuffles(8), Some(("avx2", "shamir combine", 1))),
            ("shamir::combine", "Avx2", &shuffles(2), None),
            ("shamir::split::<5>", "Avx2", &shuffles(2), Some(("avx2", "shamir any threshold", 1))),
            ("shamir::split::<5>", "Avx2", &key_stream, None),
            ("shamir::split::<3>", "Avx2", &shuffles(12), Some(("avx2", "shamir threshold 2 or 3", 6))),
            ("shamir::split::<2>", "Gfni512", &products, Some(("gfni512", "shamir threshold 2 or 3", 3))),
            ("gf8::multiply", "Avx2", &shuffles(4), Some(("avx2", "gf8 multiply", 2))),
            ("gf8::multiply_add", "Avx2", &shuffles(2), Some(("avx2", "gf8 multiply and add", 1))),
            ("gf8::matrix::<false>", "Gfni512", &products, Some(("gfni512", "gf8 matrix", 3))),
            ("gf8::multiply_add", "Avx2", "vpxor %ymm0,%ymm1,%ymm2\n", None),
            ("gf2n::scale::<128>", "Vpclmulqdq", clmul, Some(("vpclmulqdq", "gf2n scale 128", 1))),
            ("gf2n::scale::<64>", "Vpclmulqdq", clmul, None),
            ("haraka::haraka512", "Vaes", &rounds, Some(("vaes", "haraka-512", 4))),
            ("haraka::haraka512", "Vaes", round, None),
            ("haraka::sponge", "Vaes", &rounds, None),
        ] {
            let functions = parse(&program(operation, &format!("sealane_simd::x86::{token}"), body)).unwrap();
            let found = find(Architecture::X86_64, &functions);
            let found = found.first().map(|found| (&*found.backend, &*found.kernel, found.work.units));
            assert_eq!(found, expected, "{operation} {body}");
        }
    }
}
