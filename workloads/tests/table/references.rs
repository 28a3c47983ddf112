//! Compares the results of the benchmarks with the references of `spec/`.

use sealane::gf2n::{Degree, Field};
use sealane_measure::{Messages, Work};
use sealane_spec::aead::{chacha20_aead_encrypt, xchacha20_aead_encrypt};
use sealane_spec::gf2n::Polynomial;
use sealane_spec::{chacha, erasure, haraka, poly1305, shamir_bytes, shamir_element};
use sealane_workloads::benchmarks::messages::{AAD, BATCH, KEY, nonce, one_time_key};
use sealane_workloads::benchmarks::{SEED, data, digest, gf2n, gf8, haraka as calls, pieces, shamir};
use sealane_workloads::{Benchmark, Code, Family, Size};

#[test]
fn every_backend_gives_the_results_of_the_references() {
    let unknown: Vec<_> = std::thread::scope(|scope| {
        let threads: Vec<_> = Benchmark::all()
            .map(|(family, benchmark)| scope.spawn(move || unknown_digest(family, benchmark)))
            .collect();
        threads.into_iter().filter_map(|thread| thread.join().unwrap()).collect()
    });
    assert!(unknown.is_empty(), "digests of the references: {unknown:#?}");
}

/// Compares all backends with the references. Returns the digest of the references' results if the
/// benchmark's row has another one.
fn unknown_digest(family: Family, benchmark: &Benchmark) -> Option<String> {
    let results: Vec<_> = benchmark.known_sizes().into_iter().map(|size| (size, reference(benchmark, size))).collect();
    for backend in family.available() {
        for (size, expected) in &results {
            let result = benchmark.result(backend, *size).unwrap();
            assert!(result == *expected, "{} of {size} on {backend}", benchmark.name);
        }
    }
    let expected = digest(results.into_iter().map(|(_, result)| Ok::<_, ()>(result))).unwrap();
    let known = expected == benchmark.digest && benchmark.gives_known_results("scalar") == Ok(true);
    (!known).then(|| format!("{}: {expected:#x}", benchmark.name))
}

#[test]
fn a_call_writes_its_result_and_a_time_needs_the_work() {
    for (family, benchmark) in Benchmark::all() {
        for &size in benchmark.sizes.iter().take(2) {
            match benchmark.code {
                Code::Messages { work, .. } => {
                    assert!(matches!(size, Size::Bytes(length) if work.least_cycles(length) > 0.0));
                }
                Code::Own(prepare) => {
                    let mut prepared = prepare("scalar", size).unwrap();
                    assert!(prepared.operations > 0 && prepared.bytes > 0);
                    assert_eq!(prepared.work != Work::Copy, family == Family::Aes, "{}", benchmark.name);
                    let before = prepared.result();
                    prepared.call(1);
                    assert_ne!(before, prepared.result(), "{}", benchmark.name);
                }
            }
        }
    }
}

/// The tables are copied from runs without `--sizes`.
#[test]
fn a_plain_run_measures_each_size_of_the_tables() {
    let page = include_str!("../../../docs/performance/granite-rapids.md");
    let (_, seal) = Benchmark::all().find(|(_, benchmark)| benchmark.name == "chacha20poly1305-seal").unwrap();
    let columns: Vec<_> = seal.sizes.iter().map(Size::to_string).collect();
    assert!(page.contains(&format!("| | {} |\n", columns.join(" | "))), "{columns:?}");
}

