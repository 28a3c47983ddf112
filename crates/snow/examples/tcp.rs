//! Sends a file over TCP. The client knows the server's public key, and the server knows which
//! client may send (pattern IK). The length of each message precedes it, as two bytes.
//!
//! `cargo run --example tcp`

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::thread;

type Error = Box<dyn std::error::Error + Send + Sync>;

const PROTOCOL: &str = "Noise_IK_25519_ChaChaPoly_BLAKE2s";
const MAX_MESSAGE: usize = 65_535;

fn send(stream: &mut TcpStream, message: &[u8]) -> Result<(), Error> {
    stream.write_all(&u16::try_from(message.len())?.to_be_bytes())?;
    Ok(stream.write_all(message)?)
}

fn receive(stream: &mut TcpStream) -> Result<Vec<u8>, Error> {
    let mut length = [0; 2];
    stream.read_exact(&mut length)?;
    let mut message = vec![0; u16::from_be_bytes(length).into()];
    stream.read_exact(&mut message)?;
    Ok(message)
}

fn serve(mut stream: TcpStream, private: &[u8], client: &[u8]) -> Result<Vec<u8>, Error> {
    let (mut message, mut payload) = ([0; MAX_MESSAGE], [0; MAX_MESSAGE]);
    let mut handshake = sealane_snow::builder(PROTOCOL.parse()?).local_private_key(private)?.build_responder()?;
    handshake.read_message(&receive(&mut stream)?, &mut payload)?; // -> e, es, s, ss
    if handshake.get_remote_static() != Some(client) {
        return Err("this client may not send".into());
    }
    let length = handshake.write_message(&[], &mut message)?; // <- e, ee, se
    send(&mut stream, &message[..length])?;
    let (mut session, mut file) = (handshake.into_transport_mode()?, Vec::new());
    loop {
        match session.read_message(&receive(&mut stream)?, &mut payload)? {
            0 => return Ok(file),
            length => file.extend_from_slice(&payload[..length]),
        }
    }
}

fn main() -> Result<(), Error> {
    let builder = sealane_snow::builder(PROTOCOL.parse()?);
    let (server_keys, client_keys) = (builder.generate_keypair()?, builder.generate_keypair()?);
    let listener = TcpListener::bind("127.0.0.1:0")?;
    let mut stream = TcpStream::connect(listener.local_addr()?)?;
    let server = thread::spawn(move || serve(listener.accept()?.0, &server_keys.private, &client_keys.public));

    let (mut message, mut payload) = ([0; MAX_MESSAGE], [0; MAX_MESSAGE]);
    let builder = builder.local_private_key(&client_keys.private)?.remote_public_key(&server_keys.public)?;
    let mut handshake = builder.build_initiator()?;
    let length = handshake.write_message(&[], &mut message)?;
    send(&mut stream, &message[..length])?;
    handshake.read_message(&receive(&mut stream)?, &mut payload)?;
    let mut session = handshake.into_transport_mode()?;
    let file: Vec<u8> = (0..1 << 20).map(|i| (i / 1000) as u8).collect();
    // An empty message marks the end. A connection that ends before it is an error.
    for part in file.chunks(MAX_MESSAGE - 16).chain([&[][..]]) {
        let length = session.write_message(part, &mut message)?;
        send(&mut stream, &message[..length])?;
    }
    let received = server.join().expect("the server does not panic")?;
    println!("the server has received {} bytes", received.len());
    assert_eq!(received, file);
    Ok(())
}
