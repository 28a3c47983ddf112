/* XChaCha20-Poly1305, which OpenSSL's own provider does not have: compared with its
 * ChaCha20-Poly1305, under the subkey. */
#include "check.h"
#include "example.h"

/* The example of draft-irtf-cfrg-xchacha-03, appendix A.3.1. */
static void test_example(void)
{
    const char *text = "Ladies and Gentlemen of the class of '99: If I could offer you only one tip for "
                       "the future, sunscreen would be it.";
    static const uint8_t start[16] = {0xbd, 0x6d, 0x17, 0x9d, 0x3e, 0x83, 0xd4, 0x3b,
                                      0x95, 0x76, 0x57, 0x94, 0x93, 0xc0, 0xe9, 0x39};
    static const uint8_t right[TAG] = {0xc0, 0x87, 0x59, 0x24, 0xc1, 0xc7, 0x98, 0x79,
                                       0x47, 0xde, 0xaf, 0xd8, 0x78, 0x0a, 0xcf, 0x49};
    size_t len = strlen(text);
    uint8_t out[200], back[200], tag[TAG];
    CHECK(len == 114);
    for (size_t cut = 0; cut <= len; cut++) {
        EVP_CIPHER_CTX *ctx = context(xchacha, key, nonce, 1);
        update(ctx, NULL, aad, 12);
        update(ctx, out, (const uint8_t *)text, cut);
        update(ctx, out + cut, (const uint8_t *)text + cut, len - cut);
        CHECK(finish(ctx) == 1);
        get_tag(ctx, tag);
        CHECK(memcmp(out, start, 16) == 0 && memcmp(tag, right, TAG) == 0);
        CHECK(EVP_CipherInit_ex2(ctx, NULL, NULL, nonce, 0, NULL) == 1);
        set_tag(ctx, tag);
        update(ctx, NULL, aad, 12);
        update(ctx, back, out, cut);
        EVP_CIPHER_CTX *copy = EVP_CIPHER_CTX_new();
        CHECK(copy != NULL && EVP_CIPHER_CTX_copy(copy, ctx) == 1);
        EVP_CIPHER_CTX *both[] = {ctx, copy};
        for (int i = 0; i < 2; i++) {
            update(both[i], back + cut, out + cut, len - cut);
            CHECK(finish(both[i]) == 1 && memcmp(back, text, len) == 0);
            memset(back + cut, 0, len - cut);
            EVP_CIPHER_CTX_free(both[i]);
        }
    }
}

static void derive_subkey(uint8_t subkey[32])
{
    static const uint8_t zeros[64];
    uint32_t block[16];
    EVP_CIPHER_CTX *ctx = context(their_stream, key, nonce, 1);
    update(ctx, (uint8_t *)block, zeros, sizeof block);
    EVP_CIPHER_CTX_free(ctx);
    subkey_of_block(block, nonce, subkey);
}

/* Encrypts and decrypts in two pieces, and refuses a wrong tag. */
static void compare(const uint8_t *subkey, const uint8_t *data, size_t data_len, const uint8_t *text, size_t len,
                    size_t cut)
{
    uint8_t short_nonce[12] = {0}, tag[TAG], same[TAG], *sealed = malloc(len + 1), *out = malloc(len + 1);
    CHECK(sealed != NULL && out != NULL);
    memcpy(short_nonce + 4, nonce + 16, 8);
    expected(subkey, short_nonce, data, data_len, text, len, sealed, tag);
    EVP_CIPHER_CTX *ctx = context(xchacha, key, nonce, 1);
    update(ctx, NULL, data, data_len);
    update(ctx, out, text, cut);
    update(ctx, out + cut, text + cut, len - cut);
    CHECK(finish(ctx) == 1);
    get_tag(ctx, same);
    CHECK(memcmp(out, sealed, len) == 0 && memcmp(same, tag, TAG) == 0);
    for (int is_forged = 0; is_forged < 2; is_forged++)
        for (int tag_first = 0; tag_first < 2; tag_first++) {
            same[cut % TAG] = tag[cut % TAG] ^ (is_forged ? 0x40 : 0);
            CHECK(EVP_CipherInit_ex2(ctx, NULL, NULL, nonce, 0, NULL) == 1);
            if (tag_first)
                set_tag(ctx, same);
            update(ctx, NULL, data, data_len);
            update(ctx, out, sealed, cut);
            update(ctx, out + cut, sealed + cut, len - cut);
            if (!tag_first)
                set_tag(ctx, same);
            if (is_forged) {
                IS_FORGERY(finish(ctx));
            } else {
                CHECK(finish(ctx) == 1 && memcmp(out, text, len) == 0);
            }
        }
    EVP_CIPHER_CTX_free(ctx);
    free(sealed), free(out);
}

void test_xchacha(void)
{
    /* Around the lengths at which the provider changes its method. */
    static const size_t lengths[] = {0, 1, 64, 300, 2047, 2048, 2049, 4096, 16384, 16385, 40000};
    size_t count = few ? 7 : sizeof lengths / sizeof *lengths;
    uint8_t subkey[32], *text = bytes(40000, 1), *data = bytes(65, 2);
    test_example();
    derive_subkey(subkey);
    for (size_t data_len = 0; data_len <= 65; data_len += 13)
        for (size_t i = 0; i < count; i++)
            for (size_t j = 0; j <= i; j++)
                compare(subkey, data, data_len, text, lengths[i], lengths[j]);
    free(text), free(data);
}
