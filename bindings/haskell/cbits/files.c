#define _GNU_SOURCE
/* Files may be larger than 2 GiB on systems with 32 bits. */
#define _FILE_OFFSET_BITS 64
#include "sealane_hs.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { KEY_BYTES = 32 };

_Static_assert(sizeof(off_t) == 8, "lengths of files need 64 bits");

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

/* Returns whether errno can mean that the kernel or the file system does not support a call. Each
 * of these errors can have another cause too. */
static int is_unsupported(void)
{
    return errno == ENOSYS || errno == EINVAL || errno == ENOTSUP || errno == EOPNOTSUPP ||
           errno == EPERM || errno == EACCES;
}

/* Renames a file to a name that does not exist yet. */
int sealane_hs_rename_new(const char *from, const char *to)
{
    /* glibc before 2.28 and musl up to 1.2.5 have no function renameat2. */
#ifdef SYS_renameat2
    /* RENAME_NOREPLACE in <linux/fs.h>. */
    const unsigned no_replace = 1;
    if (syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, no_replace) == 0) {
        return 0;
    }
    if (!is_unsupported()) {
        return -1;
    }
#endif
    if (link(from, to) == 0) {
        unlink(from);
        return 0;
    }
    /* FAT and some network file systems have no hard links. A file that gets the name between the
     * check and the renaming is replaced. */
    if (!is_unsupported() || sealane_hs_refuse_existing(to) != 0) {
        return -1;
    }
    return rename(from, to);
}

int64_t sealane_hs_file_len(int file)
{
    struct stat details;
    return fstat(file, &details) == 0 ? (int64_t)details.st_size : -1;
}
