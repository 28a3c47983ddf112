//! Processing in pieces of any length gives the same result as one call, on every backend.
#![no_main]

use libfuzzer_sys::arbitrary::{Arbitrary, Result, Unstructured};
use libfuzzer_sys::fuzz_target;
use sealane::chacha20::{ChaCha20, ChaCha20Original};
use sealane::haraka::{HarakaS, TweakedHaraka};
use sealane::shamir::bytes::{Checker, Combiner, Refresher, Splitter};
use sealane::{
    AesFamily, Backend, ChaCha20Poly1305, ChaChaFamily, CounterOverflow, Gf8Family, Opener, Poly1305, Tag,
    XChaCha20Poly1305,
};
use sealane_fuzz::{Bytes, Cuts, backend, reached};

type Message = Bytes<5000>;

fuzz_target!(|data: &[u8]| {
    // Missing input is not an error: zeros replace the missing bytes.
    let _ = run(&mut Unstructured::new(data));
});

fn run(u: &mut Unstructured<'_>) -> Result<()> {
    match u.int_in_range(0..=4)? {
        0 => key_stream(u),
        1 => mac(u),
        2 => aead(u),
        3 => sponge(u),
        _ => shares(u),
    }
}

/// Compares seeks and pieces of any length with one call, on the key stream from `base` on.
fn key_stream(u: &mut Unstructured<'_>) -> Result<()> {
    let (key, nonce, backend) = (<[u8; 32]>::arbitrary(u)?, <[u8; 12]>::arbitrary(u)?, backend::<ChaChaFamily>(u)?);
    let original: [u8; 8] = *nonce.first_chunk().expect("12 bytes");
    let wide = bool::arbitrary(u)?;
    let base = match u.int_in_range(0..=2)? {
        0 => 0,
        // 2,000 bytes before the end of the key stream, or before the counter passes 32 bits.
        1 => (1 << 38) - 2000,
        _ if wide => (1 << 70) - 2000,
        _ => u128::from(u32::arbitrary(u)? >> 1) * 64,
    };
    let length = if wide { 1 << 70 } else { ChaCha20::KEY_STREAM_BYTES };
    let mut whole = vec![0; 4000.min(length - base) as usize];
    let (mut narrow_cipher, mut wide_cipher) =
        (ChaCha20::with_backend(&key, &nonce, backend), ChaCha20Original::with_backend(&key, &original, backend));
    macro_rules! with_cipher {
        ($cipher:ident => $action:expr) => {
            if wide {
                let $cipher = &mut wide_cipher;
                $action
            } else {
                let $cipher = &mut narrow_cipher;
                $action
            }
        };
    }
    with_cipher!(cipher => {
        cipher.seek(base).expect("before the end");
        cipher.apply_keystream(&mut whole).expect("before the end");
        cipher.seek(base).expect("back again");
    });
    let mut at = 0;
    for _ in 0..u.int_in_range(0..=12)? {
        if bool::arbitrary(u)? {
            at = usize::from(u16::arbitrary(u)?) % (whole.len() + 1);
            with_cipher!(cipher => cipher.seek(base + at as u128).expect("before the end"));
        }
        let mut piece = vec![0; u.int_in_range(0..=700)?];
        let result = with_cipher!(cipher => cipher.apply_keystream(&mut piece));
        if base + (at + piece.len()) as u128 > length {
            assert_eq!(result, Err(CounterOverflow));
            assert!(piece.iter().all(|byte| *byte == 0), "nothing is written");
        } else {
            result.expect("the key stream is long enough");
            let end = at + piece.len();
            let known = whole.get(at..end.min(whole.len())).unwrap_or(&[]);
            assert!(piece.starts_with(known), "{at} to {end} from {base} on {backend}");
            match wide {
                _ if known.is_empty() => {}
                false => reached!("a key stream"),
                true => reached!("an original key stream"),
            }
            at = end;
        }
        with_cipher!(cipher => assert_eq!(cipher.position(), base + at as u128));
        with_cipher!(cipher => assert_eq!(cipher.remaining(), length - base - at as u128));
    }
    Ok(())
}

