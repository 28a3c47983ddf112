//! The round constants.

use sealane_simd::Block;

/// The round constants RC of Haraka v2 (section 2.2): bit i of constant j is the parity of π's
/// decimal digit number 128 j + i + 1 after the point. A round of Haraka-256 uses 4 constants, a
/// round of Haraka-512 uses 8.
pub(crate) static ROUND_CONSTANTS: [Block; 48] = [
    Block::new(0x0684704c_e620c00a_b2c5fef0_75817b9d),
    Block::new(0x8b66b4e1_88f3a06b_640f6ba4_2f08f717),
    Block::new(0x3402de2d_53f28498_cf029d60_9f029114),
    Block::new(0x0ed6eae6_2e7b4f08_bbf3bcaf_fd5b4f79),
    Block::new(0xcbcfb0cb_4872448b_79eecd1c_be397044),
    Block::new(0x7eeacdee_6e9032b7_8d5335ed_2b8a057b),
    Block::new(0x67c28f43_5e2e7cd0_e2412761_da4fef1b),
    Block::new(0x2924d9b0_afcacc07_675ffde2_1fc70b3b),
    Block::new(0xab4d63f1_e6867fe9_ecdb8fca_b9d465ee),
    Block::new(0x1c30bf84_d4b7cd64_5b2a404f_ad037e33),
    Block::new(0xb2cc0bb9_941723bf_69028b2e_8df69800),
    Block::new(0xfa0478a6_de6f5572_4aaa9ec8_5c9d2d8a),
    Block::new(0xdfb49f2b_6b772a12_0efa4f2e_29129fd4),
    Block::new(0x1ea10344_f449a236_32d611ae_bb6a12ee),
    Block::new(0xaf044988_4b050084_5f9600c9_9ca8eca6),
    Block::new(0x21025ed8_9d199c4f_78a2c7e3_27e593ec),
    Block::new(0xbf3aaaf8_a759c9b7_b9282ecd_82d40173),
    Block::new(0x6260700d_6186b017_37f2efd9_10307d6b),
    Block::new(0x5aca45c2_21300443_81c29153_f6fc9ac6),
    Block::new(0x9223973c_226b68bb_2caf92e8_36d1943a),
    Block::new(0xd3bf9238_225886eb_6cbab958_e51071b4),
    Block::new(0xdb863ce5_aef0c677_933dfddd_24e1128d),
    Block::new(0xbb606268_ffeba09c_83e48de3_cb2212b1),
    Block::new(0x734bd3dc_e2e4d19c_2db91a4e_c72bf77d),
    Block::new(0x43bb47c3_61301b43_4b1415c4_2cb3924e),
    Block::new(0xdba775a8_e707eff6_03b231dd_16eb6899),
    Block::new(0x6df3614b_3c755977_8e5e2302_7eca472c),
    Block::new(0xcda75a17_d6de7d77_6d1be5b9_b88617f9),
    Block::new(0xec6b43f0_6ba8e9aa_9d6c069d_a946ee5d),
    Block::new(0xcb1e6950_f957332b_a2531159_3bf327c1),
    Block::new(0x2cee0c75_00da619c_e4ed0353_600ed0d9),
    Block::new(0xf0b1a5a1_96e90cab_80bbbabc_63a4a350),
    Block::new(0xae3db102_5e962988_ab0dde30_938dca39),
    Block::new(0x17bb8f38_d554a40b_8814f3a8_2e75b442),
    Block::new(0x34bb8a5b_5f427fd7_aeb6b779_360a16f6),
    Block::new(0x26f65241_cbe55438_43ce5918_ffbaafde),
    Block::new(0x4ce99a54_b9f3026a_a2ca9cf7_839ec978),
    Block::new(0xae51a51a_1bdff7be_40c06e28_22901235),
    Block::new(0xa0c1613c_ba7ed22b_c173bc0f_48a659cf),
    Block::new(0x756acc03_02288288_4ad6bdfd_e9c59da1),
    Block::new(0x2ff37238_0de7d31e_367e4778_848f2ad2),
    Block::new(0x08d95c6a_cf74be8b_ee36b135_b73bd58f),
    Block::new(0x5880f434_c9d6ee98_66ae1838_a3743e4a),
    Block::new(0x593023f0_aefabd99_d0fdf4c7_9a9369bd),
    Block::new(0x329ae3d1_eb606e6f_a5cc637b_6f1ecb2a),
    Block::new(0xe00207eb_49e01594_a4dc93d6_cb7594ab),
    Block::new(0x1caa0c4f_f751c880_942366a6_65208ef8),
    Block::new(0x02f7f57f_db2dc1dd_bd03239f_e3e67e4a),
];

/// Returns the constants for 5 rounds of Haraka-512. Haraka-256 uses the first half of them. The
/// result is an array, like [`ROUND_CONSTANTS`], so that no length is passed or checked.
#[inline]
pub(crate) fn constants_of_5_rounds() -> &'static [Block; 40] {
    ROUND_CONSTANTS.first_chunk().expect("there are more")
}
