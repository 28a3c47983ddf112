// Poly1305 over blocks, in another construction.
use poly1305::universal_hash::crypto_common::{BlockSizeUser, KeySizeUser};
use poly1305::universal_hash::{KeyInit, UniversalHash, typenum::Unsigned};
use poly1305::{BLOCK_SIZE, Block, Key, Poly1305, Tag};

fn polynomial<H: UniversalHash + KeyInit>(key: &[u8], aad: &[u8], message: &[u8]) -> Vec<u8> {
    let mut hash = H::new_from_slice(key).unwrap();
    hash.update_padded(aad);
    hash.update_padded(message);
    hash.finalize().to_vec()
}

fn run() -> Vec<u8> {
    let key = Key::from([0x5c; 32]);
    let mut results = Vec::new();
    for blocks in [0, 1, 2, 16, 63, 64, 65, 127, 128, 129, 300] {
        let blocks: Vec<Block> = (0..blocks).map(|i| Block::from([i as u8; BLOCK_SIZE])).collect();
        let mut hash = Poly1305::new(&key);
        hash.update(&blocks);
        let tag: Tag = hash.clone().finalize();
        hash.clone().verify(&tag).unwrap();
        assert!(hash.verify(&Tag::from([1; 16])).is_err());
        results.extend(tag);
        let bytes: Vec<u8> = blocks.iter().flatten().copied().collect();
        results.extend(polynomial::<Poly1305>(&key, b"header", &bytes));
    }
    results.push(<Poly1305 as BlockSizeUser>::BlockSize::U8);
    results.push(Poly1305::key_size() as u8);
    results.extend(format!("{:?}", Poly1305::new(&key)).bytes().take(8));
    results
}