fn mac(u: &mut Unstructured<'_>) -> Result<()> {
    let (key, mut message) = (<[u8; 32]>::arbitrary(u)?, Message::arbitrary(u)?.0);
    let (cuts, backend) = (Cuts::arbitrary(u)?, backend::<ChaChaFamily>(u)?);
    let mut whole = Poly1305::with_backend(&key, backend);
    whole.update(&message);
    let mut mac = Poly1305::with_backend(&key, backend);
    for piece in cuts.pieces(&mut message) {
        mac.update(piece);
        if bool::arbitrary(u)? {
            // Copies the state in the middle of the message.
            mac = mac.clone();
        }
    }
    let (tag, mut forged) = (whole.finalize(), mac.clone().finalize());
    assert_eq!(forged, tag, "{cuts:?} on {backend}");
    assert_eq!(mac.clone().verify(&tag), Ok(()));
    forged[usize::from(u8::arbitrary(u)? % 16)] ^= 1 << u.int_in_range(0..=7)?;
    assert!(mac.verify(&forged).is_err());
    reached!("a tag");
    Ok(())
}

fn aead(u: &mut Unstructured<'_>) -> Result<()> {
    let (key, nonce, extended) = (<[u8; 32]>::arbitrary(u)?, <[u8; 24]>::arbitrary(u)?, bool::arbitrary(u)?);
    let (aad, text) = (Bytes::<100>::arbitrary(u)?.0, Message::arbitrary(u)?.0);
    let backend: Backend = backend::<ChaChaFamily>(u)?;
    let short: [u8; 12] = *nonce.first_chunk().expect("24 bytes");
    let (cipher, xcipher) =
        (ChaCha20Poly1305::with_backend(&key, backend), XChaCha20Poly1305::with_backend(&key, backend));
    let mut sealed = text.clone();
    let tag = if extended {
        xcipher.seal_in_place(&nonce, &aad, &mut sealed)
    } else {
        cipher.seal_in_place(&short, &aad, &mut sealed)
    };

    let mut sealer = if extended { xcipher.sealer(&nonce, &aad) } else { cipher.sealer(&short, &aad) };
    let mut buffer = text.clone();
    for piece in Cuts::arbitrary(u)?.pieces(&mut buffer) {
        sealer.seal(piece).expect("a short message");
    }
    assert!(buffer == sealed && sealer.finish() == tag, "sealed on {backend}");

    // Some pieces are decrypted at once, and the others after the tag is verified.
    let opener = || if extended { xcipher.opener(&nonce, &aad) } else { cipher.opener(&short, &aad) };
    let mut first = opener();
    let mut start = 0;
    for piece in Cuts::arbitrary(u)?.pieces(&mut buffer) {
        let range = start..start + piece.len();
        start = range.end;
        if bool::arbitrary(u)? {
            first.decrypt_unauthenticated(piece).expect("a short message");
            assert!(*piece == text[range], "decrypted on {backend}");
        } else {
            first.update(piece).expect("a short message");
            assert!(*piece == sealed[range], "only authenticated on {backend}");
        }
    }
    let mut forged: Tag = tag;
    forged[usize::from(u8::arbitrary(u)? % 16)] ^= 1 << u.int_in_range(0..=7)?;
    let whole = |opener: &mut Opener| opener.update(&sealed).expect("a short message");
    let mut second = opener();
    whole(&mut second);
    assert!(second.verify(&forged).is_err());
    let mut verified = first.verify(&tag).expect("authentic");
    for piece in Cuts::arbitrary(u)?.pieces(&mut sealed) {
        verified.decrypt(piece).expect("no more than was authenticated");
    }
    assert!(sealed == text, "decrypted after all on {backend}");
    assert_eq!(verified.remaining(), 0);
    assert!(verified.decrypt(&mut [0]).is_err());
    match extended {
        _ if text.is_empty() => {}
        false => reached!("an opened message"),
        true => reached!("an opened message with an extended nonce"),
    }
    Ok(())
}

fn sponge(u: &mut Unstructured<'_>) -> Result<()> {
    let (mut message, backend) = (Bytes::<300>::arbitrary(u)?.0, backend::<AesFamily>(u)?);
    let (absorbed, squeezed) = (Cuts::arbitrary(u)?, Cuts::arbitrary(u)?);
    let tweaked = TweakedHaraka::with_backend(&Bytes::<40>::arbitrary(u)?.0, backend);
    let tweak = bool::arbitrary(u)?;
    let new = || if tweak { tweaked.sponge() } else { HarakaS::with_backend(backend) };
    let mut whole = [0; 250];
    new().chain(&message).finish().squeeze(&mut whole);
    let mut sponge = new();
    absorbed.pieces(&mut message).into_iter().for_each(|piece| sponge.absorb(piece));
    let mut squeezer = sponge.finish();
    let mut output = [0; 250];
    squeezed.pieces(&mut output).into_iter().for_each(|piece| squeezer.squeeze(piece));
    assert!(output == whole, "{absorbed:?} {squeezed:?} on {backend}");
    if tweak {
        reached!("a sponge with a seed");
    } else {
        reached!("a sponge");
    }
    Ok(())
}

