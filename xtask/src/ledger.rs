//! The backends that the tests have exercised, compared with xtask/backends.toml.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Result, ensure};

use crate::places::{LIST, List, Place};

/// Primitives on backends, such as `haraka on aesni`.
#[derive(Default)]
pub(crate) struct Exercised {
    /// Those that tests ran on.
    used: BTreeSet<String>,
    /// Those that were compiled for the architecture.
    compiled: BTreeSet<String>,
}

impl Exercised {
    /// Adds the output of tests, which has lines such as `exercised: haraka on aesni of scalar,
    /// aesni, vaes`.
    pub(crate) fn read(&mut self, output: &str) {
        for line in output.lines() {
            let Some((_, line)) = line.split_once("exercised: ") else { continue };
            let Some((primitive, names)) = line.trim().split_once(" on ") else { continue };
            let Some((used, compiled)) = names.split_once(" of ") else { continue };
            for (names, set) in [(used, &mut self.used), (compiled, &mut self.compiled)] {
                set.extend(names.split(", ").map(|backend| format!("{primitive} on {backend}")));
            }
        }
    }
}

/// The backends that a chore's runs have exercised, by place.
pub(crate) struct Ledger {
    pub(crate) chore: &'static str,
    places: BTreeMap<String, Exercised>,
}

impl Ledger {
    /// Returns a ledger without runs, for a chore.
    pub(crate) fn new(chore: &'static str) -> Self {
        Self { chore, places: BTreeMap::new() }
    }

    /// Returns the entry of a place, for the output of its runs.
    pub(crate) fn at(&mut self, place: &str) -> &mut Exercised {
        self.places.entry(place.to_owned()).or_default()
    }

    /// Compares the exercised backends with the list. Every place of the chore that is `chosen`
    /// must have a run.
    ///
    /// # Errors
    /// If a required backend was not exercised, or the list has no place that must exercise a
    /// compiled backend.
    pub(crate) fn close(&self, list: &List, chosen: impl Fn(&Place) -> bool) -> Result<()> {
        let mut wrong = Vec::new();
        let required = |place: &str| -> BTreeSet<String> {
            list.primitives_at(place).map(|(backend, primitive)| format!("{} on {backend}", primitive.name)).collect()
        };
        let known: BTreeSet<_> = list.place.iter().flat_map(|place| required(&place.name)).collect();
        for place in list.places(self.chore).filter(|place| chosen(place)).map(|place| &place.name) {
            let Some(Exercised { used, compiled }) = self.places.get(place) else {
                wrong.push(format!("{place}: no test ran"));
                continue;
            };
            wrong.extend(required(place).difference(used).map(|pair| format!("{place}: {pair} was not exercised")));
            let unknown = compiled.difference(&known);
            wrong.extend(unknown.map(|pair| format!("{place}: {LIST} has no place for {pair}")));
            println!("   exercised: {place}: {}", Vec::from_iter(used.iter().map(String::as_str)).join(", "));
        }
        ensure!(wrong.is_empty(), "{}", wrong.join("\n"));
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::places::tests::{CROSS, SMALL};

    const CHACHA: &str = "exercised: chacha20 on avx2 of avx2\nexercised: poly1305 on avx2 of avx2\n\
                          exercised: aead on avx2 of avx2\nexercised: batch on avx2 of avx2\n";

    /// Closes a ledger that has read this output of tests.
    fn close(output: &str) -> Result<()> {
        let mut ledger = Ledger::new("backends");
        ledger.at("here").read(output);
        ledger.close(&List::parse(SMALL)?, |_| true)
    }

    #[test]
    fn everything_in_the_list_must_be_exercised_and_nothing_else_compiled() {
        close(&format!("{CHACHA}test haraka::a ... exercised: haraka on scalar of scalar\r\nok")).unwrap();
        assert_eq!(close(CHACHA).unwrap_err().to_string(), "here: haraka on scalar was not exercised");
        let error = close(&format!("{CHACHA}exercised: haraka on scalar of scalar, vaes")).unwrap_err();
        assert!(error.to_string().ends_with("has no place for haraka on vaes"), "{error}");
    }

    #[test]
    fn a_chosen_place_without_a_run_is_named() {
        let (ledger, list) = (Ledger::new("cross"), List::parse(&format!("{SMALL}{CROSS}")).unwrap());
        let close = |target: &str| ledger.close(&list, |place| place.has_target(target));
        assert_eq!(close("aarch64").unwrap_err().to_string(), "arm: no test ran");
        close("armv7").unwrap();
    }
}
