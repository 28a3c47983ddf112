//! Finds forged shares by decoding.
//!
//! A column of [`Evidence`] holds the elements at one position in all shares. It is a word of a
//! Reed–Solomon code (McEliece and Sarwate, "On sharing secrets and Reed–Solomon codes", CACM
//! 24(9), 1981). With m shares and a threshold of k, the wrong shares can be identified if there
//! are at most (m - k) / 2 of them.

use std::ops::Range;

use sealane::gf2n::DynamicElement;
use sealane::shamir::bytes::{Checker, Verdict};
use sealane::shamir::dynamic::bad_shares;

use super::evidence::Evidence;
use crate::format::{Field, Header};
use crate::ops::interpolation::{element_field, points};

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
/// wrong.
///
/// The result is right if few enough shares are wrong in each column. The points must be distinct,
/// and their number must be at least the threshold.
pub(crate) fn decode(evidence: &Evidence, headers: &[Header], positions: &[usize]) -> Option<Vec<usize>> {
    let threshold = usize::from(headers[*positions.first()?].threshold());
    let mut kept = positions.to_vec();
    while kept.len() >= threshold {
        let shown = match decode_columns(evidence, headers, &kept, 0..evidence.columns()) {
            // A single column may show wrong shares that all columns together do not.
            Shown::Contradiction => (0..evidence.columns())
                .map(|column| decode_columns(evidence, headers, &kept, column..column + 1))
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

fn decode_columns(evidence: &Evidence, headers: &[Header], positions: &[usize], columns: Range<usize>) -> Shown {
    match headers[positions[0]].field() {
        Field::Bytes => bytes(evidence, headers, positions, columns),
        Field::Element { bits, .. } => {
            let at = |column| elements(bits, evidence, headers, positions, column);
            // Columns are decoded one by one, because there are few.
            columns.map(at).find(|shown| !matches!(shown, Shown::Agreement)).unwrap_or(Shown::Agreement)
        }
    }
}

fn bytes(evidence: &Evidence, headers: &[Header], positions: &[usize], columns: Range<usize>) -> Shown {
    let points: Vec<u8> = positions.iter().map(|&at| headers[at].index() as u8).collect();
    let rows: Vec<&[u8]> = positions.iter().map(|&at| &evidence.row(at)[columns.clone()]).collect();
    let threshold = headers[positions[0]].threshold().into();
    let mut checker = Checker::new(threshold, &points).expect("enough distinct points");
    checker.check(&rows).expect("rows of equal length");
    match checker.verdict() {
        Verdict::Consistent => Shown::Agreement,
        Verdict::Inconsistent => Shown::Contradiction,
        Verdict::Wrong(wrong) => {
            let is_wrong = |&at: &usize| wrong.contains(&(headers[at].index() as u8));
            Shown::Wrong(positions.iter().copied().filter(is_wrong).collect())
        }
    }
}

fn elements(bits: u16, evidence: &Evidence, headers: &[Header], positions: &[usize], column: usize) -> Shown {
    let field = element_field(bits);
    let threshold = headers[positions[0]].threshold().into();
    let points = points(&field, &positions.iter().map(|&at| &headers[at]).collect::<Vec<_>>());
    let values: Vec<DynamicElement> =
        positions.iter().map(|&at| field.from_be_bytes(evidence.element_at(at, column))).collect();
    match bad_shares(&field, threshold, &points, &values) {
        Ok(bad) if bad.is_empty() => Shown::Agreement,
        Ok(bad) => Shown::Wrong(bad.into_iter().map(|at| positions[at]).collect()),
        Err(_) => Shown::Contradiction,
    }
}
