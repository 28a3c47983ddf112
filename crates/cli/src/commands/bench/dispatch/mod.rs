//! What it costs to choose the instruction set: once for a loop, in each inner operation, or somewhere in between.
//!
//! | choice | where the branch on the CPU is |
//! |---|---|
//! | `static` | nowhere: the token is known for the whole loop, as if the program were compiled for this CPU |
//! | `leaf` | in each inner operation, which asks the cached detection; operands pass through memory |
//! | `top` | at the top of each call, which asks the cached detection |
//! | `object` | at the top of each call; the object that it is made on keeps the level |
//! | `pointer` | nowhere: each call goes through a function pointer that was chosen once |

mod block;
mod multiply_add;
mod seal;

use std::hint::black_box;
use std::sync::OnceLock;

use sealane::Backend;
use sealane_simd::{Level, LevelList, Simd, dispatch};

use super::progress::Progress;
use super::report::{Dispatch, DispatchOperation, DispatchRow, Verified};
use super::timing::{Rounds, take_turns};
use crate::error::{Error, Result};

/// How many operations are measured.
pub(super) const OPERATIONS: usize = 3;

/// The names of the choices, the one that the others are compared with first.
pub(super) const CHOICES: [&str; 5] = ["static", "leaf", "top", "object", "pointer"];

/// What a choice is, for a person.
pub(super) fn meaning(choice: &str) -> &'static str {
    match choice {
        "static" => "none: the token is known for the whole loop",
        "leaf" => "in each inner operation, from cached detection",
        "top" => "at the top of each call, from cached detection",
        "object" => "at the top of each call, kept in the object",
        _ => "function pointer, chosen once",
    }
}

/// Calls whose result is compared before anything is timed.
const CHECKED_CALLS: u64 = 37;

/// An operation for which an instruction set is chosen.
trait Operation: 'static {
    /// What a call works on and changes: each call depends on the one before.
    type Data: Clone + PartialEq;

    const NAME: &'static str;
    const DESCRIPTION: &'static str;
    /// Operations in each call.
    const PER_CALL: u32 = 1;

    fn data() -> Self::Data;

    /// A call, with the features of `token`. Must be `#[inline(always)]`.
    fn call<S: Simd>(token: S, data: &mut Self::Data);

    /// A call in which each inner operation chooses.
    fn call_leaf(data: &mut Self::Data);

    /// Many calls. Must be `#[inline(always)]`.
    #[inline(always)]
    fn repeat<S: Simd>(token: S, calls: u64, data: &mut Self::Data) {
        for _ in 0..calls {
            Self::call(token, data);
        }
    }
}

/// So many calls on some data.
type Calls<O> = Box<dyn FnMut(u64, &mut <O as Operation>::Data)>;

/// Measures all operations on `backend`.
pub(super) fn measure(backend: Backend, rounds: &Rounds, progress: &mut Progress) -> Result<Dispatch> {
    let level = Level::available()
        .find(|level| level.name() == backend.name())
        .ok_or_else(|| Error::new(format!("{backend} is not available")))?;
    let _ = DETECTED.set(level);
    let operations = vec![
        operation::<multiply_add::MultiplyAdd>(level, rounds, progress)?,
        operation::<block::Block>(level, rounds, progress)?,
        operation::<seal::Seal>(level, rounds, progress)?,
    ];
    Ok(Dispatch { backend: level.name(), operations })
}

fn operation<O: Operation>(level: Level, rounds: &Rounds, progress: &mut Progress) -> Result<DispatchOperation> {
    progress.step(|| format!("dispatch: {}", O::NAME));
    let mut rows = rows::<O>(level);
    let proofs = verify::<O>(&mut rows)?;
    let samples = take_turns(&mut rows, &mut O::data(), rounds);
    let rows = CHOICES.iter().zip(&samples).zip(proofs);
    let choices =
        rows.map(|((choice, row), proof)| DispatchRow::new(choice, row, &samples[0], O::PER_CALL, proof)).collect();
    Ok(DispatchOperation { name: O::NAME, description: O::DESCRIPTION, choices })
}

