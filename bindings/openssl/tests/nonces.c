/* A nonce encrypts one message. */
#include "check.h"

static const uint8_t key[32] = {0x80, 0x81, 0x82}, nonce[24] = {0x40, 0x41, 0x42};

/* A TLS 1.2 record uses up the nonce, which is its own if its number is 0. A record of a wrong
 * length is not encrypted as another message. */
static void test_records(void)
{
    static const uint8_t number_0[13] = {0, 0, 0, 0, 0, 0, 0, 0, 0x17, 3, 3, 0, 24};
    uint8_t text[24 + TAG] = {1}, record[24 + TAG], out[24 + TAG];
    EVP_CIPHER_CTX *a = context(theirs, key, nonce, 1), *b = context(ours, key, nonce, 1);
    int len;
    CHECK(EVP_CIPHER_CTX_ctrl(a, EVP_CTRL_AEAD_TLS1_AAD, 13, (void *)number_0) == TAG);
    update(a, record, text, sizeof text);
    CHECK(EVP_CIPHER_CTX_ctrl(b, EVP_CTRL_AEAD_TLS1_AAD, 13, (void *)number_0) == TAG);
    for (int wrong = 24; wrong < 24 + TAG; wrong++)
        FAILS(EVP_CipherUpdate(b, out, &len, text, wrong), "a TLS record has a wrong length");
    FAILS(EVP_CipherFinal_ex(b, out, &len), "the next piece must be a whole TLS record");
    FAILS(EVP_CipherUpdate(b, NULL, &len, text, 12), "the next piece must be a whole TLS record");
    update(b, out, text, sizeof text);
    CHECK(memcmp(record, out, sizeof out) == 0);
    CHECK(EVP_EncryptInit_ex(b, NULL, NULL, NULL, NULL) == 1);
    FAILS(EVP_CipherUpdate(b, out, &len, text, 24), USED);
    CHECK(EVP_EncryptInit_ex(b, NULL, NULL, NULL, nonce) == 1);
    update(b, out, text, 24);
    CHECK(finish(b) == 1);
    EVP_CIPHER_CTX_free(a);
    EVP_CIPHER_CTX_free(b);
}

/* A record before there is a key leaves the nonce for the record after it. */
static void test_record_without_key(void)
{
    static const uint8_t number_0[13] = {0, 0, 0, 0, 0, 0, 0, 0, 0x17, 3, 3, 0, 24};
    uint8_t text[24 + TAG] = {1}, record[24 + TAG], out[24 + TAG];
    int len;
    EVP_CIPHER_CTX *a = context(theirs, key, nonce, 1), *b = EVP_CIPHER_CTX_new();
    CHECK(EVP_CIPHER_CTX_ctrl(a, EVP_CTRL_AEAD_TLS1_AAD, 13, (void *)number_0) == TAG);
    update(a, record, text, sizeof text);
    CHECK(b != NULL && EVP_EncryptInit_ex(b, ours, NULL, NULL, nonce) == 1);
    CHECK(EVP_CIPHER_CTX_ctrl(b, EVP_CTRL_AEAD_TLS1_AAD, 13, (void *)number_0) == TAG);
    FAILS(EVP_CipherUpdate(b, out, &len, text, sizeof text), "no key has been set");
    CHECK(EVP_EncryptInit_ex(b, NULL, NULL, key, NULL) == 1);
    CHECK(EVP_CIPHER_CTX_ctrl(b, EVP_CTRL_AEAD_TLS1_AAD, 13, (void *)number_0) == TAG);
    update(b, out, text, sizeof text);
    CHECK(memcmp(record, out, sizeof out) == 0);
    EVP_CIPHER_CTX_free(a);
    EVP_CIPHER_CTX_free(b);
}

