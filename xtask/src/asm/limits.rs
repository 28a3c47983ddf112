//! The limits for the hot loops.

use serde::Deserialize;

use super::disassembly::Instruction;
use super::kernels::{Found, Work};

/// The contents of xtask/asm-limits-*.toml.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Limits {
    #[serde(default)]
    r#loop: Vec<Limit>,
}

/// The limits of one kernel's loop on one backend, for each unit of work.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Limit {
    backend: String,
    kernel: String,
    instructions: usize,
    /// Instructions for each block of Poly1305 beside the kernel's own work.
    #[serde(default)]
    block_instructions: usize,
    stack: usize,
    /// The beginning of a mnemonic and, after a space, part of its operands. Each unit has at least
    /// one such instruction.
    has: String,
    /// The reason for accesses to the stack.
    #[serde(default)]
    reason: String,
}

impl Limit {
    fn is_for(&self, found: &Found) -> bool {
        self.backend == found.backend && self.kernel == found.kernel
    }

    /// Instructions that a loop must have but does not.
    fn missing(&self, found: &Found) -> Option<String> {
        let (mnemonic, operand) = self.has.split_once(' ').unwrap_or((&self.has, ""));
        let is = |instruction: &&Instruction| {
            instruction.mnemonic.starts_with(mnemonic) && instruction.operands.contains(operand)
        };
        let count = found.body.iter().filter(is).count();
        let least = found.work.units;
        (count < least).then(|| format!("{count} times {}, and at least {least} times is expected", self.has))
    }
}

impl Limits {
    /// Returns the errors in the loops, in sentences.
    pub(super) fn judge(&self, found: &[Found]) -> Vec<String> {
        let mut complaints = Vec::new();
        for limit in &self.r#loop {
            if limit.stack > 0 && limit.reason.is_empty() {
                complaints.push(format!("{} {}: its stack accesses need a reason", limit.backend, limit.kernel));
            }
            if !found.iter().any(|loop_| limit.is_for(loop_)) {
                complaints.push(format!(
                    "{} {}: no such loop in the program; was its inlining lost, or did its instructions change?",
                    limit.backend, limit.kernel
                ));
            }
        }
        for loop_ in found {
            let name = format!("{} {} in {}", loop_.backend, loop_.kernel, loop_.function);
            if loop_.count.calls > 0 {
                complaints.push(format!("{name}: {} calls in the loop", loop_.count.calls));
            }
            let Some(limit) = self.r#loop.iter().find(|limit| limit.is_for(loop_)) else {
                complaints.push(format!("{name}: no limit is written for it"));
                continue;
            };
            complaints.extend(limit.missing(loop_).map(|missing| format!("{name}: {missing}")));
            let Work { units, blocks_beside } = loop_.work;
            let instructions = limit.instructions * units + limit.block_instructions * blocks_beside;
            for (what, count, most) in [
                ("stack accesses", loop_.count.stack, limit.stack * units),
                ("instructions", loop_.count.instructions, instructions),
            ] {
                if count > most {
                    complaints.push(format!("{name}: {count} {what}, at most {most} are allowed"));
                }
            }
        }
        complaints
    }
}

#[cfg(test)]
mod tests {
    use super::super::architecture::Architecture;
    use super::super::disassembly::{Function, parse};
    use super::super::kernels::find;
    use super::*;

    const ENTRY: &str = "<sealane_simd::x86::avx512::Avx512 as sealane_simd::level::Token>::enter::entry";

    /// A program with that code.
    fn program(body: &str) -> Vec<Function> {
        let lines = body.lines().enumerate().map(|(number, line)| format!("    {:x}:\t{line}\n", 0x1000 + 4 * number));
        parse(&format!("0000000000001000 <{ENTRY}>:\n{}", lines.collect::<String>())).unwrap()
    }

    fn limits(more: &str) -> Limits {
        let text = "[[loop]]\nbackend = \"avx512\"\nkernel = \"chacha20 vertical\"\ninstructions = 98\nstack = 0\n\
                    has = \"vpaddd %zmm\"\n";
        toml::from_str(&format!("{text}{more}")).unwrap()
    }

    fn double_round(more: &str) -> String {
        let thirty_two = |line: &str| format!("{line}\n").repeat(32);
        let rounds = thirty_two("vpaddd %zmm0,%zmm1,%zmm1")
            + &thirty_two("vpxord %zmm1,%zmm2,%zmm2")
            + &thirty_two("vprold $0x10,%zmm2,%zmm2");
        format!("{rounds}{more}dec %eax\njne 1000 <{ENTRY}>\nret\n")
    }

    #[test]
    fn what_is_wrong_with_a_loop_is_named() {
        let calls = format!("call 2000 <add>\ncall 2040 <xor>\ndec %eax\njne 1000 <{ENTRY}>\nret\n");
        let other = "vpmuludq %zmm0,%zmm1,%zmm2\n".repeat(20) + &format!("jne 1000 <{ENTRY}>\nret\n");
        for (body, expected) in [
            (double_round("").replace("%zmm", "%ymm"), "0 times vpaddd %zmm"),
            (double_round("call 2000 <f>\n"), "1 calls in the loop"),
            (double_round("vmovdqa64 %zmm3,0x40(%rsp)\n"), "1 stack accesses, at most 0"),
            (double_round("vpshufb %zmm4,%zmm3,%zmm3\n"), "99 instructions, at most 98"),
            // Lost inlining: the operations are calls, and no loop has the kernel's instructions.
            (calls, "no such loop"),
            (other, "no limit is written"),
        ] {
            let complaints = limits("").judge(&find(Architecture::X86_64, &program(&body)));
            assert!(complaints.iter().any(|complaint| complaint.contains(expected)), "{expected}: {complaints:?}");
        }
        assert!(limits("").judge(&find(Architecture::X86_64, &program(&double_round("")))).is_empty());
        let more = "[[loop]]\nbackend = \"avx2\"\nkernel = \"chacha20 vertical\"\ninstructions = 150\nstack = 20\nhas = \"vpaddd\"\n";
        assert!(limits(more).judge(&[]).iter().any(|c| c.contains("need a reason")));
    }

    #[test]
    fn blocks_beside_have_a_limit_of_their_own() {
        let functions = program(&double_round(&"mulx %rax,%rbx,%rcx\n".repeat(8)));
        let found = find(Architecture::X86_64, &functions);
        for (block_instructions, complaints) in [(5, 0), (4, 0), (3, 1)] {
            let limits: Limits = toml::from_str(&format!(
                "[[loop]]\nbackend = \"avx512\"\nkernel = \"interleaved vertical\"\ninstructions = 98\n\
                 block_instructions = {block_instructions}\nstack = 0\nhas = \"vpaddd\"\n"
            ))
            .unwrap();
            assert_eq!(limits.judge(&found).len(), complaints, "{block_instructions}");
        }
    }
}
