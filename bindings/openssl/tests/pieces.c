/* Messages in pieces, compared with OpenSSL's own provider. */
#include "check.h"

static uint8_t key[32], nonce[12];

/* Where the output of a piece goes. */
enum place { IN_PLACE, SEPARATE, OVERLAP_BEFORE, OVERLAP_BEHIND, PLACES };

/* Transforms one piece and compares the result. */
static void piece(EVP_CIPHER_CTX *ctx, const uint8_t *in, const uint8_t *result, size_t len, enum place place)
{
    uint8_t *buffer = malloc(len + 8);
    CHECK(buffer != NULL);
    uint8_t *from = buffer + (place == OVERLAP_BEFORE ? 8 : 0), *to = buffer + (place == OVERLAP_BEHIND ? 8 : 0);
    if (len > 0 && place != SEPARATE)
        memcpy(from, in, len);
    update(ctx, to, place == SEPARATE ? in : from, len);
    CHECK(len == 0 || memcmp(to, result, len) == 0);
    free(buffer);
}

/* Encrypts and decrypts in three pieces, with cuts in the associated data too, and copies the
 * context at the first cut. */
static void cut_twice(const uint8_t *text, const uint8_t *sealed, size_t len, const uint8_t *aad, size_t aad_len,
                      const uint8_t tag[TAG], size_t first, size_t second, enum place place, int tag_first)
{
    size_t aad_cut = (first * 7 + second) % (aad_len + 1);
    for (int encrypt = 0; encrypt < 2; encrypt++) {
        const uint8_t *in = encrypt ? text : sealed, *out = encrypt ? sealed : text;
        EVP_CIPHER_CTX *ctx = context(ours, key, nonce, encrypt), *copy = EVP_CIPHER_CTX_new();
        if (!encrypt && tag_first)
            set_tag(ctx, tag);
        update(ctx, NULL, aad, aad_cut);
        update(ctx, NULL, aad + aad_cut, aad_len - aad_cut);
        piece(ctx, in, out, first, place);
        CHECK(copy != NULL && EVP_CIPHER_CTX_copy(copy, ctx) == 1);
        EVP_CIPHER_CTX *both[] = {ctx, copy};
        for (int i = 0; i < 2; i++) {
            uint8_t computed[TAG];
            piece(both[i], in + first, out + first, second - first, place);
            piece(both[i], in + second, out + second, len - second, place);
            if (!encrypt && !tag_first)
                set_tag(both[i], tag);
            CHECK(finish(both[i]) == 1);
            if (encrypt) {
                get_tag(both[i], computed);
                CHECK(memcmp(computed, tag, TAG) == 0);
            }
            EVP_CIPHER_CTX_free(both[i]);
        }
    }
}

/* A message whose tag or ciphertext is wrong, in two pieces. */
static void forged(const uint8_t *sealed, size_t len, const uint8_t *aad, size_t aad_len, const uint8_t tag[TAG],
                   size_t cut)
{
    uint8_t *out = malloc(len ? len : 1), wrong[TAG];
    memcpy(wrong, tag, TAG);
    wrong[cut % TAG] ^= 0x80;
    EVP_CIPHER_CTX *ctx = context(ours, key, nonce, 0);
    set_tag(ctx, wrong);
    update(ctx, NULL, aad, aad_len);
    update(ctx, out, sealed, cut);
    update(ctx, out + cut, sealed + cut, len - cut);
    IS_FORGERY(finish(ctx));
    EVP_CIPHER_CTX_free(ctx);
    free(out);
}

/* Every cut of messages of every length up to 600 bytes. */
static void test_every_cut(void)
{
    for (size_t len = 0; len <= 600; len += few ? 97 : 1) {
        size_t aad_len = len % 90;
        uint8_t *text = bytes(len, 1), *sealed = malloc(len + 1), *aad = bytes(aad_len, 2), tag[TAG];
        expected(key, nonce, aad, aad_len, text, len, sealed, tag);
        for (size_t cut = 0; cut <= len; cut += few ? 31 : 1) {
            /* Within four lengths, each cut is tested with each place, with the tag set first and
             * last. */
            for (int tag_first = 0; tag_first < 2; tag_first++)
                cut_twice(text, sealed, len, aad, aad_len, tag, cut, len, (len + cut) % PLACES, tag_first);
            if (cut % 8 == 0)
                forged(sealed, len, aad, aad_len, tag, cut);
        }
        free(text), free(sealed), free(aad);
    }
}

/* Longer messages, and pieces around the lengths at which the provider changes its method. */
static void test_long(void)
{
    static const size_t cuts[] = {1, 64, 447, 1024, 2047, 2048, 2049, 4096, 16383, 16384, 16385, 33000};
    size_t count = sizeof cuts / sizeof *cuts, len = 50001;
    uint8_t *text = bytes(len, 1), *sealed = malloc(len), *aad = bytes(3000, 2), tag[TAG];
    for (size_t aad_len = 0; aad_len <= 3000; aad_len = aad_len * 3 + 5) {
        expected(key, nonce, aad, aad_len, text, len, sealed, tag);
        for (size_t i = 0; i < count; i += few ? 5 : 1)
            for (size_t j = 0; cuts[i] + cuts[j] <= len && j < count; j += few ? 5 : 1)
                for (int choice = 0; choice < 2 * PLACES; choice++)
                    cut_twice(text, sealed, len, aad, aad_len, tag, cuts[i], cuts[i] + cuts[j], choice / 2, choice % 2);
    }
    /* Many pieces of pseudorandom lengths. */
    expected(key, nonce, aad, 13, text, len, sealed, tag);
    uint32_t random = 1;
    for (int turn = 0; turn < (few ? 2 : 100); turn++) {
        uint8_t computed[TAG];
        EVP_CIPHER_CTX *ctx = context(ours, key, nonce, 1);
        update(ctx, NULL, aad, 13);
        for (size_t at = 0, step; at < len; at += step) {
            random = random * 1664525 + 1013904223;
            step = (random >> 16) % (turn % 2 ? 300 : 5000);
            step = step < len - at ? step : len - at;
            piece(ctx, text + at, sealed + at, step, turn % PLACES);
        }
        CHECK(finish(ctx) == 1);
        get_tag(ctx, computed);
        CHECK(memcmp(computed, tag, TAG) == 0);
        EVP_CIPHER_CTX_free(ctx);
    }
    free(text), free(sealed), free(aad);
}

void test_pieces(void)
{
    memset(key, 7, sizeof key);
    memset(nonce, 9, sizeof nonce);
    test_every_cut();
    test_long();
}
