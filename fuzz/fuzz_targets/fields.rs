//! Compares every backend with the reference, for Haraka, GF(2^n), GF(2^8) and secret sharing.
#![no_main]

use std::collections::HashMap;
use std::sync::LazyLock;

use libfuzzer_sys::arbitrary::{self, Arbitrary};
use libfuzzer_sys::fuzz_target;
use sealane::gf2n::{ClmulFamily, Degree, Element, Field};
use sealane::gf8;
use sealane::haraka::{Haraka, HarakaS, TweakedHaraka};
use sealane::shamir::bytes::{Combiner, Splitter};
use sealane::shamir::element::{self, Share};
use sealane::{AesFamily, Gf8Family};
use sealane_fuzz::{Bytes, backends, reached};
use sealane_spec::gf2n::Polynomial;
use sealane_spec::{erasure, haraka, shamir_bytes, shamir_element};

#[derive(Arbitrary, Debug)]
enum Case {
    Haraka { six_rounds: bool, count: u8, inputs: Bytes<{ 17 * 64 }> },
    Tweaked { seed: Bytes<64>, count: u8, inputs: Bytes<{ 17 * 64 }> },
    HarakaS { message: Bytes<150>, output: u8 },
    Gf2n { field: u8, a: Bytes<48>, b: Bytes<48>, count: u8 },
    Gf8 { constant: u8, source: Bytes<600>, sum: Bytes<600>, skip: u8 },
    Matrix { is_aes: bool, rows: u8, coefficients: Bytes<100>, sources: Bytes<1500>, sum: u8 },
    ShareBytes { threshold: u8, points: Vec<u8>, seed: [u8; 32], secret: Bytes<300>, target: u8 },
    ShareElement { field: u8, threshold: u8, points: Vec<u8>, coefficients: Bytes<80>, damaged: Option<u8> },
}

fuzz_target!(|case: Case| match case {
    Case::Haraka { six_rounds: false, count, inputs } => {
        plain::<5>(count, &inputs.0, || reached!("five rounds of Haraka"));
    }
    Case::Haraka { six_rounds: true, count, inputs } => {
        plain::<6>(count, &inputs.0, || reached!("six rounds of Haraka"));
    }
    Case::Tweaked { seed, count, inputs } => tweaked(&seed.0, count, &inputs.0),
    Case::HarakaS { message, output } => {
        let expected = REFERENCE.haraka_s(&message.0, output.into());
        for backend in backends::<AesFamily>() {
            let mut output = vec![0; output.into()];
            HarakaS::with_backend(backend).chain(&message.0).finish().squeeze(&mut output);
            assert!(output == expected, "{backend}");
        }
        reached!("HarakaS");
    }
    // One field for each way to multiply and to reduce; all thirteen would take long to compile.
    Case::Gf2n { field, a, b, count } => match field % 6 {
        0 => products::<Degree<8>>(&a, &b, count, || reached!("an inverse in GF(2^8)")),
        1 => products::<Degree<64>>(&a, &b, count, || reached!("an inverse in GF(2^64)")),
        2 => products::<Degree<128>>(&a, &b, count, || reached!("an inverse in GF(2^128)")),
        3 => products::<Degree<192>>(&a, &b, count, || reached!("an inverse in GF(2^192)")),
        4 => products::<Degree<256>>(&a, &b, count, || reached!("an inverse in GF(2^256)")),
        _ => products::<Degree<384>>(&a, &b, count, || reached!("an inverse in GF(2^384)")),
    },
    Case::Gf8 { constant, source, sum, skip } => constant_products(constant, &source.0, &sum.0, skip % 64),
    Case::Matrix { is_aes, rows, coefficients, sources, sum } => {
        let field = if is_aes { gf8::Field::Aes } else { gf8::Field::ReedSolomon };
        matrix_products(field, usize::from(rows % 15) + 1, &coefficients.0, &sources.0, sum);
    }
    Case::ShareBytes { threshold, points, seed, secret, target } => {
        share_bytes(threshold, &points, &seed, &secret.0, target);
    }
    Case::ShareElement { field, threshold, points, coefficients, damaged } => {
        let coefficients = &coefficients.0;
        match field % 3 {
            0 => share_element::<Degree<8>>(
                threshold,
                &points,
                coefficients,
                damaged,
                [|| reached!("a combined element of GF(2^8)"), || reached!("a bad share of GF(2^8)")],
            ),
            1 => share_element::<Degree<64>>(
                threshold,
                &points,
                coefficients,
                damaged,
                [|| reached!("a combined element of GF(2^64)"), || reached!("a bad share of GF(2^64)")],
            ),
            _ => share_element::<Degree<128>>(
                threshold,
                &points,
                coefficients,
                damaged,
                [|| reached!("a combined element of GF(2^128)"), || reached!("a bad share of GF(2^128)")],
            ),
        }
    }
});

