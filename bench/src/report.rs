//! Where the figures were taken, and the tables.

use std::time::Instant;

use serde::Serialize;

use crate::harness::{RowResult, SuiteResult};

/// What the figures depend on.
#[derive(Serialize)]
pub struct Environment {
    cpu: String,
    measured_ghz: f64,
    backend: &'static str,
    peers: Vec<String>,
}

impl Environment {
    pub fn read() -> Self {
        let cpuinfo = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
        let cpu = cpuinfo.lines().find_map(|line| line.strip_prefix("model name")?.split_once(": "));
        let peers = include_str!("../Cargo.lock").split("[[package]]").filter_map(|package| {
            let field = |name: &str| package.lines().find_map(|line| line.strip_prefix(name)?.strip_suffix('"'));
            let (name, version) = (field("name = \"")?, field("version = \"")?);
            ["openssl-src", "ring", "aws-lc-rs", "chacha20", "chacha20poly1305", "poly1305"]
                .contains(&name)
                .then(|| format!("{name} {version}"))
        });
        Self {
            cpu: cpu.map_or_else(|| "unknown CPU".into(), |(_, name)| name.trim().into()),
            measured_ghz: measured_ghz(),
            backend: sealane::Backend::detect().name(),
            peers: peers.collect(),
        }
    }

    pub fn print(&self) {
        println!("{} at {:.2} GHz, backend {}", self.cpu, self.measured_ghz, self.backend);
        println!("OpenSSL: {}; crates: {}", openssl::version::version(), self.peers.join(", "));
        if let Ok(mask) = std::env::var("OPENSSL_ia32cap") {
            println!("OPENSSL_ia32cap={mask}");
        }
    }
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

/// Throughput of each row and size, then our ratio to the best peer of each size, from medians.
pub fn print(result: &SuiteResult) {
    println!("\n{}: GB/s (ns up to 64 bytes), median", result.name);
    print!("{:28}", "");
    for size in &result.sizes {
        print!("{size:>9}");
    }
    println!();
    for row in &result.rows {
        print!("{:28}", row.name);
        for (time, &size) in row.times.iter().zip(&result.sizes) {
            if size <= 64 {
                print!("{:6.0} ns", time.median_ns);
            } else {
                print!("{:9.2}", size as f64 / time.median_ns);
            }
        }
        println!();
    }
    let peers: Vec<&RowResult> = result.rows.iter().filter(|row| !row.ours).collect();
    for ours in result.rows.iter().filter(|row| row.ours) {
        for peer in &peers {
            print!("{:28}", format!("  x {}", short(&peer.name)));
            for i in 0..result.sizes.len() {
                print!("{:9.2}", peer.times[i].median_ns / ours.times[i].median_ns);
            }
            println!("  {}", ours.name);
        }
    }
}

/// A name without what stands in parentheses.
fn short(name: &str) -> &str {
    if name.len() <= 24 { name } else { name.split(" (").next().unwrap_or(name) }
}

pub fn print_json(environment: &Environment, results: &[SuiteResult]) {
    #[derive(Serialize)]
    struct Document<'a> {
        environment: &'a Environment,
        results: &'a [SuiteResult],
    }
    let document = Document { environment, results };
    println!("{}", serde_json::to_string_pretty(&document).expect("figures are plain data"));
}
