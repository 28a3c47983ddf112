/* Watches freed memory, for secrets that were not wiped: a library calls this free, because the
 * program exports it (-rdynamic). Include it before all other headers. */
#ifndef FREED_H
#define FREED_H

#define _GNU_SOURCE
#include <dlfcn.h>
#include <malloc.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static const uint8_t secret_key[32] = {
    0x8a, 0x1f, 0xc3, 0x54, 0xe9, 0x76, 0x2b, 0xb0, 0x4d, 0xd2, 0x67, 0x98, 0x35, 0xfe, 0x01, 0xac,
    0x5b, 0xc0, 0x17, 0xea, 0x83, 0x3c, 0xf5, 0x6e, 0x29, 0xb4, 0x9d, 0x42, 0xd7, 0x08, 0x61, 0x7a};
/* The second half of a key of Poly1305. The first half is not in memory as it is in the key. */
static uint8_t secret_s[16];
/* A key of 32 bytes that is derived from the key, or NULL. */
static const uint8_t *secret_subkey;
/* The number of freed blocks that held a secret, of any size. */
static int unwiped;

/* Places in blocks that are in use. A place becomes NULL when its block is freed. */
static const uint8_t *places[3];

/* Returns whether a block holds a key or the half of a key. */
static inline int holds_secret(void *block)
{
    size_t len = malloc_usable_size(block);
    return memmem(block, len, secret_key, sizeof secret_key) != NULL
        || memmem(block, len, secret_s, sizeof secret_s) != NULL
        || (secret_subkey && memmem(block, len, secret_subkey, 32) != NULL);
}

/* Forgets the places in a block. */
static inline void forget_places(void *block)
{
    const uint8_t *start = block, *end = start + malloc_usable_size(block);
    for (size_t i = 0; i < sizeof places / sizeof *places; i++)
        if (places[i] >= start && places[i] < end)
            places[i] = NULL;
}

void free(void *block)
{
    static void (*next)(void *);
    if (block) {
        unwiped += holds_secret(block);
        forget_places(block);
    }
    if (!next)
        next = (void (*)(void *))dlsym(RTLD_NEXT, "free");
    next(block);
}

/* Frees a block that holds the key. */
static inline void free_unwiped(void)
{
    void *block = malloc(sizeof secret_key);
    memcpy(block, secret_key, sizeof secret_key);
    /* Without this, a compiler may leave out the copy, because nothing reads it. */
    __asm__ volatile("" : : "r"(block) : "memory");
    free(block);
}

#endif
