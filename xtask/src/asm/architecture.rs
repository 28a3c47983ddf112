//! Classifies instructions of x86-64 (in AT&T syntax) and AArch64, as far as the assembly gate
//! needs it.

use super::disassembly::Instruction;

/// An architecture whose kernels are disassembled.
#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum)]
pub(crate) enum Architecture {
    #[value(name = "x86_64")]
    X86_64,
    #[value(name = "aarch64")]
    AArch64,
}

/// Kinds of instructions that identify a kernel. They are vector instructions unless the comment
/// says otherwise.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Operation {
    /// A sum of 32-bit lanes.
    AddWords,
    /// Moves words within a row of ChaCha's state.
    Columns,
    /// Products of 32 by 32 bits.
    WideProduct,
    /// Products of 52 by 52 bits and a sum.
    WideProductAndSum,
    /// Interleaves 64-bit lanes of two vectors, as in a transposition.
    Transpose,
    /// A lookup of bytes in a vector.
    Shuffle,
    Gf8Product,
    AesRound,
    CarrylessProduct,
    /// A product of 64 by 64 bits in general registers, or only its high half.
    Product,
    /// A rotation of a general register of 32 bits.
    RotateWord,
    /// Anything else.
    Other,
}

impl Architecture {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::X86_64 => "x86_64",
            Self::AArch64 => "aarch64",
        }
    }

    /// Returns the backend of a function. The symbol of a function that was compiled with a token's
    /// features names the token: the backend of
    /// `<sealane_simd::x86::avx2::Avx2 as sealane_simd::token::Token>::enter::entry::<…>` is AVX2.
    /// All other functions use only the baseline features. On AArch64, these include vectors.
    pub(super) fn backend(self, function: &str) -> String {
        let token = function.split_once(" as sealane_simd::token::Token>::enter::entry");
        match token.and_then(|(token, _)| token.rsplit("::").next()) {
            Some("NeonAes") => "neon-aes".to_owned(),
            Some(token) => token.to_lowercase(),
            None if self == Self::X86_64 => "scalar".to_owned(),
            None => "baseline".to_owned(),
        }
    }

    pub(super) fn operation(self, instruction: &Instruction) -> Operation {
        match self {
            Self::X86_64 => x86_64(&instruction.mnemonic),
            Self::AArch64 => aarch64(&instruction.mnemonic, &instruction.operands),
        }
    }

    pub(super) fn is_call(self, instruction: &Instruction) -> bool {
        match self {
            Self::X86_64 => instruction.mnemonic.starts_with("call"),
            Self::AArch64 => ["bl", "blr"].contains(&instruction.mnemonic.as_str()),
        }
    }

    /// Returns whether the instruction is a division or a square root. Its time may depend on its
    /// operands.
    pub(super) fn divides(self, instruction: &Instruction) -> bool {
        let mnemonic = instruction.mnemonic.trim_start_matches('v');
        ["div", "idiv", "udiv", "sdiv", "fdiv", "sqrt", "fsqrt"].iter().any(|name| mnemonic.starts_with(name))
    }

    /// Returns the target address of a direct jump.
    pub(super) fn jump_target(self, instruction: &Instruction) -> Option<u64> {
        let Instruction { mnemonic, operands, .. } = instruction;
        let is_jump = match self {
            Self::X86_64 => mnemonic.starts_with('j'),
            Self::AArch64 => {
                mnemonic == "b" || mnemonic.starts_with("b.") || ["cbz", "cbnz", "tbz", "tbnz"].contains(&&**mnemonic)
            }
        };
        // The last operand, before the symbol.
        let target = operands.split(" <").next()?.rsplit([',', ' ']).next()?;
        is_jump.then(|| u64::from_str_radix(target.trim_start_matches("0x"), 16).ok())?
    }

    /// Returns whether the instruction is a jump without a condition.
    pub(super) fn always_jumps(self, instruction: &Instruction) -> bool {
        match self {
            Self::X86_64 => instruction.mnemonic.starts_with("jmp"),
            Self::AArch64 => ["b", "br"].contains(&instruction.mnemonic.as_str()),
        }
    }

    /// Returns whether the instruction ends the program.
    pub(super) fn is_trap(self, instruction: &Instruction) -> bool {
        match self {
            Self::X86_64 => instruction.mnemonic.starts_with("ud"),
            Self::AArch64 => ["brk", "udf"].contains(&instruction.mnemonic.as_str()),
        }
    }

    /// Returns a loop as assembly code that llvm-mca accepts: jumps go to a label.
    pub(super) fn listing(self, body: &[Instruction]) -> String {
        let line = |instruction: &Instruction| {
            let operands = instruction.operands.split("# ").next().unwrap_or_default().trim_end();
            let operands = match (self.jump_target(instruction), operands.rsplit_once(", ")) {
                (None, _) => operands.to_owned(),
                (Some(_), Some((tested, _))) => format!("{tested}, .Lloop"),
                (Some(_), None) => ".Lloop".to_owned(),
            };
            format!("\t{} {operands}\n", instruction.mnemonic)
        };
        body.iter().map(line).collect()
    }

    /// Returns whether the instruction does nothing. Such instructions align loops, and some are
    /// inside an outer loop's body.
    pub(super) fn is_padding(self, instruction: &Instruction) -> bool {
        instruction.mnemonic.starts_with("nop") || instruction.mnemonic == "xchg" && instruction.operands == "%ax,%ax"
    }

    /// Returns whether the instruction sets the frame pointer. From then on, memory that it points
    /// to is on the stack.
    pub(super) fn sets_frame_pointer(self, instruction: &Instruction) -> bool {
        let Instruction { mnemonic, operands, .. } = instruction;
        match self {
            Self::X86_64 => mnemonic == "mov" && operands == "%rsp,%rbp",
            Self::AArch64 => ["mov", "add"].contains(&mnemonic.as_str()) && operands.starts_with("x29, sp"),
        }
    }

    /// Returns whether the instruction reads or writes the stack. Computing an address is no
    /// access.
    pub(super) fn accesses_stack(self, instruction: &Instruction, frame_pointer: bool) -> bool {
        let Instruction { mnemonic, operands, .. } = instruction;
        match self {
            Self::X86_64 => {
                !mnemonic.starts_with("lea")
                    && (operands.contains("(%rsp") || frame_pointer && operands.contains("(%rbp"))
                    || ["push", "pushq", "pop", "popq"].contains(&mnemonic.as_str())
            }
            Self::AArch64 => operands.contains("[sp") || frame_pointer && operands.contains("[x29"),
        }
    }

    /// Returns whether the instruction has an operand in a vector register.
    pub(super) fn uses_vector(self, instruction: &Instruction) -> bool {
        let operands = &instruction.operands;
        match self {
            Self::X86_64 => ["%xmm", "%ymm", "%zmm"].iter().any(|name| operands.contains(name)),
            Self::AArch64 => operands.split([' ', ',', '{', '[']).any(|word| {
                let number = word.strip_prefix(['v', 'q', 'd', 's']).unwrap_or_default();
                number.starts_with(|digit: char| digit.is_ascii_digit())
            }),
        }
    }

    /// Returns whether the instruction advances an address, or a length, by a block of 16 bytes.
    pub(super) fn steps_by_block(self, instruction: &Instruction) -> bool {
        let Instruction { mnemonic, operands, .. } = instruction;
        match self {
            Self::X86_64 => {
                let immediate = operands.split(',').next().unwrap_or_default();
                let by_16 = ["$0x10", "$0xfffffffffffffff0", "$0xf0"].contains(&immediate);
                ["add", "sub", "addq", "subq"].contains(&mnemonic.as_str()) && by_16
                    || mnemonic.starts_with("lea") && operands.starts_with("0x10(")
            }
            Self::AArch64 => {
                ["add", "sub", "subs"].contains(&mnemonic.as_str()) && operands.ends_with(", #0x10")
                    || operands.ends_with("], #16")
            }
        }
    }
}

