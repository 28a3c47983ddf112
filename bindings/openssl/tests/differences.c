/* What docs/openssl.md says about OpenSSL's own ciphers, where ours differ. */
#include "check.h"

static const uint8_t key[32] = {1}, other_key[32] = {2}, nonce[12] = {3}, zeros[12];
/* A TLS 1.2 record has room for its tag. */
static uint8_t text[24] = {4}, out[24 + TAG];
/* The associated data of record 0. */
static uint8_t header[13] = {0, 0, 0, 0, 0, 0, 0, 0, 0x17, 3, 3, 0, 24};
static int len;

/* Checks what differs between OpenSSL 3.0 and 4.0. The versions between them may do either. */
static void only_before_4(int is_so)
{
    ERR_clear_error();
    CHECK(is_so || OPENSSL_VERSION_PREREQ(3, 1));
    CHECK(!is_so || !OPENSSL_VERSION_PREREQ(4, 0));
}

/* After the end of a message, only old versions process text with its nonce. */
static void test_kept_nonce(void)
{
    enum { NO_INIT, SAME_KEY, NO_KEY, NEW_KEY, AFTER_DECRYPTION, WAYS };
    uint8_t sealed[24], tag[TAG];
    expected(key, nonce, NULL, 0, text, sizeof text, sealed, tag);
    for (int way = 0; way < WAYS; way++) {
        EVP_CIPHER_CTX *ctx = context(theirs, key, nonce, way != AFTER_DECRYPTION);
        if (way == AFTER_DECRYPTION)
            set_tag(ctx, tag);
        update(ctx, out, way == AFTER_DECRYPTION ? sealed : text, sizeof text);
        CHECK(finish(ctx) == 1);
        if (way != NO_INIT) {
            const uint8_t *next = way == SAME_KEY ? key : way == NEW_KEY ? other_key : NULL;
            CHECK(EVP_EncryptInit_ex(ctx, NULL, NULL, next, NULL) == 1);
        }
        int goes_on = EVP_CipherUpdate(ctx, out, &len, text, sizeof text) == 1;
        only_before_4(goes_on);
        CHECK(!goes_on || way == NEW_KEY || memcmp(out, sealed, sizeof text) == 0);
        EVP_CIPHER_CTX_free(ctx);
    }
    /* All versions accept a second end, and a record with a number that was used. */
    EVP_CIPHER_CTX *ctx = context(theirs, key, nonce, 1);
    update(ctx, out, text, sizeof text);
    CHECK(finish(ctx) == 1 && finish(ctx) == 1);
    EVP_CIPHER_CTX_free(ctx);
    ctx = context(theirs, key, nonce, 1);
    for (int i = 0; i < 2; i++) {
        CHECK(EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_TLS1_AAD, 13, header) == TAG);
        CHECK(EVP_CipherUpdate(ctx, out, &len, text, sizeof out) == 1);
    }
    EVP_CIPHER_CTX_free(ctx);
}

/* All versions use zeros if no nonce was set. */
static void test_no_nonce(void)
{
    uint8_t sealed[24], tag[TAG], same[TAG];
    expected(key, zeros, NULL, 0, text, sizeof text, sealed, tag);
    EVP_CIPHER_CTX *ctx = context(theirs, key, NULL, 1);
    update(ctx, out, text, sizeof text);
    CHECK(finish(ctx) == 1 && memcmp(out, sealed, sizeof text) == 0);
    get_tag(ctx, same);
    CHECK(memcmp(tag, same, TAG) == 0);
    EVP_CIPHER_CTX_free(ctx);
}

/* Only old versions accept a message without a tag. */
static void test_no_tag(void)
{
    EVP_CIPHER_CTX *ctx = context(theirs, key, nonce, 0);
    update(ctx, out, text, sizeof text);
    only_before_4(finish(ctx) == 1);
    EVP_CIPHER_CTX_free(ctx);
}

static void test_associated_data(void)
{
    /* Only old versions accept it after text. */
    EVP_CIPHER_CTX *ctx = context(theirs, key, nonce, 1);
    update(ctx, out, text, sizeof text);
    only_before_4(EVP_CipherUpdate(ctx, NULL, &len, text, 12) == 1);
    EVP_CIPHER_CTX_free(ctx);
    /* All versions accept it after that of a TLS 1.2 record. */
    ctx = context(theirs, key, nonce, 1);
    CHECK(EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_TLS1_AAD, 13, header) == TAG);
    CHECK(EVP_CipherUpdate(ctx, NULL, &len, text, 12) == 1);
    EVP_CIPHER_CTX_free(ctx);
}

/* EVP_Cipher without input computes the tag, except in some old versions. */
static void test_cipher(void)
{
    uint8_t sealed[24], tag[TAG], same[TAG];
    expected(key, nonce, NULL, 0, text, sizeof text, sealed, tag);
    const EVP_CIPHER *both[] = {theirs, ours};
    for (int i = 0; i < 2; i++) {
        EVP_CIPHER_CTX *ctx = context(both[i], key, nonce, 1);
        update(ctx, out, text, sizeof text);
        CHECK(EVP_Cipher(ctx, NULL, NULL, 0) == 0);
        get_tag(ctx, same);
        CHECK(memcmp(tag, same, TAG) == 0 || (i == 0 && !OPENSSL_VERSION_PREREQ(4, 0)));
        EVP_CIPHER_CTX_free(ctx);
    }
}

void test_differences(void)
{
    test_kept_nonce();
    test_no_nonce();
    test_no_tag();
    test_associated_data();
    test_cipher();
}
