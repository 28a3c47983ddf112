/* Panics inside the provider become OpenSSL errors, and do not end the process: main FOLDER */
#include "../check.h"

static uint8_t key[32], nonce[16];

static void ask(int for_a_panic)
{
    CHECK((for_a_panic ? setenv("SEALANE_PANIC", "1", 1) : unsetenv("SEALANE_PANIC")) == 0);
}

/* A cipher that panics in the middle of a message. */
static void test_cipher(const char *name)
{
    EVP_CIPHER *cipher = EVP_CIPHER_fetch(NULL, name, "provider=sealane");
    CHECK(cipher != NULL);
    uint8_t text[64] = {0};
    int written;
    EVP_CIPHER_CTX *ctx = context(cipher, key, nonce, 1), *copy = EVP_CIPHER_CTX_new(), *fresh;
    CHECK(copy != NULL);
    update(ctx, text, text, sizeof text);
    ask(1);
    FAILS(EVP_CipherUpdate(ctx, text, &written, text, sizeof text), "internal error");
    CHECK(EVP_CIPHER_CTX_copy(copy, ctx) != 1);
    EVP_CIPHER_CTX *other = EVP_CIPHER_CTX_new();
    CHECK(other != NULL && EVP_CipherInit_ex2(other, cipher, key, nonce, 1, NULL) != 1);
    EVP_CIPHER_CTX_free(other);
    ask(0);
    /* The state may be inconsistent, so the context and its copies stay unusable. */
    FAILS(EVP_CipherUpdate(ctx, text, &written, text, sizeof text), "internal error");
    FAILS(EVP_CipherFinal_ex(ctx, text, &written), "internal error");
    FAILS(EVP_CipherInit_ex2(ctx, NULL, key, nonce, 1, NULL), "internal error");
    EVP_CIPHER_CTX_free(copy);
    copy = EVP_CIPHER_CTX_new();
    CHECK(copy != NULL && EVP_CIPHER_CTX_copy(copy, ctx) == 1);
    FAILS(EVP_CipherUpdate(copy, text, &written, text, sizeof text), "internal error");
    EVP_CIPHER_CTX_free(copy);
    EVP_CIPHER_CTX_free(ctx);
    /* A new context works. */
    fresh = context(cipher, key, nonce, 1);
    update(fresh, text, text, sizeof text);
    CHECK(finish(fresh) == 1);
    EVP_CIPHER_CTX_free(fresh);
    EVP_CIPHER_free(cipher);
}

static void test_poly1305(void)
{
    EVP_MAC *mac = EVP_MAC_fetch(NULL, "POLY1305", "provider=sealane");
    EVP_MAC_CTX *ctx = EVP_MAC_CTX_new(mac);
    uint8_t tag[TAG];
    size_t len;
    CHECK(mac != NULL && ctx != NULL && EVP_MAC_init(ctx, key, sizeof key, NULL) == 1);
    ask(1);
    FAILS(EVP_MAC_update(ctx, key, sizeof key), "internal error");
    CHECK(EVP_MAC_CTX_new(mac) == NULL);
    ask(0);
    FAILS(EVP_MAC_final(ctx, tag, &len, sizeof tag), "internal error");
    EVP_MAC_CTX_free(ctx);
    EVP_MAC_free(mac);
}

int main(int argc, char **argv)
{
    CHECK(argc == 2 && OSSL_PROVIDER_set_default_search_path(NULL, argv[1]) == 1);
    ask(1);
    CHECK(OSSL_PROVIDER_load(NULL, "sealane") == NULL);
    ask(0);
    OSSL_PROVIDER *sealane = OSSL_PROVIDER_load(NULL, "sealane");
    CHECK(sealane != NULL);
    char *name = NULL;
    OSSL_PARAM get[] = {OSSL_PARAM_construct_utf8_ptr(OSSL_PROV_PARAM_NAME, &name, 0), OSSL_PARAM_construct_end()};
    ask(1);
    FAILS(OSSL_PROVIDER_get_params(sealane, get), "internal error");
    ask(0);
    CHECK(OSSL_PROVIDER_get_params(sealane, get) == 1 && strcmp(name, "Sealane") == 0);
    test_cipher("ChaCha20-Poly1305");
    test_cipher("XChaCha20-Poly1305");
    test_cipher("ChaCha20");
    test_poly1305();
    /* The end of the provider cannot fail. */
    ask(1);
    CHECK(OSSL_PROVIDER_unload(sealane) == 1);
    puts("panics became errors");
    return 0;
}
