//! Compiles the C++ that calls NTL, with the feature `ntl`, and the C that calls ipsec-mb, with the
//! feature `ipsec-mb`.

fn main() {
    println!("cargo::rerun-if-changed=src/peers/ntl.cpp");
    #[cfg(feature = "ntl")]
    ntl();
    println!("cargo::rerun-if-changed=src/peers/ipsec_mb.c");
    #[cfg(feature = "ipsec-mb")]
    ipsec_mb();
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

#[cfg(feature = "ipsec-mb")]
fn ipsec_mb() {
    let mut build = cc::Build::new();
    build.std("c11").opt_level(3).flag("-Wall").flag("-Wextra").file("src/peers/ipsec_mb.c");
    if let Err(error) = build.try_compile("sealane_bench_ipsec_mb") {
        panic!("the feature `ipsec-mb` needs the library (Debian: apt install libipsec-mb-dev): {error}");
    }
    println!("cargo::rustc-link-lib=IPSec_MB");
}
