//! Known answers of the scalar backend, with which all other backends are compared.

use sealane::Backend;
use sha2::{Digest as _, Sha256};

use super::primitive::Primitive;
use super::verified::Verified;
use crate::error::Result;

/// Sizes in bytes: around blocks and groups of blocks, and most of the default sizes of `--sizes`.
const SIZES: [usize; 16] = [1, 15, 16, 63, 64, 65, 128, 255, 256, 512, 513, 1024, 1350, 4096, 5000, 16384];

/// SHA-256 of the results at these sizes, one after the other. A test here shows that they equal
/// the results of `spec/`.
fn digest_of(primitive: Primitive) -> [u8; 32] {
    let hexadecimal = match primitive {
        Primitive::ChaCha20 => "e331aacaa1d1e0163308e66c0f034a055a432b70b70680b54b54ce6c673fad82",
        Primitive::Poly1305 => "47828ac44abc38df22e691a5f500f06cf814fed6b670cf635e8477a203c5a522",
        Primitive::Seal => "0c8a645c63eacdfc875bba6457d9f4cdb9cbeeb68835de674b41d32c9f15a660",
        Primitive::Open => "f0ada2650a6c60d7a7c62dcca7d7e454efe6bcebf57bb48c056f075628c34db5",
        Primitive::ExtendedSeal => "41a7ae3c34879ad3e38934382a38c6dfe0eb4b98aa722fe7bc1633e24bbb613a",
    };
    let mut digest = [0; 32];
    for (byte, digits) in digest.iter_mut().zip(hexadecimal.as_bytes().chunks(2)) {
        let digits = str::from_utf8(digits).expect("hexadecimal digits");
        *byte = u8::from_str_radix(digits, 16).expect("hexadecimal digits");
    }
    digest
}

/// Compares the scalar backend's results with the known ones.
pub(super) fn check(primitive: Primitive) -> Result<Verified> {
    let scalar = Backend::available().next().expect("portable code is always available");
    let digest = digest(|size| {
        let mut message = primitive.message(size)?;
        message.reset(primitive);
        primitive.operation(scalar)(1, &mut message);
        message.result()
    })?;
    let what = format!("known answers of {} on {scalar}", primitive.name());
    Verified::by(what, digest == digest_of(primitive))
}

fn digest(mut result: impl FnMut(usize) -> Result<Vec<u8>>) -> Result<[u8; 32]> {
    let mut digest = Sha256::new();
    for size in SIZES {
        digest.update(result(size)?);
    }
    Ok(digest.finalize().into())
}

#[cfg(test)]
mod tests {
    use super::super::primitive::tests::of_the_references;
    use super::*;

    #[test]
    fn the_known_answers_are_those_of_the_references() {
        for primitive in Primitive::ALL {
            let of_the_references = digest(|size| Ok(of_the_references(primitive, size))).unwrap();
            let hexadecimal: String = of_the_references.iter().map(|byte| format!("{byte:02x}")).collect();
            assert_eq!(digest_of(primitive), of_the_references, "{primitive:?}: {hexadecimal}");
            let _verified = check(primitive).unwrap();
        }
    }
}
