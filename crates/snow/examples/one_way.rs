//! Seals a report to a public key. The recipient does not answer, and learns which key sealed the
//! report (pattern X). Anybody can send the same report again, so put a number or a time into it.
//! An attacker who obtains the recipient's private key can open old reports, and forge reports from
//! any sender.
//!
//! `cargo run --example one_way`

type Error = Box<dyn std::error::Error>;

const PROTOCOL: &str = "Noise_X_25519_ChaChaPoly_BLAKE2s";
/// The length of the first message: two public keys, the length of the report, and two tags.
const FIRST: usize = 32 + 32 + 8 + 2 * 16;
/// The length of the other messages, except the last one.
const MESSAGE: usize = 65_535;

fn seal(private: &[u8], recipient: &[u8], report: &[u8]) -> Result<Vec<u8>, Error> {
    let builder = sealane_snow::builder(PROTOCOL.parse()?).local_private_key(private)?;
    let mut handshake = builder.remote_public_key(recipient)?.build_initiator()?;
    let mut sealed = vec![0; FIRST];
    handshake.write_message(&(report.len() as u64).to_be_bytes(), &mut sealed)?; // -> e, es, s, ss
    let (mut session, mut message) = (handshake.into_transport_mode()?, [0; MESSAGE]);
    for piece in report.chunks(MESSAGE - 16) {
        let length = session.write_message(piece, &mut message)?;
        sealed.extend_from_slice(&message[..length]);
    }
    Ok(sealed)
}

/// Returns the sender's public key, and the report.
fn open(private: &[u8], sealed: &[u8]) -> Result<(Vec<u8>, Vec<u8>), Error> {
    let mut handshake = sealane_snow::builder(PROTOCOL.parse()?).local_private_key(private)?.build_responder()?;
    let (first, rest) = sealed.split_at_checked(FIRST).ok_or("the first message is cut off")?;
    let (mut payload, mut report) = ([0; MESSAGE], Vec::new());
    let length = handshake.read_message(first, &mut payload)?;
    let report_length = u64::from_be_bytes(payload[..length].try_into()?);
    let sender = handshake.get_remote_static().ok_or("there is no sender")?.to_vec();
    let mut session = handshake.into_transport_mode()?;
    for message in rest.chunks(MESSAGE) {
        let length = session.read_message(message, &mut payload)?;
        report.extend_from_slice(&payload[..length]);
    }
    if report.len() as u64 == report_length { Ok((sender, report)) } else { Err("messages are missing".into()) }
}

fn main() -> Result<(), Error> {
    let builder = sealane_snow::builder(PROTOCOL.parse()?);
    let (device, office) = (builder.generate_keypair()?, builder.generate_keypair()?);
    let report = vec![7; 200_000];
    let sealed = seal(&device.private, &office.public, &report)?;
    let (sender, opened) = open(&office.private, &sealed)?;
    assert!(sender == device.public && opened == report);
    println!("{} bytes from the device, sealed as {}", opened.len(), sealed.len());

    let shorter = &sealed[..FIRST + 3 * MESSAGE];
    println!("without the last message: {}", open(&office.private, shorter).expect_err("it is missing"));
    let mut changed = sealed;
    changed[100_000] ^= 1;
    println!("with a changed bit: {}", open(&office.private, &changed).expect_err("it is changed"));
    Ok(())
}
