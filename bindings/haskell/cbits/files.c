#define _GNU_SOURCE
/* Files may be larger than 2 GiB on systems with 32 bits. */
#define _FILE_OFFSET_BITS 64
#include "sealane_hs.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
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

/* Returns the file under another descriptor if it has that of a standard stream, which the program
 * was started without. What other threads print would get into the file. */
static int beyond_standard_streams(int file)
{
    if (file == -1 || file > STDERR_FILENO) {
        return file;
    }
    int other = fcntl(file, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    int error = errno;
    close(file);
    errno = error;
    return other;
}

/* open has a variable number of arguments, so Haskell does not call it directly. */
int sealane_hs_open_input(const char *path)
{
    return beyond_standard_streams(open(path, O_RDONLY | O_CLOEXEC));
}

/* Locks a new file. Returns 0, or -1 after an error, which is EEXIST if another process has locked
 * or removed the file before. */
static int lock_new(int file, const char *path)
{
    struct stat opened, named;
    if (flock(file, LOCK_EX | LOCK_NB) != 0) {
        /* Not every file system has locks. */
        if (errno != EWOULDBLOCK) {
            return 0;
        }
        unlink(path);
        errno = EEXIST;
        return -1;
    }
    int is_named = lstat(path, &named) == 0;
    if ((!is_named && errno != ENOENT) || fstat(file, &opened) != 0) {
        int error = errno;
        unlink(path);
        errno = error;
        return -1;
    }
    if (!is_named || opened.st_dev != named.st_dev || opened.st_ino != named.st_ino) {
        errno = EEXIST;
        return -1;
    }
    return 0;
}

/* Creates and locks a file. The command `sealane` removes files with the names of unfinished files
 * unless they are locked. */
int sealane_hs_open_output(const char *path, unsigned mode)
{
    int created = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
    int file = beyond_standard_streams(created);
    if (created != -1 && file == -1) {
        int error = errno;
        unlink(path);
        errno = error;
    }
    if (file != -1 && lock_new(file, path) != 0) {
        int error = errno;
        close(file);
        errno = error;
        return -1;
    }
    return file;
}

/* Writes a file, or the names in a folder, to the disk. */
int sealane_hs_sync(int file)
{
    int result;
    do {
        result = fsync(file);
    } while (result != 0 && errno == EINTR);
    return result;
}

/* Writes the names in a folder to the disk, if its file system and its permissions allow that. */
int sealane_hs_sync_folder(const char *path)
{
    int folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder == -1) {
        return errno == EACCES || errno == EPERM ? 0 : -1;
    }
    int result = sealane_hs_sync(folder);
    int error = errno;
    close(folder);
    errno = error;
    return result != 0 && (error == EINVAL || error == ENOTSUP || error == EACCES) ? 0 : result;
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
