//! Parses the output of `objdump --disassemble`.

use std::collections::HashMap;

use anyhow::{Result, ensure};

/// A function's machine code.
pub(super) struct Function {
    /// The demangled name.
    pub(super) name: String,
    pub(super) instructions: Vec<Instruction>,
}

/// One instruction.
pub(super) struct Instruction {
    pub(super) address: u64,
    /// The mnemonic without prefixes such as `rep`.
    pub(super) mnemonic: String,
    pub(super) operands: String,
}

/// Returns the functions of a disassembly, in order.
pub(super) fn parse(text: &str) -> Result<Vec<Function>> {
    let mut functions: Vec<Function> = Vec::new();
    for line in text.lines() {
        if let Some(symbol) = symbol(line) {
            // The alternate form omits hashes.
            let name = format!("{:#}", rustc_demangle::demangle(symbol));
            functions.push(Function { name, instructions: Vec::new() });
        } else if let (Some(instruction), Some(function)) = (instruction(line), functions.last_mut()) {
            function.instructions.push(instruction);
        }
    }
    ensure!(!functions.is_empty(), "the disassembly holds no function: is the program stripped?");
    Ok(functions)
}

/// In operands that refer to a relocated pointer, replaces the pointer's address with the address
/// it holds. Calls into other crates go through such pointers. `relocations` is the output of
/// `objdump --dynamic-reloc`.
pub(super) fn resolve_pointers(functions: &mut [Function], relocations: &str) {
    let pointers: HashMap<u64, u64> = relocations.lines().filter_map(pointer).collect();
    for instruction in functions.iter_mut().flat_map(|function| &mut function.instructions) {
        // `*0x474aa(%rip)        # 254220 <_DYNAMIC+0x9a0>`
        let Some((operand, place)) = instruction.operands.split_once("# ") else { continue };
        let place = place.split(' ').next().and_then(|address| u64::from_str_radix(address, 16).ok());
        if let Some(target) = place.and_then(|place| pointers.get(&place)) {
            instruction.operands = format!("{operand}# {target:x} <pointer>");
        }
    }
}

/// Parses `0000000000254220 R_X86_64_RELATIVE  *ABS*+0x000000000017a2b0`
fn pointer(line: &str) -> Option<(u64, u64)> {
    let mut words = line.split_whitespace();
    let place = u64::from_str_radix(words.next()?, 16).ok()?;
    let target = words.nth(1)?.strip_prefix("*ABS*+0x")?;
    Some((place, u64::from_str_radix(target, 16).ok()?))
}

/// Parses `0000000000012340 <_RNv…>:`.
fn symbol(line: &str) -> Option<&str> {
    let (address, rest) = line.split_once(" <")?;
    u64::from_str_radix(address, 16).ok()?;
    rest.strip_suffix(">:")
}

/// Parses `   12340:<tab>vpaddd %zmm1,%zmm2,%zmm3`, or with a tab in place of the space.
fn instruction(line: &str) -> Option<Instruction> {
    let (address, code) = line.split_once(":\t")?;
    let address = u64::from_str_radix(address.trim(), 16).ok()?;
    let mut words = code.trim().splitn(2, [' ', '\t']);
    let mut mnemonic = words.next()?;
    let mut operands = words.next().unwrap_or_default().trim();
    while ["rep", "repz", "repnz", "lock", "notrack", "bnd", "data16", "cs"].contains(&mnemonic) && !operands.is_empty()
    {
        let mut words = operands.splitn(2, ' ');
        mnemonic = words.next()?;
        operands = words.next().unwrap_or_default().trim();
    }
    let operands = operands.split("\t//").next().unwrap_or_default().trim_end();
    Some(Instruction { address, mnemonic: mnemonic.to_owned(), operands: operands.to_owned() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_functions_and_instructions() {
        let text = "\nprobe:     file format elf64-x86-64\n\nDisassembly of section .text:\n\n\
                    0000000000001000 <_RNvCs_5crate4main>:\n    1000:\tvpaddd %zmm1,%zmm2,%zmm3\n    \
                    1006:\tcs nopw 0x0(%rax,%rax,1)\n    100a:\tb.ne\t1000 <f>  // b.any\n    \
                    100c:\tmov\tw0, #0x1\t// #1\n";
        let functions = parse(text).unwrap();
        let code = functions.iter().flat_map(|function| &function.instructions);
        let code: Vec<_> = code.map(|i| (i.address, &*i.mnemonic, &*i.operands)).collect();
        let expected = [
            (0x1000, "vpaddd", "%zmm1,%zmm2,%zmm3"),
            (0x1006, "nopw", "0x0(%rax,%rax,1)"),
            (0x100a, "b.ne", "1000 <f>  // b.any"),
            (0x100c, "mov", "w0, #0x1"),
        ];
        assert_eq!((functions.len(), code), (1, expected.to_vec()));
    }

    #[test]
    fn pointers_are_replaced_by_their_targets() {
        let text = "0000000000001000 <f>:\n    1000:\tcall   *0x40(%rip)        # 2000 <_DYNAMIC+0x9>\n";
        let mut functions = parse(text).unwrap();
        let relocations = "OFFSET TYPE VALUE\n0000000000002000 R_X86_64_RELATIVE  *ABS*+0x0000000000003000\n";
        resolve_pointers(&mut functions, relocations);
        assert_eq!(functions[0].instructions[0].operands, "*0x40(%rip)        # 3000 <pointer>");
    }

    #[test]
    fn a_stripped_program_is_an_error() {
        assert!(parse("probe:     file format elf64-x86-64\n").is_err());
    }
}
