//! Crates for secret sharing of bytes: vsss-rs, blahaj (the maintained fork of sharks) and gf256.
//! Each is called as its users call it.

use std::hint::black_box;

use sealane::chacha20::ChaCha20Rng;
use sealane_workloads::benchmarks::SEED;

use crate::timed::Row;

/// A secret of bytes, and how it is shared.
pub struct Sharing<'a> {
    pub secret: &'a [u8],
    pub threshold: usize,
    pub count: usize,
    /// The positions of the shares to combine.
    pub chosen: &'a [usize],
}

impl Sharing<'_> {
    /// Returns the row that splits if `is_split` is set, else the row that combines. If the
    /// combined secret is wrong, the error is the row's name.
    fn row<S: Clone + 'static>(
        &self,
        name: &str,
        is_split: bool,
        mut split: impl FnMut(&[u8]) -> Vec<S> + 'static,
        combine: impl Fn(&[S]) -> Vec<u8> + 'static,
    ) -> Result<Row, String> {
        let shares = split(self.secret);
        let chosen: Vec<_> = self.chosen.iter().map(|i| shares[*i].clone()).collect();
        if combine(&chosen) != self.secret {
            return Err(name.into());
        }
        let secret = self.secret.to_vec();
        Ok(if is_split {
            Row::new(name, move || drop(black_box(split(black_box(&secret)))))
        } else {
            Row::new(name, move || drop(black_box(combine(black_box(&chosen)))))
        })
    }
}

fn generator() -> ChaCha20Rng {
    ChaCha20Rng::with_backend(&SEED, sealane::Backend::detect())
}

pub fn vsss(name: &str, sharing: &Sharing<'_>, is_split: bool) -> Result<Row, String> {
    let (mut random, threshold, count) = (generator(), sharing.threshold, sharing.count);
    let split = move |secret: &[u8]| {
        vsss_rs::Gf256::split_bytes(threshold, count, secret, &mut random).expect("vsss-rs splits")
    };
    sharing.row(name, is_split, split, |shares| vsss_rs::Gf256::combine_bytes(shares).expect("vsss-rs combines"))
}

pub fn blahaj(name: &str, sharing: &Sharing<'_>, is_split: bool) -> Result<Row, String> {
    let (mut random, threshold, count) = (generator(), sharing.threshold as u8, sharing.count);
    let split =
        move |secret: &[u8]| blahaj::Sharks(threshold).dealer_rng(secret, &mut random).take(count).collect::<Vec<_>>();
    sharing
        .row(name, is_split, split, move |shares| blahaj::Sharks(threshold).recover(shares).expect("blahaj combines"))
}

pub fn gf256(name: &str, sharing: &Sharing<'_>, is_split: bool) -> Result<Row, String> {
    let (threshold, count) = (sharing.threshold, sharing.count);
    let split = move |secret: &[u8]| gf256::shamir::shamir::generate(secret, count, threshold);
    sharing.row(name, is_split, split, gf256::shamir::shamir::reconstruct)
}
