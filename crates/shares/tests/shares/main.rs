//! The share format: what goes in comes out, and what is wrong is noticed.

mod combine;
mod damage;
mod element;
mod foreign;
mod forgers;
mod format;
mod hostile;
mod maintain;
mod parameters;
mod slip39;
mod support;
