//! Finds innermost loops, and counts their instructions.

use super::architecture::{Architecture, Operation};
use super::disassembly::{Function, Instruction};

/// The values that the gate limits in a loop's body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Count {
    pub(super) instructions: usize,
    pub(super) calls: usize,
    pub(super) divisions: usize,
    /// Instructions with an operand on the stack, usually spilled registers.
    pub(super) stack: usize,
}

impl Count {
    pub(super) fn of(architecture: Architecture, body: &[Instruction], frame_pointer: bool) -> Self {
        let count = |is: &dyn Fn(&Instruction) -> bool| body.iter().filter(|instruction| is(instruction)).count();
        Self {
            instructions: count(&|instruction| !architecture.is_padding(instruction)),
            calls: count(&|instruction| architecture.is_call(instruction)),
            divisions: count(&|instruction| architecture.divides(instruction)),
            stack: count(&|instruction| architecture.accesses_stack(instruction, frame_pointer)),
        }
    }
}

/// A loop, and what is known about its function.
pub(super) struct Code<'a> {
    pub(super) architecture: Architecture,
    pub(super) backend: &'a str,
    /// Whether the loop is in a function that authenticates single messages.
    pub(super) one_message: bool,
    pub(super) body: &'a [Instruction],
}

impl Code<'_> {
    /// Returns the number of instructions of these kinds.
    pub(super) fn count(&self, operations: &[Operation]) -> usize {
        let matches = |instruction: &&Instruction| operations.contains(&self.architecture.operation(instruction));
        self.body.iter().filter(matches).count()
    }

    pub(super) fn any(&self, is: impl Fn(Architecture, &Instruction) -> bool) -> bool {
        self.body.iter().any(|instruction| is(self.architecture, instruction))
    }
}

/// Returns whether the function has a frame pointer. Memory that this register points to is on the
/// stack too.
pub(super) fn has_frame_pointer(architecture: Architecture, function: &Function) -> bool {
    function.instructions.iter().take(16).any(|instruction| architecture.sets_frame_pointer(instruction))
}

/// Returns the bodies of the innermost loops: from the target of a backward jump to the last jump
/// to it.
///
/// The compiler may lay out a loop with a branch so that two of its parts jump back to two heads.
/// Two ranges that overlap are therefore one loop, unless one contains the other. The compiler may
/// also put a rarely used part of a function behind the return, and let it jump back. Such a jump
/// closes a loop only if a path leads from its target to the jump again.
pub(super) fn innermost(architecture: Architecture, function: &Function) -> Vec<&[Instruction]> {
    let code = &function.instructions;
    let mut ranges: Vec<(usize, usize)> = Vec::new();
    for (end, instruction) in code.iter().enumerate() {
        let Some(target) = architecture.jump_target(instruction) else { continue };
        let Ok(start) = code[..=end].binary_search_by_key(&target, |instruction| instruction.address) else { continue };
        let returns = code[start..=end].iter().any(is_return);
        if returns && !is_reached(architecture, code, start, end) {
            continue;
        }
        match ranges.iter_mut().find(|(other, _)| *other == start) {
            Some((_, last)) => *last = end,
            None => ranges.push((start, end)),
        }
    }
    let holds =
        |outer: &(usize, usize), inner: &(usize, usize)| outer != inner && outer.0 <= inner.0 && inner.1 <= outer.1;
    let mut innermost: Vec<_> =
        ranges.iter().filter(|range| !ranges.iter().any(|other| holds(range, other))).copied().collect();
    innermost.sort_unstable();
    // No range contains another, so the ends are in order too.
    innermost.dedup_by(|later, earlier| {
        let one = later.0 <= earlier.1;
        if one {
            earlier.1 = later.1;
        }
        one
    });
    innermost.into_iter().map(|(start, end)| &code[start..=end]).collect()
}

fn is_return(instruction: &Instruction) -> bool {
    instruction.mnemonic == "ret"
}

