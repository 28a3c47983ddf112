//! Compiles the C++ that calls NTL, with the feature `ntl`.

fn main() {
    println!("cargo::rerun-if-changed=src/peers/ntl.cpp");
    #[cfg(feature = "ntl")]
    ntl();
}

#[cfg(feature = "ntl")]
fn ntl() {
    let mut build = cc::Build::new();
    build.cpp(true).std("c++17").opt_level(3).flag("-Wall").flag("-Wextra").file("src/peers/ntl.cpp");
    if let Err(error) = build.try_compile("sealane_bench_ntl") {
        panic!("the feature `ntl` needs a C++ compiler and NTL (Debian: apt install g++ libntl-dev): {error}");
    }
    println!("cargo::rustc-link-lib=ntl");
}
