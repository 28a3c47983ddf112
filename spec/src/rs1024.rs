//! The checksum of SLIP-39: a Reed–Solomon code over GF(1024), "RS1024" in the standard.

const GEN: [u32; 10] = [
    0x00e0_e040,
    0x01c1_c080,
    0x0383_8100,
    0x0707_0200,
    0x0e0e_0009,
    0x1c0c_2412,
    0x3808_6c24,
    0x3090_fc48,
    0x21b1_f890,
    0x03f3_f120,
];

/// `rs1024_polymod`, which starts with 1, for values of 10 bits. With 0 as the start, it is linear.
pub fn polymod(start: u32, values: impl IntoIterator<Item = u32>) -> u32 {
    values.into_iter().fold(start, |chk, v| {
        let b = chk >> 20;
        let chk = (chk & 0xf_ffff) << 10 ^ v;
        (0..10).fold(chk, |chk, i| if b >> i & 1 == 1 { chk ^ GEN[i] } else { chk })
    })
}
