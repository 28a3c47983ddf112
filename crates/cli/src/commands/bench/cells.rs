//! Measures one size of one primitive on each backend: checks the results, then times them.

use std::time::Instant;

use sealane::Backend;
use sealane_measure::{Samples, Work, check, size_name, take_turns};

use super::plan::Plan;
use super::primitive::{Message, Operation, Primitive};
use super::report::Cell;
use super::verified::Verified;
use crate::error::{Error, Result};

/// The work of a backend.
struct Row {
    backend: &'static str,
    operation: Operation,
}

/// Measures the backends of the plan in turns.
pub(super) fn measure(primitive: Primitive, size: usize, plan: &Plan) -> Result<Vec<Cell>> {
    let mut message = primitive.message(size)?;
    let mut rows: Vec<_> = plan
        .backends
        .iter()
        .map(|&backend| Row { backend: backend.name(), operation: primitive.operation(backend) })
        .collect();
    let scalar = Backend::available().next().expect("portable code is always available");
    let verified = verify(primitive, primitive.operation(scalar), &mut rows, &mut message)?;

    let samples = take_turns(&mut rows, &plan.rounds(), |row, calls| {
        let start = Instant::now();
        (row.operation)(calls, &mut message);
        start.elapsed()
    });
    for (row, samples) in rows.iter().zip(&samples) {
        possible(
            &format!("{} of {} on {}", primitive.name(), size_name(size), row.backend),
            samples,
            primitive.work(),
            size,
        )?;
    }
    let cells = rows.iter().zip(samples).zip(verified);
    Ok(cells.map(|((row, samples), proof)| Cell::new(primitive.name(), row.backend, size, &samples, proof)).collect())
}

/// Refuses a time below the bound for every CPU: the compiler removed some of the work.
fn possible(row: &str, samples: &Samples, work: Work, size: usize) -> Result<()> {
    check(row, samples.median_ns(), samples.median_clock_ghz(), work.least_cycles(size))
        .map_err(|error| Error::new(error.to_string()).hint("please report it with `sealane cpu`"))
}

/// Compares each row's result for the message with the reference's. Returns a proof for each row.
fn verify(
    primitive: Primitive,
    mut reference: Operation,
    rows: &mut [Row],
    message: &mut Message,
) -> Result<Vec<Verified>> {
    message.reset(primitive);
    reference(1, message);
    let expected = message.result()?;
    let mut proofs = Vec::new();
    for row in rows {
        message.reset(primitive);
        (row.operation)(1, message);
        let what = format!("{} of {} bytes on {}", primitive.name(), message.output.len(), row.backend);
        proofs.push(Verified::by(what, message.is_result(&expected))?);
    }
    Ok(proofs)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_wrong_bit_is_an_error() {
        for primitive in Primitive::ALL {
            for size in [1, 64, 1350] {
                let mut message = primitive.message(size).unwrap();
                let of = |backend| primitive.operation(backend);
                let scalar = Backend::available().next().unwrap();
                let right = |_| Row { backend: "right", operation: of(Backend::detect()) };
                let mut rows: Vec<_> = (0..2).map(right).collect();
                assert_eq!(verify(primitive, of(scalar), &mut rows, &mut message).unwrap().len(), 2);

                for wrong_byte in [0, size - 1, size, size + 15] {
                    let mut rows: Vec<_> = (0..2).map(right).collect();
                    let mut operation = of(Backend::detect());
                    rows[1].operation = Box::new(move |count, message| {
                        operation(count, message);
                        match message.output.get_mut(wrong_byte) {
                            Some(byte) => *byte ^= 1,
                            None => message.tag[wrong_byte - size] ^= 0x80,
                        }
                    });
                    rows[1].backend = "wrong";
                    let Err(error) = verify(primitive, of(scalar), &mut rows, &mut message) else {
                        panic!("{primitive:?} {size} {wrong_byte}");
                    };
                    assert!(error.to_string().contains(&format!("{size} bytes on wrong: wrong result")), "{error}");
                }
            }
        }
    }

    #[test]
    fn a_time_that_no_cpu_reaches_is_an_error() {
        for primitive in Primitive::ALL {
            let samples = |ns| Samples { ns: vec![ns; 3], clock_ghz: vec![4.0; 3], calls: 1, every: 1 };
            assert!(possible("row", &samples(1e4), primitive.work(), 1350).is_ok());
            let error = possible("row", &samples(10.0), primitive.work(), 1350).unwrap_err().to_string();
            assert!(error.starts_with("row: 40.0 cycles were measured"), "{error}");
        }
    }

    #[test]
    fn a_row_that_does_nothing_is_an_error() {
        for primitive in Primitive::ALL {
            let mut message = primitive.message(100).unwrap();
            let mut rows = [Row { backend: "idle", operation: Box::new(|_, _| {}) }];
            assert!(verify(primitive, primitive.operation(Backend::detect()), &mut rows, &mut message).is_err());
        }
    }
}
