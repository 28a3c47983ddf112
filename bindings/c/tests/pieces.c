/* Messages in pieces. */
#include "check.h"

enum { LEN = 1000 };

/* Every message is cut into pieces of `piece` bytes. */
static void same_as_whole(uint32_t aead, size_t piece)
{
    const size_t nonce_len = sealane_aead_nonce_bytes(aead);
    uint8_t *key = bytes(32, 9), *nonce = bytes(nonce_len, 5), *aad = bytes(20, 1);
    uint8_t *text = bytes(LEN, 0), *whole = bytes(LEN, 0), *pieces = bytes(LEN, 0), *back = bytes(LEN, 0);
    uint8_t tag[16], other[16];
    OK(sealane_aead_seal(aead, key, nonce, nonce_len, aad, 20, text, LEN, whole, tag));

    sealane_sealer *sealer = sealane_sealer_new();
    CHECK(sealer != NULL);
    OK(sealane_sealer_init(sealer, aead, key, nonce, nonce_len, aad, 20));
    for (size_t at = 0; at < LEN; at += piece)
        OK(sealane_sealer_update(sealer, text + at, LEN - at < piece ? LEN - at : piece, pieces + at));
    OK(sealane_sealer_final(sealer, other));
    CHECK(memcmp(whole, pieces, LEN) == 0 && memcmp(tag, other, 16) == 0);

    /* A copy made in the middle of a message continues it. */
    OK(sealane_sealer_init(sealer, aead, key, nonce, nonce_len, aad, 20));
    OK(sealane_sealer_update(sealer, text, piece < LEN ? piece : LEN - 1, pieces));
    sealane_sealer *sealer_copy = sealane_sealer_dup(sealer);
    sealane_sealer_free(sealer);
    const size_t done = piece < LEN ? piece : LEN - 1;
    OK(sealane_sealer_update(sealer_copy, text + done, LEN - done, pieces + done));
    OK(sealane_sealer_final(sealer_copy, other));
    CHECK(memcmp(whole, pieces, LEN) == 0 && memcmp(tag, other, 16) == 0);
    sealane_sealer_free(sealer_copy);

    sealane_opener *opener = sealane_opener_new();
    CHECK(opener != NULL);
    OK(sealane_opener_init(opener, aead, key, nonce, nonce_len, aad, 20));
    for (size_t at = 0; at < LEN; at += piece)
        OK(sealane_opener_authenticate(opener, whole + at, LEN - at < piece ? LEN - at : piece));
    IS(SEALANE_WRONG_STATE, sealane_opener_decrypt(opener, whole, 1, back));
    sealane_opener *locked = sealane_opener_dup(opener);
    OK(sealane_opener_verify(opener, tag));
    sealane_opener *verified = sealane_opener_dup(opener);
    IS(SEALANE_WRONG_STATE, sealane_opener_decrypt(locked, whole, 1, back));
    OK(sealane_opener_verify(locked, tag));
    OK(sealane_opener_decrypt(locked, whole, LEN, back));
    CHECK(memcmp(back, text, LEN) == 0);
    memset(back, 0, LEN);
    OK(sealane_opener_decrypt(verified, whole, LEN, back));
    CHECK(memcmp(back, text, LEN) == 0);
    sealane_opener_free(locked);
    sealane_opener_free(verified);
    for (size_t at = 0; at < LEN; at += piece) /* In place. */
        OK(sealane_opener_decrypt(opener, pieces + at, LEN - at < piece ? LEN - at : piece, pieces + at));
    CHECK(memcmp(pieces, text, LEN) == 0);
    back[0] = 0x55;
    IS(SEALANE_NOT_AUTHENTIC, sealane_opener_decrypt(opener, whole, 1, back));
    CHECK(back[0] == 0x55);

    OK(sealane_opener_init(opener, aead, key, nonce, nonce_len, aad, 20));
    for (size_t at = 0; at < LEN; at += piece)
        OK(sealane_opener_decrypt_unauthenticated(opener, whole + at, LEN - at < piece ? LEN - at : piece,
                                                  back + at));
    OK(sealane_opener_verify(opener, tag));
    CHECK(memcmp(back, text, LEN) == 0);

    OK(sealane_opener_init(opener, aead, key, nonce, nonce_len, aad, 19));
    OK(sealane_opener_authenticate(opener, whole, LEN));
    IS(SEALANE_NOT_AUTHENTIC, sealane_opener_verify(opener, tag));
    IS(SEALANE_WRONG_STATE, sealane_opener_verify(opener, tag));
    IS(SEALANE_WRONG_STATE, sealane_opener_decrypt(opener, whole, 1, back));
    sealane_opener_free(opener);
    free(key), free(nonce), free(aad), free(text), free(whole), free(pieces), free(back);
}

