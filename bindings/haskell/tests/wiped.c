/* Watches freed memory, for keys and contents that were not wiped: LD_PRELOAD=wiped.so PROGRAM
 *
 * The keys of PROGRAM have 31 bytes of MARK and one of their own, and the contents of its files are
 * bytes of MARK. At its end, the numbers of freed blocks of the length of a key are written to
 * standard error: first the blocks that hold a key, then those that hold zeros. The same numbers
 * follow for blocks of at least 64 KiB: those that hold file contents, then those that hold
 * zeros. The program reads the number of freed blocks of the length of a stream. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <malloc.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

enum { KEY_BYTES = 32, MARK = 0xa5, LARGE_BYTES = 1 << 16, STREAM_BYTES = 8 << 16 };

static atomic_int keys, zeros, contents, large_zeros;
int wiped_streams;
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
    size_t len = block ? malloc_usable_size(block) : 0;
    if (len >= STREAM_BYTES && len < STREAM_BYTES + 8192)
        __atomic_fetch_add(&wiped_streams, 1, __ATOMIC_SEQ_CST);
    if (len >= LARGE_BYTES) {
        contents += memmem(block, len, mark, KEY_BYTES) != NULL;
        /* The first byte is zero, and each byte equals the one before. */
        large_zeros += *(unsigned char *)block == 0 && memcmp(block, (unsigned char *)block + 1, len - 1) == 0;
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
    fprintf(stderr, "keys %d zeros %d contents %d zeros %d\n", keys, zeros, contents, large_zeros);
}