fn x86_64(mnemonic: &str) -> Operation {
    // AVX's mnemonics have a leading `v`.
    match mnemonic.strip_prefix('v').unwrap_or(mnemonic) {
        "paddd" => Operation::AddWords,
        // Beside assembly, LLVM swaps the halves of rows with `vshufpd`.
        "pshufd" | "shufpd" => Operation::Columns,
        "pmuludq" => Operation::WideProduct,
        "pmadd52luq" | "pmadd52huq" => Operation::WideProductAndSum,
        "punpcklqdq" | "punpckhqdq" | "unpcklpd" | "unpckhpd" => Operation::Transpose,
        "pshufb" => Operation::Shuffle,
        "gf2p8mulb" | "gf2p8affineqb" => Operation::Gf8Product,
        "aesenc" | "aesenclast" => Operation::AesRound,
        "mul" | "mulq" | "mulx" => Operation::Product,
        "rol" | "roll" | "ror" | "rorl" | "rorx" => Operation::RotateWord,
        name if name.starts_with("pclmul") => Operation::CarrylessProduct,
        _ => Operation::Other,
    }
}

fn aarch64(mnemonic: &str, operands: &str) -> Operation {
    match mnemonic {
        "add" if operands.contains(".4s") => Operation::AddWords,
        "ext" => Operation::Columns,
        "umull" | "umull2" | "umlal" | "umlal2" if operands.contains(".2d") => Operation::WideProduct,
        "zip1" | "zip2" | "trn1" | "trn2" if operands.contains(".2d") => Operation::Transpose,
        "tbl" => Operation::Shuffle,
        "aese" => Operation::AesRound,
        "pmull" | "pmull2" if operands.contains(".1q") => Operation::CarrylessProduct,
        "umulh" => Operation::Product,
        "ror" if operands.starts_with('w') => Operation::RotateWord,
        _ => Operation::Other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn instruction(line: &str) -> Instruction {
        let (mnemonic, operands) = line.split_once(' ').unwrap_or((line, ""));
        Instruction { address: 0, mnemonic: mnemonic.to_owned(), operands: operands.to_owned() }
    }

    #[test]
    fn arm_code_is_understood() {
        let arm = Architecture::AArch64;
        for (line, operation) in [
            ("add v0.4s, v1.4s, v2.4s", Operation::AddWords),
            ("add x0, x0, #0x10", Operation::Other),
            ("umlal2 v0.2d, v1.4s, v2.s[1]", Operation::WideProduct),
            ("umull v0.8h, v1.8b, v2.8b", Operation::Other),
            ("pmull2 v0.1q, v1.2d, v2.2d", Operation::CarrylessProduct),
            ("pmull v0.8h, v1.8b, v2.8b", Operation::Other),
            ("ror w1, w2, #16", Operation::RotateWord),
        ] {
            assert_eq!(arm.operation(&instruction(line)), operation, "{line}");
        }
        let jumps = [
            ("b.ne 12a40 <f+0x20>  // b.any", Some(0x12a40)),
            ("cbnz x8, 1000 <f>", Some(0x1000)),
            ("tbnz w0, #31, 1004 <f+0x4>", Some(0x1004)),
            ("b 1000 <f>", Some(0x1000)),
            ("bl 1000 <f>", None),
            ("bic x0, x1, x2", None),
        ];
        for (line, target) in jumps {
            assert_eq!(arm.jump_target(&instruction(line)), target, "{line}");
        }
        for (line, expected) in [
            ("bl 4984 <f>", "call"),
            ("blr x8", "call"),
            ("b.lt 1000 <f>", ""),
            ("ldp q0, q1, [sp, #32]", "stack vector"),
            ("add x0, sp, #0x20", ""),
            ("stur q0, [x29, #-16]", "stack vector"),
            ("ldr q0, [x1]", "vector"),
            ("fmov d1, x2", "vector"),
            ("ld1 {v0.16b, v1.16b}, [x0]", "vector"),
            ("ldp x8, x9, [x1], #16", "block"),
            ("subs x2, x2, #0x10", "block"),
            ("ldr x8, [x1, #16]", ""),
            ("add x29, sp, #0x40", "frame"),
        ] {
            let code = instruction(line);
            let found = [
                ("call", arm.is_call(&code)),
                ("stack", arm.accesses_stack(&code, true)),
                ("vector", arm.uses_vector(&code)),
                ("block", arm.steps_by_block(&code)),
                ("frame", arm.sets_frame_pointer(&code)),
            ];
            let found: Vec<_> = found.iter().filter(|(_, is)| *is).map(|(name, _)| *name).collect();
            assert_eq!(found.join(" "), expected, "{line}");
        }
        assert!(!arm.accesses_stack(&instruction("stur q0, [x29, #-16]"), false));
    }
}
