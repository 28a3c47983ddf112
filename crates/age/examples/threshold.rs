//! A file that any two of three people open together, each with their own key.
//!
//! `cargo run -p sealane-age --example threshold`

use sealane_age::threshold::{Label, Part, ThresholdIdentity, ThresholdRecipient};
use sealane_age::{Decryptor, Identity, Recipient, decrypt, encrypt, x25519};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let holders = [x25519::Identity::generate()?, x25519::Identity::generate()?, x25519::Identity::generate()?];
    let recipients = holders.each_ref().map(x25519::Identity::to_public);
    let recipients = recipients.iter().map(|recipient| recipient as &dyn Recipient);
    let together = ThresholdRecipient::new(2, recipients)?.with_label(Some("plans for 2027".parse()?));
    let file = encrypt([&together as &dyn Recipient], b"attack at dawn")?;

    // One holder looks at the label, and contributes a part.
    let header = Decryptor::read_header(&file[..])?;
    let mut parts = Vec::new();
    for (description, part) in Part::of(&header, [&holders[2] as &dyn Identity])? {
        println!("a share of {:?}", description.label.as_ref().map(Label::as_str));
        parts.push(part);
    }

    // Another holder opens the file.
    let own = ThresholdIdentity::new([&holders[0] as &dyn Identity], &parts);
    assert_eq!(decrypt([&own as &dyn Identity], &file)?, b"attack at dawn");

    // One holder alone cannot open it.
    let alone = ThresholdIdentity::new([&holders[0] as &dyn Identity], &[]);
    println!("alone: {}", decrypt([&alone as &dyn Identity], &file).expect_err("two are needed"));
    Ok(())
}
