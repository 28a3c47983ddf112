//! Tests of the format through the public interface. They are one binary, because most of the time
//! goes into linking.

mod armor;
mod async_read;
mod async_seek;
mod async_write;
mod cctv;
mod crowd;
mod damage;
mod engine;
mod flaky;
mod grammar;
mod header;
mod inputs;
mod interop;
mod io_faults;
mod oneshot;
#[cfg(feature = "parallel")]
mod parallel;
mod parallel_faults;
#[cfg(target_os = "linux")]
mod plugins;
mod recipients;
mod redaction;
mod round_trip;
mod seek;
mod stuck;
mod support;
mod threshold;
mod threshold_format;
mod threshold_hostile;
mod threshold_limits;
mod vector;
