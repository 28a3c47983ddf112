//! The limits for the hot loops.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::disassembly::Instruction;
use super::kernels::{Found, Work};

/// The contents of xtask/asm-limits-*.toml, by backend and kernel (`avx2 chacha20 vertical`).
#[derive(Deserialize)]
pub(super) struct Limits(BTreeMap<String, Limit>);

/// The limits of one kernel's loop on one backend, for each unit of work.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Limit {
    /// The program has at least this many such loops.
    instances: usize,
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
    /// Smaller limits that some of the loops keep.
    best: Option<Best>,
}

/// Limits for a unit of work that at least `instances` of a kernel's loops keep.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Best {
    instances: usize,
    instructions: usize,
    stack: usize,
}

impl Best {
    fn is_kept(&self, found: &Found) -> bool {
        let units = found.work.units;
        found.count.instructions <= self.instructions * units && found.count.stack <= self.stack * units
    }
}

impl Limit {
    /// Returns an error message if the loop lacks instructions that it must have.
    fn missing(&self, found: &Found) -> Option<String> {
        let (mnemonic, operand) = self.has.split_once(' ').unwrap_or((&self.has, ""));
        let matches = |instruction: &&Instruction| {
            instruction.mnemonic.starts_with(mnemonic) && instruction.operands.contains(operand)
        };
        let count = found.body.iter().filter(matches).count();
        let least = found.work.units;
        (count < least).then(|| format!("{count} times {}, and at least {least} times is expected", self.has))
    }
}

/// Returns an error message for each loop that has calls or divisions.
pub(super) fn calls_and_divisions(found: &[Found]) -> Vec<String> {
    let mut complaints = Vec::new();
    for loop_ in found {
        for (what, count) in [("calls", loop_.count.calls), ("divisions", loop_.count.divisions)] {
            if count > 0 {
                complaints.push(format!("{}: {count} {what} in the loop", name(loop_)));
            }
        }
    }
    complaints
}

fn name(found: &Found) -> String {
    format!("{} in {}", found.name(), found.function)
}

impl Limits {
    /// Returns an error message for each limit without a loop. A kernel whose operations became
    /// calls is not recognised.
    pub(super) fn absent(&self, found: &[Found]) -> Vec<String> {
        let absent = self.0.keys().filter(|name| !found.iter().any(|loop_| loop_.name() == **name));
        let complaint = |name: &String| {
            format!("{name}: no such loop in the program; was its inlining lost, or did its instructions change?")
        };
        absent.map(complaint).collect()
    }

    /// Returns an error message for each kernel of which a part of the loops is missing: the
    /// compiler may have changed the kernel in one of the functions that it is inlined into.
    fn too_few(&self, found: &[Found]) -> Vec<String> {
        let mut complaints = Vec::new();
        for (name, Limit { instances, best, .. }) in &self.0 {
            let loops = || found.iter().filter(|loop_| loop_.name() == *name);
            let count = loops().count();
            // `absent` reports a kernel without any loop.
            if (1..*instances).contains(&count) {
                complaints.push(format!("{name}: {count} such loops, at least {instances} are expected"));
            }
            let Some(best) = best else { continue };
            let kept = loops().filter(|loop_| best.is_kept(loop_)).count();
            if count > 0 && kept < best.instances {
                complaints.push(format!(
                    "{name}: {kept} loops keep the limits in `best`, at least {} are expected",
                    best.instances
                ));
            }
        }
        complaints
    }