/// The reference for Haraka, with the paper's constants.
static REFERENCE: LazyLock<haraka::Haraka> = LazyLock::new(haraka::Haraka::new);

fn inputs<const N: usize>(count: u8, bytes: &[u8]) -> Vec<[u8; N]> {
    let mut inputs = bytes.as_chunks().0.to_vec();
    inputs.truncate(usize::from(count % 18));
    inputs
}

/// Hashes the inputs with the reference. It is slow, so equal inputs are hashed once.
fn each<const N: usize>(inputs: &[[u8; N]], hash: impl Fn(&[u8; N]) -> [u8; 32]) -> Vec<[u8; 32]> {
    let mut hashes = HashMap::new();
    inputs.iter().map(|input| *hashes.entry(input).or_insert_with(|| hash(input))).collect()
}

fn plain<const ROUNDS: usize>(count: u8, bytes: &[u8], reached: fn()) {
    let (inputs_256, inputs_512) = (inputs::<32>(count, bytes), inputs::<64>(count, bytes));
    let expected_256 = each(&inputs_256, |input| REFERENCE.haraka256(ROUNDS, input));
    let expected_512 = each(&inputs_512, |input| REFERENCE.haraka512(ROUNDS, input));
    for backend in backends::<AesFamily>() {
        let haraka = Haraka::with_backend(backend);
        let mut outputs = vec![[0; 32]; inputs_256.len()];
        haraka.haraka256_batch::<ROUNDS>(&inputs_256, &mut outputs);
        assert!(outputs == expected_256, "{ROUNDS} rounds on {backend}");
        for (input, expected) in inputs_256.iter().zip(&expected_256).take(2) {
            assert_eq!(haraka.haraka256::<ROUNDS>(input), *expected, "{backend}");
        }
        let mut outputs = vec![[0; 32]; inputs_512.len()];
        haraka.haraka512_batch::<ROUNDS>(&inputs_512, &mut outputs);
        assert!(outputs == expected_512, "{ROUNDS} rounds on {backend}");
        for (input, expected) in inputs_512.iter().zip(&expected_512).take(2) {
            assert_eq!(haraka.haraka512::<ROUNDS>(input), *expected, "{backend}");
            reached();
        }
        if let Some(first) = inputs_512.first_chunk() {
            assert!(haraka.haraka512_x4::<ROUNDS>(first)[..] == expected_512[..4], "{backend}");
        }
        if let Some(first) = inputs_256.first_chunk() {
            assert!(haraka.haraka256_x8::<ROUNDS>(first)[..] == expected_256[..8], "{backend}");
        }
    }
}

fn tweaked(seed: &[u8], count: u8, bytes: &[u8]) {
    let reference = REFERENCE.tweaked(seed);
    let (inputs_256, inputs_512) = (inputs::<32>(count, bytes), inputs::<64>(count, bytes));
    let expected_256 = each(&inputs_256, |input| reference.haraka256(5, input));
    let expected_512 = each(&inputs_512, |input| reference.haraka512(5, input));
    for backend in backends::<AesFamily>() {
        let haraka = TweakedHaraka::with_backend(seed, backend);
        let mut outputs = vec![[0; 32]; inputs_256.len()];
        haraka.haraka256_batch(&inputs_256, &mut outputs);
        assert!(outputs == expected_256, "{backend}");
        let mut outputs = vec![[0; 32]; inputs_512.len()];
        haraka.haraka512_batch(&inputs_512, &mut outputs);
        assert!(outputs == expected_512, "{backend}");
        if !outputs.is_empty() {
            reached!("Haraka with a seed");
        }
    }
}

fn element<F: Field>(bytes: &[u8]) -> Element<F> {
    let mut bytes = bytes.to_vec();
    bytes.resize(Element::<F>::BYTES, 0);
    Element::from_slice(&bytes).expect("every string of this length is an element")
}

fn polynomial<F: Field>(element: &Element<F>) -> Polynomial {
    Polynomial::from_bytes(element.to_bytes().as_ref())
}

