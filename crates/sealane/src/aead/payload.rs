//! A message, and the memory for the result.

use sealane_simd::Output;

use crate::wipe::wipe;

/// A message and the memory for the result, which may be the same.
pub(crate) trait Payload {
    /// Returns the length of the message in bytes.
    fn length(&self) -> usize;
    /// Returns the first `end` bytes of the result. The bytes that no earlier call returned still
    /// hold the input.
    fn upto(&mut self, end: usize) -> &mut [u8];
}

/// A message to open, which is authenticated too.
pub(crate) trait Ciphertext: Payload {
    /// Returns the message. In place, only the bytes that [`Payload::upto`] has not returned yet
    /// still hold the input.
    fn input(&self) -> &[u8];
    /// Removes the whole result, because the message is a forgery: restores the input with
    /// `restore` in place, or wipes the output.
    fn undo_decryption(&mut self, restore: impl FnOnce(&mut [u8]));
}

/// A message that the result overwrites.
pub(crate) struct InPlace<'a>(pub(crate) &'a mut [u8]);

impl Payload for InPlace<'_> {
    #[inline(always)]
    fn length(&self) -> usize {
        self.0.len()
    }

    #[inline(always)]
    fn upto(&mut self, end: usize) -> &mut [u8] {
        &mut self.0[..end]
    }
}

impl Ciphertext for InPlace<'_> {
    #[inline(always)]
    fn input(&self) -> &[u8] {
        self.0
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
    fn length(&self) -> usize {
        self.input.len()
    }

    #[inline(always)]
    fn upto(&mut self, end: usize) -> &mut [u8] {
        let filled = self.output.capacity() - self.output.remaining();
        if filled < end {
            self.output.append(&self.input[filled..end]);
        }
        &mut self.output.filled_mut()[..end]
    }
}

impl Ciphertext for Copied<'_, '_> {
    #[inline(always)]
    fn input(&self) -> &[u8] {
        self.input
    }

    #[inline(always)]
    fn undo_decryption(&mut self, _: impl FnOnce(&mut [u8])) {
        wipe(self.output.filled_mut());
    }
}

/// A message in pieces, whose result goes to one separate output.
pub(crate) struct Gathered<'a, 'o> {
    /// The rest of the current piece.
    piece: &'a [u8],
    /// The pieces after it.
    later: &'a [&'a [u8]],
    length: usize,
    output: &'a mut Output<'o>,
}

impl<'a, 'o> Gathered<'a, 'o> {
    /// Gathers the pieces. Their total length is exactly the capacity of `output`, which is empty.
    pub(crate) fn new(pieces: &'a [&'a [u8]], output: &'a mut Output<'o>) -> Self {
        Self { piece: &[], later: pieces, length: output.capacity(), output }
    }
}

impl Payload for Gathered<'_, '_> {
    #[inline(always)]
    fn length(&self) -> usize {
        self.length
    }

    #[inline(always)]
    fn upto(&mut self, end: usize) -> &mut [u8] {
        let mut missing = end.saturating_sub(self.output.capacity() - self.output.remaining());
        while missing > 0 {
            let (now, rest) = self.piece.split_at(missing.min(self.piece.len()));
            self.output.append(now);
            missing -= now.len();
            self.piece = rest;
            if missing > 0 {
                let (first, later) = self.later.split_first().expect("pieces of that length");
                (self.piece, self.later) = (first, later);
            }
        }
        &mut self.output.filled_mut()[..end]
    }
}
