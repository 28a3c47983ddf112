//! The machine and the versions that figures depend on.

use sealane_measure::{clock_ghz, median};
use sealane_simd::CpuClass;
use serde::Serialize;

#[cfg(feature = "ipsec-mb")]
use crate::peers::ipsec_mb;
use crate::peers::libsodium;
use crate::peers::openssl_capabilities::{self, Capabilities};
use crate::verdict::class_of_targets;

/// The machine, and the versions of the peers.
#[derive(Serialize)]
pub struct Environment {
    cpu: String,
    measured_ghz: f64,
    class: &'static str,
    backend: &'static str,
    backends: Vec<&'static str>,
    peers: Vec<String>,
    notes: Vec<String>,
}

impl Environment {
    /// Describes this machine, and adds notes about it to `notes`.
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
            measured_ghz: median(&[(); 101].map(|()| clock_ghz())),
            class: CpuClass::detect().name(),
            backend: sealane::Backend::detect().name(),
            backends: sealane::Backend::available().map(sealane::Backend::name).collect(),
            peers,
            notes,
        }
    }

    pub fn print(&self) {
        println!("{} at {:.2} GHz (measured), class {}", self.cpu, self.measured_ghz, self.class);
        println!("sealane chooses {}; backends: {}", self.backend, self.backends.join(", "));
        println!("peers: {}", self.peers.join(", "));
        for note in &self.notes {
            println!("note: {note}");
        }
    }
}

/// Returns the names and versions of the peers' crates, from the lock file.
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

/// Returns notes about the rows and targets that are left out on this machine, and about the
/// version of RustCrypto that runs as portable code.
fn notes() -> Vec<String> {
    let mut notes = Vec::new();
    if let Some(found) = Capabilities::found()
        && Capabilities::forced().is_none()
    {
        let why = match (found.avx512(), openssl_capabilities::is_held()) {
            (true, _) => "OpenSSL uses AVX-512 by itself",
            (false, true) => "OPENSSL_ia32cap hides AVX-512",
            (false, false) => "this CPU has no AVX-512",
        };
        notes.push(format!(
            "no row \"OpenSSL forced\", because {why}. Its targets are compared with the row \"OpenSSL\""
        ));
    }
    if Capabilities::found().is_some_and(|found| !found.avx512()) {
        notes.push("no row \"OpenSSL without AVX-512\": see the row \"OpenSSL\"".into());
    }
    if Capabilities::found().is_some() && Capabilities::without_avx().is_none() {
        notes.push("no row \"OpenSSL without AVX\", because OpenSSL finds no AVX: see the row \"OpenSSL\"".into());
    }
    if class_of_targets().is_none() {
        notes.push("no targets for the chosen backend: it does not use AVX-512".into());
    }
    if !graviola::util::is_cpu_supported() {
        notes.push("no row of graviola, which does not support this CPU".into());
    }
    notes.push(
        "\"RustCrypto, portable\" is the older version above: only there can a feature choose portable code".into(),
    );
    notes
}