fn products<F: Field>(a: &Bytes<48>, b: &Bytes<48>, count: u8, reached: fn()) {
    let (a, b) = (element::<F>(&a.0), element::<F>(&b.0));
    let modulus = Polynomial::modulus(F::BITS);
    let reduced_element = |p: &Polynomial| element::<F>(&p.to_bytes(Element::<F>::BYTES));
    let product = reduced_element(&polynomial(&a).multiply_mod(&polynomial(&b), &modulus));
    let square = reduced_element(&polynomial(&a).square_mod(&modulus));
    for backend in backends::<ClmulFamily>() {
        assert!(backend.multiply(&a, &b) == product, "{} on {backend}", F::BITS);
        assert!(backend.square(&a) == square, "{} on {backend}", F::BITS);
        let inverse: Option<Element<F>> = backend.invert(&a).into();
        assert_eq!(inverse.is_none(), a == Element::ZERO);
        if let Some(inverse) = inverse {
            // Checks the inverse with our product, which was compared above. The reference would
            // divide polynomials bit by bit, which takes long.
            assert!(backend.multiply(&inverse, &a) == Element::ONE, "{} on {backend}", F::BITS);
            reached();
        }
        let count = usize::from(count % 10);
        let mut scaled = vec![a; count];
        backend.scale(&mut scaled, &b);
        assert!(scaled == vec![product; count], "{} on {backend}", F::BITS);
        let mut mixed: Vec<_> = [a, square].into_iter().cycle().take(count).collect();
        let factors: Vec<_> = [b, a].into_iter().cycle().take(count).collect();
        let expected: Vec<_> = mixed.iter().zip(&factors).map(|(a, b)| backend.multiply(a, b)).collect();
        assert!(backend.dot_product(&mixed, &factors) == expected.iter().copied().sum(), "{} on {backend}", F::BITS);
        backend.multiply_slices(&mut mixed, &factors);
        assert!(mixed == expected, "{} on {backend}", F::BITS);
    }
}

fn constant_products(constant: u8, source: &[u8], sum: &[u8], skip: u8) {
    let source = &source[source.len().min(skip.into())..];
    let (source, sum) = (&source[..source.len().min(sum.len())], &sum[..source.len().min(sum.len())]);
    let products: Vec<u8> = source.iter().map(|byte| shamir_bytes::multiply(constant, *byte)).collect();
    let sums: Vec<u8> = products.iter().zip(sum).map(|(a, b)| a ^ b).collect();
    for backend in backends::<Gf8Family>() {
        let (mut multiplied, mut added) = (source.to_vec(), sum.to_vec());
        backend.multiply_slice(constant, &mut multiplied);
        backend.multiply_add_slice(constant, source, &mut added);
        assert!(multiplied == products && added == sums, "{backend}");
        if !source.is_empty() {
            reached!("products in GF(2^8)");
        }
    }
}

fn matrix_products(field: gf8::Field, rows: usize, coefficients: &[u8], sources: &[u8], sum: u8) {
    let columns = coefficients.len() / rows;
    if columns == 0 {
        return;
    }
    let coefficients = &coefficients[..rows * columns];
    let length = sources.len() / columns;
    let sources: Vec<Vec<u8>> = (0..columns).map(|column| sources[column * length..][..length].to_vec()).collect();
    let matrix: Vec<Vec<u8>> = coefficients.chunks(columns).map(<[u8]>::to_vec).collect();
    let polynomial = match field {
        gf8::Field::Aes => 0x11b,
        gf8::Field::ReedSolomon => erasure::REED_SOLOMON,
        other => panic!("no reference for {other:?}"),
    };
    let products = erasure::multiply_shards(polynomial, &matrix, &sources);
    let slices: Vec<_> = sources.iter().map(|source| &source[..]).collect();
    for backend in backends::<Gf8Family>() {
        let matrix = gf8::Matrix::with_backend(field, rows, columns, coefficients, backend);
        let mut destinations = vec![vec![sum; length]; rows];
        matrix.multiply_add(&slices, &mut destinations.iter_mut().map(|d| &mut d[..]).collect::<Vec<_>>());
        destinations.iter_mut().flatten().for_each(|byte| *byte ^= sum);
        assert!(destinations == products, "{field:?}, added on {backend}");
        matrix.multiply(&slices, &mut destinations.iter_mut().map(|d| &mut d[..]).collect::<Vec<_>>());
        assert!(destinations == products, "{field:?} on {backend}");
        if length > 0 {
            match field {
                gf8::Field::Aes => reached!("a matrix product in the field of AES"),
                _ => reached!("a matrix product in the field of Reed-Solomon codes"),
            }
        }
    }
}

