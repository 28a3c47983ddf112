/* Batches. */
#include "check.h"

enum { COUNT = 150 };

/* Message i has i * 7 bytes, and i bytes of associated data. */
static void same_as_alone(uint32_t aead)
{
    const size_t nonce_len = sealane_aead_nonce_bytes(aead);
    uint8_t *key = bytes(32, 3), *aad = bytes(COUNT, 11);
    uint8_t *nonces = bytes(COUNT * nonce_len, 0), *tags = bytes(COUNT * 16, 0);
    sealane_message messages[COUNT];
    for (size_t i = 0; i < COUNT; i++) {
        nonces[i * nonce_len] = (uint8_t)i;
        messages[i] = (sealane_message){.nonce = nonces + i * nonce_len, .aad = aad, .aad_len = i,
                                        .data = bytes(i * 7, (uint8_t)i), .data_len = i * 7,
                                        .tag = tags + i * 16, .status = -1};
    }
    OK(sealane_aead_seal_batch(aead, key, nonce_len, messages, COUNT));
    for (size_t i = 0; i < COUNT; i++) {
        uint8_t *alone = bytes(i * 7, (uint8_t)i), tag[16];
        OK(sealane_aead_seal(aead, key, messages[i].nonce, nonce_len, aad, i, alone, i * 7, alone, tag));
        CHECK(memcmp(alone, messages[i].data, i * 7) == 0 && memcmp(tag, messages[i].tag, 16) == 0);
        free(alone);
    }
    messages[100].data[5] ^= 1;
    messages[3].tag[15] ^= 1;
    IS(SEALANE_NOT_AUTHENTIC, sealane_aead_open_batch(aead, key, nonce_len, messages, COUNT));
    for (size_t i = 0; i < COUNT; i++) {
        uint8_t *text = bytes(i * 7, (uint8_t)i);
        const int authentic = i != 3 && i != 100;
        CHECK(messages[i].status == (authentic ? SEALANE_OK : SEALANE_NOT_AUTHENTIC));
        if (!authentic)
            memset(text, 0, i * 7);
        CHECK(memcmp(text, messages[i].data, i * 7) == 0);
        free(text);
    }
    OK(sealane_aead_seal_batch(aead, key, nonce_len, messages, 3));
    OK(sealane_aead_open_batch(aead, key, nonce_len, messages, 3));
    for (size_t i = 0; i < COUNT; i++)
        free(messages[i].data);
    free(key), free(aad), free(nonces), free(tags);
}

