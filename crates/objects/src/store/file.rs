//! Reads and opens chunks of objects that the inner store keeps in local files.

use std::fs::File;
use std::io::{self, Read as _, Seek as _, SeekFrom};
use std::ops::Range;

use sealane_age::stream::SEALED_CHUNK_BYTES;
use tokio::runtime::Handle;

use super::super::object_store::{Error, Result};
use super::{NAME, failed};
use crate::groups::Collector;

/// The largest number of bytes that are read at once: few enough that they are still in the core's
/// cache when they are opened.
const PIECE: usize = 2 * SEALED_CHUNK_BYTES;

/// Reads and opens the chunks in a range of a file, on a thread for blocking work if the runtime is
/// tokio's.
pub(super) async fn collect(file: File, range: Range<u64>, collector: Collector) -> Result<Collector> {
    match Handle::try_current() {
        Ok(runtime) => runtime.spawn_blocking(move || read(file, range, collector)).await?,
        Err(_) => read(file, range, collector),
    }
}

fn read(mut file: File, range: Range<u64>, mut collector: Collector) -> Result<Collector> {
    file.seek(SeekFrom::Start(range.start)).map_err(unreadable)?;
    let mut left = range.end - range.start;
    let mut buffer = vec![0; PIECE];
    while left > 0 {
        let len = usize::try_from(left).map_or(PIECE, |left| left.min(PIECE));
        let piece = &mut buffer[..len];
        file.read_exact(piece).map_err(unreadable)?;
        collector.push(piece).map_err(failed)?;
        left -= len as u64;
    }
    Ok(collector)
}

fn unreadable(error: io::Error) -> Error {
    Error::Generic { store: NAME, source: Box::new(error) }
}
