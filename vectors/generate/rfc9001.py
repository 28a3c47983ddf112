"""RFC 9001: header protection with ChaCha20 (A.5)."""

import reference as ref
from output import IETF_LICENCE, unhex, write

RFC = "RFC 9001, Using TLS to Secure QUIC, May 2021, section A.5"


def main():
    key = unhex("25a282b9e82f06f21f488917a4fc8f1b 73573685608597d0efcb076b0ab7a7a4")
    sample, mask = unhex("5e5cd55c41f69080575d7999c25a5bfb"), unhex("aefefe7d03")
    counter = int.from_bytes(sample[:4], "little")
    assert ref.encrypt("ietf", 20, key, sample[4:], counter, bytes(5)) == mask
    write("rfc9001/header_protection.json", RFC, IETF_LICENCE,
          [{"id": "A.5", "key": key, "sample": sample, "mask": mask}])
