//! The effects of instructions, as far as the gate needs them, on x86-64 (in AT&T's syntax) and
//! AArch64.

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
    /// Distributes 64-bit lanes of two vectors to another vector.
    Transpose,
    /// A mask.
    And,
    /// A lookup of bytes.
    Shuffle,
    /// A product in GF(2^8).
    Gf8Product,
    /// A round of AES.
    AesRound,
    /// A carry-less product.
    CarrylessProduct,
    /// The high half of a product of 64 by 64 bits, in general registers.
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

    /// The name for functions without a token: portable code, and also the vector code if every CPU
    /// of the architecture has vectors.
    pub(super) fn baseline(self) -> &'static str {
        match self {
            Self::X86_64 => "scalar",
            Self::AArch64 => "baseline",
        }
    }

    /// The tokens, as they appear in the symbols of functions that are compiled with their
    /// features.
    pub(super) fn backends(self) -> &'static [(&'static str, &'static str)] {
        match self {
            Self::X86_64 => &[
                ("::Ssse3 as ", "ssse3"),
                ("::Avx2 as ", "avx2"),
                ("::Avx512 as ", "avx512"),
                ("::Avx512Ifma as ", "avx512ifma"),
                ("::Gfni as ", "gfni"),
                ("::Gfni512 as ", "gfni512"),
                ("::AesNi as ", "aesni"),
                ("::Vaes as ", "vaes"),
                ("::Vaes512 as ", "vaes512"),
                ("::Pclmulqdq as ", "pclmulqdq"),
                ("::Vpclmulqdq as ", "vpclmulqdq"),
                ("::Vpclmulqdq512 as ", "vpclmulqdq512"),
            ],
            Self::AArch64 => &[
                ("::Scalar as ", "scalar"),
                ("::Neon as ", "neon"),
                ("::NeonAes as ", "neon-aes"),
                ("::Pmull as ", "pmull"),
            ],
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

    /// Returns whether the instruction is a no-operation. They align loops, and some are inside an
    /// outer loop's body.
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

    /// Returns whether the instruction moves an address, or a length, by a block of 16 bytes.
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

/// Returns the mnemonic of the legacy form, without AVX's leading `v`.
fn without_v(mnemonic: &str) -> &str {
    mnemonic.strip_prefix('v').unwrap_or(mnemonic)
}

fn x86_64(mnemonic: &str) -> Operation {
    match without_v(mnemonic) {
        "paddd" => Operation::AddWords,
        "pshufd" => Operation::Columns,
        "pmuludq" => Operation::WideProduct,
        "pmadd52luq" | "pmadd52huq" => Operation::WideProductAndSum,
        "punpcklqdq" | "punpckhqdq" => Operation::Transpose,
        "pandq" => Operation::And,
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
        let operation = |line| arm.operation(&instruction(line));
        assert_eq!(operation("add v0.4s, v1.4s, v2.4s"), Operation::AddWords);
        assert_eq!(operation("add x0, x0, #0x10"), Operation::Other);
        assert_eq!(operation("umlal2 v0.2d, v1.4s, v2.s[1]"), Operation::WideProduct);
        assert_eq!(operation("umull v0.8h, v1.8b, v2.8b"), Operation::Other);
        assert_eq!(operation("pmull2 v0.1q, v1.2d, v2.2d"), Operation::CarrylessProduct);
        assert_eq!(operation("pmull v0.8h, v1.8b, v2.8b"), Operation::Other);
        assert_eq!(operation("ror w1, w2, #16"), Operation::RotateWord);
        for (line, target) in [
            ("b.ne 12a40 <f+0x20>  // b.any", Some(0x12a40)),
            ("cbnz x8, 1000 <f>", Some(0x1000)),
            ("tbnz w0, #31, 1004 <f+0x4>", Some(0x1004)),
            ("b 1000 <f>", Some(0x1000)),
            ("bl 1000 <f>", None),
            ("bic x0, x1, x2", None),
        ] {
            assert_eq!(arm.jump_target(&instruction(line)), target, "{line}");
        }
        assert!(arm.is_call(&instruction("bl 4984 <_RINvNtCs6Hz1_4core9panicking13assert_failedjjEB4_>")));
        assert!(arm.is_call(&instruction("blr x8")) && !arm.is_call(&instruction("b.lt 1000 <f>")));
        assert!(arm.accesses_stack(&instruction("ldp q0, q1, [sp, #32]"), false));
        assert!(!arm.accesses_stack(&instruction("add x0, sp, #0x20"), true));
        assert!(arm.accesses_stack(&instruction("stur q0, [x29, #-16]"), true));
        assert!(arm.sets_frame_pointer(&instruction("add x29, sp, #0x40")));
        for (line, uses) in [
            ("ldr q0, [x1]", true),
            ("fmov d1, x2", true),
            ("ld1 {v0.16b, v1.16b}, [x0]", true),
            ("ldp x8, x9, [x1], #16", false),
            ("ror w1, w2, #16", false),
            ("mov x0, sp", false),
        ] {
            assert_eq!(arm.uses_vector(&instruction(line)), uses, "{line}");
        }
        assert!(arm.steps_by_block(&instruction("ldp x8, x9, [x1], #16")));
        assert!(arm.steps_by_block(&instruction("subs x2, x2, #0x10")));
        assert!(!arm.steps_by_block(&instruction("ldr x8, [x1, #16]")));
    }
}
