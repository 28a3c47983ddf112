/* Random bytes. */
#include "check.h"

void test_random(void)
{
    uint8_t *one = bytes(64, 0), *other = bytes(64, 0), *zeros = calloc(64, 1);
    CHECK(zeros != NULL);
    OK(sealane_random(one, 64));
    OK(sealane_random(other, 64));
    CHECK(memcmp(one, other, 64) != 0);
    memcpy(other, one, 64);
    OK(sealane_keygen(one));
    CHECK(memcmp(one, other, 32) != 0 && memcmp(one, zeros, 32) != 0);
    CHECK(memcmp(one + 32, other + 32, 32) == 0); /* Only a key has been written. */
    OK(sealane_random(NULL, 0));
    IS(SEALANE_NULL_POINTER, sealane_random(NULL, 1));
    IS(SEALANE_WRONG_LENGTH, sealane_random(one, SIZE_MAX));
    IS(SEALANE_NULL_POINTER, sealane_keygen(NULL));
    free(one), free(other), free(zeros);
}