/// Compares the result of each row with the first one's.
fn verify<O: Operation>(rows: &mut [Calls<O>; 5]) -> Result<Vec<Verified>> {
    let mut expected = O::data();
    rows[0](CHECKED_CALLS, &mut expected);
    let mut proofs = Vec::new();
    for (row, choice) in rows.iter_mut().zip(CHOICES) {
        let mut data = O::data();
        row(CHECKED_CALLS, &mut data);
        proofs.push(Verified::by(format!("dispatch of {}, {choice}", O::NAME), data == expected)?);
    }
    Ok(proofs)
}

/// The level, as detection finds it and caches it: what a function asks that was not told.
static DETECTED: OnceLock<Level> = OnceLock::new();

#[inline]
fn detected() -> Level {
    *DETECTED.get_or_init(Level::detect)
}

/// In the order of [`CHOICES`].
fn rows<O: Operation>(level: Level) -> [Calls<O>; 5] {
    [
        Box::new(move |calls, data| dispatch!(level, token => O::repeat(token, calls, data))),
        Box::new(|calls, data| {
            for _ in 0..calls {
                O::call_leaf(data);
            }
        }),
        Box::new(|calls, data| {
            for _ in 0..calls {
                dispatch!(detected(), token => O::call(token, data));
            }
        }),
        Box::new(move |calls, data| {
            let object = Object { level };
            for _ in 0..calls {
                // A caller who does not know what is in it.
                black_box(&object).call::<O>(data);
            }
        }),
        dispatch!(level, token => pointer::<O, _>(token)),
    ]
}

/// What keeps the level from call to call, as a cipher does.
struct Object {
    level: Level,
}

impl Object {
    #[inline]
    fn call<O: Operation>(&self, data: &mut O::Data) {
        dispatch!(self.level, token => O::call(token, data));
    }
}

fn pointer<O: Operation, S: Simd>(token: S) -> Calls<O> {
    let chosen: fn(S, &mut O::Data) = entered::<O, S>;
    Box::new(move |calls, data| {
        let chosen = black_box(chosen);
        for _ in 0..calls {
            // The token takes no space: this is a call with one argument.
            chosen(token, data);
        }
    })
}

fn entered<O: Operation, S: Simd>(token: S, data: &mut O::Data) {
    token.enter(
        #[inline(always)]
        |token| O::call(token, data),
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all_levels_agree<O: Operation>(check: impl Fn(&O::Data)) {
        for level in Level::available() {
            let mut rows = rows::<O>(level);
            let mut data = O::data();
            rows[0](CHECKED_CALLS, &mut data);
            check(&data);
            // The choices that detect for themselves go by the widest level here: the checked part is the same.
            for row in &mut rows {
                let mut data = O::data();
                row(CHECKED_CALLS, &mut data);
                check(&data);
            }
        }
        assert_eq!(verify::<O>(&mut rows::<O>(Level::detect())).unwrap().len(), CHOICES.len());
    }

    #[test]
    fn every_choice_gives_the_right_result() {
        all_levels_agree::<multiply_add::MultiplyAdd>(|data| multiply_add::tests::check(data, CHECKED_CALLS));
        all_levels_agree::<block::Block>(|data| block::tests::check(data, CHECKED_CALLS));
        all_levels_agree::<seal::Seal>(|data| seal::tests::check(data, CHECKED_CALLS));
    }

    #[test]
    fn a_wrong_result_is_an_error() {
        for wrong in 1..CHOICES.len() {
            let mut rows = rows::<block::Block>(Level::detect());
            // One call too many.
            let mut right = std::mem::replace(&mut rows[wrong], Box::new(|_, _| {}));
            rows[wrong] = Box::new(move |calls, data| right(calls + 1, data));
            let error = verify::<block::Block>(&mut rows).err().expect("an error");
            assert!(error.to_string().contains(CHOICES[wrong]), "{error}");
        }
    }
}
