//! Tests of the format through the public interface. One binary, because linking is what takes time.

mod armor;
mod cctv;
mod damage;
mod header;
mod interop;
mod io_faults;
mod parallel;
mod recipients;
mod round_trip;
mod seek;
mod support;
mod threshold;
mod vector;
