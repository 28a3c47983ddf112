"""RFC 8439: the values of sections 2.1 to 2.8 and appendices A.1 to A.5, typed from the RFC, checked, and written."""

import reference as ref
from output import IETF_LICENCE, unhex, write

RFC = "RFC 8439, ChaCha20 and Poly1305 for IETF Protocols, June 2018"

SEQUENTIAL_KEY = bytes(range(32))
ZERO_KEY = bytes(32)
ONE_KEY = bytes(31) + b"\x01"
JABBERWOCKY_KEY = unhex("1c9240a5eb55d38af333888604f6b5f0 473917c1402b80099dca5cbc207075c0")
NONCE_2 = bytes(11) + b"\x02"

SUNSCREEN = (
    b"Ladies and Gentlemen of the class of '99: If I could offer you only one tip for the future, sunscreen would be it."
)
SUBMISSION = (
    b'Any submission to the IETF intended by the Contributor for publication as all or part of an IETF Internet-Draft '
    b'or RFC and any statement made within the context of an IETF activity is considered an "IETF Contribution". Such '
    b"statements include oral statements in IETF sessions, as well as written and electronic communications made at any "
    b"time or place, which are addressed to"
)
JABBERWOCKY = (
    b"'Twas brillig, and the slithy toves\nDid gyre and gimble in the wabe:\nAll mimsy were the borogoves,\n"
    b"And the mome raths outgrabe."
)
DRAFTS = (
    "Internet-Drafts are draft documents valid for a maximum of six months and may be updated, replaced, or obsoleted by "
    "other documents at any time. It is inappropriate to use Internet-Drafts as reference material or to cite them other "
    "than as /\u201cwork in progress./\u201d"
).encode()


def hex_words(text):
    return [w.lower() for w in text.split()]


def quarter_rounds():
    vectors = [
        {
            "id": "2.1.1",
            "indices": [0, 1, 2, 3],
            "input": hex_words("11111111 01020304 9b8d6f43 01234567"),
            "output": hex_words("ea2a92f4 cb1cf8ce 4581472e 5881c4bb"),
        },
        {
            "id": "2.2.1",
            "indices": [2, 7, 8, 13],
            "input": hex_words(
                "879531e0 c5ecf37d 516461b1 c9a62f8a 44c20ef3 3390af7f d9fc690b 2a5f714c "
                "53372767 b00a5631 974c541a 359e9963 5c971061 3d631689 2098d9d6 91dbd320"
            ),
            "output": hex_words(
                "879531e0 c5ecf37d bdb886dc c9a62f8a 44c20ef3 3390af7f d9fc690b cfacafd2 "
                "e46bea80 b00a5631 974c541a 359e9963 5c971061 ccc07c79 2098d9d6 91dbd320"
            ),
        },
    ]
    for v in vectors:
        state = [int(w, 16) for w in v["input"]]
        ref.quarter_round(state, *v["indices"])
        assert state == [int(w, 16) for w in v["output"]], v["id"]
    write("rfc8439/quarter_round.json", f"{RFC}, sections 2.1.1 and 2.2.1", IETF_LICENCE, vectors)