/* Encrypts the TLS 1.2 record with this sequence number. */
static int encrypt_record(EVP_CIPHER_CTX *ctx, uint64_t number)
{
    uint8_t header[13] = {0, 0, 0, 0, 0, 0, 0, 0, 0x17, 3, 3, 0, 24}, text[24 + TAG] = {1};
    int len;
    for (int i = 0; i < 8; i++)
        header[i] = (uint8_t)(number >> (56 - 8 * i));
    CHECK(EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_TLS1_AAD, 13, header) == TAG);
    return EVP_CipherUpdate(ctx, text, &len, text, sizeof text);
}

/* Records and other messages use each nonce once. The nonce of record 0 is that of a message. */
static void test_used_nonces(void)
{
    uint8_t text[24] = {1};
    int len;
    for (int is_fixed = 0; is_fixed < 2; is_fixed++) {
        EVP_CIPHER_CTX *ctx = context(ours, key, nonce, 1);
        for (int again = 0; again < 2; again++) {
            update(ctx, text, text, sizeof text);
            if (again)
                CHECK(finish(ctx) == 1);
            FAILS(encrypt_record(ctx, 0), USED);
            CHECK(encrypt_record(ctx, 1) == 1);
            FAILS(encrypt_record(ctx, 1), USED);
            CHECK(encrypt_record(ctx, 9) == 1);
            FAILS(encrypt_record(ctx, 8), USED);
            CHECK(encrypt_record(ctx, UINT64_MAX) == 1);
            FAILS(encrypt_record(ctx, UINT64_MAX), USED);
            FAILS(encrypt_record(ctx, 0), USED);
            if (is_fixed) {
                CHECK(EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_SET_IV_FIXED, 12, (void *)nonce) == 1);
            } else {
                CHECK(EVP_EncryptInit_ex(ctx, NULL, NULL, NULL, nonce) == 1);
            }
        }
        CHECK(encrypt_record(ctx, 0) == 1);
        CHECK(EVP_EncryptInit_ex(ctx, NULL, NULL, NULL, NULL) == 1);
        FAILS(EVP_CipherUpdate(ctx, text, &len, text, 24), USED);
        EVP_CIPHER_CTX_free(ctx);
    }
    /* A second piece does not continue the message with another nonce. */
    EVP_CIPHER_CTX *ctx = context(ours, key, nonce, 1);
    uint8_t other[12] = {7}, sealed[24], tag[TAG], same[TAG];
    update(ctx, text, text, sizeof text);
    CHECK(EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_SET_IV_FIXED, 12, other) == 1);
    expected(key, other, NULL, 0, text, sizeof text, sealed, tag);
    update(ctx, text, text, sizeof text);
    CHECK(finish(ctx) == 1 && memcmp(text, sealed, sizeof text) == 0);
    get_tag(ctx, same);
    CHECK(memcmp(tag, same, TAG) == 0);
    EVP_CIPHER_CTX_free(ctx);
}

/* What is decrypted before the direction changes. */
enum decrypted { NOTHING, ONLY_DATA, WHOLE, WHOLE_TO_THE_END, PIECES, FORGERY, EMPTY, RECORD, RECORD_AND_AGAIN, KINDS };

