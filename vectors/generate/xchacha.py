"""draft-irtf-cfrg-xchacha-03: HChaCha20 (2.2.1), the AEAD (A.3.1) and XChaCha20 with counters 0 and 1 (A.3.2)."""

import reference as ref
from output import IETF_LICENCE, unhex, write

DRAFT = "draft-irtf-cfrg-xchacha-03, XChaCha: eXtended-nonce ChaCha and AEAD_XChaCha20_Poly1305, January 2020"
KEY = bytes(range(0x80, 0xA0))
SUNSCREEN = (
    b"Ladies and Gentlemen of the class of '99: If I could offer you only one tip for the future, sunscreen would be it."
)
DHOLE = (
    b'The dhole (pronounced "dole") is also known as the Asiatic wild dog, red dog, and whistling dog. It is about the '
    b"size of a German shepherd but looks more like a long-legged fox. This highly elusive and skilled jumper is "
    b"classified with wolves, coyotes, jackals, and foxes in the taxonomic family Canidae."
)


def hchacha20():
    nonce = unhex("00:00:00:09:00:00:00:4a:00:00:00:00:31:41:59:27")
    output = unhex("82413b42 27b27bfe d30e4250 8a877d73 a0f9e4d5 8a74a853 c12ec413 26d3ecdc")
    assert ref.hchacha(20, bytes(range(32)), nonce) == output
    vectors = [{"id": "2.2.1", "rounds": 20, "key": bytes(range(32)), "nonce": nonce, "output": output}]
    write("xchacha/hchacha20.json", f"{DRAFT}, section 2.2.1", IETF_LICENCE, vectors)


def xchacha20():
    nonce = bytes(range(0x40, 0x57)) + b"\x58"
    assert len(nonce) == 24 and len(DHOLE) == 304
    counter_1 = unhex(
        "7d0a2e6b7f7c65a236542630294e063b7ab9b555a5d5149aa21e4ae1e4fbce87"
        "ecc8e08a8b5e350abe622b2ffa617b202cfad72032a3037e76ffdcdc4376ee05"
        "3a190d7e46ca1de04144850381b9cb29f051915386b8a710b8ac4d027b8b050f"
        "7cba5854e028d564e453b8a968824173fc16488b8970cac828f11ae53cabd201"
        "12f87107df24ee6183d2274fe4c8b1485534ef2c5fbc1ec24bfc3663efaa08bc"
        "047d29d25043532db8391a8a3d776bf4372a6955827ccb0cdd4af403a7ce4c63"
        "d595c75a43e045f0cce1f29c8b93bd65afc5974922f214a40b7c402cdb91ae73"
        "c0b63615cdad0480680f16515a7ace9d39236464328a37743ffc28f4ddb324f4"
        "d0f5bbdc270c65b1749a6efff1fbaa09536175ccd29fb9e6057b307320d31683"
        "8a9c71f70b5b5907a66f7ea49aadc409"
    )
    counter_0 = unhex("4559abba4e48c16102e8bb2c05e6947f50a786de162f9b0b7e592a9b53d0d4e9")
    assert ref.encrypt("xchacha", 20, KEY, nonce, 1, DHOLE) == counter_1
    whole = ref.encrypt("xchacha", 20, KEY, nonce, 0, DHOLE)
    assert whole[:32] == counter_0
    common = {"layout": "xchacha", "rounds": 20, "key": KEY, "nonce": nonce}
    vectors = [
        {"id": "A.3.2 counter 0", **common, "counter": 0, "plaintext": DHOLE, "ciphertext": whole},
        {"id": "A.3.2 counter 1", **common, "counter": 1, "plaintext": DHOLE, "ciphertext": counter_1},
    ]
    write("xchacha/xchacha20.json", f"{DRAFT}, sections A.3.2.1 and A.3.2.2", IETF_LICENCE, vectors)


def aead():
    nonce, aad = bytes(range(0x40, 0x58)), unhex("50515253c0c1c2c3c4c5c6c7")
    ciphertext = unhex(
        "bd6d179d3e83d43b9576579493c0e939572a1700252bfaccbed2902c21396cbb"
        "731c7f1b0b4aa6440bf3a82f4eda7e39ae64c6708c54c216cb96b72e1213b452"
        "2f8c9ba40db5d945b11b69b982c1bb9e3f3fac2bc369488f76b2383565d3fff9"
        "21f9664c97637da9768812f615c68b13b52e"
    )
    tag = unhex("c0875924c1c7987947deafd8780acf49")
    assert ref.aead_encrypt("xchacha", KEY, nonce, aad, SUNSCREEN) == (ciphertext, tag)
    one_time_key = unhex("7b191f80f361f099094f6f4b8fb97df847cc6873a8f2b190dd73807183f907d5")
    assert ref.poly1305_key_gen("xchacha", KEY, nonce) == one_time_key
    vectors = [{"id": "A.3.1", "key": KEY, "nonce": nonce, "aad": aad, "plaintext": SUNSCREEN,
                "ciphertext": ciphertext, "tag": tag}]
    write("xchacha/xchacha20_poly1305.json", f"{DRAFT}, section A.3.1", IETF_LICENCE, vectors)


def main():
    hchacha20()
    xchacha20()
    aead()


if __name__ == "__main__":
    main()
