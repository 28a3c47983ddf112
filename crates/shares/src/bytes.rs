//! Stands in for `sealane::shamir::bytes` until that is there.
use zeroize::Zeroizing;

pub(crate) struct Splitter {
    threshold: usize,
    points: Vec<u8>,
}

pub(crate) struct Refresher(Splitter);

#[derive(Debug)]
pub(crate) struct Error;

impl std::fmt::Display for Error {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("sharing failed")
    }
}

impl std::error::Error for Error {}

impl From<Error> for crate::foreign::ForeignError {
    fn from(_: Error) -> Self {
        Self::Random(getrandom::Error::UNSUPPORTED)
    }
}

pub(crate) fn fallible<T>(result: Result<T, Error>) -> Result<T, crate::foreign::ForeignError> {
    Ok(result?)
}

fn mul(mut a: u8, b: u8) -> u8 {
    let mut product = 0;
    for bit in 0..8 {
        product ^= a & 0u8.wrapping_sub((b >> bit) & 1);
        a = (a << 1) ^ (0x1b & 0u8.wrapping_sub(a >> 7));
    }
    product
}

fn invert(a: u8) -> u8 {
    let mut result = 1;
    let mut square = a;
    for _ in 0..7 {
        square = mul(square, square);
        result = mul(result, square);
    }
    result
}

impl Splitter {
    pub(crate) fn with_points(threshold: usize, points: &[u8]) -> Result<Self, Error> {
        Ok(Self { threshold, points: points.to_vec() })
    }
    pub(crate) fn new(threshold: usize, count: usize) -> Result<Self, Error> {
        let points: Vec<u8> = (1..=count).map(|x| x as u8).collect();
        Self::with_points(threshold, &points)
    }
    pub(crate) fn split(&mut self, secret: &[u8], shares: &mut [&mut [u8]]) -> Result<(), Error> {
        let mut coefficients = Zeroizing::new(vec![0; self.threshold - 1]);
        for (at, &byte) in secret.iter().enumerate() {
            getrandom::fill(&mut coefficients).map_err(|_| Error)?;
            for (share, &x) in shares.iter_mut().zip(&self.points) {
                let mut y = 0;
                for &c in coefficients.iter() {
                    y = mul(y ^ c, x);
                }
                share[at] = y ^ byte;
            }
        }
        Ok(())
    }
}

impl Refresher {
    pub(crate) fn with_points(threshold: usize, points: &[u8]) -> Result<Self, Error> {
        Splitter::with_points(threshold, points).map(Self)
    }
    pub(crate) fn refresh(&mut self, shares: &mut [&mut [u8]]) -> Result<(), Error> {
        let len = shares[0].len();
        let mut zero: Vec<Vec<u8>> = shares.iter().map(|_| vec![0; len]).collect();
        let mut rows: Vec<&mut [u8]> = zero.iter_mut().map(|row| &mut row[..]).collect();
        self.0.split(&vec![0; len], &mut rows)?;
        for (share, row) in shares.iter_mut().zip(&zero) {
            for (a, b) in share.iter_mut().zip(row) {
                *a ^= b;
            }
        }
        Ok(())
    }
}

pub(crate) struct Combiner(Vec<u8>);

impl Combiner {
    pub(crate) fn at(points: &[u8], target: u8) -> Result<Self, Error> {
        let weight =
            |&x: &u8| points.iter().filter(|&&y| y != x).fold(1, |w, &y| mul(w, mul(target ^ y, invert(x ^ y))));
        Ok(Self(points.iter().map(weight).collect()))
    }
    pub(crate) fn combine(&self, shares: &[&[u8]], out: &mut [u8]) -> Result<(), Error> {
        out.fill(0);
        for (share, &weight) in shares.iter().zip(&self.0) {
            for (o, &y) in out.iter_mut().zip(*share) {
                *o ^= mul(weight, y);
            }
        }
        Ok(())
    }
}