static void decrypt(EVP_CIPHER_CTX *ctx, enum decrypted kind)
{
    uint8_t text[24] = {1}, sealed[24], tag[TAG], out[24 + TAG];
    uint8_t number_1[13] = {0, 0, 0, 0, 0, 0, 0, 1, 0x17, 3, 3, 0, 24}, record[24 + TAG] = {1};
    expected(key, nonce, NULL, 0, text, sizeof text, sealed, tag);
    tag[0] ^= kind == FORGERY;
    if (kind == ONLY_DATA)
        update(ctx, NULL, text, sizeof text);
    if (kind == WHOLE || kind == WHOLE_TO_THE_END || kind == FORGERY)
        set_tag(ctx, tag);
    if (kind >= WHOLE && kind <= FORGERY)
        update(ctx, out, sealed, sizeof sealed);
    if (kind == PIECES)
        set_tag(ctx, tag);
    if (kind == WHOLE_TO_THE_END || kind == PIECES)
        CHECK(finish(ctx) == 1 && memcmp(text, out, sizeof text) == 0);
    if (kind == FORGERY)
        IS_FORGERY(finish(ctx));
    if (kind == EMPTY) {
        expected(key, nonce, NULL, 0, text, 0, sealed, tag);
        set_tag(ctx, tag);
        CHECK(finish(ctx) == 1);
    }
    if (kind == RECORD || kind == RECORD_AND_AGAIN) {
        int len;
        EVP_CIPHER_CTX *sender = context(ours, key, nonce, 1);
        CHECK(EVP_CIPHER_CTX_ctrl(sender, EVP_CTRL_AEAD_TLS1_AAD, 13, number_1) == TAG);
        update(sender, record, record, sizeof record);
        EVP_CIPHER_CTX_free(sender);
        number_1[12] = sizeof record;
        CHECK(EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_TLS1_AAD, 13, number_1) == TAG);
        CHECK(EVP_CipherUpdate(ctx, out, &len, record, sizeof record) == 1 && len == 24);
    }
    if (kind == RECORD_AND_AGAIN)
        CHECK(EVP_DecryptInit_ex(ctx, NULL, NULL, NULL, NULL) == 1);
}

/* The nonce of a message that was decrypted has encrypted it, so it encrypts no other. */
static void test_decrypted_nonces(void)
{
    uint8_t text[24] = {1};
    int len;
    for (enum decrypted kind = NOTHING; kind < KINDS; kind++)
        for (int as_record = 0; as_record < 2; as_record++) {
            EVP_CIPHER_CTX *ctx = context(ours, key, nonce, 0);
            decrypt(ctx, kind);
            CHECK(EVP_EncryptInit_ex(ctx, NULL, NULL, NULL, NULL) == 1);
            if (kind == NOTHING || kind == ONLY_DATA) {
                CHECK(as_record ? encrypt_record(ctx, 0) == 1 : EVP_CipherUpdate(ctx, text, &len, text, 24) == 1);
            } else if (as_record) {
                FAILS(encrypt_record(ctx, 1), USED);
            } else {
                FAILS(EVP_CipherUpdate(ctx, text, &len, text, 24), USED);
                FAILS(EVP_CipherFinal_ex(ctx, text, &len), USED);
            }
            CHECK(EVP_EncryptInit_ex(ctx, NULL, NULL, NULL, nonce) == 1);
            update(ctx, text, text, sizeof text);
            CHECK(finish(ctx) == 1);
            EVP_CIPHER_CTX_free(ctx);
        }
}

/* A nonce that is kept encrypts one message with each new key, as in OpenSSL 3.0. */
static void test_new_keys(void)
{
    uint8_t text[24] = {1}, fresh[32], sealed[24], tag[TAG], out[24], same[TAG];
    int len;
    EVP_CIPHER_CTX *ctx = context(ours, key, nonce, 1);
    for (int i = 0; i < 40; i++) {
        /* First, the key that is set already. Then a change of each byte. */
        memcpy(fresh, key, sizeof key);
        fresh[i % 32] ^= i == 0 ? 0 : 1 + i / 32;
        if (i == 0)
            CHECK(encrypt_record(ctx, 7) == 1);
        CHECK(EVP_EncryptInit_ex(ctx, NULL, NULL, fresh, NULL) == 1);
        if (i == 0) {
            FAILS(EVP_CipherUpdate(ctx, out, &len, text, 24), USED);
            continue;
        }
        expected(fresh, nonce, NULL, 0, text, sizeof text, sealed, tag);
        update(ctx, out, text, sizeof text);
        CHECK(finish(ctx) == 1 && memcmp(out, sealed, sizeof sealed) == 0);
        get_tag(ctx, same);
        CHECK(memcmp(tag, same, TAG) == 0);
        CHECK(EVP_EncryptInit_ex(ctx, NULL, NULL, fresh, NULL) == 1);
        FAILS(EVP_CipherUpdate(ctx, out, &len, text, 24), USED);
        /* The nonce of a message that was decrypted, too. */
        CHECK(EVP_DecryptInit_ex(ctx, NULL, NULL, fresh, NULL) == 1);
        set_tag(ctx, tag);
        update(ctx, out, sealed, sizeof sealed);
        CHECK(finish(ctx) == 1);
        CHECK(EVP_EncryptInit_ex(ctx, NULL, NULL, fresh, NULL) == 1);
        FAILS(EVP_CipherUpdate(ctx, out, &len, text, 24), USED);
    }
    EVP_CIPHER_CTX_free(ctx);
    /* A key without a nonce. */
    ctx = context(ours, key, NULL, 1);
    CHECK(EVP_EncryptInit_ex(ctx, NULL, NULL, fresh, NULL) == 1);
    FAILS(EVP_CipherUpdate(ctx, out, &len, text, 24), USED);
    EVP_CIPHER_CTX_free(ctx);
}

