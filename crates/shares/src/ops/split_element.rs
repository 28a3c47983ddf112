//! Splits a secret that is one element of a field.

use std::collections::HashSet;

use zeroize::Zeroizing;

use super::commitment::Committer;
use super::error::SplitError;
use super::interpolation::element_field;
use super::polynomial::Polynomial;
use crate::format::error::ParameterError;
use crate::format::field::check_counts;
use crate::format::layout::BLINDING_BYTES;
use crate::format::writer::ShareWriter;
use crate::format::{Field, Header, Points, SetId, Share, WipedVec};
use crate::random;

/// Splits one element of GF(2^bits), in big-endian bytes, into `count` shares. Any `threshold` of
/// them restore it.
///
/// Use it for secrets that other programs treat as field elements, or for more than 255 shares.
/// [`split`](crate::split) is better for everything else. The fields are the ones in
/// [`sealane::gf2n`], which encodes an element with its bytes in the opposite order.
///
/// The time grows with the product of threshold and count, and with the square of the element's
/// length. In fields of less than 256 bits, the blinding value has several elements, each of which
/// takes as long as the secret: 16 in GF(2^16).
///
/// ```
/// use sealane_shares::{Field, Points, combine, split_element};
///
/// let field = Field::Element { bits: 256, points: Points::Random };
/// let shares = split_element(&[7; 32], field, 2, 400)?;
/// assert_eq!(&combine(&[shares[399].clone(), shares[0].clone()])?.secret[..], &[7; 32]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// If the field is [`Field::Bytes`] or does not exist, the secret is not as long as an element, the
/// threshold is below 2 or above the count, the count is above 65,535, or the system's generator
/// fails.
pub fn split_element(secret: &[u8], field: Field, threshold: usize, count: usize) -> Result<Vec<Share>, SplitError> {
    let Field::Element { bits, points } = field else { return Err(ParameterError::NotAnElement.into()) };
    field.check()?;
    let (threshold, count) = check_counts(field.max_count(), threshold, count)?;
    if secret.len() != field.element_len() {
        return Err(ParameterError::SecretBytes(secret.len()).into());
    }
    let gf = element_field(bits);
    let set = SetId::random()?;
    let points = match points {
        Points::Compact => Vec::new(),
        Points::Random => random_points(field.element_len(), count)?,
    };
    let point = |index: u16| points.get(usize::from(index) - 1).map_or(&[][..], Vec::as_slice);
    let headers: Vec<Header> = (1..=count)
        .map(|index| Header::with_point(set, field, threshold, count, index, point(index)))
        .collect::<Result<_, _>>()?;

    let mut blinding = Zeroizing::new([0; BLINDING_BYTES]);
    random::fill(&mut blinding[..])?;
    let mut message = Zeroizing::new(vec![0; field.blinding_share_bytes() + secret.len()]);
    let (of_blinding, of_secret) = message.split_at_mut(field.blinding_share_bytes());
    of_blinding[..BLINDING_BYTES].copy_from_slice(&blinding[..]);
    of_secret.copy_from_slice(secret);
    let mut committer = Committer::new(&blinding, field, threshold);
    committer.update(secret);
    let commitment = committer.finalize();

    let polynomials = message.chunks(gf.element_len()).map(|element| Polynomial::random(gf, element, threshold));
    let polynomials: Vec<_> = polynomials.collect::<Result<_, _>>()?;
    let mut values = Zeroizing::new(vec![0; message.len()]);
    let share = |header: &Header| {
        let x = gf.from_be_bytes(&header.point());
        for (polynomial, value) in polynomials.iter().zip(values.chunks_mut(gf.element_len())) {
            value.copy_from_slice(&polynomial.value_at(&x));
        }
        let (of_blinding, of_secret) = values.split_at(field.blinding_share_bytes());
        let mut writer = ShareWriter::new(WipedVec::with_capacity(1024), header, of_blinding)?;
        writer.write_payload(of_secret)?;
        Ok(Share::from_written(writer.finish(&commitment)?))
    };
    headers.iter().map(share).collect()
}

/// Returns distinct, uniformly random elements other than zero, big-endian.
fn random_points(length: usize, count: u16) -> Result<Vec<Vec<u8>>, SplitError> {
    let mut seen = HashSet::from([vec![0; length]]);
    let mut points = Vec::with_capacity(count.into());
    // A field of 16 bits has exactly one point for each possible share. Drawing all of them takes
    // some hundred thousand draws.
    while points.len() < usize::from(count) {
        let mut point = vec![0; length];
        random::fill(&mut point)?;
        if seen.insert(point.clone()) {
            points.push(point);
        }
    }
    Ok(points)
}
