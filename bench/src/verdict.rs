//! Compares results with the targets.

use sealane_simd::CpuClass;
use serde::Serialize;

use crate::harness::{RowResult, SuiteResult, Time};
use crate::peers::Peer;
use crate::row::Owner;
use crate::targets::{Against, TARGETS, TOLERANCE, Target};

/// The figure of a row from which ratios are computed.
#[derive(Clone, Copy, clap::ValueEnum)]
pub enum Statistic {
    /// The median of all rounds.
    Median,
    /// The fastest round.
    Best,
}

impl Statistic {
    pub fn of(self, time: Time) -> f64 {
        match self {
            Self::Median => time.median_ns,
            Self::Best => time.best_ns,
        }
    }
}

/// Returns the class of this CPU, if targets by class apply to it.
pub fn class_of_targets() -> Option<CpuClass> {
    sealane::Backend::detect().name().starts_with("avx512").then(CpuClass::detect)
}

/// One target at one size.
#[derive(Serialize)]
pub struct Verdict {
    pub suite: &'static str,
    pub ours: String,
    pub size: usize,
    pub offset: usize,
    /// The sizes that the target is for.
    pub class: String,
    /// The peers that the target names.
    pub against: String,
    /// The peer that Sealane was compared with: the fastest of the peers in `against`.
    pub peer: &'static str,
    pub ratio: f64,
    pub target: f64,
    pub met: bool,
}

/// The comparison of a wider backend with a narrower one, at one size.
#[derive(Serialize)]
pub struct Order {
    pub suite: &'static str,
    pub wider: &'static str,
    pub narrower: &'static str,
    pub size: usize,
    pub offset: usize,
    /// The narrower backend's time divided by the wider one's.
    pub ratio: f64,
    pub met: bool,
}

impl SuiteResult {
    /// Returns the fastest peer that `choose` accepts, and its time, at the size with index `i`.
    pub fn fastest(&self, i: usize, statistic: Statistic, choose: impl Fn(Peer) -> bool) -> Option<(Peer, f64)> {
        let peers = self.rows.iter().filter_map(|row| match row.owner {
            Owner::Peer(peer) if choose(peer) => Some((peer, statistic.of(row.times[i]))),
            _ => None,
        });
        peers.min_by(|a, b| a.1.total_cmp(&b.1))
    }

    /// Returns our row on `backend`, or on the chosen backend if none is given.
    pub fn ours(&self, backend: Option<&str>) -> Option<&RowResult> {
        self.rows.iter().find(|row| match (row.owner, backend) {
            (Owner::Sealane { chosen, .. }, None) => chosen,
            (Owner::Sealane { backend, .. }, Some(name)) => backend.name() == name,
            (Owner::Peer(_), _) => false,
        })
    }

    /// Returns a verdict for each target of `backend` in this suite and each size, if both sides
    /// were measured.
    pub fn verdicts(&self, backend: Option<&str>, statistic: Statistic) -> Vec<Verdict> {
        let is_meant = |target: &&Target| {
            target.suite == self.name && target.backend == backend && target.is_for(class_of_targets())
        };
        let targets = TARGETS.iter().filter(is_meant);
        let verdicts = targets.flat_map(|target| {
            (0..self.sizes.len())
                .filter(|&i| target.sizes.contains(&self.sizes[i]))
                .filter_map(|i| self.verdict(target, i, statistic))
        });
        verdicts.collect()
    }

    fn verdict(&self, target: &Target, i: usize, statistic: Statistic) -> Option<Verdict> {
        let ours = self.ours(target.backend)?;
        let (peer, peer_ns) = match target.against {
            Against::Best => self.fastest(i, statistic, Peer::competes),
            Against::Of(peers) => self.fastest(i, statistic, |peer| peers.iter().any(|named| named.here() == peer)),
        }?;
        let against = match target.against {
            Against::Best => "best".into(),
            Against::Of(peers) => peers.iter().map(|peer| peer.name()).collect::<Vec<_>>().join(" and "),
        };
        let ratio = peer_ns / statistic.of(ours.times[i]);
        Some(Verdict {
            suite: self.name,
            ours: ours.name.clone(),
            size: self.sizes[i],
            offset: self.offset,
            class: target.sizes(),
            against,
            peer: peer.name(),
            ratio,
            target: target.ratio,
            met: ratio >= target.ratio,
        })
    }

    /// Compares each backend with each narrower one, at each size.
    pub fn orders(&self, statistic: Statistic) -> Vec<Order> {
        // The widest is first.
        let ours: Vec<_> = self.rows.iter().filter_map(|row| Some((row.backend()?, &row.times))).collect();
        let mut orders = Vec::new();
        for (i, &(wider, times)) in ours.iter().enumerate() {
            for &(narrower, slower) in &ours[i + 1..] {
                for (j, &size) in self.sizes.iter().enumerate() {
                    let ratio = statistic.of(slower[j]) / statistic.of(times[j]);
                    orders.push(Order {
                        suite: self.name,
                        wider: wider.name(),
                        narrower: narrower.name(),
                        size,
                        offset: self.offset,
                        ratio,
                        met: ratio >= 1.0 - TOLERANCE,
                    });
                }
            }
        }
        orders
    }
}

impl RowResult {
    fn backend(&self) -> Option<sealane::Backend> {
        match self.owner {
            Owner::Sealane { backend, .. } => Some(backend),
            Owner::Peer(_) => None,
        }
    }
}

impl Verdict {
    /// Formats the verdict, such as `1.42 of 1.40 x best: met`. If the target is missed, shows the
    /// margin.
    pub fn describe(&self) -> String {
        let against = if self.against == "best" || self.against == self.peer {
            self.against.clone()
        } else {
            format!("{} ({})", self.against, self.peer)
        };
        format!("{:.2} of {:.2} x {against}: {}", self.ratio, self.target, self.mark())
    }

    /// Returns whether both are verdicts on the same target.
    pub fn same_target(&self, other: &Self) -> bool {
        let key = |v: &Self| (v.suite, v.ours.clone(), v.class.clone(), v.against.clone(), v.target.to_bits());
        key(self) == key(other)
    }

    pub fn mark(&self) -> String {
        if self.met { "met".into() } else { format!("MISSED by {:.1} %", (1.0 - self.ratio / self.target) * 100.0) }
    }
}