/// Returns what the references give for the first call.
fn reference(benchmark: &Benchmark, size: Size) -> Vec<u8> {
    match (benchmark.name, size) {
        (name, Size::Bytes(length)) if matches!(benchmark.code, Code::Messages { .. }) => {
            let count = if name.ends_with("batch") { BATCH } else { 1 };
            let mut messages = Messages::new(length, 0, count, count);
            let results = (0..).zip(messages.iter_mut()).map(|(number, (data, _))| message(name, number, data));
            results.flat_map(|(data, tag)| [&data[..], &tag].concat()).collect()
        }
        (name, Size::Bytes(_)) if name.ends_with("-pieces") => {
            // The pieces make no difference to the result.
            let data = data(pieces::MESSAGE_BYTES);
            let (sealed, tag) = message(name.trim_end_matches("-pieces"), 0, &data);
            [&sealed[..], &tag].concat()
        }
        (name, Size::Bytes(length)) => {
            let data = data(length);
            match name {
                "shamir-split" => shamir_bytes::split(shamir::THRESHOLD, &shamir::POINTS, &SEED, 0, &data).concat(),
                "shamir-combine" => data,
                "gf8-parity" => {
                    let matrix = erasure::cauchy(gf8::DATA, gf8::PARITY);
                    erasure::multiply_shards(erasure::REED_SOLOMON, &matrix, &gf8::shards(length)).concat()
                }
                _ => data.iter().map(|byte| shamir_bytes::multiply(*byte, gf8::CONSTANT)).collect(),
            }
        }
        (name, Size::Inputs(_)) => {
            let mut haraka = haraka::Haraka::new();
            if name.ends_with("tweaked") {
                haraka = haraka.tweaked(calls::SEED);
            }
            match name.contains("256") {
                true => calls::inputs().map(|input| haraka.haraka256(5, &input)).concat(),
                false => calls::inputs().map(|input| haraka.haraka512(5, &input)).concat(),
            }
        }
        (name, Size::Degree(degree)) => match degree {
            8 => in_field::<Degree<8>>(name),
            64 => in_field::<Degree<64>>(name),
            128 => in_field::<Degree<128>>(name),
            256 => in_field::<Degree<256>>(name),
            512 => in_field::<Degree<512>>(name),
            1024 => in_field::<Degree<1024>>(name),
            2048 => in_field::<Degree<2048>>(name),
            _ => panic!("no reference in the field of 2^{degree}"),
        },
        ("shamir-element-reconstruct", _) => shamir::SECRET.to_vec(),
        (_, Size::Sharing(threshold, count)) => {
            let random = chacha::chacha20_encrypt(&SEED, 0, &[0; 12], &vec![0; 32 * (threshold - 1)]);
            let mut coefficients = vec![shamir::SECRET.to_vec()];
            coefficients.extend(random.chunks(32).map(<[u8]>::to_vec));
            (1..=count).flat_map(|x| shamir_element::evaluate(256, &coefficients, &x.to_le_bytes())).collect()
        }
    }
}

/// Returns the message after the operation, and its tag.
fn message(name: &str, number: u64, data: &[u8]) -> (Vec<u8>, [u8; 16]) {
    let sealed = || chacha20_aead_encrypt(&AAD, &KEY, &nonce(number), data);
    match name {
        "chacha20" => (chacha::chacha20_encrypt(&KEY, 1, &nonce(number), data), [0; 16]),
        "poly1305" => (data.to_vec(), poly1305::poly1305_mac(data, &one_time_key(number))),
        "xchacha20poly1305-seal" => xchacha20_aead_encrypt(&AAD, &KEY, &nonce(number), data),
        // No message has the tag.
        "chacha20poly1305-decrypt" => (sealed().0, [0; 16]),
        _ if name.contains("open") => (data.to_vec(), sealed().1),
        _ => sealed(),
    }
}

fn in_field<F: Field>(name: &str) -> Vec<u8> {
    let modulus = Polynomial::modulus(F::BITS);
    let [a, b] = gf2n::operands::<F>(if name == "gf2n-invert" { gf2n::INVERTED } else { usize::MAX }).map(|elements| {
        elements.iter().map(|element| Polynomial::from_bytes(element.to_bytes().as_ref())).collect::<Vec<_>>()
    });
    let product = |(a, b): (&Polynomial, &Polynomial)| a.multiply_mod(b, &modulus);
    let results: Vec<_> = match name {
        "gf2n-multiply" => a.iter().zip(&b).map(product).collect(),
        "gf2n-square" => a.iter().map(|a| a.square_mod(&modulus)).collect(),
        "gf2n-multiply-dependent" | "gf2n-multiply-held" => {
            let mut products = vec![a[0].clone()];
            b[1..].iter().for_each(|b| products.push(product((&products[products.len() - 1], b))));
            products
        }
        "gf2n-sum-of-products" => {
            let sum = a.iter().zip(&b).map(product).fold(Polynomial::powers(&[]), |sum, product| sum.add(&product));
            [&[sum], &a[1..]].concat()
        }
        _ => a.iter().map(|a| a.invert_mod(&modulus).expect("not zero")).collect(),
    };
    results.iter().flat_map(|result| result.to_bytes(F::BITS / 8)).collect()
}
