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

static void chacha20(void)
{
    static const uint8_t nonce[12] = {7}, text[300];
    uint8_t out[300];
    sealane_chacha20 *stream = sealane_chacha20_new();
    OK(sealane_chacha20_init(stream, SEALANE_CHACHA20, secret_key, nonce, 12, 0));
    OK(sealane_chacha20_update(stream, text, sizeof text, out));
    CHECK(holds_secret(stream));
    sealane_chacha20 *copy = sealane_chacha20_dup(stream);
    sealane_chacha20_free(stream);
    sealane_chacha20_free(copy);
    CHECK(unwiped == 0);
}

static void batch(void)
{
    static const uint8_t nonce[12] = {7};
    uint8_t data[100][64], tags[100][16];
    sealane_message messages[100];
    memset(data, 1, sizeof data);
    for (int i = 0; i < 100; i++)
        messages[i] = (sealane_message){.nonce = nonce, .data = data[i], .data_len = 64, .tag = tags[i]};
    OK(sealane_aead_seal_batch(SEALANE_CHACHA20_POLY1305, secret_key, 12, messages, 100));
    OK(sealane_aead_open_batch(SEALANE_CHACHA20_POLY1305, secret_key, 12, messages, 100));
    CHECK(unwiped == 0);
}

static const uint8_t *file;

static ptrdiff_t read_at(void *context, uint64_t offset, uint8_t *buffer, size_t len)
{
    size_t rest = *(size_t *)context - offset;
    len = len < rest ? len : rest;
    memcpy(buffer, file + offset, len);
    return (ptrdiff_t)len;
}

/* Files: the plaintext is the secret, and so is the passphrase. */
static void age(void)
{
    static const char passphrase[] = "32 bytes of a passphrase, secret";
    secret_subkey = (const uint8_t *)passphrase;
    sealane_age_recipients *recipients = sealane_age_recipients_new();
    OK(sealane_age_recipients_add_passphrase(recipients, passphrase, 32, 1, NULL));
    sealane_age_identities *identities = sealane_age_identities_new();
    OK(sealane_age_identities_add_passphrase(identities, passphrase, 32, 1, NULL));
    sealane_bytes *encrypted = NULL, *decrypted = NULL;
    OK(sealane_age_encrypt(recipients, SEALANE_AGE_BINARY, secret_key, 32, &encrypted, NULL));
    sealane_age_recipients_free(recipients);
    CHECK(unwiped == 0);

    size_t len = sealane_bytes_len(encrypted), read;
    file = sealane_bytes_data(encrypted);
    OK(sealane_age_decrypt(identities, file, len, &decrypted, NULL));
    const uint8_t *plaintext = sealane_bytes_data(decrypted);
    CHECK(memcmp(plaintext, secret_key, 32) == 0);
    places[0] = plaintext;
    sealane_bytes_free(decrypted);
    CHECK(places[0] == NULL && unwiped == 0);

    sealane_age_ranges *ranges = NULL;
    uint8_t out[32];
    OK(sealane_age_ranges_open(identities, read_at, &len, len, &ranges, NULL));
    OK(sealane_age_ranges_read(ranges, 0, out, 32, &read, NULL));
    CHECK(read == 32 && memcmp(out, secret_key, 32) == 0);
    sealane_age_ranges_free(ranges);
    sealane_age_identities_free(identities);
    CHECK(unwiped == 0);
    sealane_bytes_free(encrypted);
    secret_subkey = NULL;
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
    chacha20();
    batch();
    age();
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
