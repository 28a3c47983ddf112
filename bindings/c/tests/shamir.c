/* Secret sharing. */
#include "check.h"

void test_shamir(void)
{
    enum { LEN = 100, COUNT = 5 };
    const uint8_t points[COUNT] = {1, 2, 3, 4, 255};
    uint8_t *secret = bytes(LEN, 50), *out = bytes(LEN, 0), *share[COUNT];
    for (size_t i = 0; i < COUNT; i++)
        share[i] = bytes(LEN, 0);
    OK(sealane_shamir_split(3, points, COUNT, secret, LEN, share));

    /* Any three of the five shares. */
    for (int i = 0; i < COUNT; i++)
        for (int j = 0; j < i; j++)
            for (int k = 0; k < j; k++) {
                const uint8_t chosen[3] = {points[i], points[j], points[k]};
                const uint8_t *const shares[3] = {share[i], share[j], share[k]};
                OK(sealane_shamir_combine(chosen, 3, 0, shares, LEN, out));
                CHECK(memcmp(out, secret, LEN) == 0);
                OK(sealane_shamir_combine(chosen, 3, 255, shares, LEN, out));
                CHECK(memcmp(out, share[4], LEN) == 0);
                OK(sealane_shamir_combine(chosen, 2, 0, shares, LEN, out));
                CHECK(memcmp(out, secret, LEN) != 0);
            }

    const uint8_t twice[2] = {7, 7}, zero[2] = {1, 0};
    const uint8_t *const shares[2] = {share[0], share[1]}, *const with_null[2] = {share[0], NULL};
    memset(out, 9, LEN);
    IS(SEALANE_INVALID_SHARES, sealane_shamir_split(0, points, COUNT, secret, LEN, share));
    IS(SEALANE_INVALID_SHARES, sealane_shamir_split(6, points, COUNT, secret, LEN, share));
    IS(SEALANE_INVALID_SHARES, sealane_shamir_split(2, twice, 2, secret, LEN, share));
    IS(SEALANE_INVALID_SHARES, sealane_shamir_split(2, zero, 2, secret, LEN, share));
    IS(SEALANE_NULL_POINTER, sealane_shamir_split(2, NULL, COUNT, secret, LEN, share));
    IS(SEALANE_NULL_POINTER, sealane_shamir_split(2, points, COUNT, NULL, LEN, share));
    IS(SEALANE_NULL_POINTER, sealane_shamir_split(2, points, COUNT, secret, LEN, NULL));
    uint8_t *const bad[3][2] = {{share[0], NULL}, {share[0], share[0] + 1}, {share[0], secret}};
    IS(SEALANE_NULL_POINTER, sealane_shamir_split(2, points, 2, secret, LEN, bad[0]));
    IS(SEALANE_OVERLAP, sealane_shamir_split(2, points, 2, secret, LEN - 1, bad[1]));
    IS(SEALANE_OVERLAP, sealane_shamir_split(2, points, 2, secret, LEN, bad[2]));
    IS(SEALANE_INVALID_SHARES, sealane_shamir_combine(points, 0, 0, shares, LEN, out));
    IS(SEALANE_INVALID_SHARES, sealane_shamir_combine(twice, 2, 0, shares, LEN, out));
    IS(SEALANE_INVALID_SHARES, sealane_shamir_combine(zero, 2, 0, shares, LEN, out));
    IS(SEALANE_NULL_POINTER, sealane_shamir_combine(NULL, 2, 0, shares, LEN, out));
    IS(SEALANE_NULL_POINTER, sealane_shamir_combine(points, 2, 0, NULL, LEN, out));
    IS(SEALANE_NULL_POINTER, sealane_shamir_combine(points, 2, 0, with_null, LEN, out));
    IS(SEALANE_NULL_POINTER, sealane_shamir_combine(points, 2, 0, shares, LEN, NULL));
    IS(SEALANE_OVERLAP, sealane_shamir_combine(points, 2, 0, shares, LEN, share[1]));
    for (size_t i = 0; i < LEN; i++)
        CHECK(out[i] == 9 && secret[i] == 50 + i);
    for (size_t i = 0; i < COUNT; i++)
        free(share[i]);
    free(secret), free(out);
}
