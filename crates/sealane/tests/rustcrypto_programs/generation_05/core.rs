// Whole blocks, and the wrapper around them.
use chacha20::cipher::consts::{U4, U6, U10};
use chacha20::cipher::generic_array::GenericArray;
use chacha20::cipher::{
    KeyIvInit, StreamCipher, StreamCipherCore, StreamCipherCoreWrapper, StreamCipherSeek, StreamCipherSeekCore,
};
use chacha20::{ChaCha20LegacyCore, ChaChaCore, XChaChaCore};

fn blocks<C: KeyIvInit + StreamCipherSeekCore<Counter = u32>>() -> Vec<u8> {
    let mut core = C::new_from_slices(&[1; 32], &[2; 24][..C::iv_size()]).unwrap();
    core.set_block_pos(5);
    let mut blocks = vec![GenericArray::default(); 45];
    core.apply_keystream_blocks(&mut blocks);
    core.write_keystream_block(&mut blocks[3]);
    core.write_keystream_blocks(&mut blocks[5..9]);
    let mut results: Vec<u8> = blocks.iter().flatten().copied().collect();
    results.extend(core.get_block_pos().to_le_bytes());
    results.push(C::block_size() as u8);
    results
}

fn wrapped() -> Vec<u8> {
    type Wrapper = StreamCipherCoreWrapper<ChaChaCore<U6>>;
    let mut cipher = Wrapper::from_core(ChaChaCore::new(&[3; 32].into(), &[4; 12].into()));
    let mut data = vec![0; 999];
    cipher.apply_keystream(&mut data[..10]);
    cipher.apply_keystream(&mut data[10..500]);
    cipher.seek(77_u64);
    cipher.apply_keystream(&mut data[500..]);
    let remaining = cipher.get_core().remaining_blocks().unwrap();
    let mut legacy = ChaCha20LegacyCore::new(&[3; 32].into(), &[4; 8].into());
    let mut one = GenericArray::default();
    legacy.write_keystream_block(&mut one);
    [&data[..], &one, &(remaining as u64).to_le_bytes()].concat()
}

fn run() -> Vec<u8> {
    [
        blocks::<ChaChaCore<U4>>(),
        blocks::<ChaChaCore<U6>>(),
        blocks::<ChaChaCore<U10>>(),
        blocks::<XChaChaCore<U10>>(),
        blocks::<XChaChaCore<U4>>(),
        wrapped(),
    ]
    .concat()
}
