//! Calls both copies of the library, and says whether they agree.
#![forbid(unsafe_code)]

use std::process::ExitCode;

use built_twice::Built;
use operations::Hash;

fn main() -> ExitCode {
    let mut results = Vec::new();
    for built in Built::available() {
        let mut hash = Hash { input: [7; 32], output: [0; 32] };
        built.haraka(&mut hash);
        println!("{} ({}): Haraka-256 is {:02x?}", built.name(), built.features(), hash.output);
        results.push(hash);
    }
    if results.len() < 2 {
        eprintln!("error: this CPU can run one of the copies only");
        return ExitCode::FAILURE;
    }
    if results[0] != results[1] {
        eprintln!("error: the copies disagree");
        return ExitCode::FAILURE;
    }
    println!("chosen: {}", Built::detect().name());
    ExitCode::SUCCESS
}
