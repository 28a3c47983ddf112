//! Interoperability with the real age and rage.
