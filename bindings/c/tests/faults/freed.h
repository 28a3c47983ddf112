/* Watches freed memory, for secrets that were not wiped: a library calls this free, because the
 * program exports it (-rdynamic). Include it before all other headers. */
#ifndef FREED_H
#define FREED_H

#define _GNU_SOURCE
#include <dlfcn.h>
#include <malloc.h>
#include <stdint.h>
#include <string.h>

static const uint8_t secret_key[32] = {
    0x8a, 0x1f, 0xc3, 0x54, 0xe9, 0x76, 0x2b, 0xb0, 0x4d, 0xd2, 0x67, 0x98, 0x35, 0xfe, 0x01, 0xac,
    0x5b, 0xc0, 0x17, 0xea, 0x83, 0x3c, 0xf5, 0x6e, 0x29, 0xb4, 0x9d, 0x42, 0xd7, 0x08, 0x61, 0x7a};
/* The second half of a key of Poly1305. The first half is not in memory as it is in the key. */
static uint8_t secret_s[16];
/* The number of freed blocks that held a secret, of any size. */
static int unwiped;

/* Returns whether a block holds the key or the half of a key. */
static inline int holds_secret(void *block)
{
    size_t len = malloc_usable_size(block);
    return memmem(block, len, secret_key, sizeof secret_key) != NULL
        || memmem(block, len, secret_s, sizeof secret_s) != NULL;
}

void free(void *block)
{
    static void (*next)(void *);
    if (block)
        unwiped += holds_secret(block);
    if (!next)
        next = (void (*)(void *))dlsym(RTLD_NEXT, "free");
    next(block);
}

#endif
