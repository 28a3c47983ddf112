//! Haraka v2 with 5 rounds: one, four, eight and many inputs a call, on each backend, in a naive
//! implementation, and in the C of PQClean (with the feature `sphincs`).

use std::hint::black_box;

use sealane::haraka::{Backend, Haraka, TweakedHaraka};
use sealane_measure::Rounds;

#[cfg(feature = "sphincs")]
use crate::peers::sphincs::{self, Constants};
use crate::targets::TIME_TARGETS;
use crate::timed::{self, Row, TimedResult};

pub const SUITE: &str = "haraka";
/// The number of inputs of each call of a row.
const INPUTS: usize = 64;
const SEED: &[u8] = b"public seed of a";

const ONE: &str = "1";
const FOUR: &str = "4";
const EIGHT: &str = "8";
const MANY: &str = "64";
const COLUMNS: [&str; 4] = [ONE, FOUR, EIGHT, MANY];

const HARAKA_256: &str = "haraka256";
const HARAKA_512: &str = "haraka512";
const TITLES: [(&str, &str); 2] = [
    (HARAKA_256, "each input, by the number of inputs of a call"),
    (HARAKA_512, "each input, by the number of inputs of a call"),
];

/// Measures all rows.
///
/// # Errors
/// If a row is too fast to be true, or gives a wrong result; the error names it.
pub fn measure(rounds: &Rounds, quiet: bool) -> Result<Vec<TimedResult>, String> {
    let mut results = Vec::new();
    for column in COLUMNS {
        let mut rows = of_256::rows(column)?;
        rows.extend(of_512::rows(column)?);
        results.extend(timed::measure(SUITE, column, rows, rounds, TIME_TARGETS)?);
    }
    if !quiet {
        timed::print(&results, &TITLES, &COLUMNS);
    }
    Ok(results)
}

/// Calls `hash` on each piece of the inputs and keeps its result.
fn pieces<const IN: usize, const COUNT: usize>(
    inputs: &[[u8; IN]; INPUTS],
    outputs: &mut [[u8; 32]; INPUTS],
    hash: impl Fn(&[[u8; IN]; COUNT]) -> [[u8; 32]; COUNT],
) {
    for (inputs, outputs) in inputs.as_chunks().0.iter().zip(outputs.as_chunks_mut().0) {
        *outputs = hash(inputs);
    }
}

/// The work of a row of one column, on an object of ours.
macro_rules! calls {
    ($column:ident, $haraka:ident, ($($rounds:tt)*): $one:ident, $four:ident, $eight:ident, $many:ident) => {{
        let calls: Box<dyn Fn(&Inputs, &mut Outputs)> = match $column {
            ONE => Box::new(move |inputs, outputs| {
                pieces(inputs, outputs, |[input]| [$haraka.$one$($rounds)*(input)]);
            }),
            FOUR => Box::new(move |inputs, outputs| {
                pieces(inputs, outputs, |inputs| $haraka.$four$($rounds)*(inputs));
            }),
            EIGHT => Box::new(move |inputs, outputs| {
                pieces(inputs, outputs, |inputs| $haraka.$eight$($rounds)*(inputs));
            }),
            _ => Box::new(move |inputs, outputs| $haraka.$many$($rounds)*(inputs, outputs)),
        };
        calls
    }};
}

/// Writes the rows for one size of inputs.
macro_rules! rows {
    ($module:ident: $operation:ident, $bytes:literal: $one:ident, $four:ident, $eight:ident, $many:ident) => {
        mod $module {
            use super::*;

            type Inputs = [[u8; $bytes]; INPUTS];
            type Outputs = [[u8; 32]; INPUTS];

            fn inputs() -> Inputs {
                std::array::from_fn(|i| std::array::from_fn(|j| (i * 89 + j * 7) as u8))
            }

            /// Returns a row. Its results must equal the results of the specification's oracle with
            /// these constants.
            fn row(
                name: impl Into<String>,
                haraka: &sealane_spec::haraka::Haraka,
                run: impl Fn(&Inputs, &mut Outputs) + 'static,
            ) -> Result<Row, String> {
                let name = name.into();
                let inputs = inputs();
                let mut outputs = [[0; 32]; INPUTS];
                run(&inputs, &mut outputs);
                if outputs != inputs.map(|input| haraka.$one(5, &input)) {
                    return Err(format!("{SUITE}: {name} gives a wrong result"));
                }
                Ok(Row::new(name, $operation, INPUTS, move || {
                    run(black_box(&inputs), &mut outputs);
                    black_box(&mut outputs);
                }))
            }

            /// Returns all rows of one column.
            pub fn rows(column: &str) -> Result<Vec<Row>, String> {
                let oracle = sealane_spec::haraka::Haraka::new();
                let mut rows = Vec::new();
                for backend in Backend::available().rev() {
                    let haraka = Haraka::with_backend(backend);
                    let mut row = row(format!("sealane ({backend})"), &oracle, calls!(column, haraka, (::<5>): $one, $four, $eight, $many))?;
                    row.chosen = backend == Backend::detect();
                    rows.push(row);
                }
                if column == ONE {
                    rows.push(row("sealane, a choice in each call", &oracle, |inputs, outputs| {
                        pieces(inputs, outputs, |[input]| [sealane::haraka::$one::<5>(input)]);
                    })?);
                    // The oracle works octet by octet, and computes the S-box.
                    let naive = sealane_spec::haraka::Haraka::new();
                    rows.push(row("naive, without tables", &oracle, move |inputs, outputs| {
                        pieces(inputs, outputs, |[input]| [naive.$one(5, input)]);
                    })?);
                }
                let tweaked = oracle.tweaked(SEED);
                let haraka = TweakedHaraka::new(SEED);
                rows.push(row("sealane, tweaked", &tweaked, calls!(column, haraka, (): $one, $four, $eight, $many))?);
                #[cfg(feature = "sphincs")]
                rows.extend(of_pqclean(column, &tweaked)?);
                Ok(rows)
            }

            #[cfg(feature = "sphincs")]
            fn of_pqclean(column: &str, tweaked: &sealane_spec::haraka::Haraka) -> Result<Option<Row>, String> {
                let constants = Constants::new(SEED);
                let row = match column {
                    ONE => row("PQClean's C, AES-NI", tweaked, move |inputs, outputs| {
                        pieces(inputs, outputs, |input| sphincs::$one(&constants, input));
                    }),
                    FOUR => row("PQClean's C, AES-NI", tweaked, move |inputs, outputs| {
                        pieces(inputs, outputs, |inputs| sphincs::$four(&constants, inputs));
                    }),
                    // PQClean does not have this operation.
                    _ => return Ok(None),
                };
                row.map(Some)
            }
        }
    };
}

rows!(of_256: HARAKA_256, 32: haraka256, haraka256_x4, haraka256_x8, haraka256_batch);
rows!(of_512: HARAKA_512, 64: haraka512, haraka512_x4, haraka512_x8, haraka512_batch);
