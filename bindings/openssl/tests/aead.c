/* Parameters, errors and known answers of the AEADs. */
#include "check.h"
#include "example.h"

static void test_properties(void)
{
    CHECK(EVP_CIPHER_is_a(ours, "ChaCha20-Poly1305") && EVP_CIPHER_get_nid(ours) == NID_chacha20_poly1305);
    EVP_CIPHER *by_oid = EVP_CIPHER_fetch(NULL, "1.2.840.113549.1.9.16.3.18", "provider=sealane");
    CHECK(by_oid != NULL);
    EVP_CIPHER_free(by_oid);
    const EVP_CIPHER *pairs[][2] = {{ours, theirs}, {our_stream, their_stream}};
    for (int i = 0; i < 2; i++) {
        const EVP_CIPHER *a = pairs[i][0], *b = pairs[i][1];
        CHECK(EVP_CIPHER_get_key_length(a) == EVP_CIPHER_get_key_length(b));
        CHECK(EVP_CIPHER_get_iv_length(a) == EVP_CIPHER_get_iv_length(b));
        CHECK(EVP_CIPHER_get_block_size(a) == EVP_CIPHER_get_block_size(b));
        CHECK(EVP_CIPHER_get_mode(a) == EVP_CIPHER_get_mode(b));
        CHECK(EVP_CIPHER_get_flags(a) == EVP_CIPHER_get_flags(b));
        /* Checks that all parameters of OpenSSL's own cipher exist. OpenSSL 3.1 lists a parameter
         * of GCM too, and ignores it. */
        const OSSL_PARAM *(*lists[])(const EVP_CIPHER *) = {EVP_CIPHER_gettable_ctx_params,
                                                           EVP_CIPHER_settable_ctx_params};
        for (int list = 0; list < 2; list++)
            for (const OSSL_PARAM *param = lists[list](b); param->key != NULL; param++)
                CHECK(OSSL_PARAM_locate_const(lists[list](a), param->key) != NULL
                      || strcmp(param->key, OSSL_CIPHER_PARAM_AEAD_TLS1_SET_IV_INV) == 0);
    }
    CHECK(EVP_CIPHER_get_iv_length(xchacha) == 24);
}

/* Each parameter that a cipher lists can be read at the end of a message. */
static void test_readable(const EVP_CIPHER *cipher)
{
    uint8_t text[24] = {1}, octets[24];
    size_t number;
    EVP_CIPHER_CTX *ctx = context(cipher, key, nonce, 1);
    update(ctx, text, text, sizeof text);
    CHECK(finish(ctx) == 1);
    for (const OSSL_PARAM *param = EVP_CIPHER_gettable_ctx_params(cipher); param->key != NULL; param++) {
        size_t len = strcmp(param->key, OSSL_CIPHER_PARAM_AEAD_TAG) == 0 ? TAG : sizeof octets;
        OSSL_PARAM get[] = {param->data_type == OSSL_PARAM_UNSIGNED_INTEGER
                                ? OSSL_PARAM_construct_size_t(param->key, &number)
                                : OSSL_PARAM_construct_octet_string(param->key, octets, len),
                            OSSL_PARAM_construct_end()};
        CHECK(EVP_CIPHER_CTX_get_params(ctx, get) == 1 && OSSL_PARAM_modified(get));
    }
    EVP_CIPHER_CTX_free(ctx);
}

