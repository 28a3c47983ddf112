/* ChaCha20. */
#include "check.h"

static void pieces(uint32_t variant, size_t nonce_len, uint64_t counter)
{
    enum { LEN = 500 };
    uint8_t *key = bytes(32, 4), *nonce = bytes(nonce_len, 6), *text = bytes(LEN, 0);
    uint8_t *whole = bytes(LEN, 0), *out = bytes(LEN, 0);
    OK(sealane_chacha20_xor(variant, key, nonce, nonce_len, counter, text, LEN, whole));
    CHECK(memcmp(whole, text, LEN) != 0);
    sealane_chacha20 *stream = sealane_chacha20_new();
    CHECK(stream != NULL);
    for (size_t piece = 1; piece <= LEN; piece += 13) {
        OK(sealane_chacha20_init(stream, variant, key, nonce, nonce_len, counter));
        for (size_t at = 0; at < LEN; at += piece)
            OK(sealane_chacha20_update(stream, text + at, LEN - at < piece ? LEN - at : piece, out + at));
        CHECK(memcmp(whole, out, LEN) == 0);
    }
    OK(sealane_chacha20_init(stream, variant, key, nonce, nonce_len, counter));
    OK(sealane_chacha20_update(stream, text, 77, out));
    sealane_chacha20 *copy = sealane_chacha20_dup(stream);
    OK(sealane_chacha20_update(stream, text + 77, 1, out + 77));
    OK(sealane_chacha20_update(copy, text + 77, LEN - 77, out + 77));
    CHECK(memcmp(whole, out, LEN) == 0 && sealane_chacha20_dup(NULL) == NULL);
    sealane_chacha20_free(copy);
    /* Block `counter + 2` begins 128 bytes later. In place. */
    OK(sealane_chacha20_xor(variant, key, nonce, nonce_len, counter + 2, out + 128, LEN - 128, out + 128));
    CHECK(memcmp(out + 128, text + 128, LEN - 128) == 0);
    sealane_chacha20_free(stream);
    free(key), free(nonce), free(text), free(whole), free(out);
}

void test_chacha20(void)
{
    /* RFC 8439, section 2.4.2. */
    static const uint8_t expected[8] = {0x6e, 0x2e, 0x35, 0x9a, 0x25, 0x68, 0xf9, 0x80};
    static const uint8_t rfc_nonce[12] = {0, 0, 0, 0, 0, 0, 0, 0x4a, 0, 0, 0, 0};
    uint8_t *key = bytes(32, 0), *nonce = bytes(24, 0), *data = bytes(200, 0), *same = bytes(200, 0);
    uint8_t out[8];
    OK(sealane_chacha20_xor(SEALANE_CHACHA20, key, rfc_nonce, 12, 1, (const uint8_t *)"Ladies a", 8, out));
    CHECK(memcmp(out, expected, 8) == 0);

    pieces(SEALANE_CHACHA20, 12, 1);
    pieces(SEALANE_XCHACHA20, 24, 0);
    pieces(SEALANE_CHACHA20_ORIGINAL, 8, 0xfffffffffu);

    sealane_chacha20 *stream = sealane_chacha20_new();
    sealane_chacha20_free(NULL);
    IS(SEALANE_WRONG_STATE, sealane_chacha20_update(stream, data, 10, data));
    IS(SEALANE_NULL_POINTER, sealane_chacha20_update(NULL, data, 10, data));
    IS(SEALANE_NULL_POINTER, sealane_chacha20_init(NULL, SEALANE_CHACHA20, key, nonce, 12, 0));
    IS(SEALANE_NULL_POINTER, sealane_chacha20_init(stream, SEALANE_CHACHA20, NULL, nonce, 12, 0));
    IS(SEALANE_NULL_POINTER, sealane_chacha20_init(stream, SEALANE_CHACHA20, key, NULL, 12, 0));
    IS(SEALANE_WRONG_LENGTH, sealane_chacha20_init(stream, SEALANE_CHACHA20, key, nonce, 8, 0));
    IS(SEALANE_UNKNOWN_ALGORITHM, sealane_chacha20_init(stream, 4, key, nonce, 12, 0));
    IS(SEALANE_TOO_LONG, sealane_chacha20_init(stream, SEALANE_CHACHA20, key, nonce, 12, 0x100000001));
    /* An init that fails abandons the key stream. */
    OK(sealane_chacha20_init(stream, SEALANE_CHACHA20, key, nonce, 12, 0));
    IS(SEALANE_WRONG_LENGTH, sealane_chacha20_init(stream, SEALANE_CHACHA20, key, nonce, 8, 0));
    IS(SEALANE_WRONG_STATE, sealane_chacha20_update(stream, data, 10, data));
    /* The last block of the key stream. */
    OK(sealane_chacha20_init(stream, SEALANE_CHACHA20, key, nonce, 12, 0xffffffff));
    IS(SEALANE_TOO_LONG, sealane_chacha20_update(stream, data, 65, data));
    IS(SEALANE_OVERLAP, sealane_chacha20_update(stream, data, 64, data + 1));
    IS(SEALANE_NULL_POINTER, sealane_chacha20_update(stream, NULL, 64, data));
    CHECK(memcmp(data, same, 200) == 0);
    OK(sealane_chacha20_update(stream, data, 64, data));
    IS(SEALANE_TOO_LONG, sealane_chacha20_update(stream, data, 1, data));
    OK(sealane_chacha20_update(stream, NULL, 0, NULL));
    OK(sealane_chacha20_xor(SEALANE_CHACHA20, key, nonce, 12, 0xffffffff, data, 64, data));
    CHECK(memcmp(data, same, 200) == 0);
    /* A separate output is not written after an error. */
    IS(SEALANE_TOO_LONG, sealane_chacha20_xor(SEALANE_CHACHA20, key, nonce, 12, 0xffffffff, data, 65, data + 100));
    OK(sealane_chacha20_init(stream, SEALANE_XCHACHA20, key, nonce, 24, 0xffffffff));
    IS(SEALANE_TOO_LONG, sealane_chacha20_update(stream, data, 65, data + 100));
    OK(sealane_chacha20_init(stream, SEALANE_CHACHA20_ORIGINAL, key, nonce, 8, UINT64_MAX));
    IS(SEALANE_TOO_LONG, sealane_chacha20_update(stream, data, 65, data + 100));
    CHECK(memcmp(data, same, 200) == 0);
    IS(SEALANE_UNKNOWN_ALGORITHM, sealane_chacha20_xor(0, key, nonce, 12, 0, data, 10, data));
    IS(SEALANE_NULL_POINTER, sealane_chacha20_xor(SEALANE_CHACHA20, key, nonce, 12, 0, data, 10, NULL));
    sealane_chacha20_free(stream);
    free(key), free(nonce), free(data), free(same);
}
