//! The peers of Haraka v2 with 5 rounds: a naive implementation, and PQClean's C code (with the
//! feature `sphincs`).

use sealane::haraka;
#[cfg(feature = "sphincs")]
use sealane_workloads::benchmarks::haraka::SEED;
use sealane_workloads::benchmarks::haraka::in_pieces;
use sealane_workloads::{Benchmark, Code, Prepared, Size};

#[cfg(feature = "sphincs")]
use crate::peers::sphincs::{self, Constants};
use crate::timed::Row;

/// Returns the peers' rows. For one input, also returns a row of our code that chooses the backend
/// in each call. The error is the name of a row with a wrong result.
pub fn peers(benchmark: &str, size: Size) -> Result<Vec<Row>, String> {
    const CHOICE: &str = "sealane, a choice in each call";
    const NAIVE: &str = "naive, without tables";
    let mut rows = Vec::new();
    // The reference works byte by byte, and computes the S-box instead of looking it up.
    let oracle = sealane_spec::haraka::Haraka::new();
    match (benchmark, size) {
        ("haraka256", Size::Inputs(1)) => {
            rows.push((CHOICE, in_pieces(|[input]| [haraka::haraka256::<5>(input)])));
            rows.push((NAIVE, in_pieces(move |[input]| [oracle.haraka256(5, input)])));
        }
        ("haraka512", Size::Inputs(1)) => {
            rows.push((CHOICE, in_pieces(|[input]| [haraka::haraka512::<5>(input)])));
            rows.push((NAIVE, in_pieces(move |[input]| [oracle.haraka512(5, input)])));
        }
        _ => {}
    }
    #[cfg(feature = "sphincs")]
    rows.extend(of_pqclean(benchmark, size).map(|prepared| ("PQClean's C, AES-NI", prepared)));
    rows.into_iter().map(|(name, prepared)| row(benchmark, size, name, prepared)).collect()
}

/// Returns a row. If its results differ from those of our portable code, the error is its name.
fn row(benchmark: &str, size: Size, name: &str, mut prepared: Prepared) -> Result<Row, String> {
    let is_it = |(_, its): &(_, &Benchmark)| its.name == benchmark;
    let Some(Code::Own(prepare)) = Benchmark::all().find(is_it).map(|(_, its)| &its.code) else {
        return Err(name.into());
    };
    let mut ours = prepare("scalar", size).map_err(|error| error.to_string())?;
    ours.call(1);
    prepared.call(1);
    if prepared.result() == ours.result() { Ok(Row::ours(name, prepared)) } else { Err(name.into()) }
}

#[cfg(feature = "sphincs")]
fn of_pqclean(benchmark: &str, size: Size) -> Option<Prepared> {
    let constants = Constants::new(SEED);
    match (benchmark, size) {
        ("haraka256-tweaked", Size::Inputs(1)) => Some(in_pieces(move |inputs| sphincs::haraka256(&constants, inputs))),
        ("haraka256-tweaked", Size::Inputs(4)) => {
            Some(in_pieces(move |inputs| sphincs::haraka256_x4(&constants, inputs)))
        }
        ("haraka512-tweaked", Size::Inputs(1)) => Some(in_pieces(move |inputs| sphincs::haraka512(&constants, inputs))),
        ("haraka512-tweaked", Size::Inputs(4)) => {
            Some(in_pieces(move |inputs| sphincs::haraka512_x4(&constants, inputs)))
        }
        // PQClean does not have this operation.
        _ => None,
    }
}
