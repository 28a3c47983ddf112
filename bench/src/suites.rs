//! Adds the rows of the peers to the benchmarks in the table of `sealane_workloads`.

use sealane_workloads::{Benchmark, Code, Size};

use crate::aead::{self, Direction};
use crate::args::{Args, contains};
use crate::harness::Suite;
use crate::row::{self, Owner, Row};
use crate::timed::Peers;
use crate::{chacha20, element, gf2n, gf8, haraka, pieces, poly1305, setup, shamir};

/// Returns the suites on messages that the filter selects, with all rows.
pub fn of_messages(args: &Args) -> Vec<Suite> {
    Benchmark::all().filter(|(_, benchmark)| args.selects(benchmark)).filter_map(|(_, its)| suite(its)).collect()
}

fn suite(benchmark: &'static Benchmark) -> Option<Suite> {
    let Code::Messages { work, batch, seal, processing } = benchmark.code else { return None };
    let mut rows = row::of_sealane(processing);
    rows.extend(match benchmark.name {
        "chacha20" => chacha20::peers(),
        "poly1305" => poly1305::peers(),
        "chacha20poly1305-seal" => aead::peers(Direction::Seal).into_iter().chain([aead::gcm()]).collect(),
        "chacha20poly1305-open" => aead::peers(Direction::Open),
        "chacha20poly1305-seal-batch" => aead::batch_peers(Direction::Seal),
        "chacha20poly1305-open-batch" => aead::batch_peers(Direction::Open),
        // No peer yet.
        _ => Vec::new(),
    });
    let sizes = benchmark.sizes.iter().map(|size| size.length()).collect();
    Some(Suite { seal, batch, sizes, ..Suite::new(benchmark.name, work, rows) })
}

/// Returns the suite of that name, for tests.
#[cfg(test)]
pub fn named(name: &str) -> Suite {
    Benchmark::all().filter(|(_, benchmark)| benchmark.name == name).find_map(|(_, its)| suite(its)).expect("a suite")
}

/// Returns the selected suites on messages, and the suite `setup`, each with the selected rows.
///
/// # Errors
/// If the filter matches no benchmark, no selected benchmark has a named backend, or no peer in
/// these suites has a given name. Benchmarks with inputs of their own check no names of peers.
pub fn selected(args: &Args) -> Result<Vec<Suite>, String> {
    for name in args.backend.iter().flatten() {
        if !Benchmark::all().any(|(family, its)| args.selects(its) && family.available().contains(&name.as_str())) {
            return Err(format!("backend {name}: no selected benchmark can use it on this CPU"));
        }
    }
    let mut suites = of_messages(args);
    if args.selects_name("setup") {
        suites.push(setup::suite());
    }
    if suites.is_empty() && !Benchmark::all().any(|(_, benchmark)| args.selects(benchmark)) {
        let names: Vec<_> = Benchmark::all().map(|(_, benchmark)| benchmark.name).chain(["setup"]).collect();
        return Err(format!("no benchmark matches the filter; there are {}", names.join(", ")));
    }
    for name in args.peer.iter().flatten().filter(|_| !suites.is_empty()) {
        let mut peers = suites.iter().flat_map(|suite| &suite.rows).filter(|row| !row.is_ours());
        if !peers.any(|row| contains(&row.name(), name)) {
            return Err(format!("no peer of these benchmarks is called {name} on this CPU"));
        }
    }
    for suite in &mut suites {
        suite.rows.retain(|row| is_wanted(args, row));
    }
    suites.retain(|suite| !suite.rows.is_empty());
    Ok(suites)
}

fn is_wanted(args: &Args, row: &Row) -> bool {
    match row.owner {
        Owner::Sealane { backend, .. } => args.wants_backend(backend.name()),
        Owner::Peer(peer) => args.wants_peer(peer.name()),
    }
}

/// Returns the function that makes the rows of a benchmark's peers.
pub fn peers(benchmark: &Benchmark) -> Peers {
    const PEERS: [(&str, Peers); 5] = [
        ("shamir-element", element::peers),
        ("shamir", shamir::peers),
        ("gf8", gf8::peers),
        ("gf2n", gf2n::peers),
        ("haraka", haraka::peers),
    ];
    if benchmark.name.ends_with("-pieces") {
        return pieces::peers;
    }
    let its = PEERS.iter().find(|(prefix, _)| benchmark.name.starts_with(prefix));
    its.map_or(|_: &str, _: Size| Ok(Vec::new()), |(_, peers)| *peers)
}