    /// Returns the error messages for the loops.
    pub(super) fn judge(&self, found: &[Found]) -> Vec<String> {
        let mut complaints = self.absent(found);
        complaints.extend(self.too_few(found));
        for (name, _) in self.0.iter().filter(|(_, limit)| limit.stack > 0 && limit.reason.is_empty()) {
            complaints.push(format!("{name}: its stack accesses need a reason"));
        }
        complaints.extend(calls_and_divisions(found));
        for loop_ in found {
            let name = name(loop_);
            let Some(limit) = self.0.get(&loop_.name()) else {
                complaints.push(format!("{name}: no limit is written for it"));
                continue;
            };
            complaints.extend(limit.missing(loop_).map(|missing| format!("{name}: {missing}")));
            let Work { units, interleaved_blocks } = loop_.work;
            let instructions = limit.instructions * units + limit.block_instructions * interleaved_blocks;
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
    use super::super::disassembly::parse;
    use super::super::kernels::find;
    use super::super::kernels::tests::{ENTRY, canned};
    use super::*;

    /// Returns the gate's errors for a loop.
    fn judge(limits: &Limits, body: &str) -> Vec<String> {
        limits.judge(&find(Architecture::X86_64, &parse(&canned(ENTRY, body)).unwrap()))
    }

    const LIMITS: &str = "[\"avx512 chacha20 vertical\"]\ninstances = 1\ninstructions = 98\nstack = 0\n\
                          has = \"vpaddd %zmm\"\n";

    fn limits(text: &str) -> Limits {
        toml::from_str(text).unwrap()
    }

    fn double_round(more: &str) -> String {
        let thirty_two = |line: &str| format!("{line}\n").repeat(32);
        let rounds = thirty_two("vpaddd %zmm0,%zmm1,%zmm1")
            + &thirty_two("vpxord %zmm1,%zmm2,%zmm2")
            + &thirty_two("vprold $0x10,%zmm2,%zmm2");
        format!("{rounds}{more}dec %eax\n")
    }

    #[test]
    fn what_is_wrong_with_a_loop_is_named() {
        for (body, expected) in [
            (double_round("").replace("%zmm", "%ymm"), "0 times vpaddd %zmm"),
            (double_round("call 2000 <f>\n"), "1 calls in the loop"),
            (double_round("div %rcx\n"), "1 divisions in the loop"),
            (double_round("vmovdqa64 %zmm3,0x40(%rsp)\n"), "1 stack accesses, at most 0"),
            (double_round("vpshufb %zmm4,%zmm3,%zmm3\n"), "99 instructions, at most 98"),
            // Lost inlining: the operations are calls, and no loop has the kernel's instructions.
            ("call 2000 <add>\ncall 2040 <xor>\ndec %eax\n".to_owned(), "no such loop"),
            ("vpmuludq %zmm0,%zmm1,%zmm2\n".repeat(20), "no limit is written"),
        ] {
            let complaints = judge(&limits(LIMITS), &body);
            assert!(complaints.iter().any(|complaint| complaint.contains(expected)), "{expected}: {complaints:?}");
        }
        assert!(judge(&limits(LIMITS), &double_round("")).is_empty());
        let complaints = limits(&LIMITS.replace("stack = 0", "stack = 20")).judge(&[]);
        assert!(complaints.iter().any(|c| c.contains("need a reason")), "{complaints:?}");
        let complaints = judge(&limits(&LIMITS.replace("instances = 1", "instances = 2")), &double_round(""));
        assert_eq!(complaints, ["avx512 chacha20 vertical: 1 such loops, at least 2 are expected"]);
        let with_best = |instructions| {
            limits(&format!("{LIMITS}best = {{ instances = 1, instructions = {instructions}, stack = 0 }}\n"))
        };
        assert!(judge(&with_best(98), &double_round("")).is_empty());
        let complaints = judge(&with_best(97), &double_round(""));
        assert_eq!(
            complaints,
            ["avx512 chacha20 vertical: 0 loops keep the limits in `best`, at least 1 are expected"]
        );
    }

    #[test]
    fn interleaved_blocks_have_a_limit_of_their_own() {
        let body = double_round(&"mulx %rax,%rbx,%rcx\n".repeat(8));
        for (block_instructions, complaints) in [(5, 0), (4, 0), (3, 1)] {
            let text =
                LIMITS.replace("chacha20", "interleaved") + &format!("block_instructions = {block_instructions}\n");
            assert_eq!(judge(&limits(&text), &body).len(), complaints, "{block_instructions}");
        }
    }
}
