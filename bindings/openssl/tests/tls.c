/* Records of TLS, as libssl processes them. */
#include "check.h"

static uint8_t key[32], nonce[12];

/* TLS 1.3: the header is the associated data, and announces the length. */
static void test_tls13(size_t len)
{
    uint8_t header[5] = {0x17, 3, 3, (uint8_t)((len + TAG) >> 8), (uint8_t)(len + TAG)};
    uint8_t *text = bytes(len, 1), *sealed = malloc(len), *buffer = malloc(len), tag[TAG], same[TAG];
    int written;
    expected(key, nonce, header, 5, text, len, sealed, tag);
    for (int in_place = 0; in_place < 2; in_place++) {
        EVP_CIPHER_CTX *ctx = context(ours, key, nonce, 1);
        memcpy(buffer, text, len);
        update(ctx, NULL, header, 5);
        update(ctx, buffer, in_place ? buffer : text, len);
        CHECK(memcmp(buffer, sealed, len) == 0);
        EVP_CIPHER_CTX *copy = EVP_CIPHER_CTX_new();
        CHECK(EVP_CIPHER_CTX_copy(copy, ctx) == 1);
        FAILS(EVP_CipherUpdate(copy, buffer, &written, text, 1), "more data than the header of the TLS record announces");
        EVP_CIPHER_CTX_free(copy);
        CHECK(finish(ctx) == 1);
        get_tag(ctx, same);
        CHECK(memcmp(tag, same, TAG) == 0);

        CHECK(EVP_CipherInit_ex2(ctx, NULL, NULL, nonce, 0, NULL) == 1);
        set_tag(ctx, tag);
        update(ctx, NULL, header, 5);
        update(ctx, buffer, in_place ? buffer : sealed, len);
        CHECK(finish(ctx) == 1 && memcmp(buffer, text, len) == 0);

        /* A second piece is an error if the tag was set before the first one. Otherwise, it is a
         * part of a longer message, which has another tag. */
        for (int tag_first = 0; tag_first < 2; tag_first++) {
            CHECK(EVP_CipherInit_ex2(ctx, NULL, NULL, nonce, 0, NULL) == 1);
            if (tag_first)
                set_tag(ctx, tag);
            update(ctx, NULL, header, 5);
            update(ctx, buffer, sealed, len);
            if (tag_first) {
                IS_FORGERY(EVP_CipherUpdate(ctx, buffer, &written, text, 1));
            } else {
                update(ctx, buffer, text, 1);
                set_tag(ctx, tag);
            }
            IS_FORGERY(finish(ctx));
        }

        /* A forgery leaves no plaintext in the buffer, not even between the two calls: it has
         * zeros, or in place the unchanged ciphertext. */
        memcpy(buffer, sealed, len);
        same[15] ^= 1;
        CHECK(EVP_CipherInit_ex2(ctx, NULL, NULL, nonce, 0, NULL) == 1);
        set_tag(ctx, same);
        update(ctx, NULL, header, 5);
        IS_FORGERY(EVP_CipherUpdate(ctx, buffer, &written, in_place ? buffer : sealed, (int)len));
        for (size_t i = 0; i < len; i++)
            CHECK(buffer[i] == (in_place ? sealed[i] : 0));
        IS_FORGERY(finish(ctx));
        EVP_CIPHER_CTX_free(ctx);
    }
    free(text), free(sealed), free(buffer);
}

/* Runs a record of TLS 1.2 through a context. */
static int record(EVP_CIPHER_CTX *ctx, uint64_t number, uint8_t *out, const uint8_t *in, size_t len, size_t in_len)
{
    uint8_t aad[13] = {0, 0, 0, 0, 0, 0, (uint8_t)(number >> 8), (uint8_t)number, 0x17, 3, 3};
    int written = -1;
    aad[11] = (uint8_t)(len >> 8);
    aad[12] = (uint8_t)len;
    CHECK(EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_TLS1_AAD, 13, aad) == 16);
    return EVP_CipherUpdate(ctx, out, &written, in, (int)in_len) == 1 ? written : -1;
}

