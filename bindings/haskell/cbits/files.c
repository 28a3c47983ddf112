#define _GNU_SOURCE
#include "sealane_hs.h"

#include <HsFFI.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { KEY_BYTES = 32 };

/* Wipes and frees a key. Finalizers written in C also run at the end of the program. */
void sealane_hs_free_key(void *key)
{
    explicit_bzero(key, KEY_BYTES);
    free(key);
}

/* open has a variable number of arguments, so Haskell does not call it directly. */
int sealane_hs_open_input(const char *path)
{
    return open(path, O_RDONLY | O_CLOEXEC);
}

int sealane_hs_open_output(const char *path, unsigned mode)
{
    return open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
}

int sealane_hs_refuse_existing(const char *path)
{
    struct stat details;
    if (lstat(path, &details) == 0) {
        errno = EEXIST;
        return -1;
    }
    return errno == ENOENT ? 0 : -1;
}

int sealane_hs_rename_new(const char *from, const char *to)
{
    int renamed = renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE);
    /* Not every kernel and file system supports this flag. */
    if (renamed == 0 || (errno != ENOSYS && errno != EINVAL)) {
        return renamed;
    }
    if (link(from, to) != 0) {
        return -1;
    }
    unlink(from);
    return 0;
}

int64_t sealane_hs_file_len(int file)
{
    struct stat details;
    return fstat(file, &details) == 0 ? (int64_t)details.st_size : -1;
}

/* Frees a reader, and then the Haskell function that it calls, if there is one. Finalizers may call
 * hs_free_fun_ptr. */
void sealane_hs_ranges_free(void *read_at, void *ranges)
{
    sealane_age_ranges_free(ranges);
    if (read_at != NULL) {
        hs_free_fun_ptr((HsFunPtr)read_at);
    }
}
