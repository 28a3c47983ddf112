//! GF(2^n) and Shamir's secret sharing of an element.

use std::convert::Infallible;

use rand_core::{TryCryptoRng, TryRng};
use sealane::gf2n::{Backend, Degree, Element, Field};
use sealane::shamir::element;
use subtle::{ConditionallySelectable, ConstantTimeEq};

use crate::{public, secret};

/// Runs one of these primitives, if it is one.
pub(crate) fn run(primitive: &str, backend: Backend) -> bool {
    match primitive {
        "gf2n" => {
            arithmetic::<Degree<8>>(backend);
            arithmetic::<Degree<64>>(backend);
            arithmetic::<Degree<128>>(backend);
            arithmetic::<Degree<192>>(backend);
            arithmetic::<Degree<256>>(backend);
            arithmetic::<Degree<384>>(backend);
            arithmetic::<Degree<1024>>(backend);
        }
        "shamir-element" => {
            sharing::<Degree<8>>(backend);
            sharing::<Degree<256>>(backend);
        }
        _ => return false,
    }
    true
}

/// An element that memcheck tracks.
fn secret_element<F: Field>(seed: u8) -> Element<F> {
    let bytes: Vec<u8> = (0..Element::<F>::BYTES).map(|i| seed.wrapping_mul(37).wrapping_add(i as u8)).collect();
    Element::from_slice(&secret(bytes)).expect("as many bytes as an element has")
}

fn done<F: Field>(elements: &[Element<F>]) {
    for element in elements {
        public(element.to_bytes());
    }
}

fn arithmetic<F: Field>(backend: Backend) {
    let (a, b) = (secret_element::<F>(1), secret_element::<F>(2));
    let inverse = backend.invert(&a).unwrap_or(Element::ZERO);
    let selected = Element::conditional_select(&a, &b, a.ct_eq(&b));
    let mut exponent = secret([3; 8]);
    let power = backend.pow(&a, &[u64::from_le_bytes(exponent)]);
    exponent.fill(0);
    done(&[backend.multiply(&a, &b), backend.square(&a), inverse, selected, power, a + b]);
    let many: Vec<_> = (3..12).map(secret_element::<F>).collect();
    let mut products = many.clone();
    backend.multiply_slices(&mut products, &many);
    backend.scale(&mut products, &a);
    let mut values = many.clone();
    backend.evaluate(&many, &products, &mut values);
    done(&values);
    let dot = backend.dot_product(&many, &products);
    backend.batch_invert(&mut products, &mut values);
    done(&products);
    done(&[dot]);
}

fn sharing<F: Field>(backend: Backend) {
    let value = secret_element::<F>(5);
    let points = element::compact_points(6).expect("few points");
    let mut shares = element::split_with(&value, 4, &points, &mut Secrets(0), backend).expect("a sharing");
    element::refresh_with(4, &mut shares, &mut Secrets(1), backend).expect("a sharing");
    let point = *shares[5].point();
    let reissued = element::reconstruct_at_on(4, &shares[..4], &point, backend).expect("four shares");
    let result = element::reconstruct_on(4, &shares[1..5], backend).expect("four shares");
    done(&[*reissued.value(), result]);
}

/// Numbers that memcheck tracks.
struct Secrets(u8);

impl TryRng for Secrets {
    type Error = Infallible;

    fn try_next_u32(&mut self) -> Result<u32, Infallible> {
        let mut bytes = [0; 4];
        self.try_fill_bytes(&mut bytes).map(|()| u32::from_le_bytes(bytes))
    }

    fn try_next_u64(&mut self) -> Result<u64, Infallible> {
        let mut bytes = [0; 8];
        self.try_fill_bytes(&mut bytes).map(|()| u64::from_le_bytes(bytes))
    }

    fn try_fill_bytes(&mut self, bytes: &mut [u8]) -> Result<(), Infallible> {
        for byte in bytes.iter_mut() {
            self.0 = self.0.wrapping_mul(5).wrapping_add(17);
            *byte = self.0;
        }
        crate::memcheck::make_undefined(bytes);
        Ok(())
    }
}

impl TryCryptoRng for Secrets {}