static void test_parameters(void)
{
    EVP_CIPHER_CTX *ctx = context(ours, key, nonce, 1);
    size_t taglen = 0;
    uint8_t iv[12];
    OSSL_PARAM get[] = {OSSL_PARAM_construct_size_t(OSSL_CIPHER_PARAM_AEAD_TAGLEN, &taglen),
                        OSSL_PARAM_construct_octet_string(OSSL_CIPHER_PARAM_UPDATED_IV, iv, sizeof iv),
                        OSSL_PARAM_construct_end()};
    CHECK(EVP_CIPHER_CTX_get_params(ctx, get) == 1 && taglen == 16 && memcmp(iv, nonce, 12) == 0);
    CHECK(get[0].return_size == sizeof taglen && get[1].return_size == 12);
    unsigned small = 0;
    get[0] = OSSL_PARAM_construct_uint(OSSL_CIPHER_PARAM_IVLEN, &small);
    CHECK(EVP_CIPHER_CTX_get_params(ctx, get) == 1 && small == 12);
    get[1] = OSSL_PARAM_construct_octet_string(OSSL_CIPHER_PARAM_IV, iv, 11);
    FAILS(EVP_CIPHER_CTX_get_params(ctx, get), "a parameter has a wrong type or size");
    get[1] = OSSL_PARAM_construct_size_t(OSSL_CIPHER_PARAM_AEAD_TAG, &taglen);
    FAILS(EVP_CIPHER_CTX_get_params(ctx, get), "there is a tag only after a message was encrypted and finished");
    is_pointer_to(ctx, OSSL_CIPHER_PARAM_IV, nonce, 12);
    is_pointer_to(ctx, OSSL_CIPHER_PARAM_UPDATED_IV, nonce, 12);

    CHECK(EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_SET_IVLEN, 12, NULL) == 1);
    FAILS(EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_SET_IVLEN, 8, NULL), "the nonce (IV) has a wrong length");
    FAILS(EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_SET_KEY_LENGTH, 16, NULL), "the key has a wrong length");
    FAILS(EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_SET_TAG, 17, NULL), "a tag has 1 to 16 bytes");
    FAILS(EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_SET_TAG, 0, NULL), "a tag has 1 to 16 bytes");
    FAILS(EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_SET_TAG, 16, iv), "a tag cannot be set while encrypting");
    FAILS(EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_SET_IV_FIXED, 4, iv), "the nonce (IV) has a wrong length");
    FAILS(EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_TLS1_AAD, 12, iv), "a TLS record has a wrong length");
    EVP_CIPHER_CTX_free(ctx);
    ctx = context(xchacha, key, nonce, 1);
    is_pointer_to(ctx, OSSL_CIPHER_PARAM_IV, nonce, 24);
    FAILS(EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_TLS1_AAD, 12, iv), "this cipher is not for TLS records");
    FAILS(EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_SET_IV_FIXED, 12, iv), "this cipher is not for TLS records");
    EVP_CIPHER_CTX_free(ctx);
}

/* The order of calls. */
static void test_order(void)
{
    uint8_t text[40] = {1}, tag[TAG], out[40];
    int len;
    EVP_CIPHER_CTX *ctx = context(ours, NULL, NULL, 1);
    FAILS(EVP_CipherUpdate(ctx, out, &len, text, 40), "no key has been set");
    CHECK(EVP_CipherInit_ex2(ctx, NULL, key, NULL, 1, NULL) == 1);
    FAILS(EVP_CipherUpdate(ctx, out, &len, text, 40), USED);
    FAILS(EVP_CipherFinal_ex(ctx, out, &len), USED);
    CHECK(EVP_CipherInit_ex2(ctx, NULL, NULL, nonce, 1, NULL) == 1);
    update(ctx, NULL, aad, 12);
    update(ctx, out, text, 40);
    FAILS(EVP_CipherUpdate(ctx, NULL, &len, aad, 12), "associated data must come before the message");
    update(ctx, out, text, 40);
    FAILS(EVP_CipherUpdate(ctx, NULL, &len, aad, 12), "associated data must come before the message");
    FAILS(EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_GET_TAG, TAG, tag),
          "there is a tag only after a message was encrypted and finished");
    CHECK(finish(ctx) == 1);
    get_tag(ctx, tag);
    FAILS(EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_GET_TAG, 17, tag), "a tag has 1 to 16 bytes");
    /* A nonce encrypts one message. */
    FAILS(EVP_CipherUpdate(ctx, out, &len, text, 40), USED);
    CHECK(EVP_CipherInit_ex2(ctx, NULL, key, NULL, 1, NULL) == 1);
    FAILS(EVP_CipherUpdate(ctx, out, &len, text, 40), USED);
    CHECK(EVP_CipherInit_ex2(ctx, NULL, NULL, nonce, 1, NULL) == 1);
    update(ctx, out, text, 40);
    CHECK(finish(ctx) == 1);

    /* A tag is needed, for one message. */
    CHECK(EVP_CipherInit_ex2(ctx, NULL, NULL, nonce, 0, NULL) == 1);
    update(ctx, out, text, 40);
    FAILS(EVP_CipherFinal_ex(ctx, out, &len), "the tag must be set before the message is finished");
    IS_FORGERY(EVP_CipherFinal_ex(ctx, out, &len));
    CHECK(EVP_CipherInit_ex2(ctx, NULL, NULL, nonce, 0, NULL) == 1);
    FAILS(EVP_CipherFinal_ex(ctx, out, &len), "the tag must be set before the message is finished");
    EVP_CIPHER_CTX_free(ctx);
}