/* Programs may pass the pointer of EVP_CIPHER_CTX_iv to all functions. It points to a copy, so to
 * write there sets no nonce. */
static void test_pointer(void)
{
    uint8_t text[24] = {1}, fresh[32] = {1}, sealed[24], tag[TAG], out[24], same[TAG];
    EVP_CIPHER_CTX *ctx = context(ours, key, nonce, 1);
    uint8_t *pointer = is_pointer_to(ctx, OSSL_CIPHER_PARAM_IV, nonce, 12);
    CHECK(EVP_EncryptInit_ex(ctx, NULL, NULL, fresh, pointer) == 1);
    update(ctx, NULL, pointer, 12);
    update(ctx, out, text, sizeof text);
    CHECK(finish(ctx) == 1);
    get_tag(ctx, same);
    expected(fresh, nonce, nonce, 12, text, sizeof text, sealed, tag);
    CHECK(memcmp(out, sealed, sizeof out) == 0 && memcmp(tag, same, TAG) == 0);

    /* The copy of a context has its own pointer, which outlives the first context. */
    EVP_CIPHER_CTX *copy = EVP_CIPHER_CTX_new();
    CHECK(copy != NULL && EVP_CIPHER_CTX_copy(copy, ctx) == 1);
    CHECK(is_pointer_to(copy, OSSL_CIPHER_PARAM_IV, nonce, 12) != pointer);
    pointer[0] ^= 1;
    CHECK(EVP_EncryptInit_ex(ctx, NULL, NULL, key, NULL) == 1);
    update(ctx, out, text, sizeof text);
    expected(key, nonce, NULL, 0, text, sizeof text, sealed, tag);
    CHECK(memcmp(out, sealed, sizeof out) == 0);
    is_pointer_to(ctx, OSSL_CIPHER_PARAM_IV, nonce, 12);
    EVP_CIPHER_CTX_free(ctx);
    is_pointer_to(copy, OSSL_CIPHER_PARAM_IV, nonce, 12);
    EVP_CIPHER_CTX_free(copy);

    /* ChaCha20 has two pointers. */
    static const uint8_t first[16], next[16] = {1};
    ctx = context(our_stream, key, first, 1);
    update(ctx, out, text, sizeof text);
    pointer = is_pointer_to(ctx, OSSL_CIPHER_PARAM_IV, first, 16);
    is_pointer_to(ctx, OSSL_CIPHER_PARAM_UPDATED_IV, next, 16);
    CHECK(memcmp(pointer, first, 16) == 0);
    EVP_CIPHER_CTX_free(ctx);
}

void test_nonces(void)
{
    test_pointer();
    test_records();
    test_record_without_key();
    test_used_nonces();
    test_decrypted_nonces();
    test_new_keys();
}
