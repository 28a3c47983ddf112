//! Tests of the share format and its operations.

mod attacks;
mod combine;
mod conversions;
mod damage;
mod element;
mod foreign;
mod forgers;
mod format;
mod hostile;
mod maintain;
mod parameters;
mod redaction;
mod slip39;
mod support;