/// Returns distinct points other than zero, and a threshold for them.
fn parameters(threshold: u8, points: &[u8], max: usize) -> Option<(usize, Vec<u8>)> {
    let mut distinct = Vec::new();
    for &point in points {
        if point != 0 && !distinct.contains(&point) && distinct.len() < max {
            distinct.push(point);
        }
    }
    (!distinct.is_empty()).then(|| (1 + usize::from(threshold) % distinct.len(), distinct))
}

fn share_bytes(threshold: u8, points: &[u8], seed: &[u8; 32], secret: &[u8], target: u8) {
    let Some((threshold, points)) = parameters(threshold, points, 20) else { return };
    let expected = shamir_bytes::split(threshold, &points, seed, 0, secret);
    let slices: Vec<&[u8]> = expected.iter().map(Vec::as_slice).collect();
    // Combines as many shares as the threshold, and all shares.
    let chosen = [threshold, points.len()];
    let at_target = shamir_bytes::interpolate(&points[..threshold], &slices[..threshold], target);
    for backend in backends::<Gf8Family>() {
        let mut splitter =
            Splitter::from_seed_with_backend(threshold, &points, seed, backend).expect("valid parameters");
        let mut shares = vec![vec![0; secret.len()]; points.len()];
        let mut buffers: Vec<_> = shares.iter_mut().map(Vec::as_mut_slice).collect();
        splitter.split(secret, &mut buffers).expect("buffers of the right length");
        assert!(shares == expected, "{threshold} of {points:?} on {backend}");
        for count in chosen {
            for (target, expected) in [(0, secret), (target, &at_target[..])] {
                let combiner = Combiner::with_backend(&points[..count], target, backend).expect("valid points");
                let mut out = vec![0; secret.len()];
                combiner.combine(&slices[..count], &mut out).expect("shares of one length");
                assert!(out == expected, "{count} shares at {target} on {backend}");
                if !secret.is_empty() && threshold > 1 {
                    reached!("combined bytes");
                }
            }
        }
    }
}

fn share_element<F: Field>(
    threshold: u8,
    points: &[u8],
    coefficients: &[u8],
    damaged: Option<u8>,
    [reached_element, reached_bad_share]: [fn(); 2],
) {
    let Some((threshold, points)) = parameters(threshold, points, 8) else { return };
    let threshold = threshold.min(5);
    let length = Element::<F>::BYTES;
    let coefficients: Vec<Vec<u8>> = (0..threshold)
        .map(|i| coefficients.iter().copied().skip(i * length).chain(std::iter::repeat(0)).take(length).collect())
        .collect();
    let bytes = |element: &Element<F>| element.to_bytes().as_ref().to_vec();
    let points: Vec<Element<F>> = points.iter().map(|&point| element(&[point])).collect();
    let values: Vec<Element<F>> =
        points.iter().map(|point| element(&shamir_element::evaluate(F::BITS, &coefficients, &bytes(point)))).collect();
    let elements: Vec<Element<F>> = coefficients.iter().map(|bytes| element(bytes)).collect();
    let share = |(point, value): (&Element<F>, &Element<F>)| Share::new(*point, *value).expect("no point is zero");
    let mut shares: Vec<Share<F>> = points.iter().zip(&values).map(share).collect();
    for backend in backends::<ClmulFamily>() {
        let mut evaluated = vec![Element::ZERO; points.len()];
        backend.evaluate(&elements, &points, &mut evaluated);
        assert!(evaluated == values, "{} on {backend}", F::BITS);
        for count in [threshold, shares.len()] {
            let secret =
                element::reconstruct_with_backend(threshold, &shares[..count], backend).expect("shares of one secret");
            assert!(secret == elements[0], "{} on {backend}", F::BITS);
            if threshold > 1 {
                reached_element();
            }
        }
    }
    let Some(damaged) = damaged.map(|at| usize::from(at) % shares.len()) else { return };
    shares[damaged] = share((&points[damaged], &(values[damaged] + Element::ONE)));
    for backend in backends::<ClmulFamily>() {
        let found = element::reconstruct_with_backend(threshold, &shares, backend);
        // One share more than the threshold detects a wrong share, and two more identify it.
        assert_eq!(found.is_err(), shares.len() > threshold, "{} on {backend}", F::BITS);
    }
    if shares.len() > threshold + 1 {
        assert_eq!(element::bad_shares(threshold, &shares), Ok(vec![damaged]));
        reached_bad_share();
    }
}
