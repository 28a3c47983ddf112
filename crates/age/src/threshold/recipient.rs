//! Recipients a number of whom are needed together.

use std::collections::HashSet;
use std::io;

use age::{EncryptError, Recipient};
use age_core::format::{FILE_KEY_BYTES, FileKey, Stanza};
use age_core::secrecy::ExposeSecret as _;
use sealane::shamir::bytes::{Backend, Splitter};
use zeroize::Zeroizing;

use super::share::{Share, share_of};
use super::{Label, ShareDescription, ShareSetId, ThresholdError};

/// Recipients a number of whom are needed together.
///
/// They must all differ: a recipient that is given twice holds two shares. Recipients cannot be
/// compared here, so the caller must check this.
pub struct ThresholdRecipient<'a> {
    threshold: u8,
    recipients: Vec<&'a dyn Recipient>,
    label: Option<Label>,
}

impl<'a> ThresholdRecipient<'a> {
    /// Requires any `threshold` of `recipients` together, from 2 to all of them.
    ///
    /// # Errors
    /// [`ThresholdError::Numbers`].
    pub fn new(
        threshold: usize,
        recipients: impl IntoIterator<Item = &'a dyn Recipient>,
    ) -> Result<Self, ThresholdError> {
        let recipients: Vec<_> = recipients.into_iter().collect();
        let count = recipients.len();
        match u8::try_from(threshold) {
            Ok(threshold @ 2..) if usize::from(threshold) <= count && count <= 255 => {
                Ok(Self { threshold, recipients, label: None })
            }
            _ => Err(ThresholdError::Numbers { threshold, count }),
        }
    }

    /// Sets the note that holders see before they contribute their share.
    #[must_use]
    pub fn with_label(mut self, label: Option<Label>) -> Self {
        self.label = label;
        self
    }
}

impl Recipient for ThresholdRecipient<'_> {
    fn wrap_file_key(&self, file_key: &FileKey) -> Result<(Vec<Stanza>, HashSet<String>), EncryptError> {
        let mut seed = Zeroizing::new([0; 32]);
        getrandom::fill(&mut *seed).map_err(|error| EncryptError::Io(error.into()))?;
        let set = ShareSetId::random().map_err(|error| EncryptError::Io(error.into()))?;
        let points: Vec<u8> = (1..=255).take(self.recipients.len()).collect();
        let mut shares = Zeroizing::new(vec![[0; FILE_KEY_BYTES]; points.len()]);
        let mut buffers: Vec<&mut [u8]> = shares.iter_mut().map(|share| &mut share[..]).collect();
        Splitter::from_seed(usize::from(self.threshold), &points, &seed, Backend::detect())
            .and_then(|mut splitter| splitter.split(file_key.expose_secret(), &mut buffers))
            .map_err(|error| EncryptError::Io(io::Error::other(error.to_string())))?;

        let mut stanzas = Vec::with_capacity(points.len());
        let mut labels: Option<HashSet<String>> = None;
        for ((&point, share), recipient) in points.iter().zip(shares.iter()).zip(&self.recipients) {
            let (threshold, label) = (self.threshold, self.label.clone());
            let description = ShareDescription { threshold, count: points.len() as u8, point, set, label };
            let (share, theirs) = Share::seal(description, &share_of(share), *recipient)?;
            match &labels {
                Some(labels) if *labels != theirs => {
                    return Err(EncryptError::IncompatibleRecipients { l_labels: labels.clone(), r_labels: theirs });
                }
                _ => labels = Some(theirs),
            }
            stanzas.push(share.into_stanza()?);
        }
        Ok((stanzas, labels.unwrap_or_default()))
    }
}
