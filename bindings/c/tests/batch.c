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

/* Nonces are where the outputs of other messages are written: the tag or data of the first. */
static void nonces_in_outputs(uint32_t aead, int in_tag)
{
    const size_t nonce_len = sealane_aead_nonce_bytes(aead);
    uint8_t *key = bytes(32, 3), *own = bytes(nonce_len, 9), *text = bytes(40, 5), *sealed = bytes(COUNT * 40, 0);
    uint8_t tags[COUNT][24], moved[24], tag[16];
    sealane_message messages[COUNT];
    memset(tags, 7, sizeof tags);
    for (size_t i = 0; i < COUNT; i++) {
        messages[i] = (sealane_message){.nonce = own, .data = bytes(40, 5), .data_len = 40, .tag = tags[i]};
    }
    /* One of the same group of messages, and one that is sealed much later. */
    uint8_t *place = in_tag ? tags[0] : messages[0].data;
    messages[1].nonce = messages[COUNT - 1].nonce = place;
    memcpy(moved, place, nonce_len);
    OK(sealane_aead_seal_batch(aead, key, nonce_len, messages, COUNT));
    for (size_t i = 0; i < COUNT; i++) {
        const uint8_t *nonce = messages[i].nonce == place ? moved : own;
        OK(sealane_aead_seal(aead, key, nonce, nonce_len, NULL, 0, text, 40, sealed + i * 40, tag));
        CHECK(memcmp(sealed + i * 40, messages[i].data, 40) == 0 && memcmp(tag, messages[i].tag, 16) == 0);
    }
    if (!in_tag) {
        /* Opening overwrites ciphertext, too. */
        const uint8_t *last = sealed + (COUNT - 1) * 40;
        memcpy(moved, messages[0].data, nonce_len);
        OK(sealane_aead_seal(aead, key, moved, nonce_len, NULL, 0, text, 40, messages[1].data, messages[1].tag));
        OK(sealane_aead_seal(aead, key, moved, nonce_len, NULL, 0, text, 40, messages[COUNT - 1].data,
                             messages[COUNT - 1].tag));
        CHECK(memcmp(last, messages[COUNT - 1].data, 40) != 0);
        OK(sealane_aead_open_batch(aead, key, nonce_len, messages, COUNT));
        for (size_t i = 0; i < COUNT; i++)
            CHECK(memcmp(text, messages[i].data, 40) == 0);
    }
    for (size_t i = 0; i < COUNT; i++)
        free(messages[i].data);
    free(key), free(own), free(text), free(sealed);
}

/* Opening writes the status of each message. */
static void associated_data_in_messages(void)
{
    uint8_t *key = bytes(32, 3), *nonce = bytes(12, 3), *data = bytes(20, 4), *same = bytes(20, 4), tag[16] = {0};
    const uint32_t aead = SEALANE_CHACHA20_POLY1305;
    sealane_message message = {.nonce = nonce, .aad = (uint8_t *)&message.status, .aad_len = sizeof message.status,
                               .data = data, .data_len = 20, .tag = tag, .status = -1};
    IS(SEALANE_OVERLAP, sealane_aead_open_batch(aead, key, 12, &message, 1));
    CHECK(message.status == -1 && memcmp(data, same, 20) == 0);
    OK(sealane_aead_seal_batch(aead, key, 12, &message, 1));
    OK(sealane_aead_open(aead, key, nonce, 12, message.aad, message.aad_len, data, 20, tag, data));
    CHECK(memcmp(data, same, 20) == 0);
    free(key), free(nonce), free(data), free(same);
}

void test_batch(void)
{
    same_as_alone(SEALANE_CHACHA20_POLY1305);
    same_as_alone(SEALANE_XCHACHA20_POLY1305);
    wrong_arguments();
    far_overlaps();
    for (int in_tag = 0; in_tag < 2; in_tag++) {
        nonces_in_outputs(SEALANE_CHACHA20_POLY1305, in_tag);
        nonces_in_outputs(SEALANE_XCHACHA20_POLY1305, in_tag);
    }
    associated_data_in_messages();
}
