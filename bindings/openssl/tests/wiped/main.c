/* Freed memory holds no keys: main FOLDER */
#include "../../../c/tests/faults/freed.h"

#include "../check.h"

static const uint8_t nonce[24] = {7}, text[4096];

/* Messages in pieces, which have a state of their own on the heap. */
static void test_cipher(const char *name, size_t len, int is_authentic)
{
    uint8_t sealed[4096], tag[TAG];
    EVP_CIPHER *cipher = EVP_CIPHER_fetch(NULL, name, "provider=sealane");
    CHECK(cipher != NULL);
    EVP_CIPHER_CTX *ctx = context(cipher, secret_key, nonce, 1);
    for (size_t at = 0; at < len; at += 100)
        update(ctx, sealed + at, text + at, len - at < 100 ? len - at : 100);
    CHECK(finish(ctx) == 1);
    CHECK(unwiped == 0);
    get_tag(ctx, tag);
    tag[0] ^= !is_authentic;
    CHECK(EVP_CipherInit_ex2(ctx, NULL, NULL, nonce, 0, NULL) == 1);
    set_tag(ctx, tag);
    for (size_t at = 0; at < len; at += 100)
        update(ctx, sealed + at, sealed + at, len - at < 100 ? len - at : 100);
    CHECK((finish(ctx) == 1) == is_authentic);
    CHECK(unwiped == 0);
    EVP_CIPHER_CTX_free(ctx);
    EVP_CIPHER_free(cipher);
    CHECK(unwiped == 0);
}

static void test_poly1305(size_t len)
{
    uint8_t tag[TAG];
    size_t written;
    EVP_MAC *mac = EVP_MAC_fetch(NULL, "POLY1305", "provider=sealane");
    EVP_MAC_CTX *ctx = EVP_MAC_CTX_new(mac);
    CHECK(mac != NULL && ctx != NULL && EVP_MAC_init(ctx, secret_key, sizeof secret_key, NULL) == 1);
    for (size_t at = 0; at < len; at += 16)
        CHECK(EVP_MAC_update(ctx, text + at, len - at < 16 ? len - at : 16) == 1);
    CHECK(EVP_MAC_final(ctx, tag, &written, sizeof tag) == 1);
    EVP_MAC_CTX_free(ctx);
    EVP_MAC_free(mac);
    CHECK(unwiped == 0);
}

/* Watches the second half of a key of Poly1305. */
static void watch(const uint8_t *poly1305_key)
{
    memcpy(secret_s, poly1305_key + 16, sizeof secret_s);
}

int main(int argc, char **argv)
{
    watch(secret_key);
    CHECK(argc == 2 && OSSL_PROVIDER_set_default_search_path(NULL, argv[1]) == 1);
    OSSL_PROVIDER *sealane = OSSL_PROVIDER_load(NULL, "sealane");
    CHECK(sealane != NULL);
    /* Block 0 of the key stream is the key of Poly1305. The nonce begins with the block's number. */
    static const uint8_t block_0[16] = {0, 0, 0, 0, 7};
    uint8_t key_stream[32];
    EVP_CIPHER *stream = EVP_CIPHER_fetch(NULL, "ChaCha20", "provider=sealane");
    EVP_CIPHER_CTX *ctx = context(stream, secret_key, block_0, 1);
    update(ctx, key_stream, text, sizeof key_stream);
    EVP_CIPHER_CTX_free(ctx);
    EVP_CIPHER_free(stream);
    CHECK(unwiped == 0);
    for (size_t len = 1; len <= sizeof text; len *= 16)
        for (int is_authentic = 0; is_authentic < 2; is_authentic++) {
            watch(key_stream);
            test_cipher("ChaCha20-Poly1305", len, is_authentic);
            test_cipher("XChaCha20-Poly1305", len, is_authentic);
            watch(secret_key);
            test_poly1305(len);
        }
    CHECK(OSSL_PROVIDER_unload(sealane) == 1);
    puts("freed memory holds no keys");
    return 0;
}
