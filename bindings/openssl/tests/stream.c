/* ChaCha20, compared with OpenSSL's own provider. */
#include "check.h"

static void compare(const uint8_t iv[16], const uint8_t *text, size_t len, size_t cut)
{
    static const uint8_t key[32] = {5, 6, 7};
    uint8_t *a = malloc(len + 1), *b = malloc(len + 1);
    EVP_CIPHER_CTX *first = context(their_stream, key, iv, 1), *second = context(our_stream, key, iv, 0);
    EVP_CIPHER_CTX *copy = EVP_CIPHER_CTX_new();
    update(first, a, text, len);
    update(second, b, text, cut);
    CHECK(copy != NULL && EVP_CIPHER_CTX_copy(copy, second) == 1);
    EVP_CIPHER_CTX *both[] = {second, copy};
    for (int i = 0; i < 2; i++) {
        memset(b + cut, 0, len - cut);
        update(both[i], b + cut, text + cut, len - cut);
        CHECK(memcmp(a, b, len) == 0 && finish(both[i]) == 1);
    }
    EVP_CIPHER_CTX_free(first);
    EVP_CIPHER_CTX_free(second);
    EVP_CIPHER_CTX_free(copy);
    free(a), free(b);
}

/* Sets keys without a nonce in the middle of the text: the key stream continues at the next
 * block. */
static void compare_keys(const uint8_t iv[16], const uint8_t *text, size_t cut)
{
    static const uint8_t keys[2][32] = {{5, 6, 7}, {8, 9}};
    const EVP_CIPHER *ciphers[] = {their_stream, our_stream};
    uint8_t out[2][600];
    /* Versions without this parameter continue at a block that was used in part. They get the nonce
     * of the next block. */
    int has_updated_iv =
        OSSL_PARAM_locate_const(EVP_CIPHER_gettable_ctx_params(their_stream), OSSL_CIPHER_PARAM_UPDATED_IV) != NULL;
    for (int i = 0; i < 2; i++) {
        EVP_CIPHER_CTX *ctx = context(ciphers[i], keys[0], iv, 1);
        uint64_t block;
        uint8_t next[16];
        memcpy(&block, iv, 8);
        memcpy(next, iv, 16);
        for (size_t turn = 0, start = 0; turn < 4; turn++, start += cut) {
            const uint8_t *nonce = i == 1 || has_updated_iv ? NULL : next;
            CHECK(turn == 0 || EVP_CipherInit_ex2(ctx, NULL, keys[turn / 2], nonce, 1, NULL) == 1);
            update(ctx, out[i] + start, text + start, cut);
            block += (cut + 63) / 64;
            memcpy(next, &block, 8);
        }
        if (i == 1 || has_updated_iv) {
            uint8_t updated[16];
            CHECK(EVP_CIPHER_CTX_get_updated_iv(ctx, updated, 16) == 1 && memcmp(updated, next, 16) == 0);
        }
        EVP_CIPHER_CTX_free(ctx);
    }
    CHECK(memcmp(out[0], out[1], 4 * cut) == 0);
}

/* A key without a nonce: the key stream begins at zeros. */
static void compare_without_nonce(const uint8_t *text)
{
    static const uint8_t key[32] = {5, 6, 7}, zeros[16];
    const EVP_CIPHER *ciphers[] = {their_stream, our_stream};
    uint8_t out[3][300], current[16];
    for (int i = 0; i < 3; i++) {
        EVP_CIPHER_CTX *ctx = context(i < 2 ? ciphers[i] : our_stream, key, i < 2 ? NULL : zeros, 1);
        update(ctx, out[i], text, 100);
        update(ctx, out[i] + 100, text + 100, 200);
        if (i > 0)
            CHECK(EVP_CIPHER_CTX_get_original_iv(ctx, current, 16) == 1 && memcmp(current, zeros, 16) == 0);
        EVP_CIPHER_CTX_free(ctx);
    }
    CHECK(memcmp(out[0], out[1], 300) == 0 && memcmp(out[1], out[2], 300) == 0);
}

void test_stream(void)
{
    uint8_t iv[16] = {1, 0, 0, 0, 9, 8, 7, 6, 5, 4, 3, 2, 1, 2, 3, 4}, *text = bytes(5000, 3);
    for (size_t len = 0; len <= 600; len += few ? 83 : 1)
        for (size_t cut = 0; cut <= len; cut += few ? 37 : 1)
            compare(iv, text, len, cut);
    compare(iv, text, 5000, 4097);
    /* The block counter is carried into the nonce, and wraps at its end. */
    for (int last = 0; last < 2; last++) {
        memset(iv, 0xff, last ? 8 : 4);
        iv[0] = 0xfd;
        for (size_t cut = 0; cut <= 1000; cut += few ? 333 : 7)
            compare(iv, text, 1000, cut);
        for (size_t cut = 0; cut <= 150; cut++)
            compare_keys(iv, text, cut);
    }

    compare_without_nonce(text);
    uint8_t key[32] = {0}, out[100], current[16];
    int len;
    EVP_CIPHER_CTX *ctx = context(our_stream, NULL, NULL, 1);
    FAILS(EVP_CipherUpdate(ctx, out, &len, text, 10), "no key has been set");
    CHECK(EVP_CipherInit_ex2(ctx, NULL, key, NULL, 1, NULL) == 1);
    update(ctx, out, text, 10);
    memset(iv, 0, 16);
    iv[0] = 0xff;
    CHECK(EVP_CipherInit_ex2(ctx, NULL, NULL, iv, 1, NULL) == 1);
    update(ctx, out, text, 100);
    CHECK(EVP_CIPHER_CTX_get_original_iv(ctx, current, 16) == 1 && memcmp(current, iv, 16) == 0);
    is_pointer_to(ctx, OSSL_CIPHER_PARAM_IV, iv, 16);
    CHECK(EVP_CIPHER_CTX_get_updated_iv(ctx, current, 16) == 1 && current[0] == 1 && current[1] == 1);
    is_pointer_to(ctx, OSSL_CIPHER_PARAM_UPDATED_IV, current, 16);
    FAILS(EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_SET_IVLEN, 12, NULL), "the nonce (IV) has a wrong length");
    EVP_CIPHER_CTX_free(ctx);
    free(text);
}