static void test_tls12(size_t len)
{
    size_t full = len + TAG;
    /* The plaintext ends where its memory ends: when encrypting, the bytes of the tag are only
     * written. */
    uint8_t *text = bytes(len, 1), *sealed = malloc(full), *same = malloc(full), *back = malloc(full);
    CHECK(sealed && same && back);
    EVP_CIPHER_CTX *a = context(theirs, key, nonce, 1), *b = context(ours, key, nonce, 1);
    EVP_CIPHER_CTX *open = context(ours, key, nonce, 0);
    for (unsigned number = 0; number < 700; number += few ? 349 : 233) {
        CHECK(record(a, number, sealed, text, len, full) == (int)full);
        CHECK(record(b, number, same, text, len, full) == (int)full);
        CHECK(memcmp(sealed, same, full) == 0);
        /* In place, and in buffers that overlap in part: also only behind the plaintext. */
        for (size_t i = 0; i < 4; i++) {
            size_t distance = i == 0 ? 0 : i == 1 ? 8 : i == 2 ? len : len + TAG - 1;
            for (int before = 0; before < 2; before++) {
                uint8_t *wide = malloc(full + distance), *from = wide + (before ? distance : 0);
                uint8_t *to = wide + (before ? 0 : distance);
                CHECK(wide != NULL);
                memcpy(from, text, len);
                CHECK(EVP_CipherInit_ex2(b, NULL, NULL, nonce, 1, NULL) == 1);
                CHECK(record(b, number, to, from, len, full) == (int)full && memcmp(sealed, to, full) == 0);
                free(wide);
            }
        }
        memcpy(same, sealed, full);
        CHECK(record(open, number, back, same, full, full) == (int)len && memcmp(back, text, len) == 0);
        CHECK(record(open, number, same, same, full, full) == (int)len && memcmp(same, text, len) == 0);
        memcpy(same, sealed, full);
        same[number % full] ^= 4;
        IS_FORGERY(record(open, number, back, same, full, full));
        for (size_t i = 0; i < len; i++)
            CHECK(back[i] == 0);
        IS_FORGERY(record(open, number + 1, back, sealed, full, full));
    }
    FAILS(record(b, 1, same, text, len, full - 1), "a TLS record has a wrong length");
    uint8_t short_aad[13] = {0};
    short_aad[12] = 15;
    FAILS(EVP_CIPHER_CTX_ctrl(open, EVP_CTRL_AEAD_TLS1_AAD, 13, short_aad), "a TLS record has a wrong length");
    /* The whole IV of 12 bytes is fixed: ChaCha20-Poly1305 has no explicit part. */
    CHECK(EVP_CIPHER_CTX_ctrl(a, EVP_CTRL_AEAD_SET_IV_FIXED, 12, key) == 1);
    CHECK(EVP_CIPHER_CTX_ctrl(b, EVP_CTRL_AEAD_SET_IV_FIXED, 12, key) == 1);
    CHECK(record(a, 3, sealed, text, len, full) == (int)full && record(b, 3, same, text, len, full) == (int)full);
    CHECK(memcmp(sealed, same, full) == 0);
    EVP_CIPHER_CTX_free(a);
    EVP_CIPHER_CTX_free(b);
    EVP_CIPHER_CTX_free(open);
    free(text), free(sealed), free(same), free(back);
}

void test_tls(void)
{
    memset(key, 0x42, sizeof key);
    memset(nonce, 0x24, sizeof nonce);
    for (size_t len = 1; len < 16384; len += len < (few ? 4 : 1200) ? 1 : len / 2) {
        test_tls13(len);
        test_tls12(len);
    }
    test_tls12(0);
    test_tls12(16384);
    test_tls13(16384);
    test_tls13(16385);
}
