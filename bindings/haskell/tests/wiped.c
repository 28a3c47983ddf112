/* Watches freed memory, for keys that were not wiped: LD_PRELOAD=wiped.so PROGRAM
 *
 * The keys of PROGRAM have 31 bytes of MARK and one of their own. At its end, the numbers of freed
 * blocks of the length of a key go to standard error: those that hold a key, and those that hold
 * zeros. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <malloc.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

enum { KEY_BYTES = 32, MARK = 0xa5 };

static atomic_int keys, zeros;
static void (*next)(void *);

void free(void *block)
{
    static const unsigned char zero[KEY_BYTES];
    unsigned char mark[KEY_BYTES];
    memset(mark, MARK, sizeof mark);
    /* glibc's smallest block that holds a key. */
    if (block && malloc_usable_size(block) == KEY_BYTES + 8) {
        keys += memcmp(block, mark, KEY_BYTES - 1) == 0;
        zeros += memcmp(block, zero, KEY_BYTES) == 0;
    }
    if (!next)
        next = (void (*)(void *))dlsym(RTLD_NEXT, "free");
    next(block);
}

#ifdef WITHOUT_WIPING
void explicit_bzero(void *start, size_t len)
{
    (void)start, (void)len;
}
#endif

__attribute__((destructor)) static void report(void)
{
    fprintf(stderr, "keys %d zeros %d\n", keys, zeros);
}
