//! The fields that the tests of GF(2^n) use.

/// The degrees of fields of less than one limb, of one, two and three limbs, and of the largest
/// field. Tests of all fields would be half of the test program. Targets that run the same code as
/// another target therefore test only these fields, with `--cfg sealane_few_fields`.
pub(crate) const FEW_FIELDS: [usize; 5] = [8, 64, 128, 192, 2048];

/// Calls a generic function for every field, or for [`FEW_FIELDS`].
macro_rules! for_every_field {
    ($check:ident($($argument:expr),*)) => {
        $check::<sealane::gf2n::Degree<8>>($($argument),*);
        $check::<sealane::gf2n::Degree<64>>($($argument),*);
        $check::<sealane::gf2n::Degree<128>>($($argument),*);
        $check::<sealane::gf2n::Degree<192>>($($argument),*);
        $check::<sealane::gf2n::Degree<2048>>($($argument),*);
        #[cfg(not(sealane_few_fields))]
        {
            $check::<sealane::gf2n::Degree<16>>($($argument),*);
            $check::<sealane::gf2n::Degree<32>>($($argument),*);
            $check::<sealane::gf2n::Degree<256>>($($argument),*);
            $check::<sealane::gf2n::Degree<384>>($($argument),*);
            $check::<sealane::gf2n::Degree<512>>($($argument),*);
            $check::<sealane::gf2n::Degree<768>>($($argument),*);
            $check::<sealane::gf2n::Degree<1024>>($($argument),*);
            $check::<sealane::gf2n::Degree<1536>>($($argument),*);
        }
    };
}
pub(crate) use for_every_field;
