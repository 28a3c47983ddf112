//! The data path of a tunnel with WireGuard's transport data messages (Donenfeld, "WireGuard: Next
//! Generation Kernel Network Tunnel", NDSS 2017, section 5.4.6).
//!
//! [`Tunnel::seal`] and [`Tunnel::open`] work on batches of packets: `seal_batch` and `open_batch`
//! of `sealane` fill vectors with the blocks of several packets. Forged, changed, repeated and late
//! messages are dropped, and the other messages of the batch are delivered.
//!
//! **There is no handshake.** WireGuard's handshake is Noise IKpsk2, whose result is a key for each
//! direction. Here, both peers derive these keys from a shared secret and the number of the session
//! ([`Tunnel::new`]). So there is no forward secrecy, and this is no VPN.
#![forbid(unsafe_code)]

mod message;
mod tunnel;
mod window;

pub use message::{Datagram, HEADER_BYTES, MAX_PACKET_BYTES};
pub use tunnel::{BATCH, Dropped, Role, Tunnel};
pub use window::{ReplayWindow, WINDOW};