static void wrong_arguments(void)
{
    uint8_t *key = bytes(32, 9), *nonce = bytes(24, 5), *data = bytes(100, 0), tag[16] = {0};
    const uint32_t aead = SEALANE_CHACHA20_POLY1305;
    sealane_sealer *sealer = sealane_sealer_new();
    sealane_opener *opener = sealane_opener_new();
    sealane_sealer_free(NULL);
    sealane_opener_free(NULL);
    CHECK(sealane_sealer_dup(NULL) == NULL && sealane_opener_dup(NULL) == NULL);
    /* A copy of a context without a message has none either. */
    sealane_sealer *no_message = sealane_sealer_dup(sealer);
    IS(SEALANE_WRONG_STATE, sealane_sealer_final(no_message, tag));
    sealane_sealer_free(no_message);

    IS(SEALANE_NULL_POINTER, sealane_sealer_init(NULL, aead, key, nonce, 12, NULL, 0));
    IS(SEALANE_NULL_POINTER, sealane_sealer_update(NULL, data, 10, data));
    IS(SEALANE_NULL_POINTER, sealane_sealer_final(NULL, tag));
    IS(SEALANE_WRONG_STATE, sealane_sealer_update(sealer, data, 10, data));
    IS(SEALANE_WRONG_STATE, sealane_sealer_final(sealer, tag));
    IS(SEALANE_UNKNOWN_ALGORITHM, sealane_sealer_init(sealer, 9, key, nonce, 12, NULL, 0));
    IS(SEALANE_WRONG_LENGTH, sealane_sealer_init(sealer, aead, key, nonce, 24, NULL, 0));
    IS(SEALANE_NULL_POINTER, sealane_sealer_init(sealer, aead, NULL, nonce, 12, NULL, 0));
    IS(SEALANE_NULL_POINTER, sealane_sealer_init(sealer, aead, key, NULL, 12, NULL, 0));
    IS(SEALANE_NULL_POINTER, sealane_sealer_init(sealer, aead, key, nonce, 12, NULL, 1));
    OK(sealane_sealer_init(sealer, aead, key, nonce, 12, NULL, 0));
    IS(SEALANE_NULL_POINTER, sealane_sealer_update(sealer, NULL, 10, data));
    IS(SEALANE_NULL_POINTER, sealane_sealer_update(sealer, data, 10, NULL));
    IS(SEALANE_OVERLAP, sealane_sealer_update(sealer, data, 10, data + 9));
    IS(SEALANE_NULL_POINTER, sealane_sealer_final(sealer, NULL));
    OK(sealane_sealer_update(sealer, NULL, 0, NULL));
    OK(sealane_sealer_final(sealer, tag));
    IS(SEALANE_WRONG_STATE, sealane_sealer_final(sealer, tag));
    /* An init that fails abandons the message. */
    OK(sealane_sealer_init(sealer, aead, key, nonce, 12, NULL, 0));
    IS(SEALANE_NULL_POINTER, sealane_sealer_init(sealer, aead, NULL, nonce, 12, NULL, 0));
    IS(SEALANE_WRONG_STATE, sealane_sealer_update(sealer, data, 10, data));

    IS(SEALANE_NULL_POINTER, sealane_opener_init(NULL, aead, key, nonce, 12, NULL, 0));
    IS(SEALANE_NULL_POINTER, sealane_opener_authenticate(NULL, data, 10));
    IS(SEALANE_NULL_POINTER, sealane_opener_decrypt_unauthenticated(NULL, data, 10, data));
    IS(SEALANE_NULL_POINTER, sealane_opener_verify(NULL, tag));
    IS(SEALANE_NULL_POINTER, sealane_opener_decrypt(NULL, data, 10, data));
    IS(SEALANE_WRONG_STATE, sealane_opener_authenticate(opener, data, 10));
    IS(SEALANE_WRONG_STATE, sealane_opener_decrypt_unauthenticated(opener, data, 10, data));
    IS(SEALANE_WRONG_STATE, sealane_opener_verify(opener, tag));
    IS(SEALANE_WRONG_LENGTH, sealane_opener_init(opener, aead, key, nonce, 13, NULL, 0));
    IS(SEALANE_NULL_POINTER, sealane_opener_init(opener, aead, key, nonce, 12, NULL, 2));
    OK(sealane_opener_init(opener, aead, key, nonce, 12, NULL, 0));
    IS(SEALANE_NULL_POINTER, sealane_opener_authenticate(opener, NULL, 10));
    IS(SEALANE_NULL_POINTER, sealane_opener_decrypt_unauthenticated(opener, NULL, 10, data));
    IS(SEALANE_OVERLAP, sealane_opener_decrypt_unauthenticated(opener, data, 10, data + 1));
    IS(SEALANE_NULL_POINTER, sealane_opener_verify(opener, NULL));
    OK(sealane_opener_verify(opener, tag)); /* The tag is that of the empty message above. */
    IS(SEALANE_NULL_POINTER, sealane_opener_decrypt(opener, NULL, 1, data));
    IS(SEALANE_OVERLAP, sealane_opener_decrypt(opener, data, 10, data + 1));
    sealane_sealer_free(sealer);
    sealane_opener_free(opener);
    free(key), free(nonce), free(data);
}