def chacha20():
    """Section 2.4.2 and A.2; the block functions of 2.3.2 and A.1 are here as encryptions of 64 zero bytes."""
    blocks = [
        ("2.3.2", SEQUENTIAL_KEY, unhex("000000090000004a00000000"), 1,
         "10f1e7e4d13b5915500fdd1fa32071c4 c7d1f4c733c068030422aa9ac3d46c4e"
         "d2826446079faa0914c2d705d98b02a2 b5129cd1de164eb9cbd083e8a2503c4e"),
        ("A.1 #1", ZERO_KEY, bytes(12), 0,
         "76b8e0ada0f13d90405d6ae55386bd28 bdd219b8a08ded1aa836efcc8b770dc7"
         "da41597c5157488d7724e03fb8d84a37 6a43b8f41518a11cc387b669b2ee6586"),
        ("A.1 #2", ZERO_KEY, bytes(12), 1,
         "9f07e7be5551387a98ba977c732d080d cb0f29a048e3656912c6533e32ee7aed"
         "29b721769ce64e43d57133b074d839d5 31ed1f28510afb45ace10a1f4b794d6f"),
        ("A.1 #3", ONE_KEY, bytes(12), 1,
         "3aeb5224ecf849929b9d828db1ced4dd 832025e8018b8160b82284f3c949aa5a"
         "8eca00bbb4a73bdad192b5c42f73f2fd 4e273644c8b36125a64addeb006c13a0"),
        ("A.1 #4", b"\x00\xff" + bytes(30), bytes(12), 2,
         "72d54dfbf12ec44b362692df94137f32 8fea8da73990265ec1bbbea1ae9af0ca"
         "13b25aa26cb4a648cb9b9d1be65b2c09 24a66c54d545ec1b7374f4872e99f096"),
        ("A.1 #5", ZERO_KEY, NONCE_2, 0,
         "c2c64d378cd536374ae204b9ef933fcd 1a8b2288b3dfa49672ab765b54ee27c7"
         "8a970e0e955c14f3a88e741b97c286f7 5f8fc299e8148362fa198a39531bed6d"),
    ]
    encryptions = [
        ("2.4.2", SEQUENTIAL_KEY, unhex("000000000000004a00000000"), 1, SUNSCREEN,
         "6e2e359a2568f98041ba0728dd0d6981 e97e7aec1d4360c20a27afccfd9fae0b"
         "f91b65c5524733ab8f593dabcd62b357 1639d624e65152ab8f530c359f0861d8"
         "07ca0dbf500d6a6156a38e088a22b65e 52bc514d16ccf806818ce91ab7793736"
         "5af90bbf74a35be6b40b8eedf2785e42 874d"),
        ("A.2 #1", ZERO_KEY, bytes(12), 0, bytes(64), blocks[1][4]),
        ("A.2 #2", ONE_KEY, NONCE_2, 1, SUBMISSION,
         "a3fbf07df3fa2fde4f376ca23e827370 41605d9f4f4f57bd8cff2c1d4b7955ec"
         "2a97948bd3722915c8f3d337f7d37005 0e9e96d647b7c39f56e031ca5eb6250d"
         "4042e02785ececfa4b4bb5e8ead0440e 20b6e8db09d881a7c6132f420e527950"
         "42bdfa7773d8a9051447b3291ce1411c 680465552aa6c405b7764d5e87bea85a"
         "d00f8449ed8f72d0d662ab052691ca66 424bc86d2df80ea41f43abf937d3259d"
         "c4b2d0dfb48a6c9139ddd7f76966e928 e635553ba76c5c879d7b35d49eb2e62b"
         "0871cdac638939e25e8a1e0ef9d5280f a8ca328b351c3c765989cbcf3daa8b6c"
         "cc3aaf9f3979c92b3720fc88dc95ed84 a1be059c6499b9fda236e7e818b04b0b"
         "c39c1e876b193bfe5569753f88128cc0 8aaa9b63d1a16f80ef2554d7189c411f"
         "5869ca52c5b83fa36ff216b9c1d30062 bebcfd2dc5bce0911934fda79a86f6e6"
         "98ced759c3ff9b6477338f3da4f9cd85 14ea9982ccafb341b2384dd902f3d1ab"
         "7ac61dd29c6f21ba5b862f3730e37cfd c4fd806c22f221"),
        ("A.2 #3", JABBERWOCKY_KEY, NONCE_2, 42, JABBERWOCKY,
         "62e6347f95ed87a45ffae7426f27a1df 5fb69110044c0d73118effa95b01e5cf"
         "166d3df2d721caf9b21e5fb14c616871 fd84c54f9d65b283196c7fe4f60553eb"
         "f39c6402c42234e32a356b3e764312a6 1a5532055716ead6962568f87d3f3f77"
         "04c6a8d1bcd1bf4d50d6154b6da731b1 87b58dfd728afa36757a797ac188d1"),
    ]
    rows = [(i, k, n, c, bytes(64), out) for i, k, n, c, out in blocks] + encryptions
    vectors = []
    for name, key, nonce, counter, plaintext, expected in rows:
        ciphertext = unhex(expected)
        assert ref.encrypt("ietf", 20, key, nonce, counter, plaintext) == ciphertext, name
        vectors.append({"id": name, "layout": "ietf", "rounds": 20, "key": key, "nonce": nonce, "counter": counter,
                        "plaintext": plaintext, "ciphertext": ciphertext})
    write("rfc8439/chacha20.json", f"{RFC}, sections 2.3.2, 2.4.2, A.1 and A.2", IETF_LICENCE, vectors)


def poly1305():
    s_of_2 = unhex("36e5f6b5c5e06070f0efca96227a863e")
    ones = "ff" * 16
    tall = "e33594d7505e43b90000000000000000 33 94d7505e4379cd01 00000000000000 00000000000000000000000000000000"
    rows = [
        ("2.5.2", unhex("85d6be7857556d337f4452fe42d506a8 0103808afb0db2fd4abff6af4149f51b"),
         b"Cryptographic Forum Research Group", "a8061dc1305136c6c22b8baf0c0127a9"),
        ("A.3 #1", bytes(32), bytes(64), "00" * 16),
        ("A.3 #2", bytes(16) + s_of_2, SUBMISSION, "36e5f6b5c5e06070f0efca96227a863e"),
        ("A.3 #3", s_of_2 + bytes(16), SUBMISSION, "f3477e7cd95417af89a6b8794c310cf0"),
        ("A.3 #4", JABBERWOCKY_KEY, JABBERWOCKY, "4541669a7eaaee61e708dc7cbcc5eb62"),
        ("A.3 #5", b"\x02" + bytes(31), unhex(ones), "03" + "00" * 15),
        ("A.3 #6", b"\x02" + bytes(15) + unhex(ones), b"\x02" + bytes(15), "03" + "00" * 15),
        ("A.3 #7", b"\x01" + bytes(31), unhex(ones + "f0" + "ff" * 15 + "11" + "00" * 15), "05" + "00" * 15),
        ("A.3 #8", b"\x01" + bytes(31), unhex(ones + "fb" + "fe" * 15 + "01" * 16), "00" * 16),
        ("A.3 #9", b"\x02" + bytes(31), unhex("fd" + "ff" * 15), "fa" + "ff" * 15),
        ("A.3 #10", unhex("0100000000000000 0400000000000000") + bytes(16), unhex(tall + "01" + "00" * 15),
         "14000000000000005500000000000000"),
        ("A.3 #11", unhex("0100000000000000 0400000000000000") + bytes(16), unhex(tall), "13" + "00" * 15),
    ]
    vectors = []
    for name, key, message, expected in rows:
        tag = unhex(expected)
        assert ref.poly1305_mac(key, message) == tag, name
        vectors.append({"id": name, "key": key, "message": message, "tag": tag})
    write("rfc8439/poly1305.json", f"{RFC}, sections 2.5.2 and A.3", IETF_LICENCE, vectors)


