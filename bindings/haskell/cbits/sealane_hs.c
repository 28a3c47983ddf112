/* Memory of keys. Finalizers in C run at the end of the program too. */
#define _DEFAULT_SOURCE
#include <stdlib.h>
#include <string.h>

enum { KEY_BYTES = 32 };

void sealane_hs_free_key(void *key)
{
    explicit_bzero(key, KEY_BYTES);
    free(key);
}
