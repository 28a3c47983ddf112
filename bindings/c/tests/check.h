/* What the tests share. A check that fails ends the program. */
#ifndef CHECK_H
#define CHECK_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sealane.h"

#define CHECK(condition)                                                                  \
    do {                                                                                  \
        if (!(condition)) {                                                               \
            fprintf(stderr, "%s:%d: failed: %s\n", __FILE__, __LINE__, #condition);       \
            exit(1);                                                                      \
        }                                                                                 \
    } while (0)

#define IS(status, call) CHECK((call) == (status))
#define OK(call) IS(SEALANE_OK, call)

/* Returns consecutive byte values, starting with `first`, in an allocation of exactly `len` bytes,
 * so that sanitizers detect accesses past its end. */
static inline uint8_t *bytes(size_t len, uint8_t first)
{
    uint8_t *memory = malloc(len ? len : 1);
    CHECK(memory != NULL);
    for (size_t i = 0; i < len; i++)
        memory[i] = (uint8_t)(first + i);
    return memory;
}

void test_status(void);
void test_aead(void);
void test_pieces(void);
void test_batch(void);
void test_chacha20(void);
void test_poly1305(void);
void test_random(void);
void test_shamir(void);
void test_age(void);
void test_age_streams(void);
void test_age_ranges(void);
void test_age_vectors(const char *folder);
void test_age_ssh(const char *folder);

#endif
