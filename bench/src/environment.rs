//! Where figures were taken.

use std::time::Instant;

use serde::Serialize;

#[cfg(feature = "ipsec-mb")]
use crate::peers::ipsec_mb;
use crate::peers::libsodium;
use crate::peers::openssl_capabilities::Capabilities;

/// What figures depend on.
#[derive(Serialize)]
pub struct Environment {
    cpu: String,
    measured_ghz: f64,
    backend: &'static str,
    backends: Vec<&'static str>,
    peers: Vec<String>,
    notes: Vec<String>,
}

impl Environment {
    /// `notes`: what is known already.
    pub fn read(mut notes: Vec<String>) -> Self {
        let cpuinfo = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
        let cpu = cpuinfo.lines().find_map(|line| line.strip_prefix("model name")?.split_once(": "));
        let mut peers = vec![openssl::version::version().into(), format!("libsodium {}", libsodium::version())];
        #[cfg(feature = "ipsec-mb")]
        peers.push(format!("ipsec-mb {}", ipsec_mb::version()));
        peers.extend(crates());
        notes.extend(self::notes());
        Self {
            cpu: cpu.map_or_else(|| "unknown CPU".into(), |(_, name)| name.trim().into()),
            measured_ghz: measured_ghz(),
            backend: sealane::Backend::detect().name(),
            backends: sealane::Backend::available().map(sealane::Backend::name).collect(),
            peers,
            notes,
        }
    }

    pub fn print(&self) {
        println!("{} at {:.2} GHz (measured)", self.cpu, self.measured_ghz);
        println!("sealane chooses {}; backends: {}", self.backend, self.backends.join(", "));
        println!("peers: {}", self.peers.join(", "));
        for note in &self.notes {
            println!("note: {note}");
        }
    }
}

/// Names and versions of the peers' crates, as they were built.
fn crates() -> Vec<String> {
    const NAMES: [&str; 8] =
        ["ring", "aws-lc-rs", "aws-lc-sys", "graviola", "rscrypto", "chacha20", "chacha20poly1305", "poly1305"];
    let packages = include_str!("../Cargo.lock").split("[[package]]").filter_map(|package| {
        let field = |name: &str| package.lines().find_map(|line| line.strip_prefix(name)?.strip_suffix('"'));
        let (name, version) = (field("name = \"")?, field("version = \"")?);
        NAMES.contains(&name).then(|| format!("{name} {version}"))
    });
    packages.collect()
}

/// What this CPU makes of the rows and targets.
fn notes() -> Vec<String> {
    let mut notes = Vec::new();
    if let Some(found) = Capabilities::found()
        && Capabilities::forced().is_none()
    {
        let why = if found.avx512() { "OpenSSL uses AVX-512 by itself" } else { "this CPU has no AVX-512" };
        notes.push(format!("no row of OpenSSL forced: {why}; its targets are compared with OpenSSL as it is"));
    }
    if Capabilities::found().is_some() && Capabilities::without_avx().is_none() {
        notes.push("no row of OpenSSL without AVX: this CPU has none, OpenSSL as it is takes its place".into());
    }
    if !is_of_targets() {
        notes.push("the targets are for a CPU with AVX-512 and without IFMA, which this one is not".into());
    }
    if !graviola::util::is_cpu_supported() {
        notes.push("no row of graviola, which does not support this CPU".into());
    }
    notes.push("RustCrypto, portable: the older of its crates above, in which a feature chooses portable code".into());
    notes
}

/// Whether the targets are for this CPU.
fn is_of_targets() -> bool {
    #[cfg(target_arch = "x86_64")]
    return std::arch::is_x86_feature_detected!("avx512f") && !std::arch::is_x86_feature_detected!("avx512ifma");
    #[cfg(not(target_arch = "x86_64"))]
    return false;
}

/// Cycles for each nanosecond, from a chain of dependent operations that take one cycle each on every current CPU.
fn measured_ghz() -> f64 {
    const STEPS: u64 = 20_000_000;
    const CYCLES_PER_STEP: u64 = 2;
    let best = (0..5).map(|_| {
        let start = Instant::now();
        let mut x = std::hint::black_box(3_u64);
        for i in 0..STEPS {
            x = (x ^ i).rotate_left(7);
        }
        std::hint::black_box(x);
        start.elapsed().as_nanos() as f64
    });
    (STEPS * CYCLES_PER_STEP) as f64 / best.fold(f64::MAX, f64::min)
}