/* A message ends once. After its end, no tag is accepted that was not compared. */
static void test_second_end(void)
{
    uint8_t text[24] = {1}, sealed[24], tag[TAG], out[24], wrong[TAG] = {0};
    int len;
    expected(key, nonce, NULL, 0, text, sizeof text, sealed, tag);
    EVP_CIPHER_CTX *ctx = context(ours, key, nonce, 1);
    update(ctx, out, text, sizeof text);
    CHECK(finish(ctx) == 1);
    FAILS(EVP_CipherFinal_ex(ctx, out, &len), USED);
    for (int late = 0; late < 2; late++) {
        CHECK(EVP_CipherInit_ex2(ctx, NULL, NULL, nonce, 0, NULL) == 1);
        if (!late)
            set_tag(ctx, wrong), set_tag(ctx, tag);
        update(ctx, out, sealed, sizeof sealed);
        /* The last tag counts. */
        set_tag(ctx, wrong), set_tag(ctx, tag);
        CHECK(finish(ctx) == 1 && memcmp(out, text, sizeof text) == 0);
        FAILS(EVP_CipherFinal_ex(ctx, out, &len), USED);
        set_tag(ctx, wrong);
        FAILS(EVP_CipherFinal_ex(ctx, out, &len), USED);
        set_tag(ctx, tag);
        FAILS(EVP_CipherFinal_ex(ctx, out, &len), USED);
        FAILS(EVP_CipherUpdate(ctx, out, &len, sealed, sizeof sealed), USED);
        CHECK(EVP_DecryptInit_ex(ctx, NULL, NULL, NULL, NULL) == 1);
        set_tag(ctx, tag);
        update(ctx, out, sealed, sizeof sealed);
        CHECK(finish(ctx) == 1);
    }
    EVP_CIPHER_CTX_free(ctx);
}

/* The end of a TLS 1.2 record, which has its tag in itself. The end may be stated once. */
static void test_end_of_record(void)
{
    uint8_t header[13] = {0, 0, 0, 0, 0, 0, 0, 0, 0x17, 3, 3, 0, 24}, record[24 + TAG] = {1}, out[24 + TAG];
    uint8_t wrong[TAG] = {0};
    int len;
    EVP_CIPHER_CTX *ctx = context(ours, key, nonce, 1);
    CHECK(EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_TLS1_AAD, 13, header) == TAG);
    update(ctx, record, record, sizeof record);
    get_tag(ctx, out);
    CHECK(memcmp(out, record + 24, TAG) == 0 && finish(ctx) == 1);
    FAILS(EVP_CipherFinal_ex(ctx, out, &len), USED);
    CHECK(EVP_CipherInit_ex2(ctx, NULL, NULL, nonce, 0, NULL) == 1);
    header[12] = sizeof record;
    enum { NO_TAG, RIGHT_TAG, WRONG_TAG, WRONG_TAG_FIRST, CASES };
    for (int i = 0; i < CASES; i++) {
        CHECK(EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_TLS1_AAD, 13, header) == TAG);
        if (i == WRONG_TAG_FIRST)
            set_tag(ctx, wrong);
        CHECK(EVP_CipherUpdate(ctx, out, &len, record, sizeof record) == 1 && len == 24);
        if (i == RIGHT_TAG || i == WRONG_TAG)
            set_tag(ctx, i == RIGHT_TAG ? record + 24 : wrong);
        if (i == NO_TAG || i == RIGHT_TAG) {
            CHECK(EVP_Cipher(ctx, NULL, NULL, 0) == 0);
            FAILS(EVP_CipherFinal_ex(ctx, out, &len), USED);
        } else {
            IS_FORGERY(EVP_CipherFinal_ex(ctx, out, &len));
            IS_FORGERY(EVP_CipherFinal_ex(ctx, out, &len));
        }
    }
    EVP_CIPHER_CTX_free(ctx);
}

