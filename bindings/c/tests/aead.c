/* Whole messages. */
#include "check.h"

static const char TEXT[] = "Ladies and Gentlemen of the class of '99: If I could offer you only one tip "
                           "for the future, sunscreen would be it.";
enum { LEN = sizeof TEXT - 1 };
static const uint8_t AAD[12] = {0x50, 0x51, 0x52, 0x53, 0xc0, 0xc1, 0xc2, 0xc3, 0xc4, 0xc5, 0xc6, 0xc7};

/* RFC 8439, section 2.8.2. */
static const uint8_t NONCE[12] = {0x07, 0, 0, 0, 0x40, 0x41, 0x42, 0x43, 0x44, 0x45, 0x46, 0x47};
static const uint8_t TAG[16] = {0x1a, 0xe1, 0x0b, 0x59, 0x4f, 0x09, 0xe2, 0x6a,
                                0x7e, 0x90, 0x2e, 0xcb, 0xd0, 0x60, 0x06, 0x91};
static const uint8_t START[16] = {0xd3, 0x1a, 0x8d, 0x34, 0x64, 0x8e, 0x60, 0xdb,
                                  0x7b, 0x86, 0xaf, 0xbc, 0x53, 0xef, 0x7e, 0xc2};

/* draft-irtf-cfrg-xchacha-03, appendix A.3.1: nonce 0x40 to 0x57. */
static const uint8_t X_TAG[16] = {0xc0, 0x87, 0x59, 0x24, 0xc1, 0xc7, 0x98, 0x79,
                                  0x47, 0xde, 0xaf, 0xd8, 0x78, 0x0a, 0xcf, 0x49};
static const uint8_t X_START[16] = {0xbd, 0x6d, 0x17, 0x9d, 0x3e, 0x83, 0xd4, 0x3b,
                                    0x95, 0x76, 0x57, 0x94, 0x93, 0xc0, 0xe9, 0x39};

static void vector(uint32_t aead, const uint8_t *nonce, size_t nonce_len, const uint8_t *start,
                   const uint8_t *expected)
{
    uint8_t *key = bytes(32, 0x80), *out = bytes(LEN, 0), *back = bytes(LEN, 0), *tag = bytes(16, 0);
    CHECK(sealane_aead_nonce_bytes(aead) == nonce_len);
    OK(sealane_aead_seal(aead, key, nonce, nonce_len, AAD, 12, (const uint8_t *)TEXT, LEN, out, tag));
    CHECK(memcmp(out, start, 16) == 0 && memcmp(tag, expected, 16) == 0);
    OK(sealane_aead_open(aead, key, nonce, nonce_len, AAD, 12, out, LEN, tag, back));
    CHECK(memcmp(back, TEXT, LEN) == 0);

    /* In place. */
    uint8_t *tag2 = bytes(16, 0);
    OK(sealane_aead_seal(aead, key, nonce, nonce_len, AAD, 12, back, LEN, back, tag2));
    CHECK(memcmp(back, out, LEN) == 0 && memcmp(tag, tag2, 16) == 0);

    /* Each change is detected. A separate output is then zero, and an in-place ciphertext is
     * unchanged. */
    uint8_t *changed[] = {key, out, tag};
    const size_t lengths[] = {32, LEN, 16};
    for (int which = 0; which < 3; which++) {
        for (size_t i = 0; i < lengths[which]; i++) {
            changed[which][i] ^= 1;
            memset(back, 0xaa, LEN);
            IS(SEALANE_NOT_AUTHENTIC,
               sealane_aead_open(aead, key, nonce, nonce_len, AAD, 12, out, LEN, tag, back));
            for (size_t j = 0; j < LEN; j++)
                CHECK(back[j] == 0);
            memcpy(back, out, LEN);
            IS(SEALANE_NOT_AUTHENTIC,
               sealane_aead_open(aead, key, nonce, nonce_len, AAD, 12, back, LEN, tag, back));
            CHECK(memcmp(back, out, LEN) == 0);
            changed[which][i] ^= 1;
        }
    }
    IS(SEALANE_NOT_AUTHENTIC, sealane_aead_open(aead, key, nonce, nonce_len, AAD, 11, out, LEN, tag, back));
    OK(sealane_aead_open(aead, key, nonce, nonce_len, AAD, 12, out, LEN, tag, out));
    CHECK(memcmp(out, TEXT, LEN) == 0);
    free(key), free(out), free(back), free(tag), free(tag2);
}

