//! A value that is computed once.

use std::sync::{Arc, Mutex, PoisonError};

use crate::error::Result;

/// A value that is computed at its first use, by one thread while others wait. Errors are cached
/// too, so the user is prompted once.
pub(crate) struct Once<T>(Mutex<Option<Result<Arc<T>>>>);

impl<T> Default for Once<T> {
    fn default() -> Self {
        Self(Mutex::new(None))
    }
}

impl<T> Once<T> {
    /// Returns the value, which `make` computes the first time.
    pub(crate) fn get(&self, make: impl FnOnce() -> Result<T>) -> Result<Arc<T>> {
        // A panic in `make` leaves the value unset.
        let mut made = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        made.get_or_insert_with(|| make().map(Arc::new)).clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Error;

    #[test]
    fn it_is_made_once_or_fails_once() {
        let value = Once::default();
        assert_eq!(*value.get(|| Ok(1)).unwrap(), 1);
        assert_eq!(*value.get(|| unreachable!("it is there")).unwrap(), 1);
        let never = Once::<u8>::default();
        assert_eq!(never.get(|| Err(Error::new("no"))).unwrap_err().to_string(), "no");
        assert_eq!(never.get(|| unreachable!("it has failed")).unwrap_err().to_string(), "no");
    }
}
