//! HarakaS on every backend against the reference, whole and in pieces.

use sealane::haraka::{HarakaS, TweakedHaraka};

use crate::common::test_bytes;
use crate::haraka::{REFERENCE, backends};

/// Lengths near one, two and three times the rate.
const LENGTHS: [usize; 12] = [0, 1, 30, 31, 32, 33, 63, 64, 65, 96, 97, 200];

#[test]
fn messages_and_outputs_of_every_length() {
    for backend in backends() {
        for length in LENGTHS {
            let message = test_bytes(5, length);
            let expected = REFERENCE.haraka_s(&message, 200);
            for output_length in LENGTHS {
                let mut output = vec![0xee; output_length];
                HarakaS::with_backend(backend).chain(&message).finish().squeeze(&mut output);
                assert_eq!(output, expected[..output_length], "{backend}: {length} to {output_length}");
            }
        }
    }
}

#[test]
fn pieces_give_the_same_result() {
    let message = test_bytes(6, 200);
    let expected = REFERENCE.haraka_s(&message, 200);
    for backend in backends() {
        for piece in 1..=70 {
            let mut sponge = HarakaS::with_backend(backend);
            message.chunks(piece).for_each(|piece| sponge.absorb(piece));
            let mut squeezer = sponge.finish();
            let mut output = vec![0; 200];
            output.chunks_mut(piece).for_each(|piece| squeezer.squeeze(piece));
            assert_eq!(output, expected, "{backend}: pieces of {piece}");
        }
    }
}

#[test]
fn the_one_shot_forms_are_the_sponge() {
    let mut output = [0; 70];
    HarakaS::hash(b"message", &mut output);
    assert_eq!(output[..], REFERENCE.haraka_s(b"message", 70));
    let haraka = TweakedHaraka::new(b"seed");
    haraka.haraka_s(b"message", &mut output);
    assert_eq!(output[..], REFERENCE.tweaked(b"seed").haraka_s(b"message", 70));
}

#[test]
fn the_values_of_pqclean() {
    for backend in backends() {
        for v in sealane_vectors::haraka_s().vectors {
            let haraka = TweakedHaraka::with_backend(&v.seed, backend);
            let mut output = vec![0; v.output.len()];
            haraka.haraka_s(&v.message, &mut output);
            assert_eq!(output, *v.output, "{backend}: {}", v.id);
        }
    }
}

#[test]
fn nothing_of_the_state_is_printed() {
    let sponge = HarakaS::new().chain(b"secret");
    assert_eq!(format!("{sponge:?} {:?}", sponge.clone().finish()), "HarakaS(…) Squeezer(…)");
}
