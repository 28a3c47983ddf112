//! A message, and the place of the result.

use sealane_simd::Output;

use crate::wipe::wipe;

/// A message and the place of the result, which may be the same.
pub(crate) trait Payload {
    /// Returns the message. In place, only the part that [`Payload::upto`] has not given out is
    /// still the input.
    fn input(&self) -> &[u8];
    /// Returns the first `end` bytes of the result. The part that was not asked for before is still
    /// the input.
    fn upto(&mut self, end: usize) -> &mut [u8];
    /// Removes the whole result, because the message is a forgery. `restore` turns the result into
    /// the input again.
    fn undo_decryption(&mut self, restore: impl FnOnce(&mut [u8]));
}

/// A message that the result overwrites.
pub(crate) struct InPlace<'a>(pub(crate) &'a mut [u8]);

impl Payload for InPlace<'_> {
    #[inline(always)]
    fn input(&self) -> &[u8] {
        self.0
    }

    #[inline(always)]
    fn upto(&mut self, end: usize) -> &mut [u8] {
        &mut self.0[..end]
    }

    #[inline(always)]
    fn undo_decryption(&mut self, restore: impl FnOnce(&mut [u8])) {
        restore(self.0);
    }
}

/// A message whose result goes elsewhere.
pub(crate) struct Copied<'a, 'o> {
    pub(crate) input: &'a [u8],
    pub(crate) output: &'a mut Output<'o>,
}

impl Payload for Copied<'_, '_> {
    #[inline(always)]
    fn input(&self) -> &[u8] {
        self.input
    }

    #[inline(always)]
    fn upto(&mut self, end: usize) -> &mut [u8] {
        let filled = self.output.capacity() - self.output.remaining();
        if filled < end {
            self.output.append(&self.input[filled..end]);
        }
        &mut self.output.filled_mut()[..end]
    }

    #[inline(always)]
    fn undo_decryption(&mut self, _: impl FnOnce(&mut [u8])) {
        wipe(self.output.filled_mut());
    }
}