def key_gen():
    rows = [
        ("2.6.2", bytes(range(0x80, 0xA0)), unhex("000000000001020304050607"),
         "8ad5a08b905f81cc815040274ab29471 a833b637e3fd0da508dbb8e2fdd1a646"),
        ("A.4 #1", ZERO_KEY, bytes(12), "76b8e0ada0f13d90405d6ae55386bd28 bdd219b8a08ded1aa836efcc8b770dc7"),
        ("A.4 #2", ONE_KEY, NONCE_2, "ecfa254f845f647473d3cb140da9e876 06cb33066c447b87bc2666dde3fbb739"),
        ("A.4 #3", JABBERWOCKY_KEY, NONCE_2, "965e3bc6f9ec7ed9560808f4d229f94b 137ff275ca9b3fcbdd59deaad23310ae"),
    ]
    vectors = []
    for name, key, nonce, expected in rows:
        one_time_key = unhex(expected)
        assert ref.poly1305_key_gen("ietf", key, nonce) == one_time_key, name
        vectors.append({"id": name, "key": key, "nonce": nonce, "one_time_key": one_time_key})
    write("rfc8439/poly1305_key_gen.json", f"{RFC}, sections 2.6.2 and A.4", IETF_LICENCE, vectors)


def aead():
    rows = [
        ("2.8.2", bytes(range(0x80, 0xA0)), unhex("07000000 4041424344454647"), unhex("50515253c0c1c2c3c4c5c6c7"),
         SUNSCREEN,
         "d31a8d34648e60db7b86afbc53ef7ec2 a4aded51296e08fea9e2b5a736ee62d6"
         "3dbea45e8ca9671282fafb69da92728b 1a71de0a9e060b2905d6a5b67ecd3b36"
         "92ddbd7f2d778b8c9803aee328091b58 fab324e4fad675945585808b4831d7bc"
         "3ff4def08e4b7a9de576d26586cec64b 6116",
         "1ae10b594f09e26a7e902ecbd0600691"),
        ("A.5", JABBERWOCKY_KEY, unhex("000000000102030405060708"), unhex("f33388860000000000004e91"), DRAFTS,
         "64a0861575861af460f062c79be643bd 5e805cfd345cf389f108670ac76c8cb2"
         "4c6cfc18755d43eea09ee94e382d26b0 bdb7b73c321b0100d4f03b7f355894cf"
         "332f830e710b97ce98c8a84abd0b9481 14ad176e008d33bd60f982b1ff37c855"
         "9797a06ef4f0ef61c186324e2b350638 3606907b6a7c02b0f9f6157b53c867e4"
         "b9166c767b804d46a59b5216cde7a4e9 9040c5a40433225ee282a1b0a06c523e"
         "af4534d7f83fa1155b0047718cbc546a 0d072b04b3564eea1b422273f548271a"
         "0bb2316053fa76991955ebd63159434e cebb4e466dae5a1073a6727627097a10"
         "49e617d91d361094fa68f0ff77987130 305beaba2eda04df997b714d6c6f2c29"
         "a6ad5cb4022b02709b",
         "eead9d67890cbb22392336fea1851f38"),
    ]
    vectors = []
    for name, key, nonce, aad, plaintext, expected, expected_tag in rows:
        ciphertext, tag = unhex(expected), unhex(expected_tag)
        assert ref.aead_encrypt("ietf", key, nonce, aad, plaintext) == (ciphertext, tag), name
        vectors.append({"id": name, "key": key, "nonce": nonce, "aad": aad, "plaintext": plaintext,
                        "ciphertext": ciphertext, "tag": tag})
    write("rfc8439/chacha20_poly1305.json", f"{RFC}, sections 2.8.2 and A.5", IETF_LICENCE, vectors)


def main():
    quarter_rounds()
    chacha20()
    poly1305()
    key_gen()
    aead()


if __name__ == "__main__":
    main()
