//! Compares the provider with OpenSSL's own on TLS 1.3 records, with the calls that libssl makes
//! for each record, and on the same messages in four pieces: `sealane-openssl-bench SEALANE.SO
//! LIBCRYPTO.SO [avx2]`.
//!
//! Each figure is the time of OpenSSL's own provider divided by ours, in one process, as the median
//! of rounds. With `avx2`, neither side uses AVX-512. Run it on an idle machine.

mod evp;

use std::error::Error;
use std::path::Path;
use std::time::{Duration, Instant};

use evp::{Cipher, Evp};
use sealane_measure::{Rounds, Table, median, size_name, take_turns};

const SIZES: [usize; 8] = [16, 64, 256, 1024, 1350, 4096, 8192, 16_384];
const ROUNDS: Rounds = Rounds { count: 25, turn: Duration::from_millis(4), settle: Duration::from_millis(1) };
const TAG_BYTES: usize = 16;
const HEADER_BYTES: usize = 5;

/// A connection: a cipher with a key, and a record.
struct Connection<'a> {
    cipher: Cipher<'a>,
    header: [u8; HEADER_BYTES],
    nonce: [u8; 12],
    number: u64,
    buffer: Vec<u8>,
    record: Vec<u8>,
    tag: [u8; TAG_BYTES],
}

impl<'a> Connection<'a> {
    fn new(evp: &'a Evp, properties: &str, size: usize) -> Self {
        let length = u16::try_from(size + TAG_BYTES).expect("a record");
        let [high, low] = length.to_be_bytes();
        let mut connection = Self {
            cipher: Cipher::new(evp, properties, &[1; 32]),
            header: [0x17, 3, 3, high, low],
            nonce: [2; 12],
            number: 0,
            buffer: vec![3; size],
            record: Vec::new(),
            tag: [0; TAG_BYTES],
        };
        connection.seal();
        connection.record = connection.buffer.clone();
        connection.open();
        assert_eq!(connection.buffer, vec![3; size], "what was sealed is opened");
        connection
    }

    fn nonce(&mut self) -> [u8; 12] {
        self.number += 1;
        self.nonce[4..].copy_from_slice(&self.number.to_be_bytes());
        self.nonce
    }

    /// Encrypts a record.
    fn seal(&mut self) {
        self.seal_in_pieces(1);
    }

    fn seal_in_pieces(&mut self, pieces: usize) {
        let nonce = self.nonce();
        self.cipher.init(&nonce, true);
        self.cipher.associated_data(&self.header);
        let piece_bytes = self.buffer.len().div_ceil(pieces);
        self.buffer.chunks_mut(piece_bytes).for_each(|piece| self.cipher.update(piece));
        self.cipher.finish();
        self.cipher.tag(&mut self.tag);
    }

    /// Copies the latest encrypted record, and decrypts the copy.
    fn open(&mut self) {
        self.open_in_pieces(1);
    }

    fn open_in_pieces(&mut self, pieces: usize) {
        self.buffer.copy_from_slice(&self.record);
        let nonce = self.nonce;
        self.cipher.init(&nonce, false);
        self.cipher.set_tag(&self.tag);
        self.cipher.associated_data(&self.header);
        let piece_bytes = self.buffer.len().div_ceil(pieces);
        self.buffer.chunks_mut(piece_bytes).for_each(|piece| self.cipher.update(piece));
        self.cipher.finish();
    }
}

/// Processes a record.
type Operation = fn(&mut Connection<'_>);
const SEAL: Operation = |connection| connection.seal();
const OPEN: Operation = |connection| connection.open();
const SEAL_IN_PIECES: Operation = |connection| connection.seal_in_pieces(4);
const OPEN_IN_PIECES: Operation = |connection| connection.open_in_pieces(4);

/// Returns the time of OpenSSL's own provider divided by ours.
fn ratio(evp: &Evp, operation: Operation, size: usize) -> f64 {
    let mut rows = ["provider=sealane", "provider=default"].map(|properties| Connection::new(evp, properties, size));
    let samples = take_turns(&mut rows, &ROUNDS, |connection, calls| {
        let start = Instant::now();
        (0..calls).for_each(|_| operation(connection));
        start.elapsed()
    });
    let pairs = samples[1].pairs(&samples[0]);
    median(&pairs.iter().map(|(theirs, ours)| theirs / ours).collect::<Vec<_>>())
}

/// The AVX-512 features in `EBX` of CPUID leaf 7: F, DQ, IFMA, CD, BW and VL. OpenSSL clears the
/// bits after `~` in what it detects (`OPENSSL_ia32cap(3)`).
const WITHOUT_AVX512: &str = ":~0xd0230000";

/// Returns a configuration with both providers.
fn configuration(provider: &Path, backend: Option<&str>) -> Result<String, std::io::Error> {
    let module = provider.canonicalize()?;
    let backend = backend.map(|name| format!("backend = {name}\n")).unwrap_or_default();
    Ok(format!(
        "openssl_conf = openssl_init\n\
         config_diagnostics = 1\n\
         [openssl_init]\nproviders = providers\n\
         [providers]\nsealane = sealane_provider\ndefault = default_provider\n\
         [default_provider]\nactivate = 1\n\
         [sealane_provider]\nmodule = {}\nactivate = 1\n{backend}",
        module.display()
    ))
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<_> = std::env::args_os().skip(1).collect();
    let (provider, libcrypto, backend) = match arguments.as_slice() {
        [provider, libcrypto] => (provider, libcrypto, None),
        [provider, libcrypto, backend] if backend == "avx2" => (provider, libcrypto, Some("avx2")),
        _ => return Err("usage: sealane-openssl-bench SEALANE.SO LIBCRYPTO.SO [avx2]".into()),
    };
    if backend.is_some() {
        // SAFETY: this program has one thread. libcrypto is loaded later, and reads the variable
        // then.
        unsafe { std::env::set_var("OPENSSL_ia32cap", WITHOUT_AVX512) };
    }
    let file = std::env::temp_dir().join(format!("sealane-openssl-bench-{}.cnf", std::process::id()));
    std::fs::write(&file, configuration(provider.as_ref(), backend)?)?;
    let evp = Evp::load(libcrypto.as_ref(), &file);
    std::fs::remove_file(&file)?;
    let evp = evp?;
    let name = evp.version() + backend.map_or("", |_| ", AVX2");
    let mut table = Table::new(std::iter::once(name).chain(SIZES.map(size_name)));
    let operations =
        [("seal", SEAL), ("open", OPEN), ("seal in 4 pieces", SEAL_IN_PIECES), ("open in 4 pieces", OPEN_IN_PIECES)];
    for (name, operation) in operations {
        let cells = SIZES.iter().map(|size| format!("{:.2}", ratio(&evp, operation, *size)));
        table.row(std::iter::once(name.to_owned()).chain(cells));
    }
    print!("{}", table.text(0));
    Ok(())
}
