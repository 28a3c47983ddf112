//! The peers: the implementations that Sealane is compared with.

pub mod aws_lc;
#[cfg(feature = "ipsec-mb")]
pub mod ipsec_mb;
#[cfg(feature = "isal")]
pub mod isal;
pub mod libsodium;
#[cfg(feature = "ntl")]
pub mod ntl;
pub mod openssl;
pub mod openssl_capabilities;
#[cfg(feature = "sphincs")]
pub mod sphincs;

use self::openssl_capabilities::Capabilities;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Peer {
    /// OpenSSL, with a context that lives as long as the row.
    OpenSsl,
    /// `OpenSsl`, forced to use AVX-512, which it hides from itself on some CPUs.
    OpenSslForced,
    /// `OpenSsl` with a new context and key for each message.
    OpenSslFresh,
    /// `OpenSsl` with AVX hidden: the code for a CPU with SSSE3 alone.
    OpenSslNoAvx,
    /// `OpenSsl` with AVX-512 hidden: the code for a CPU with AVX2.
    OpenSslNoAvx512,
    /// OpenSSL's AES-256-GCM, for information: the alternative that users of this CPU have.
    OpenSslGcm,
    Ring,
    AwsLc,
    Libsodium,
    Graviola,
    RsCrypto,
    RustCrypto,
    /// RustCrypto's portable code, in the last versions that let a program choose it.
    RustCryptoSoft,
    /// Intel's Multi-Buffer Crypto for IPsec, one job at a time.
    #[cfg(feature = "ipsec-mb")]
    IpsecMb,
    /// The same library, with all messages of a batch in one burst.
    #[cfg(feature = "ipsec-mb")]
    IpsecMbBurst,
    /// The same library, called through its direct functions.
    #[cfg(feature = "ipsec-mb")]
    IpsecMbDirect,
}

impl Peer {
    pub fn name(self) -> &'static str {
        match self {
            Self::OpenSsl => "OpenSSL",
            Self::OpenSslForced => "OpenSSL forced",
            Self::OpenSslFresh => "OpenSSL, fresh context",
            Self::OpenSslNoAvx => "OpenSSL without AVX",
            Self::OpenSslNoAvx512 => "OpenSSL without AVX-512",
            Self::OpenSslGcm => "OpenSSL AES-256-GCM",
            Self::Ring => "ring",
            Self::AwsLc => "aws-lc",
            Self::Libsodium => "libsodium",
            Self::Graviola => "graviola",
            Self::RsCrypto => "rscrypto",
            Self::RustCrypto => "RustCrypto",
            Self::RustCryptoSoft => "RustCrypto, portable",
            #[cfg(feature = "ipsec-mb")]
            Self::IpsecMb => "ipsec-mb",
            #[cfg(feature = "ipsec-mb")]
            Self::IpsecMbBurst => "ipsec-mb, burst",
            #[cfg(feature = "ipsec-mb")]
            Self::IpsecMbDirect => "ipsec-mb, direct",
        }
    }

    /// Returns the peer to compare with on this CPU: OpenSSL as it is, if there is nothing to force
    /// or to hide.
    pub fn here(self) -> Self {
        match self {
            Self::OpenSslForced if Capabilities::forced().is_none() => Self::OpenSsl,
            Self::OpenSslNoAvx if Capabilities::without_avx().is_none() => Self::OpenSsl,
            Self::OpenSslNoAvx512 if Capabilities::without_avx512().is_none() => Self::OpenSsl,
            _ => self,
        }
    }

    /// Returns whether it can be the best peer. Peers with hidden features, portable code and other
    /// ciphers cannot.
    pub fn competes(self) -> bool {
        !matches!(self, Self::OpenSslNoAvx | Self::OpenSslNoAvx512 | Self::RustCryptoSoft | Self::OpenSslGcm)
    }
}