/// Returns whether a path leads from the instruction at index `from` to the one at index `to`.
fn is_reached(architecture: Architecture, code: &[Instruction], from: usize, to: usize) -> bool {
    let mut seen = vec![false; code.len()];
    let mut open = vec![from];
    while let Some(place) = open.pop() {
        if place == to {
            return true;
        }
        if std::mem::replace(&mut seen[place], true) {
            continue;
        }
        let instruction = &code[place];
        let target = architecture.jump_target(instruction);
        let jumps = architecture.always_jumps(instruction);
        // A jump through a register may lead anywhere.
        if jumps && target.is_none() {
            return true;
        }
        let index = |address| code.binary_search_by_key(&address, |instruction| instruction.address).ok();
        open.extend(target.and_then(index));
        let continues = !jumps && !is_return(instruction) && !architecture.is_trap(instruction);
        open.extend((continues && place + 1 < code.len()).then_some(place + 1));
    }
    false
}

#[cfg(test)]
mod tests {
    use super::super::disassembly::parse;
    use super::*;
    use Architecture::X86_64;

    fn function(code: &str) -> Function {
        let text = format!("0000000000001000 <f>:\n{code}");
        parse(&text).unwrap().remove(0)
    }

    #[test]
    fn finds_the_inner_loop_and_counts_in_it() {
        let f = function(
            "1000:\tpush %rbp\n1001:\tmov %rsp,%rbp\n1004:\tmov (%rsp),%rax\n1008:\tvpaddd 0x20(%rsp),%ymm0,%ymm1\n\
             1010:\tvmovdqa %ymm1,-0x40(%rbp)\n1018:\tcall 2000 <g>\n101d:\tlea 0x8(%rsp),%rdx\n1020:\tnopw 0x0(%rax)\n\
             1022:\tdec %ecx\n1024:\tjne 1008 <f+0x8>\n1026:\tdec %esi\n1028:\tjne 1004 <f+0x4>\n102a:\tret\n",
        );
        assert!(has_frame_pointer(X86_64, &f));
        let loops = innermost(X86_64, &f);
        assert_eq!(loops.len(), 1);
        assert_eq!(Count::of(X86_64, loops[0], true), Count { instructions: 6, calls: 1, divisions: 0, stack: 2 });
        assert_eq!(Count::of(X86_64, loops[0], false).stack, 1);
    }

    #[test]
    fn backward_jumps_that_close_one_loop_give_one_body() {
        for (code, expected) in [
            // Two jumps to one head.
            ("1000:\tdec %ecx\n1002:\tje 1000 <f>\n1004:\tdec %edx\n1006:\tjne 1000 <f>\n1008:\tret\n", Some(4)),
            // Two heads: the second part is skipped when there is no work for it.
            (
                "1000:\txor %eax,%eax\n1002:\tpaddd %xmm0,%xmm1\n1006:\tdec %ecx\n1008:\tje 1014 <f+0x14>\n\
                 100a:\ttest %rax,%rax\n100c:\tje 1000 <f>\n100e:\tmul %rbx\n1010:\tjmp 1002 <f+0x2>\n1014:\tret\n",
                Some(8),
            ),
            // A rare part behind the return, and one that the loop jumps to.
            ("1000:\tje 1006 <f+0x6>\n1002:\tdec %edx\n1004:\tret\n1006:\tjmp 1002 <f+0x2>\n", None),
            ("1000:\tdec %edx\n1002:\tje 1006 <f+0x6>\n1004:\tret\n1006:\tjmp 1000 <f>\n", Some(4)),
            // The loop jumps to a part behind a second return, which jumps to the part that leads
            // back.
            (
                "1000:\tdec %edx\n1002:\tje 100c <f+0xc>\n1004:\tret\n1006:\tjmp 1000 <f>\n\
                 100a:\tret\n100c:\tmul %rbx\n100e:\tjmp 1006 <f+0x6>\n",
                Some(7),
            ),
            // A jump through a register may lead to the part behind the return; a trap does not.
            ("1000:\tdec %edx\n1002:\tjmp *%rax\n1004:\tret\n1006:\tjmp 1000 <f>\n", Some(4)),
            ("1000:\tdec %edx\n1002:\tud2\n1004:\tret\n1006:\tjmp 1000 <f>\n", None),
            // No jump back.
            ("1000:\tje 1004 <f+0x4>\n1002:\tdec %edx\n1004:\tjmp 2000 <g>\n", None),
        ] {
            let function = function(code);
            let lengths: Vec<_> = innermost(X86_64, &function).iter().map(|body| body.len()).collect();
            assert_eq!(lengths, expected.into_iter().collect::<Vec<_>>(), "{code}");
        }
    }
}
