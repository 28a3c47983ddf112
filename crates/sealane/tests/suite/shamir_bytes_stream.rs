//! Secrets and shares as streams.
#![cfg(feature = "std")]

use std::io::{self, ErrorKind, Read, Write};

use sealane::shamir::Error;
use sealane::shamir::bytes::{Combiner, Splitter};

use crate::common::{array, octets};
use crate::shamir_bytes::{backends, slices, split};

/// A reader that returns its bytes in pieces of varying length, and is interrupted now and then.
struct Trickle<'a>(&'a [u8], usize);

impl Read for Trickle<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.1 = self.1 * 5 % 8191 + 1;
        if self.1.is_multiple_of(7) {
            return Err(ErrorKind::Interrupted.into());
        }
        let length = buffer.len().min(self.1);
        self.0.read(&mut buffer[..length])
    }
}

/// A writer that accepts this many bytes, and then no more.
struct Full(usize);

impl Write for Full {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let taken = bytes.len().min(self.0);
        self.0 -= taken;
        Ok(taken)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn streams_give_the_same_result_as_one_piece() {
    for backend in backends() {
        // Around the length of a piece, 256 KiB / 4, and several pieces.
        for length in [0, 1, 65_535, 65_536, 65_537, 200_000] {
            let (points, seed, secret) = ([3, 1, 77], array(1), octets(2, length));
            let splitter = || Splitter::from_seed_with_backend(2, &points, &seed, backend).unwrap();
            let mut shares = vec![Vec::new(); 3];
            let total = splitter().split_stream(Trickle(&secret, 1), &mut shares).unwrap();
            assert_eq!(total, length as u64);
            assert!(shares == split(splitter(), &secret, &[length.max(1)]), "{length} bytes on {backend}");

            let mut readers: Vec<_> = shares[1..].iter().map(|share| Trickle(share, share.len() % 3)).collect();
            let mut out = Vec::new();
            let combiner = Combiner::with_backend(&points[1..], 0, backend).unwrap();
            assert_eq!(combiner.combine_stream(&mut readers, &mut out).unwrap(), length as u64);
            assert!(out == secret, "{length} bytes on {backend}");
        }
    }
}

#[test]
fn streams_of_different_lengths_are_an_error() {
    let shares = [octets(1, 100_000), octets(2, 99_999)];
    let combiner = Combiner::new(&[1, 2]).unwrap();
    let error = combiner.combine_stream(&mut slices(&shares), io::sink()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidData);
    assert_eq!(error.downcast::<Error>().unwrap(), Error::UnequalLengths);
}

#[test]
fn another_number_of_streams_is_an_error() {
    let backend = backends()[0];
    let mut splitter = Splitter::from_seed_with_backend(2, &[1, 2], &[0; 32], backend).unwrap();
    let error = splitter.split_stream(&[7_u8; 10][..], &mut [io::sink()]).unwrap_err();
    assert_eq!(error.downcast::<Error>().unwrap(), Error::WrongNumberOfShares { expected: 2, given: 1 });
    let error = Combiner::new(&[1]).unwrap().combine_stream(&mut [io::empty(), io::empty()], io::sink()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidInput);
}

#[test]
fn errors_of_a_stream_are_passed_on() {
    let backend = backends()[0];
    let mut splitter = Splitter::from_seed_with_backend(2, &[1, 2], &[0; 32], backend).unwrap();
    let error = splitter.split_stream(&[7_u8; 100_000][..], &mut [Full(1 << 20), Full(70_000)]).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::WriteZero);
}
