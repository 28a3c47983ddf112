//! Elements of fields in a human-readable format, and in a binary one.

use sealane::gf2n::{Degree, Element, Field, Gf2n};
use sealane::shamir::element::Share;

use crate::gf2n::element;

fn comes_back<F: Field>() {
    for seed in 0..4 {
        let element: Element<F> = if seed == 0 { Element::ZERO } else { element(seed) };
        let bytes = element.to_bytes();

        let json = serde_json::to_string(&element).unwrap();
        let digits: String = bytes.as_ref().iter().map(|byte| format!("{byte:02x}")).collect();
        assert_eq!(json, format!("\"{digits}\""));
        assert_eq!(serde_json::from_str::<Element<F>>(&json).unwrap(), element);
        assert_eq!(serde_json::from_str::<Element<F>>(&json.to_uppercase()).unwrap(), element);

        let binary = postcard::to_allocvec(&element).unwrap();
        assert!(binary.ends_with(bytes.as_ref()) && binary.len() <= bytes.as_ref().len() + 2, "a length and the bytes");
        assert_eq!(postcard::from_bytes::<Element<F>>(&binary).unwrap(), element);
    }
}

#[test]
fn elements_survive_serialisation() {
    comes_back::<Degree<8>>();
    comes_back::<Degree<32>>();
    comes_back::<Degree<192>>();
    comes_back::<Degree<256>>();
    comes_back::<Degree<2048>>();
}

#[test]
fn other_values_are_not_elements() {
    type Gf = Gf2n<32>;
    for wrong in [
        "\"\"",
        "\"0102030\"",
        "\"010203\"",
        "\"0102030405\"",
        "\"0102030g\"",
        "\"+1020304\"",
        "16909060",
        "[1, 2, 3, 4]",
        "null",
    ] {
        assert!(serde_json::from_str::<Gf>(wrong).is_err(), "{wrong}");
    }
    for wrong in [&[][..], &[0], &[3, 1, 2, 3], &[4, 1, 2, 3], &[5, 1, 2, 3, 4, 5]] {
        assert!(postcard::from_bytes::<Gf>(wrong).is_err(), "{wrong:?}");
    }
    assert_eq!(postcard::from_bytes::<Gf>(&[4, 1, 2, 3, 4]).unwrap(), Gf::from_bytes(&[1, 2, 3, 4]));
}

#[test]
fn shares_survive_serialisation() {
    type Gf = Gf2n<32>;
    let share = Share::new(Gf::from_bytes(&[0, 0, 0, 1]), Gf::from_bytes(&[1, 2, 3, 4])).unwrap();
    let json = serde_json::to_string(&share).unwrap();
    assert_eq!(json, r#"["00000001","01020304"]"#);
    assert!(serde_json::from_str::<Share<Degree<32>>>(&json).unwrap() == share);
    let binary = postcard::to_allocvec(&share).unwrap();
    assert!(postcard::from_bytes::<Share<Degree<32>>>(&binary).unwrap() == share);
    // The value at zero is the secret, and no share.
    for wrong in [r#"["00000000","01020304"]"#, r#"["00000001"]"#, r#"["00000001","01020304","05"]"#, "[]"] {
        assert!(serde_json::from_str::<Share<Degree<32>>>(wrong).is_err(), "{wrong}");
    }
}
