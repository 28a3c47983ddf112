/* Poly1305. */
#include "check.h"

void test_poly1305(void)
{
    /* RFC 8439, section 2.5.2. */
    static const uint8_t key[32] = {0x85, 0xd6, 0xbe, 0x78, 0x57, 0x55, 0x6d, 0x33, 0x7f, 0x44, 0x52,
                                    0xfe, 0x42, 0xd5, 0x06, 0xa8, 0x01, 0x03, 0x80, 0x8a, 0xfb, 0x0d,
                                    0xb2, 0xfd, 0x4a, 0xbf, 0xf6, 0xaf, 0x41, 0x49, 0xf5, 0x1b};
    static const uint8_t expected[16] = {0xa8, 0x06, 0x1d, 0xc1, 0x30, 0x51, 0x36, 0xc6,
                                         0xc2, 0x2b, 0x8b, 0xaf, 0x0c, 0x01, 0x27, 0xa9};
    const uint8_t *text = (const uint8_t *)"Cryptographic Forum Research Group";
    uint8_t tag[16] = {0};
    OK(sealane_poly1305_mac(key, text, 34, tag));
    CHECK(memcmp(tag, expected, 16) == 0);
    OK(sealane_poly1305_verify(key, text, 34, tag));
    IS(SEALANE_NOT_AUTHENTIC, sealane_poly1305_verify(key, text, 33, tag));
    IS(SEALANE_NULL_POINTER, sealane_poly1305_mac(NULL, text, 34, tag));
    IS(SEALANE_NULL_POINTER, sealane_poly1305_mac(key, NULL, 34, tag));
    IS(SEALANE_NULL_POINTER, sealane_poly1305_mac(key, text, 34, NULL));
    IS(SEALANE_NULL_POINTER, sealane_poly1305_verify(NULL, text, 34, tag));
    IS(SEALANE_NULL_POINTER, sealane_poly1305_verify(key, NULL, 34, tag));
    IS(SEALANE_NULL_POINTER, sealane_poly1305_verify(key, text, 34, NULL));
    OK(sealane_poly1305_mac(key, NULL, 0, tag));
    uint8_t both[48] = {1};
    for (size_t at = 0; at < 32; at++)
        IS(SEALANE_OVERLAP, sealane_poly1305_mac(key, both + 15, 17, both + at));
    OK(sealane_poly1305_mac(key, both + 16, 16, both));
    OK(sealane_poly1305_mac(key, both + 16, 16, both + 32));

    sealane_poly1305 *message = sealane_poly1305_new();
    CHECK(message != NULL);
    IS(SEALANE_WRONG_STATE, sealane_poly1305_update(message, text, 3));
    IS(SEALANE_WRONG_STATE, sealane_poly1305_final(message, tag));
    IS(SEALANE_WRONG_STATE, sealane_poly1305_final_verify(message, tag));
    for (size_t cut = 0; cut <= 34; cut++) {
        OK(sealane_poly1305_init(message, key));
        OK(sealane_poly1305_update(message, text, cut));
        OK(sealane_poly1305_update(message, text + cut, 34 - cut));
        OK(sealane_poly1305_final(message, tag));
        CHECK(memcmp(tag, expected, 16) == 0);
        IS(SEALANE_WRONG_STATE, sealane_poly1305_final(message, tag));
        OK(sealane_poly1305_init(message, key));
        OK(sealane_poly1305_update(message, text, 34));
        tag[cut % 16] ^= cut > 0;
        IS(cut > 0 ? SEALANE_NOT_AUTHENTIC : SEALANE_OK, sealane_poly1305_final_verify(message, tag));
    }
    OK(sealane_poly1305_init(message, key));
    OK(sealane_poly1305_update(message, text, 20));
    sealane_poly1305 *copy = sealane_poly1305_dup(message);
    OK(sealane_poly1305_update(message, text, 1)); /* The copy is another message from here on. */
    OK(sealane_poly1305_update(copy, text + 20, 14));
    OK(sealane_poly1305_final_verify(copy, expected));
    sealane_poly1305_free(copy);
    CHECK(sealane_poly1305_dup(NULL) == NULL);
    OK(sealane_poly1305_init(message, key));
    IS(SEALANE_NULL_POINTER, sealane_poly1305_update(message, NULL, 3));
    IS(SEALANE_NULL_POINTER, sealane_poly1305_final(message, NULL));
    IS(SEALANE_NULL_POINTER, sealane_poly1305_final_verify(message, NULL));
    IS(SEALANE_NULL_POINTER, sealane_poly1305_init(message, NULL));
    IS(SEALANE_WRONG_STATE, sealane_poly1305_update(message, text, 3));
    IS(SEALANE_NULL_POINTER, sealane_poly1305_init(NULL, key));
    IS(SEALANE_NULL_POINTER, sealane_poly1305_update(NULL, text, 3));
    IS(SEALANE_NULL_POINTER, sealane_poly1305_final(NULL, tag));
    IS(SEALANE_NULL_POINTER, sealane_poly1305_final_verify(NULL, tag));
    sealane_poly1305_free(message);
    sealane_poly1305_free(NULL);
}
