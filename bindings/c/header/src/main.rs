//! Generates `include/sealane.h` from the source of the library, or with `--check` fails if the
//! file is out of date: `cargo run -p sealane-c-header [-- --check]`.

use std::path::Path;
use std::process::ExitCode;

fn main() -> ExitCode {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("a folder within the workspace");
    let config = cbindgen::Config::from_file(root.join("header/cbindgen.toml")).expect("a valid configuration");
    let bindings = cbindgen::Builder::new().with_config(config).with_src(root.join("src/lib.rs")).generate();
    let mut generated = Vec::new();
    bindings.expect("source that can be translated").write(&mut generated);
    let file = root.join("include/sealane.h");
    if !std::env::args().any(|argument| argument == "--check") {
        std::fs::write(&file, generated).expect("a header that can be written");
    } else if std::fs::read(&file).expect("a header") != generated {
        eprintln!("{} is out of date: run `cargo run -p sealane-c-header`", file.display());
        return ExitCode::FAILURE;
    }
    ExitCode::SUCCESS
}
