// Whole blocks, and the wrapper around them.
use chacha20::cipher::array::Array;
use chacha20::cipher::{
    BlockSizeUser, IvSizeUser, KeyIvInit, StreamCipher, StreamCipherCore, StreamCipherCoreWrapper, StreamCipherSeek,
    StreamCipherSeekCore,
};
use chacha20::rand_core::{SeedableRng, block::BlockRng};
use chacha20::variants::{Ietf, Legacy, Variant};
use chacha20::{ChaCha20LegacyCore, ChaChaCore, R8, R12, R20, Rounds};

fn blocks<R: Rounds, V: Variant>() -> Vec<u8>
where
    ChaChaCore<R, V>: KeyIvInit + StreamCipherSeekCore,
    V::Counter: From<u32>,
{
    let mut core = ChaChaCore::<R, V>::new_from_slices(&[1; 32], &[2; 12][..<ChaChaCore<R, V>>::iv_size()]).unwrap();
    core.set_block_pos(V::Counter::from(5_u32));
    let mut blocks = vec![Array::default(); 45];
    core.apply_keystream_blocks(&mut blocks);
    core.write_keystream_block(&mut blocks[3]);
    core.write_keystream_blocks(&mut blocks[5..9]);
    let mut results: Vec<u8> = blocks.iter().flatten().copied().collect();
    let position: u128 = core.get_block_pos().try_into().ok().unwrap();
    results.extend(position.to_le_bytes());
    results.push(<ChaChaCore<R, V>>::block_size() as u8);
    results.push(R::COUNT as u8);
    results
}

fn wrapped() -> Vec<u8> {
    type Wrapper = StreamCipherCoreWrapper<ChaChaCore<R12, Ietf>>;
    let core = ChaChaCore::<R12, Ietf>::new(&[3; 32].into(), &[4; 12].into());
    let mut cipher: Wrapper = StreamCipherCoreWrapper::from_core(core);
    let mut data = vec![0; 999];
    cipher.apply_keystream(&mut data[..10]);
    cipher.apply_keystream(&mut data[10..500]);
    cipher.seek(77_u64);
    cipher.apply_keystream(&mut data[500..]);
    let remaining = cipher.get_core().remaining_blocks().unwrap();
    let legacy = ChaCha20LegacyCore::new(&[3; 32].into(), &[4; 8].into());
    let mut one = [0; 40];
    legacy.apply_keystream_partial(one.as_mut_slice().into());
    [&data[..], &one, &(remaining as u64).to_le_bytes()].concat()
}

// The block counter wraps around.
fn wraps() -> Vec<u8> {
    let mut core = ChaChaCore::<R8, Ietf>::new(&[5; 32].into(), &[6; 12].into());
    core.set_block_pos(u32::MAX - 2);
    let mut blocks = [Array::default(); 1];
    for _ in 0..5 {
        core.apply_keystream_blocks(&mut blocks);
    }
    [&blocks[0][..], &core.get_block_pos().to_le_bytes()].concat()
}

// The core as the source of a buffered generator.
fn generator() -> Vec<u8> {
    let mut rng = BlockRng::new(ChaChaCore::<R12, Legacy>::from_seed([7; 32]));
    rng.core.set_block_pos(3);
    let mut bytes = vec![0; 1000];
    rng.fill_bytes(&mut bytes);
    bytes.extend(rng.next_word().to_le_bytes());
    bytes.extend(rng.core.get_block_pos().to_le_bytes());
    bytes
}

fn run() -> Vec<u8> {
    [blocks::<R8, Ietf>(), blocks::<R12, Ietf>(), blocks::<R20, Ietf>(), blocks::<R20, Legacy>(), wrapped(), wraps(), generator()]
        .concat()
}