static void wrong_arguments(void)
{
    uint8_t *key = bytes(32, 3), *nonce = bytes(24, 3), *data = bytes(200, 0), *same = bytes(200, 0);
    const uint32_t aead = SEALANE_CHACHA20_POLY1305;
    const sealane_message right[2] = {
        {.nonce = nonce, .aad = data, .aad_len = 10, .data = data + 10, .data_len = 20, .tag = data + 30},
        {.nonce = nonce, .aad = data, .aad_len = 10, .data = data + 46, .data_len = 20, .tag = data + 66}};
    sealane_message messages[2];
    memcpy(messages, right, sizeof right);
#define FAILS(result)                                                                              \
    do {                                                                                           \
        IS(result, sealane_aead_seal_batch(aead, key, 12, messages, 2));                           \
        IS(result, sealane_aead_open_batch(aead, key, 12, messages, 2));                           \
        CHECK(memcmp(data, same, 200) == 0);                                                       \
        memcpy(messages, right, sizeof right);                                                     \
    } while (0)
    messages[1].data = data + 29;
    FAILS(SEALANE_OVERLAP);
    messages[1].data = data + 5;
    FAILS(SEALANE_OVERLAP);
    messages[1].data = data;
    messages[1].data_len = 100;
    FAILS(SEALANE_OVERLAP);
    messages[1].tag = data + 31;
    FAILS(SEALANE_OVERLAP);
    messages[1].aad = data + 70;
    FAILS(SEALANE_OVERLAP);
    messages[0].data = (uint8_t *)messages;
    FAILS(SEALANE_OVERLAP);
    messages[1].nonce = NULL;
    FAILS(SEALANE_NULL_POINTER);
    messages[1].aad = NULL;
    FAILS(SEALANE_NULL_POINTER);
    messages[1].data = NULL;
    FAILS(SEALANE_NULL_POINTER);
    messages[1].tag = NULL;
    FAILS(SEALANE_NULL_POINTER);
    messages[1].data_len = SEALANE_MESSAGE_BYTES_MAX + 1;
    FAILS(SEALANE_TOO_LONG);
    messages[1].aad_len = SIZE_MAX;
    FAILS(SEALANE_WRONG_LENGTH);
    IS(SEALANE_UNKNOWN_ALGORITHM, sealane_aead_seal_batch(0, key, 12, messages, 2));
    IS(SEALANE_UNKNOWN_ALGORITHM, sealane_aead_open_batch(0, key, 12, messages, 2));
    IS(SEALANE_WRONG_LENGTH, sealane_aead_seal_batch(aead, key, 24, messages, 2));
    IS(SEALANE_WRONG_LENGTH, sealane_aead_open_batch(aead, key, 24, messages, 2));
    IS(SEALANE_WRONG_LENGTH, sealane_aead_seal_batch(aead, key, 12, messages, SIZE_MAX / 8));
    IS(SEALANE_NULL_POINTER, sealane_aead_seal_batch(aead, NULL, 12, messages, 2));
    IS(SEALANE_NULL_POINTER, sealane_aead_open_batch(aead, NULL, 12, messages, 2));
    IS(SEALANE_NULL_POINTER, sealane_aead_seal_batch(aead, key, 12, NULL, 2));
    IS(SEALANE_NULL_POINTER, sealane_aead_open_batch(aead, key, 12, NULL, 2));
    OK(sealane_aead_seal_batch(aead, key, 12, NULL, 0));
    OK(sealane_aead_open_batch(aead, key, 12, NULL, 0));
    OK(sealane_aead_seal_batch(aead, key, 12, messages, 2)); /* Both share associated data. */
    OK(sealane_aead_open_batch(aead, key, 12, messages, 2));
    free(key), free(nonce), free(data), free(same);
}

/* Buffers overlap although their messages are far apart in the batch. */
static void far_overlaps(void)
{
    uint8_t *key = bytes(32, 3), *nonce = bytes(12, 3), *data = bytes(COUNT * 40, 0), *same = bytes(COUNT * 40, 0);
    const uint32_t aead = SEALANE_CHACHA20_POLY1305;
    sealane_message messages[COUNT];
    for (int which = 0; which < 4; which++) {
        for (size_t i = 0; i < COUNT; i++)
            messages[i] = (sealane_message){.nonce = nonce, .data = data + i * 40, .data_len = 20,
                                            .tag = data + i * 40 + 20, .status = -1};
        if (which == 0)
            messages[149].data = data + 19;
        if (which == 1)
            messages[0].tag = messages[149].tag + 15;
        if (which == 2)
            messages[0].aad = messages[100].data, messages[0].aad_len = 1;
        if (which == 3)
            messages[140].aad = messages[3].tag, messages[140].aad_len = 1;
        IS(SEALANE_OVERLAP, sealane_aead_seal_batch(aead, key, 12, messages, COUNT));
        IS(SEALANE_OVERLAP, sealane_aead_open_batch(aead, key, 12, messages, COUNT));
        CHECK(memcmp(data, same, COUNT * 40) == 0);
    }
    free(key), free(nonce), free(data), free(same);
}

void test_batch(void)
{
    same_as_alone(SEALANE_CHACHA20_POLY1305);
    same_as_alone(SEALANE_XCHACHA20_POLY1305);
    wrong_arguments();
    far_overlaps();
}
