/* Poly1305, compared with OpenSSL's own provider. */
#include "check.h"

static void tag(EVP_MAC *mac, const uint8_t *key, const uint8_t *text, size_t len, size_t cut, uint8_t out[TAG])
{
    EVP_MAC_CTX *ctx = EVP_MAC_CTX_new(mac), *copy;
    size_t written = 0;
    CHECK(ctx != NULL && EVP_MAC_init(ctx, key, 32, NULL) == 1 && EVP_MAC_CTX_get_mac_size(ctx) == TAG);
    CHECK(EVP_MAC_update(ctx, text, cut) == 1);
    copy = EVP_MAC_CTX_dup(ctx);
    /* What the original gets is no part of the copy. */
    CHECK(copy != NULL && EVP_MAC_update(ctx, key, 5) == 1);
    CHECK(EVP_MAC_update(copy, text + cut, len - cut) == 1);
    CHECK(EVP_MAC_final(copy, out, &written, TAG) == 1 && written == TAG);
    EVP_MAC_CTX_free(ctx);
    EVP_MAC_CTX_free(copy);
}

void test_mac(void)
{
    uint8_t *text = bytes(9000, 1), *key = bytes(32, 200), a[TAG], b[TAG];
    for (size_t len = 0; len <= 9000; len += len < (few ? 8 : 600) ? 1 : 999) {
        tag(their_mac, key, text, len, len, a);
        for (size_t cut = 0; cut <= len; cut += len <= 600 ? 1 : 1001) {
            tag(our_mac, key, text, len, cut, b);
            CHECK(memcmp(a, b, TAG) == 0);
        }
    }

    EVP_MAC_CTX *ctx = EVP_MAC_CTX_new(our_mac);
    size_t written;
    FAILS(EVP_MAC_update(ctx, text, 5), "no key has been set");
    FAILS(EVP_MAC_final(ctx, a, &written, TAG), "no key has been set");
    FAILS(EVP_MAC_init(ctx, key, 31, NULL), "the key has a wrong length");
    OSSL_PARAM params[] = {OSSL_PARAM_construct_octet_string(OSSL_MAC_PARAM_KEY, key, 32), OSSL_PARAM_construct_end()};
    CHECK(EVP_MAC_CTX_set_params(ctx, params) == 1 && EVP_MAC_init(ctx, NULL, 0, NULL) == 1);
    CHECK(EVP_MAC_update(ctx, text, 5) == 1);
    /* A key is for one message. */
    FAILS(EVP_MAC_init(ctx, NULL, 0, NULL), "no key has been set since the last message");
    CHECK(EVP_MAC_final(ctx, a, &written, TAG) == 1);
    FAILS(EVP_MAC_final(ctx, a, &written, TAG), "no key has been set since the last message");
    FAILS(EVP_MAC_update(ctx, text, 5), "no key has been set since the last message");
    CHECK(EVP_MAC_init(ctx, NULL, 0, params) == 1);
    CHECK(EVP_MAC_update(ctx, text, 5) == 1 && EVP_MAC_final(ctx, b, &written, TAG) == 1);
    CHECK(memcmp(a, b, TAG) == 0);
    EVP_MAC_CTX_free(ctx);
    free(text), free(key);
}
