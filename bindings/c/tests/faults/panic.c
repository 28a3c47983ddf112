/* Panics inside the library become SEALANE_INTERNAL or NULL, and do not end the process. The
 * library is built with a hook that panics if SEALANE_PANIC is set. */
#include "../check.h"

#include <fcntl.h>
#include <unistd.h>

static int panics;

static void ask(int for_a_panic)
{
    CHECK((for_a_panic ? setenv("SEALANE_PANIC", "1", 1) : unsetenv("SEALANE_PANIC")) == 0);
}

#define PANICS(call)                 \
    do {                             \
        IS(SEALANE_INTERNAL, call);  \
        panics++;                    \
    } while (0)
#define PANICS_NULL(call)            \
    do {                             \
        CHECK((call) == NULL);       \
        panics++;                    \
    } while (0)

static uint8_t key[32], nonce[12], tag[16], text[64];

static void primitives(void)
{
    const uint32_t aead = SEALANE_CHACHA20_POLY1305;
    sealane_sealer *sealer = sealane_sealer_new();
    sealane_opener *opener = sealane_opener_new();
    sealane_poly1305 *poly1305 = sealane_poly1305_new();
    sealane_chacha20 *chacha20 = sealane_chacha20_new();
    CHECK(sealer != NULL && opener != NULL && poly1305 != NULL && chacha20 != NULL);
    OK(sealane_sealer_init(sealer, aead, key, nonce, sizeof nonce, NULL, 0));
    OK(sealane_sealer_update(sealer, text, sizeof text, text));
    OK(sealane_opener_init(opener, aead, key, nonce, sizeof nonce, NULL, 0));
    OK(sealane_opener_authenticate(opener, text, sizeof text));
    OK(sealane_poly1305_init(poly1305, key));
    OK(sealane_chacha20_init(chacha20, SEALANE_CHACHA20, key, nonce, sizeof nonce, 0));
    uint8_t batch[sizeof text + sizeof tag], shares[2 * sizeof text], *share[2] = {shares, shares + sizeof text};
    sealane_message message = {.nonce = nonce, .data = batch, .tag = batch + sizeof text, .data_len = sizeof text};

    ask(1);
    PANICS(sealane_aead_seal(aead, key, nonce, sizeof nonce, NULL, 0, text, sizeof text, text, tag));
    PANICS(sealane_aead_open(aead, key, nonce, sizeof nonce, NULL, 0, text, sizeof text, tag, text));
    PANICS(sealane_aead_seal_batch(aead, key, sizeof nonce, &message, 1));
    PANICS(sealane_aead_open_batch(aead, key, sizeof nonce, &message, 1));
    PANICS(sealane_sealer_update(sealer, text, sizeof text, text));
    PANICS(sealane_sealer_final(sealer, tag));
    PANICS(sealane_sealer_init(sealer, aead, key, nonce, sizeof nonce, NULL, 0));
    PANICS_NULL(sealane_sealer_new());
    PANICS_NULL(sealane_sealer_dup(sealer));
    PANICS(sealane_opener_authenticate(opener, text, sizeof text));
    PANICS(sealane_opener_decrypt_unauthenticated(opener, text, sizeof text, text));
    PANICS(sealane_opener_verify(opener, tag));
    PANICS(sealane_opener_decrypt(opener, text, sizeof text, text));
    PANICS(sealane_opener_init(opener, aead, key, nonce, sizeof nonce, NULL, 0));
    PANICS_NULL(sealane_opener_new());
    PANICS_NULL(sealane_opener_dup(opener));
    PANICS(sealane_poly1305_mac(key, text, sizeof text, tag));
    PANICS(sealane_poly1305_verify(key, text, sizeof text, tag));
    PANICS(sealane_poly1305_update(poly1305, text, sizeof text));
    PANICS(sealane_poly1305_final(poly1305, tag));
    PANICS(sealane_poly1305_final_verify(poly1305, tag));
    PANICS(sealane_poly1305_init(poly1305, key));
    PANICS_NULL(sealane_poly1305_new());
    PANICS_NULL(sealane_poly1305_dup(poly1305));
    PANICS(sealane_chacha20_xor(SEALANE_CHACHA20, key, nonce, sizeof nonce, 0, text, sizeof text, text));
    PANICS(sealane_chacha20_update(chacha20, text, sizeof text, text));
    PANICS(sealane_chacha20_init(chacha20, SEALANE_CHACHA20, key, nonce, sizeof nonce, 0));
    PANICS_NULL(sealane_chacha20_new());
    PANICS_NULL(sealane_chacha20_dup(chacha20));
    PANICS(sealane_random(text, sizeof text));
    PANICS(sealane_keygen(key));
    PANICS(sealane_shamir_split(2, (const uint8_t *)"\1\2", 2, text, sizeof text, share));
    PANICS(sealane_shamir_combine((const uint8_t *)"\1\2", 2, 0, (const uint8_t *const *)share, sizeof text, text));
    /* Contexts can still be freed. */
    sealane_sealer_free(sealer), sealane_opener_free(opener);
    sealane_poly1305_free(poly1305), sealane_chacha20_free(chacha20);
    ask(0);
}

