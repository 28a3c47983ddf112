//! A hash tree over the public keys of a hash-based signature, and a proof that one key is in it.
//!
//! `cargo run -p sealane --example hash_tree`

use sealane::haraka::{haraka256_batch, haraka512, haraka512_batch};

type Hash = [u8; 32];

/// Returns a level of the tree, grouped into pairs of siblings.
fn pairs(level: &[Hash]) -> Vec<[u8; 64]> {
    level.as_chunks::<2>().0.iter().map(|pair| pair.as_flattened().try_into().expect("two hashes")).collect()
}

fn main() {
    let keys: Vec<Hash> = (0..=255).map(|number| [number; 32]).collect();
    let mut level = vec![[0; 32]; keys.len()];
    haraka256_batch::<5>(&keys, &mut level);

    // The proof for one leaf holds the sibling of its path's node at each level.
    let mut index = 77;
    let (leaf, mut proof) = (level[index], Vec::new());
    while level.len() > 1 {
        proof.push((index % 2, level[index ^ 1]));
        index /= 2;
        let mut above = vec![[0; 32]; level.len() / 2];
        haraka512_batch::<5>(&pairs(&level), &mut above);
        level = above;
    }
    let root = level[0];

    let computed = proof.iter().fold(leaf, |node, (side, sibling)| {
        let pair = if *side == 0 { [node, *sibling] } else { [*sibling, node] };
        haraka512::<5>(pair.as_flattened().try_into().expect("two hashes"))
    });
    assert_eq!(computed, root);
    println!("{} keys, a proof of {} hashes", keys.len(), proof.len());
}
