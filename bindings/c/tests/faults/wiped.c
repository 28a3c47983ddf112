/* Contexts that are finished or freed hold no keys, and freed memory holds none. */
#include "freed.h"

#include "../check.h"

/* Checks that a context holds no secret any more, and that no freed block held one. */
#define WIPED(context, release)        \
    do {                               \
        CHECK(!holds_secret(context)); \
        release(context);              \
        CHECK(unwiped == 0);           \
    } while (0)

static void aead(uint32_t aead, int is_authentic, size_t piece, size_t len)
{
    static const uint8_t nonce[24] = {7}, text[4096];
    uint8_t sealed[4096], tag[16];
    size_t nonce_len = sealane_aead_nonce_bytes(aead);
    sealane_sealer *sealer = sealane_sealer_new();
    OK(sealane_sealer_init(sealer, aead, secret_key, nonce, nonce_len, NULL, 0));
    /* XChaCha20 derives another key. */
    CHECK(aead == SEALANE_XCHACHA20_POLY1305 || holds_secret(sealer));
    for (size_t at = 0; at < len; at += piece)
        OK(sealane_sealer_update(sealer, text + at, len - at < piece ? len - at : piece, sealed + at));
    sealane_sealer *copy = sealane_sealer_dup(sealer);
    OK(sealane_sealer_final(sealer, tag));
    WIPED(sealer, sealane_sealer_free);
    sealane_sealer_free(copy);
    CHECK(unwiped == 0);

    sealane_opener *opener = sealane_opener_new();
    OK(sealane_opener_init(opener, aead, secret_key, nonce, nonce_len, NULL, 0));
    for (size_t at = 0; at < len; at += piece)
        OK(sealane_opener_authenticate(opener, sealed + at, len - at < piece ? len - at : piece));
    tag[3] ^= !is_authentic;
    IS(is_authentic ? SEALANE_OK : SEALANE_NOT_AUTHENTIC, sealane_opener_verify(opener, tag));
    if (is_authentic) {
        OK(sealane_opener_decrypt(opener, sealed, len, sealed));
        CHECK(memcmp(sealed, text, len) == 0);
        sealane_opener_free(opener);
        CHECK(unwiped == 0);
    } else {
        WIPED(opener, sealane_opener_free);
    }
}

static void poly1305(size_t piece, size_t len)
{
    static const uint8_t text[4096];
    uint8_t tag[16];
    sealane_poly1305 *message = sealane_poly1305_new();
    for (int way = 0; way < 2; way++) {
        OK(sealane_poly1305_init(message, secret_key));
        CHECK(holds_secret(message));
        for (size_t at = 0; at < len; at += piece)
            OK(sealane_poly1305_update(message, text, len - at < piece ? len - at : piece));
        OK(way ? sealane_poly1305_final_verify(message, tag) : sealane_poly1305_final(message, tag));
        CHECK(!holds_secret(message));
    }
    WIPED(message, sealane_poly1305_free);
}

int main(void)
{
    static const uint8_t nonce[24] = {7};
    uint8_t block[32] = {0};
    const size_t pieces[] = {16, 100, 4096};
    for (size_t i = 0; i < sizeof pieces / sizeof *pieces; i++)
        for (size_t len = 1; len <= 4096; len *= 16)
            for (int is_authentic = 0; is_authentic < 2; is_authentic++) {
                /* Block 0 of the key stream is the key of Poly1305. */
                OK(sealane_chacha20_xor(SEALANE_CHACHA20, secret_key, nonce, 12, 0, (uint8_t[32]){0}, 32, block));
                memcpy(secret_s, block + 16, 16);
                aead(SEALANE_CHACHA20_POLY1305, is_authentic, pieces[i], len);
                OK(sealane_chacha20_xor(SEALANE_XCHACHA20, secret_key, nonce, 24, 0, (uint8_t[32]){0}, 32, block));
                memcpy(secret_s, block + 16, 16);
                aead(SEALANE_XCHACHA20_POLY1305, is_authentic, pieces[i], len);
                memcpy(secret_s, secret_key + 16, 16);
                poly1305(pieces[i], len);
            }
    /* The library frees its contexts with the function that watches, which notices a key. */
    sealane_sealer *sealer = sealane_sealer_new();
    places[0] = (const uint8_t *)sealer;
    sealane_sealer_free(sealer);
    CHECK(places[0] == NULL);
    free_unwiped();
    CHECK(unwiped == 1);
    puts("freed memory holds no keys");
    return 0;
}