/// Returns a threshold, and distinct points other than zero.
fn parameters(u: &mut Unstructured<'_>) -> Result<(usize, Vec<u8>)> {
    let mut points: Vec<u8> = Vec::new();
    for _ in 0..u.int_in_range(1..=9)? {
        let point = u8::arbitrary(u)?;
        // Finds the next free point.
        let free = (0..=255).map(|step| point.wrapping_add(step)).find(|it| *it != 0 && !points.contains(it));
        points.push(free.expect("255 points are more than 9"));
    }
    Ok((u.int_in_range(1..=points.len())?, points))
}

/// Splits, refreshes, combines and checks in pieces.
fn shares(u: &mut Unstructured<'_>) -> Result<()> {
    let (threshold, points) = parameters(u)?;
    let (seed, mut secret, backend) = (<[u8; 32]>::arbitrary(u)?, Message::arbitrary(u)?.0, backend::<Gf8Family>(u)?);
    let whole = Cuts::default();
    let cuts = Cuts::arbitrary(u)?;
    let split = |cuts: &Cuts| {
        let mut splitter =
            Splitter::from_seed_with_backend(threshold, &points, &seed, backend).expect("valid parameters");
        let mut shares = vec![vec![0; secret.len()]; points.len()];
        in_pieces(cuts, &mut shares, |start, pieces| {
            let end = start + pieces[0].len();
            splitter.split(&secret[start..end], pieces).expect("buffers of one length");
        });
        let mut refresher =
            Refresher::from_seed_with_backend(threshold, &points, &seed, backend).expect("valid parameters");
        in_pieces(cuts, &mut shares, |_, pieces| refresher.refresh(pieces).expect("buffers of one length"));
        shares
    };
    let mut shares = split(&whole);
    assert!(split(&cuts) == shares, "{threshold} of {points:?} in {cuts:?} on {backend}");

    let combiner = Combiner::with_backend(&points[..threshold], 0, backend).expect("valid points");
    let mut start = 0;
    let plain = secret.clone();
    for piece in cuts.pieces(&mut secret) {
        let range = start..start + piece.len();
        start = range.end;
        let slices: Vec<&[u8]> = shares[..threshold].iter().map(|share| &share[range.clone()]).collect();
        piece.fill(0xa5);
        combiner.combine(&slices, piece).expect("shares of one length");
    }
    assert!(secret == plain, "combined in {cuts:?} on {backend}");
    if !plain.is_empty() && threshold > 1 {
        reached!("a combined secret");
    }

    for _ in 0..u.int_in_range(0..=3)? {
        let (share, at) = (u.int_in_range(0..=points.len() - 1)?, usize::from(u16::arbitrary(u)?));
        let value = u8::arbitrary(u)?;
        if let Some(byte) = shares[share].get_mut(at) {
            *byte = value;
        }
    }
    let verdict = |cuts: &Cuts, shares: &mut [Vec<u8>]| {
        let mut checker = Checker::with_backend(threshold, &points, backend).expect("valid parameters");
        in_pieces(cuts, shares, |_, pieces| {
            let slices: Vec<&[u8]> = pieces.iter().map(|piece| &**piece).collect();
            checker.check(&slices).expect("shares of one length");
        });
        checker.verdict()
    };
    let at_once = verdict(&whole, &mut shares);
    assert_eq!(verdict(&cuts, &mut shares), at_once, "checked in {cuts:?} on {backend}");
    Ok(())
}

/// Calls `act` for each piece, with its position and with that piece of every buffer. The buffers
/// have equal lengths.
fn in_pieces(cuts: &Cuts, buffers: &mut [Vec<u8>], mut act: impl FnMut(usize, &mut [&mut [u8]])) {
    let mut start = 0;
    for end in cuts.ends(buffers[0].len()) {
        let mut pieces: Vec<_> = buffers.iter_mut().map(|buffer| &mut buffer[start..end]).collect();
        act(start, &mut pieces);
        start = end;
    }
}