/* Decrypts a piece whose last byte was changed, with associated data. Returns whether there is
 * plaintext. */
static int releases_forgery(const uint8_t *data, size_t data_len, int tag_first, size_t tag_len)
{
    uint8_t text[24] = {1}, sealed[24], tag[TAG], out[24];
    int len;
    expected(key, nonce, data, data_len, text, sizeof text, sealed, tag);
    sealed[23] ^= 1;
    EVP_CIPHER_CTX *ctx = context(ours, key, nonce, 0);
    if (tag_first)
        CHECK(EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_SET_TAG, (int)tag_len, tag) == 1);
    update(ctx, NULL, data, data_len);
    memset(out, 0, sizeof out);
    int released = EVP_CipherUpdate(ctx, out, &len, sealed, sizeof sealed) == 1;
    CHECK((memcmp(out, text, 23) == 0) == released);
    set_tag(ctx, tag);
    IS_FORGERY(finish(ctx));
    EVP_CIPHER_CTX_free(ctx);
    return released;
}

/* Returns whether a message with associated data is verified before it is decrypted: then it cannot
 * go on. */
static int is_verified_first(const uint8_t *data, size_t data_len, size_t tag_len)
{
    uint8_t text[24] = {1}, sealed[24], tag[TAG], out[24];
    int len;
    expected(key, nonce, data, data_len, text, sizeof text, sealed, tag);
    EVP_CIPHER_CTX *ctx = context(ours, key, nonce, 0);
    CHECK(EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_SET_TAG, (int)tag_len, tag) == 1);
    update(ctx, NULL, data, data_len / 2);
    update(ctx, NULL, data + data_len / 2, data_len - data_len / 2);
    update(ctx, out, sealed, sizeof sealed);
    int goes_on = EVP_CipherUpdate(ctx, out, &len, sealed, 1) == 1;
    IS_FORGERY(finish(ctx));
    EVP_CIPHER_CTX_free(ctx);
    return !goes_on;
}

/* When plaintext is released before its tag was checked: docs/openssl.md says it. */
static void test_release(void)
{
    static const uint8_t header[65] = {0x17, 3, 3, 0, 24 + TAG};
    CHECK(!releases_forgery(header, 5, 1, TAG));
    CHECK(releases_forgery(header, 5, 1, TAG - 1) && releases_forgery(header, 5, 0, TAG));
    CHECK(releases_forgery(aad, 5, 1, TAG) && releases_forgery(header, 6, 1, TAG));
    CHECK(is_verified_first(header, 0, TAG) && is_verified_first(header, 64, TAG));
    CHECK(!is_verified_first(header, 65, TAG) && !is_verified_first(header, 64, TAG - 1));
}

