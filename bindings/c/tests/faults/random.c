/* A random number generator that fails: the library calls this getrandom, because the program
 * exports it. */
#include <errno.h>
#include <sys/types.h>

#include "../check.h"

static int calls;

ssize_t getrandom(void *buffer, size_t len, unsigned flags)
{
    (void)buffer, (void)flags;
    if (len == 0) /* The caller asks whether the function exists. */
        return 0;
    calls++;
    errno = EIO;
    return -1;
}

int main(void)
{
    /* Functions that fail write nothing. */
    uint8_t data[64], before[sizeof data], *shares[2] = {data, data + 32};
    char text[SEALANE_AGE_KEY_TEXT_BYTES], text_before[sizeof text];
    memset(data, 0x5a, sizeof data), memcpy(before, data, sizeof data);
    memset(text, 'x', sizeof text), memcpy(text_before, text, sizeof text);
    sealane_age_error error;
    IS(SEALANE_RANDOM, sealane_random(data, 64));
    IS(SEALANE_RANDOM, sealane_keygen(data));
    IS(SEALANE_RANDOM, sealane_shamir_split(2, (const uint8_t *)"\1\2", 2, (const uint8_t *)"secret", 6, shares));
    IS(SEALANE_RANDOM, sealane_age_keygen(SEALANE_AGE_X25519, text, sizeof text, &error));
    CHECK(strcmp(error.message, "the generator of random numbers failed") == 0);
    IS(SEALANE_RANDOM, sealane_age_keygen(SEALANE_AGE_MLKEM768X25519, text, sizeof text, &error));
    sealane_age_recipients *recipients = sealane_age_recipients_new();
    OK(sealane_age_recipients_add_passphrase(recipients, "passphrase", 10, 1, NULL));
    sealane_bytes *file = NULL;
    IS(SEALANE_RANDOM, sealane_age_encrypt(recipients, SEALANE_AGE_BINARY, NULL, 0, &file, &error));
    CHECK(file == NULL && calls >= 6);
    CHECK(memcmp(data, before, sizeof data) == 0 && memcmp(text, text_before, sizeof text) == 0);
    sealane_age_recipients_free(recipients);
    puts("failures of the generator are reported");
    return 0;
}