static ptrdiff_t read_at(void *context, uint64_t offset, uint8_t *buffer, size_t len)
{
    (void)context, (void)offset, (void)buffer, (void)len;
    return 0;
}

static ptrdiff_t read_from(void *context, uint8_t *buffer, size_t len)
{
    (void)context, (void)buffer, (void)len;
    return 0;
}

static ptrdiff_t write_to(void *context, const uint8_t *data, size_t len)
{
    (void)context, (void)data;
    return (ptrdiff_t)len;
}

static void files(void)
{
    char identity[SEALANE_AGE_KEY_TEXT_BYTES], recipient[SEALANE_AGE_KEY_TEXT_BYTES];
    sealane_age_recipients *recipients = sealane_age_recipients_new();
    sealane_age_identities *identities = sealane_age_identities_new();
    sealane_bytes *sealed = NULL, *other = NULL;
    sealane_age_ranges *ranges = NULL, *others = NULL;
    sealane_age_error error;
    sealane_age_part part;
    uint64_t len;
    size_t read, count;
    OK(sealane_age_keygen(SEALANE_AGE_X25519, identity, sizeof identity, NULL));
    OK(sealane_age_recipient(identity, strlen(identity), recipient, sizeof recipient, NULL));
    OK(sealane_age_recipients_add(recipients, recipient, strlen(recipient), NULL));
    OK(sealane_age_identities_add(identities, identity, strlen(identity), NULL));
    OK(sealane_age_encrypt(recipients, SEALANE_AGE_BINARY, text, sizeof text, &sealed, NULL));
    const uint8_t *file = sealane_bytes_data(sealed);
    const size_t file_len = sealane_bytes_len(sealed);
    int zero = open("/dev/zero", O_RDONLY), null = open("/dev/null", O_WRONLY);
    CHECK(zero >= 0 && null >= 0);
    FILE *stored = tmpfile();
    CHECK(stored != NULL && fwrite(file, 1, file_len, stored) == file_len && fflush(stored) == 0);
    OK(sealane_age_ranges_open_fd(identities, fileno(stored), &ranges, NULL));

    ask(1);
    PANICS(sealane_age_encrypt(recipients, SEALANE_AGE_BINARY, text, sizeof text, &other, &error));
    CHECK(strstr(error.message, "error in the library") != NULL && error.chunk == SEALANE_AGE_NO_CHUNK);
    PANICS(sealane_age_decrypt(identities, file, file_len, &other, NULL));
    PANICS(sealane_age_contribute(identities, file, file_len, &part, 1, &count, NULL));
    PANICS(sealane_age_keygen(SEALANE_AGE_X25519, identity, sizeof identity, NULL));
    PANICS(sealane_age_recipient(identity, strlen(identity), recipient, sizeof recipient, NULL));
    PANICS(sealane_age_recipients_add(recipients, recipient, strlen(recipient), NULL));
    PANICS(sealane_age_recipients_add_passphrase(recipients, "passphrase", 10, 1, NULL));
    PANICS(sealane_age_recipients_require(recipients, 1, "", 0, NULL));
    PANICS_NULL(sealane_age_recipients_new());
    PANICS(sealane_age_identities_add(identities, identity, strlen(identity), NULL));
    PANICS(sealane_age_identities_add_passphrase(identities, "passphrase", 10, 1, NULL));
    PANICS(sealane_age_identities_add_ssh(identities, "", 0, NULL, 0, NULL));
    PANICS(sealane_age_identities_add_part(identities, "", 0, NULL));
    PANICS_NULL(sealane_age_identities_new());
    PANICS(sealane_age_encrypt_stream(recipients, SEALANE_AGE_BINARY, 1, read_from, NULL, write_to, NULL, NULL));
    PANICS(sealane_age_decrypt_stream(identities, 1, read_from, NULL, write_to, NULL, NULL));
    PANICS(sealane_age_encrypt_fd(recipients, SEALANE_AGE_BINARY, 1, zero, null, NULL));
    PANICS(sealane_age_decrypt_fd(identities, 1, zero, null, NULL));
    PANICS(sealane_age_ranges_open(identities, read_at, NULL, file_len, &others, NULL));
    PANICS(sealane_age_ranges_open_fd(identities, fileno(stored), &others, NULL));
    PANICS(sealane_age_ranges_len(ranges, &len, NULL));
    PANICS(sealane_age_ranges_read(ranges, 0, text, sizeof text, &read, NULL));
    CHECK(other == NULL && others == NULL);
    sealane_age_ranges_free(ranges);
    sealane_bytes_free(sealed);
    sealane_age_recipients_free(recipients), sealane_age_identities_free(identities);
    ask(0);
    fclose(stored);
}

int main(void)
{
    primitives();
    files();
    /* The library still works. */
    primitives();
    printf("%d panics became results\n", panics);
    return 0;
}
