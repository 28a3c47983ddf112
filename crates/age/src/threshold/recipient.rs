//! A recipient that combines several recipients, a chosen number of whom must cooperate.

use alloc::collections::BTreeSet;
use alloc::string::{String, ToString as _};
use alloc::vec;
use alloc::vec::Vec;
use core::fmt;

use sealane::shamir::bytes::Splitter;
use zeroize::Zeroizing;

use super::share::Share;
use super::{Label, ShareDescription, ShareSetId, TYPE, ThresholdError};
use crate::file_key::{FILE_KEY_BYTES, FileKey};
use crate::header::SCRYPT;
use crate::random;
use crate::recipient::{Recipient, WrapError, Wrapped};
use crate::stanza::is_printable;

/// Combines recipients, a chosen number of whom must cooperate to open a file.
///
/// Neither a passphrase nor another `ThresholdRecipient` can be one of them. They must all differ:
/// a recipient that is given twice holds two shares. Recipients cannot be compared here, so the
/// caller must check this.
pub struct ThresholdRecipient<'a> {
    threshold: u8,
    recipients: Vec<&'a dyn Recipient>,
    label: Option<Label>,
}

impl<'a> ThresholdRecipient<'a> {
    /// Returns a recipient for files that any `threshold` of `recipients` can open together.
    ///
    /// # Errors
    /// [`ThresholdError::Numbers`] if `threshold` is below 2 or above the number of recipients, or
    /// there are more than 255 recipients.
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

impl fmt::Debug for ThresholdRecipient<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ThresholdRecipient")
            .field("threshold", &self.threshold)
            .field("recipients", &self.recipients.len())
            .field("label", &self.label)
            .finish()
    }
}

impl Recipient for ThresholdRecipient<'_> {
    fn wrap_file_key(&self, file_key: &FileKey) -> Result<Wrapped, WrapError> {
        let mut seed = Zeroizing::new([0; 32]);
        random::fill(&mut *seed)?;
        let set = ShareSetId::random()?;
        let points: Vec<u8> = (1..=255).take(self.recipients.len()).collect();
        let mut shares = Zeroizing::new(vec![[0; FILE_KEY_BYTES]; points.len()]);
        let mut buffers: Vec<&mut [u8]> = shares.iter_mut().map(|share| &mut share[..]).collect();
        Splitter::from_seed(usize::from(self.threshold), &points, &seed)
            .and_then(|mut splitter| splitter.split(file_key.expose_secret(), &mut buffers))
            .map_err(|error| WrapError::other(error.to_string()))?;

        let mut stanzas = Vec::with_capacity(points.len());
        let mut labels: Option<BTreeSet<String>> = None;
        for ((&point, share), recipient) in points.iter().zip(shares.iter()).zip(&self.recipients) {
            let (threshold, label) = (self.threshold, self.label.clone());
            let description = ShareDescription { threshold, count: points.len() as u8, point, set, label };
            let (share, theirs) = Share::seal(description, &FileKey::copy_of(share), *recipient)?;
            if share.stanzas.iter().any(|stanza| stanza.tag == SCRYPT || stanza.tag == TYPE) {
                return Err(WrapError::NotAHolder);
            }
            if !theirs.iter().all(|label| is_printable(label)) {
                return Err(WrapError::InvalidLabel);
            }
            match &labels {
                Some(labels) if *labels != theirs => {
                    return Err(WrapError::IncompatibleRecipients(labels.clone(), theirs));
                }
                _ => labels = Some(theirs),
            }
            stanzas.push(share.into_stanza()?);
        }
        Ok(Wrapped { stanzas, labels: labels.unwrap_or_default() })
    }
}
