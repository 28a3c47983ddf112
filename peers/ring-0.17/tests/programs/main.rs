//! Programs that are written for the crate `ring`. Each is compiled twice without a change: the
//! name `ring` means the crate `ring` or the module `sealane::ring`. Both must give the same
//! results.

/// Defines a module and a test for each program.
macro_rules! programs {
    ($($name:ident)*) => {$(
        mod $name {
            mod theirs {
                #[allow(unused_imports)]
                use ring_017 as ring;
                include!(concat!(stringify!($name), ".rs"));
                pub(super) fn results() -> Vec<u8> {
                    run()
                }
            }

            mod ours {
                #[allow(unused_imports)]
                use sealane::ring;
                include!(concat!(stringify!($name), ".rs"));
                pub(super) fn results() -> Vec<u8> {
                    run()
                }
            }

            #[test]
            fn gives_the_same_results() {
                let (theirs, ours) = (theirs::results(), ours::results());
                assert!(!theirs.is_empty(), "a program without results compares nothing");
                let first = theirs.iter().zip(&ours).position(|(a, b)| a != b);
                assert!(theirs == ours, "{} and {} bytes, different from {first:?} on", theirs.len(), ours.len());
            }
        }
    )*};
}

programs! {
    algorithm
    bound_keys
    buffer_of_ones_own
    errors
    less_safe_key
    noise
    reassembly
    ssh
    threads
    wireguard
}

mod lengths;