static void wrong_arguments(void)
{
    uint8_t *key = bytes(32, 1), *nonce = bytes(24, 2), *data = bytes(100, 3), *same = bytes(100, 3);
    uint8_t *tag = bytes(16, 0);
    const uint32_t aead = SEALANE_CHACHA20_POLY1305;
#define SEAL(aead, key, nonce, nonce_len, aad, aad_len, in, len, out, tag)                          \
    sealane_aead_seal(aead, key, nonce, nonce_len, aad, aad_len, in, len, out, tag)
    CHECK(sealane_aead_nonce_bytes(0) == 0 && sealane_aead_nonce_bytes(3) == 0);
    IS(SEALANE_UNKNOWN_ALGORITHM, SEAL(0, key, nonce, 12, NULL, 0, data, 50, data, tag));
    IS(SEALANE_UNKNOWN_ALGORITHM, SEAL(3, key, nonce, 12, NULL, 0, data, 50, data, tag));
    IS(SEALANE_WRONG_LENGTH, SEAL(aead, key, nonce, 24, NULL, 0, data, 50, data, tag));
    IS(SEALANE_WRONG_LENGTH, SEAL(SEALANE_XCHACHA20_POLY1305, key, nonce, 12, NULL, 0, data, 50, data, tag));
    IS(SEALANE_NULL_POINTER, SEAL(aead, NULL, nonce, 12, NULL, 0, data, 50, data, tag));
    IS(SEALANE_NULL_POINTER, SEAL(aead, key, NULL, 12, NULL, 0, data, 50, data, tag));
    IS(SEALANE_NULL_POINTER, SEAL(aead, key, nonce, 12, NULL, 1, data, 50, data, tag));
    IS(SEALANE_NULL_POINTER, SEAL(aead, key, nonce, 12, NULL, 0, NULL, 50, data, tag));
    IS(SEALANE_NULL_POINTER, SEAL(aead, key, nonce, 12, NULL, 0, data, 50, NULL, tag));
    IS(SEALANE_NULL_POINTER, SEAL(aead, key, nonce, 12, NULL, 0, NULL, 50, NULL, tag));
    IS(SEALANE_NULL_POINTER, SEAL(aead, key, nonce, 12, NULL, 0, data, 50, data, NULL));
    IS(SEALANE_TOO_LONG, SEAL(aead, key, nonce, 12, NULL, 0, data, SEALANE_MESSAGE_BYTES_MAX + 1, data, tag));
    IS(SEALANE_WRONG_LENGTH, SEAL(aead, key, nonce, 12, data, SIZE_MAX, same, 50, same, tag));
    IS(SEALANE_OVERLAP, SEAL(aead, key, nonce, 12, NULL, 0, data, 50, data + 1, tag));
    IS(SEALANE_OVERLAP, SEAL(aead, key, nonce, 12, NULL, 0, data + 49, 50, data, tag));
    IS(SEALANE_OVERLAP, SEAL(aead, key, nonce, 12, data + 49, 10, data, 50, data, tag));
    IS(SEALANE_OVERLAP, SEAL(aead, key, nonce, 12, NULL, 0, data, 50, data, data + 49));
    IS(SEALANE_OVERLAP, SEAL(aead, key, nonce, 12, NULL, 0, data + 40, 50, same, data + 30));
    IS(SEALANE_OVERLAP, SEAL(aead, key, nonce, 12, data, 10, data + 40, 50, same, data + 5));
#define OPEN(aead, key, nonce, nonce_len, aad, aad_len, in, len, tag, out)                          \
    sealane_aead_open(aead, key, nonce, nonce_len, aad, aad_len, in, len, tag, out)
    IS(SEALANE_UNKNOWN_ALGORITHM, OPEN(7, key, nonce, 12, NULL, 0, data, 50, tag, data));
    IS(SEALANE_WRONG_LENGTH, OPEN(aead, key, nonce, 8, NULL, 0, data, 50, tag, data));
    IS(SEALANE_NULL_POINTER, OPEN(aead, NULL, nonce, 12, NULL, 0, data, 50, tag, data));
    IS(SEALANE_NULL_POINTER, OPEN(aead, key, NULL, 12, NULL, 0, data, 50, tag, data));
    IS(SEALANE_NULL_POINTER, OPEN(aead, key, nonce, 12, NULL, 5, data, 50, tag, data));
    IS(SEALANE_NULL_POINTER, OPEN(aead, key, nonce, 12, NULL, 0, NULL, 50, tag, data));
    IS(SEALANE_NULL_POINTER, OPEN(aead, key, nonce, 12, NULL, 0, data, 50, NULL, data));
    IS(SEALANE_NULL_POINTER, OPEN(aead, key, nonce, 12, NULL, 0, data, 50, tag, NULL));
    IS(SEALANE_OVERLAP, OPEN(aead, key, nonce, 12, NULL, 0, data, 50, tag, data + 10));
    IS(SEALANE_OVERLAP, OPEN(aead, key, nonce, 12, data, 10, data, 50, tag, data));
    IS(SEALANE_NOT_AUTHENTIC, OPEN(aead, key, nonce, 12, NULL, 0, data, 50, data + 10, data));
    CHECK(memcmp(data, same, 100) == 0); /* Nothing has been written. */

    /* Buffers side by side do not overlap, and empty messages need no buffer. */
    OK(SEAL(aead, key, nonce, 12, data + 66, 10, data, 50, data, data + 50));
    OK(OPEN(aead, key, nonce, 12, data + 66, 10, data, 50, data + 50, data));
    CHECK(memcmp(data, same, 50) == 0);
    OK(SEAL(aead, key, nonce, 12, NULL, 0, NULL, 0, NULL, tag));
    OK(OPEN(aead, key, nonce, 12, NULL, 0, NULL, 0, tag, NULL));
    /* Key, nonce and the tag that is read are copied first. */
    uint8_t *out = bytes(50, 0);
    OK(SEAL(aead, key, nonce, 12, NULL, 0, data, 50, data, out + 10));
    OK(OPEN(aead, key, nonce, 12, NULL, 0, data, 50, out + 10, out));
    CHECK(memcmp(out, same, 50) == 0);
    free(out);
    OK(SEAL(aead, data, data, 12, NULL, 0, data, 50, data, tag));
    free(key), free(nonce), free(data), free(same), free(tag);
}

void test_aead(void)
{
    uint8_t *nonce = bytes(24, 0x40);
    vector(SEALANE_CHACHA20_POLY1305, NONCE, 12, START, TAG);
    vector(SEALANE_XCHACHA20_POLY1305, nonce, 24, X_START, X_TAG);
    free(nonce);
    wrong_arguments();
}
