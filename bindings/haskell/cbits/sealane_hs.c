#define _GNU_SOURCE
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

enum { KEY_BYTES = 32 };

/* Wipes and frees a key. Finalizers in C run at the end of the program too. */
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
