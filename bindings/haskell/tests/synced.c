/* Records how files get to the disk, and lets calls fail: LD_PRELOAD=synced.so PROGRAM
 *
 * PROGRAM reads the events, and sets the errors and the fate of the next lock. */
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

enum { NAME_BYTES = 4096 };
enum fate { LOCKED, TAKEN, REMOVED, REPLACED, UNSUPPORTED };

/* Each ends with a new line. The program empties them. */
char synced_events[1 << 16];
/* The error of each fsync of a file, or of a folder, or 0. */
int synced_file_error, synced_folder_error;
/* The fate of the next lock. */
int synced_fate;

static void record(const char *event, const char *name, long len)
{
    size_t used = strlen(synced_events);
    snprintf(synced_events + used, sizeof synced_events - used, "%s %s %ld\n", event, name, len);
}

/* Writes the path of an open file. */
static void path_of(int file, char path[NAME_BYTES])
{
    char link[64];
    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    ssize_t len = readlink(link, path, NAME_BYTES - 1);
    path[len < 0 ? 0 : len] = 0;
}

static int next_flock(int file, int operation)
{
    return ((int (*)(int, int))dlsym(RTLD_NEXT, "flock"))(file, operation);
}

/* Records the files in a folder, and whether each is locked. */
static void record_files(int folder)
{
    DIR *entries = fdopendir(openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    for (struct dirent *entry; entries && (entry = readdir(entries));) {
        struct stat details;
        int file = openat(folder, entry->d_name, O_RDONLY | O_CLOEXEC);
        if (file == -1)
            continue;
        if (fstat(file, &details) == 0 && S_ISREG(details.st_mode))
            record(next_flock(file, LOCK_EX | LOCK_NB) == 0 ? "folder with" : "folder with locked", entry->d_name,
                   (long)details.st_size);
        close(file);
    }
    if (entries)
        closedir(entries);
}

int fsync(int file)
{
    struct stat details;
    char path[NAME_BYTES];
    if (fstat(file, &details) == 0 && S_ISDIR(details.st_mode)) {
        record_files(file);
        errno = synced_folder_error;
    } else {
        path_of(file, path);
        record("file", basename(path), (long)details.st_size);
        errno = synced_file_error;
    }
    return errno ? -1 : ((int (*)(int))dlsym(RTLD_NEXT, "fsync"))(file);
}

int flock(int file, int operation)
{
    char path[NAME_BYTES];
    enum fate fate = synced_fate;
    synced_fate = LOCKED;
    path_of(file, path);
    record("lock", basename(path), (long)fate);
    switch (fate) {
    case TAKEN:
        errno = EWOULDBLOCK;
        return -1;
    case UNSUPPORTED:
        errno = ENOLCK;
        return -1;
    case REPLACED:
    case REMOVED:
        unlink(path);
        if (fate == REPLACED)
            close(open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
        break;
    case LOCKED:
        break;
    }
    return next_flock(file, operation);
}