/* A message that is too long is refused before its bytes are read, and no tag opens it. */
static void too_long(void)
{
    uint8_t *key = bytes(32, 9), *nonce = bytes(12, 5), *data = bytes(10, 0), tag[16];
    const uint32_t aead = SEALANE_CHACHA20_POLY1305;
    sealane_sealer *sealer = sealane_sealer_new();
    sealane_opener *opener = sealane_opener_new();
    OK(sealane_sealer_init(sealer, aead, key, nonce, 12, NULL, 0));
    IS(SEALANE_TOO_LONG, sealane_sealer_update(sealer, data, SEALANE_MESSAGE_BYTES_MAX + 1, data + 1));
    OK(sealane_sealer_update(sealer, data, 0, data));
    OK(sealane_sealer_final(sealer, tag));
    for (int way = 0; way < 2; way++) {
        OK(sealane_opener_init(opener, aead, key, nonce, 12, NULL, 0));
        IS(SEALANE_NOT_AUTHENTIC,
           way ? sealane_opener_authenticate(opener, data, SEALANE_MESSAGE_BYTES_MAX + 1)
               : sealane_opener_decrypt_unauthenticated(opener, data, SEALANE_MESSAGE_BYTES_MAX + 1, data));
        IS(SEALANE_NOT_AUTHENTIC, sealane_opener_authenticate(opener, data, 0));
        IS(SEALANE_WRONG_STATE, sealane_opener_decrypt(opener, data, 1, data));
        /* It is the tag of the message up to the piece that was refused. */
        IS(SEALANE_NOT_AUTHENTIC, sealane_opener_verify(opener, tag));
        IS(SEALANE_WRONG_STATE, sealane_opener_verify(opener, tag));
    }
    OK(sealane_opener_init(opener, aead, key, nonce, 12, NULL, 0));
    OK(sealane_opener_verify(opener, tag));
    IS(SEALANE_WRONG_STATE, sealane_opener_authenticate(opener, data, SEALANE_MESSAGE_BYTES_MAX + 1));
    sealane_sealer_free(sealer);
    sealane_opener_free(opener);
    free(key), free(nonce), free(data);
}

void test_pieces(void)
{
    const size_t pieces[] = {1, 15, 16, 63, 64, 65, 300, LEN};
    for (size_t i = 0; i < sizeof pieces / sizeof *pieces; i++) {
        same_as_whole(SEALANE_CHACHA20_POLY1305, pieces[i]);
        same_as_whole(SEALANE_XCHACHA20_POLY1305, pieces[i]);
    }
    wrong_arguments();
    too_long();
}
