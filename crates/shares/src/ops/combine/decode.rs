//! Finds forged shares by decoding.
//!
//! A column of [`Evidence`] holds the elements at one position in all shares. It is a word of a
//! Reed–Solomon code (McEliece and Sarwate, "On sharing secrets and Reed–Solomon codes", CACM
//! 24(9), 1981). With m shares and a threshold of k, the wrong shares can be identified if there
//! are at most (m - k) / 2 of them.

use std::ops::Range;

use sealane::gf2n::{DynamicElement, DynamicField};
use sealane::shamir::bytes::{Checker, Verdict};
use sealane::shamir::dynamic::EvaluationPoints;

use super::budget::{Budget, Cost};
use super::evidence::Evidence;
use crate::format::Header;
use crate::ops::interpolation::Basis;

/// The result of decoding some columns.
enum Shown {
    Agreement,
    /// These shares are wrong.
    Wrong(Vec<usize>),
    /// Some shares are wrong, but too many to identify them.
    Contradiction,
}

/// Removes the shares that the columns show to be wrong, and decodes the rest again, until the rest
/// agree in all columns. Several columns together can identify more wrong shares than one column
/// can. Returns the shares that are left, or `None` if the columns do not show which shares are
/// wrong, or if that takes more work than `budget` allows.
///
/// The result is right if few enough shares are wrong in each column. The points must be distinct,
/// and their number must be at least the threshold.
pub(crate) fn decode(
    evidence: &Evidence,
    headers: &[Header],
    positions: &[usize],
    budget: &mut Budget,
) -> Option<Vec<usize>> {
    let threshold = usize::from(headers[*positions.first()?].threshold());
    let mut kept = positions.to_vec();
    if evidence.columns() == 0 {
        return (kept.len() >= threshold).then_some(kept);
    }
    while kept.len() >= threshold {
        let decoder = Decoder::new(headers, &kept, budget)?;
        let shown = match decoder.columns(evidence, 0..evidence.columns(), budget)? {
            // A single column may show wrong shares that all columns together do not.
            Shown::Contradiction => (0..evidence.columns())
                .map_while(|column| decoder.columns(evidence, column..column + 1, budget))
                .find(|shown| matches!(shown, Shown::Wrong(_)))?,
            shown => shown,
        };
        match shown {
            Shown::Wrong(wrong) => kept.retain(|position| !wrong.contains(position)),
            _ => return Some(kept),
        }
    }
    None
}

/// Decodes columns of the shares at some positions.
struct Decoder<'a> {
    positions: &'a [usize],
    threshold: usize,
    /// The evaluation points, in the order of the positions.
    points: Basis,
    cost: Cost,
}

impl<'a> Decoder<'a> {
    fn new(headers: &[Header], positions: &'a [usize], budget: &mut Budget) -> Option<Self> {
        let headers: Vec<&Header> = positions.iter().map(|&at| &headers[at]).collect();
        let threshold = headers[0].threshold().into();
        let cost = Cost::new(headers[0].field(), threshold, positions.len());
        budget.spend(cost.weights())?;
        Some(Self { positions, threshold, points: Basis::new(&headers), cost })
    }

    /// Decodes some columns, or returns `None` if that takes too much work.
    fn columns(&self, evidence: &Evidence, columns: Range<usize>, budget: &mut Budget) -> Option<Shown> {
        match &self.points {
            Basis::Bytes(points) => {
                budget.spend(self.cost.checking(columns.len()))?;
                Some(self.bytes(points, evidence, columns))
            }
            Basis::Elements(field, points) => {
                // Columns are decoded one by one, because there are few.
                for column in columns {
                    budget.spend(self.cost.checking(1))?;
                    let shown = self.elements(field, points, evidence, column);
                    if !matches!(shown, Shown::Agreement) {
                        budget.spent(self.cost.locating());
                        return Some(shown);
                    }
                }
                Some(Shown::Agreement)
            }
        }
    }

    fn bytes(&self, points: &[u8], evidence: &Evidence, columns: Range<usize>) -> Shown {
        let rows: Vec<&[u8]> = self.positions.iter().map(|&at| &evidence.row(at)[columns.clone()]).collect();
        let mut checker = Checker::new(self.threshold, points).expect("enough distinct points");
        checker.check(&rows).expect("rows of equal length");
        match checker.verdict() {
            Verdict::Consistent => Shown::Agreement,
            Verdict::Inconsistent => Shown::Contradiction,
            Verdict::Wrong(wrong) => {
                let shares = self.positions.iter().zip(points);
                Shown::Wrong(shares.filter(|(_, point)| wrong.contains(point)).map(|(&at, _)| at).collect())
            }
        }
    }

    fn elements(&self, field: &DynamicField, points: &EvaluationPoints, evidence: &Evidence, column: usize) -> Shown {
        let value = |&at: &usize| field.from_be_bytes(evidence.element_at(at, column));
        let values: Vec<DynamicElement> = self.positions.iter().map(value).collect();
        match points.bad_shares(self.threshold, &values) {
            Ok(bad) if bad.is_empty() => Shown::Agreement,
            Ok(bad) => Shown::Wrong(bad.into_iter().map(|at| self.positions[at]).collect()),
            Err(_) => Shown::Contradiction,
        }
    }
}
