//! Selects the tests for a run of a program that may have run on other backends before.

use std::collections::HashSet;

use sealane_workloads::{Family, TESTS_OF_EVERY_RUN};

use crate::places::{Place, variable};

/// The backends that the tests of a program have run on.
#[derive(Default)]
pub(crate) struct Selection {
    seen: HashSet<(Family, String)>,
}

impl Selection {
    /// Records that the family's tests on this backend are not needed.
    pub(crate) fn skip(&mut self, family: Family, backend: &str) {
        self.seen.insert((family, backend.to_owned()));
    }

    /// Returns the runs of a place: the backends of each run as `SEALANE_BACKEND` names them, and
    /// its tests.
    pub(crate) fn runs(&mut self, place: &Place) -> Vec<(String, Option<Vec<&'static str>>)> {
        let run = |names: &Vec<String>| {
            (variable(names), self.next(Family::ALL.into_iter().zip(names.iter().map(String::as_str))))
        };
        place.forced().map(run).collect()
    }

    /// Returns filters (parts of names) for the tests that these backends need and no earlier run
    /// has covered, and records the backends. Returns `None` for the first run, which needs all
    /// tests.
    pub(crate) fn next<'a>(
        &mut self,
        backends: impl IntoIterator<Item = (Family, &'a str)>,
    ) -> Option<Vec<&'static str>> {
        let is_first = self.seen.is_empty();
        let mut tests = TESTS_OF_EVERY_RUN.to_vec();
        for (family, backend) in backends {
            if self.seen.insert((family, backend.to_owned())) {
                tests.extend(family.workloads().flat_map(|workload| workload.tests));
            }
        }
        (!is_first).then_some(tests)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_backend_is_tested_once() {
        let mut selection = Selection::default();
        assert_eq!(selection.next([(Family::Aes, "scalar"), (Family::Gf8, "scalar")]), None);
        assert_eq!(
            selection.next([(Family::Aes, "scalar"), (Family::Gf8, "scalar")]),
            Some(TESTS_OF_EVERY_RUN.to_vec())
        );
        let tests = selection.next([(Family::Aes, "aesni"), (Family::Gf8, "scalar")]).unwrap();
        assert!(tests.contains(&"haraka") && !tests.contains(&"gf8"), "{tests:?}");
        selection.skip(Family::Gf8, "ssse3");
        assert_eq!(selection.next([(Family::Gf8, "ssse3")]), Some(TESTS_OF_EVERY_RUN.to_vec()));
    }
}