/* An empty message, in all ways to pass one. */
static void test_empty(void)
{
    uint8_t tag[TAG], same[TAG];
    int len = -1;
    for (size_t aad_len = 0; aad_len <= 12; aad_len += 12) {
        EVP_CIPHER_CTX *ctx = context(theirs, key, nonce, 1);
        update(ctx, NULL, aad, aad_len);
        CHECK(finish(ctx) == 1);
        get_tag(ctx, tag);
        EVP_CIPHER_CTX_free(ctx);
        ctx = context(ours, key, nonce, 1);
        update(ctx, NULL, aad, aad_len);
        update(ctx, same, same, 0);
        CHECK(finish(ctx) == 1);
        get_tag(ctx, same);
        CHECK(memcmp(tag, same, TAG) == 0);
        for (int forged = 0; forged < 2; forged++) {
            tag[3] ^= forged;
            CHECK(EVP_CipherInit_ex2(ctx, NULL, NULL, nonce, 0, NULL) == 1);
            set_tag(ctx, tag);
            update(ctx, NULL, aad, aad_len);
            CHECK(EVP_Cipher(ctx, NULL, NULL, 0) == (forged ? -1 : len + 1));
        }
        EVP_CIPHER_CTX_free(ctx);
    }
}

/* Truncated tags, and a change of each bit of a tag. */
static void test_tags(void)
{
    for (size_t len = 1; len <= (few ? 40 : 5000); len = len * 5 / 4 + 1) {
        uint8_t *text = bytes(len, 3), *sealed = malloc(len), *out = malloc(len), tag[TAG];
        expected(key, nonce, aad, 12, text, len, sealed, tag);
        for (int tag_len = 1; tag_len <= TAG; tag_len++) {
            EVP_CIPHER_CTX *ctx = context(ours, key, nonce, 1);
            uint8_t prefix[TAG];
            CHECK(EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_SET_TAG, tag_len, NULL) == 1);
            CHECK(EVP_CIPHER_CTX_get_tag_length(ctx) == tag_len);
            update(ctx, NULL, aad, 12);
            update(ctx, out, text, len);
            CHECK(finish(ctx) == 1);
            CHECK(EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_GET_TAG, tag_len, prefix) == 1);
            CHECK(memcmp(prefix, tag, tag_len) == 0 && memcmp(out, sealed, len) == 0);
            for (int late = 0; late < 2; late++) {
                for (int bit = -1; bit < 8 * tag_len; bit += 7) {
                    memcpy(prefix, tag, TAG);
                    if (bit >= 0)
                        prefix[bit / 8] ^= 1 << bit % 8;
                    CHECK(EVP_CipherInit_ex2(ctx, NULL, NULL, nonce, 0, NULL) == 1);
                    if (!late)
                        CHECK(EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_SET_TAG, tag_len, prefix) == 1);
                    update(ctx, NULL, aad, 12);
                    update(ctx, out, sealed, len);
                    if (late)
                        CHECK(EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_SET_TAG, tag_len, prefix) == 1);
                    if (bit < 0) {
                        CHECK(finish(ctx) == 1 && memcmp(out, text, len) == 0);
                    } else {
                        IS_FORGERY(finish(ctx));
                    }
                }
            }
            EVP_CIPHER_CTX_free(ctx);
        }
        /* Sets the right tag and then a wrong one; and passes more data than the tag covers. */
        EVP_CIPHER_CTX *ctx = context(ours, key, nonce, 0);
        set_tag(ctx, tag);
        update(ctx, NULL, aad, 12);
        update(ctx, out, sealed, len);
        set_tag(ctx, tag);
        uint8_t wrong[TAG] = {0};
        set_tag(ctx, wrong);
        IS_FORGERY(finish(ctx));
        CHECK(EVP_CipherInit_ex2(ctx, NULL, NULL, nonce, 0, NULL) == 1);
        set_tag(ctx, tag);
        update(ctx, NULL, aad, 12);
        update(ctx, out, sealed, len);
        int written;
        IS_FORGERY(EVP_CipherUpdate(ctx, out, &written, sealed, 1));
        IS_FORGERY(finish(ctx));
        EVP_CIPHER_CTX_free(ctx);
        free(text), free(sealed), free(out);
    }
}

void test_aead(void)
{
    test_properties();
    test_readable(ours);
    test_readable(xchacha);
    test_readable(our_stream);
    test_parameters();
    test_order();
    test_second_end();
    test_end_of_record();
    test_release();
    test_empty();
    test_tags();
}
