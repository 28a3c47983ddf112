//! Naming forged shares by decoding: the shares at one place are a word of a Reed–Solomon code (McEliece and Sarwate, "On sharing
//! secrets and Reed–Solomon codes", CACM 24(9), 1981), in which e of m shares that are wrong show if k + 2e is at most m.

use std::ops::Range;

use sealane::gf2n::DynamicElement;
use sealane::shamir::bytes::{Checker, Verdict};
use sealane::shamir::dynamic::bad_shares;

use super::evidence::Evidence;
use crate::format::{Field, Header};
use crate::ops::interpolation::{element_field, points};

/// What shares show at some places.
enum Shown {
    Agreement,
    /// These are wrong.
    Wrong(Vec<usize>),
    /// Some are wrong, and too many to be named.
    Contradiction,
}

/// The shares that are left when the places where they contradict each other have shown which are wrong, each place with the
/// shares that those before have left: so together more are named than one place can. `None` if that comes to no end.
///
/// It is right if at each place few enough of them are wrong. The points are distinct, and at least as many as the threshold.
pub(crate) fn decode(evidence: &Evidence, headers: &[Header], positions: &[usize]) -> Option<Vec<usize>> {
    let threshold = usize::from(headers[*positions.first()?].threshold());
    let mut kept = positions.to_vec();
    while kept.len() >= threshold {
        let shown = match at_places(evidence, headers, &kept, 0..evidence.places()) {
            // Perhaps one place shows what all at once do not.
            Shown::Contradiction => (0..evidence.places())
                .map(|place| at_places(evidence, headers, &kept, place..place + 1))
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

fn at_places(evidence: &Evidence, headers: &[Header], positions: &[usize], places: Range<usize>) -> Shown {
    match headers[positions[0]].field() {
        Field::Bytes => bytes(evidence, headers, positions, places),
        Field::Element { bits, .. } => {
            let at = |place| elements(bits, evidence, headers, positions, place);
            // The places are few.
            places.map(at).find(|shown| !matches!(shown, Shown::Agreement)).unwrap_or(Shown::Agreement)
        }
    }
}

fn bytes(evidence: &Evidence, headers: &[Header], positions: &[usize], places: Range<usize>) -> Shown {
    let points: Vec<u8> = positions.iter().map(|&at| headers[at].index() as u8).collect();
    let rows: Vec<&[u8]> = positions.iter().map(|&at| &evidence.row(at)[places.clone()]).collect();
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

fn elements(bits: u16, evidence: &Evidence, headers: &[Header], positions: &[usize], place: usize) -> Shown {
    let field = element_field(bits);
    let threshold = headers[positions[0]].threshold().into();
    let points = points(&field, &positions.iter().map(|&at| &headers[at]).collect::<Vec<_>>());
    let values: Vec<DynamicElement> =
        positions.iter().map(|&at| field.from_be_bytes(evidence.element_at(at, place))).collect();
    match bad_shares(&field, threshold, &points, &values) {
        Ok(bad) if bad.is_empty() => Shown::Agreement,
        Ok(bad) => Shown::Wrong(bad.into_iter().map(|at| positions[at]).collect()),
        Err(_) => Shown::Contradiction,
    }
}
