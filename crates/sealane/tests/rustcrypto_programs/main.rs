//! Programs for two generations of the crates `chacha20`, `poly1305` and `chacha20poly1305`. Each
//! program is compiled unchanged for these crates, for our modules with the names of the crates,
//! and for the module that contains these modules. Only the meaning of the crate names differs. All
//! three must give the same results.

#![forbid(unsafe_code)]

/// The programs of a generation, and those that both generations compile. `theirs`, `ours` and
/// `root` are imports that give the three crate names their meaning.
macro_rules! programs {
    (theirs $theirs:tt; ours $ours:tt; root $root:tt; $folder:literal: $($name:ident)*;) => {
        programs! {
            folders theirs $theirs; ours $ours; root $root;
            $folder: $($name)*;
            "both": secretbox stream_generic;
        }
    };
    (folders theirs $theirs:tt; ours $ours:tt; root $root:tt; $($folder:literal: $($name:ident)*;)*) => {$($(
        mod $name {
            mod theirs {
                programs!(use $theirs);
                include!(concat!($folder, "/", stringify!($name), ".rs"));
                pub(super) fn results() -> Vec<u8> {
                    run()
                }
            }

            mod ours {
                programs!(use $ours);
                include!(concat!($folder, "/", stringify!($name), ".rs"));
                pub(super) fn results() -> Vec<u8> {
                    run()
                }
            }

            mod root {
                programs!(use $root);
                include!(concat!($folder, "/", stringify!($name), ".rs"));
                pub(super) fn results() -> Vec<u8> {
                    run()
                }
            }

            #[test]
            fn gives_the_same_results() {
                let theirs = theirs::results();
                assert!(!theirs.is_empty(), "a program without results compares nothing");
                for ours in [ours::results(), root::results()] {
                    let first = theirs.iter().zip(&ours).position(|(a, b)| a != b);
                    assert!(theirs == ours, "{} and {} bytes, different from {first:?} on", theirs.len(), ours.len());
                }
            }
        }
    )*)*};
    (use { $($import:item)* }) => {
        $(#[allow(unused_imports)] $import)*
    };
}

mod generation_06 {
    programs! {
        theirs { use {chacha20_010 as chacha20, chacha20poly1305_011 as chacha20poly1305, poly1305_09 as poly1305}; };
        ours { use sealane::rustcrypto::{chacha20, chacha20poly1305, poly1305}; };
        root { use sealane::{rustcrypto as chacha20, rustcrypto as chacha20poly1305, rustcrypto as poly1305}; };
        "generation_06":
            buffer_of_ones_own
            core
            deprecated_in_place
            detached
            encrypt_vec
            generate_key
            generators
            generic_cipher
            generic_function
            hchacha
            in_place_arrayvec
            in_place_bytes
            legacy
            payload
            random_nonces
            stream
            stream_end
            trait_object
            universal_hash
            unpadded_mac
            zeroizing;
    }
}

mod generation_05 {
    programs! {
        theirs { use {chacha20_09 as chacha20, chacha20poly1305_010 as chacha20poly1305, poly1305_08 as poly1305}; };
        ours { use sealane::rustcrypto05::{chacha20, chacha20poly1305, poly1305}; };
        root { use sealane::{rustcrypto05 as chacha20, rustcrypto05 as chacha20poly1305, rustcrypto05 as poly1305}; };
        "generation_05":
            core
            detached
            encrypt_vec
            generic_cipher
            generic_function
            hchacha
            in_place_heapless
            in_place_vec
            legacy
            mutable
            payload
            random_nonces
            segments
            stream
            stream_end
            trait_object
            universal_hash
            unpadded_mac
            zeroizing;
    }
}

/// The crate `chacha20` 0.9 accepts these, and encrypts with another part of the key stream.
#[test]
fn generation_05_refuses_negative_positions() {
    use sealane::rustcrypto05::chacha20::ChaCha20;
    use sealane::rustcrypto05::chacha20::cipher::{KeyIvInit, StreamCipherSeek};

    let mut cipher = ChaCha20::new(&[1; 32].into(), &[2; 12].into());
    cipher.seek(7);
    for position in [-1, -63, -64, -65, i32::MIN] {
        assert!(cipher.try_seek(position).is_err(), "{position}");
        assert_eq!(cipher.current_pos::<i32>(), 7);
    }
}
