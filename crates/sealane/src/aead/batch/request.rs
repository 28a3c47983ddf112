//! One message of a batch, and how many a batch has.

use crate::aead::construction::verify;
use crate::poly1305::Tag;
use crate::poly1305::many::Input;
use crate::wipe::wipe;

/// The largest number of messages in a batch: twice the 32-bit lanes of the widest vector, four
/// times its 64-bit lanes.
pub(super) const MAX_MESSAGES: usize = 32;

/// A message that is sealed or opened in place.
#[derive(Default)]
pub(super) struct Request<'a> {
    pub(super) aad: &'a [u8],
    pub(super) data: &'a mut [u8],
    pub(super) operation: Operation<'a>,
}

/// The operation on a message.
#[derive(Default)]
pub(super) enum Operation<'a> {
    /// There is no message.
    #[default]
    Nothing,
    /// The message is sealed, and its tag is written here.
    Seal(&'a mut Tag),
    /// The message is opened. The first field is its tag. The second is set to whether the tag is
    /// right.
    Open(&'a Tag, &'a mut bool),
}

impl Request<'_> {
    pub(super) fn input(&self) -> Input<'_> {
        Input { aad: self.aad, ciphertext: self.data }
    }

    /// Writes or compares the computed tag of the ciphertext. A message that is not authentic is
    /// wiped, and its data becomes empty.
    #[inline(always)]
    pub(super) fn finish(&mut self, computed: &Tag) {
        match &mut self.operation {
            Operation::Nothing => {}
            Operation::Seal(tag) => **tag = *computed,
            Operation::Open(tag, authentic) => {
                **authentic = verify(computed, tag).is_ok();
                if !**authentic {
                    wipe(self.data);
                    self.data = &mut [];
                }
            }
        }
    }
}
