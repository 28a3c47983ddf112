#include "sealane_hs.h"

#include <stdatomic.h>
#include <stdlib.h>

struct sealane_hs_keys {
    void *list;
    void (*free_list)(void *list);
    atomic_size_t owners;
};

static void free_recipients(void *list)
{
    sealane_age_recipients_free(list);
}

static void free_identities(void *list)
{
    sealane_age_identities_free(list);
}

static sealane_hs_keys *keys_new(void *list, void (*free_list)(void *))
{
    sealane_hs_keys *keys = malloc(sizeof *keys);
    if (keys == NULL || list == NULL) {
        free_list(list);
        free(keys);
        return NULL;
    }
    keys->list = list;
    keys->free_list = free_list;
    atomic_init(&keys->owners, 1);
    return keys;
}

sealane_hs_keys *sealane_hs_recipients_new(void)
{
    return keys_new(sealane_age_recipients_new(), free_recipients);
}

sealane_hs_keys *sealane_hs_identities_new(void)
{
    return keys_new(sealane_age_identities_new(), free_identities);
}

sealane_hs_keys *sealane_hs_keys_share(sealane_hs_keys *keys)
{
    atomic_fetch_add_explicit(&keys->owners, 1, memory_order_relaxed);
    return keys;
}

const void *sealane_hs_keys_list(const sealane_hs_keys *keys)
{
    return keys->list;
}

void sealane_hs_keys_release(sealane_hs_keys *keys)
{
    if (atomic_fetch_sub_explicit(&keys->owners, 1, memory_order_acq_rel) == 1) {
        keys->free_list(keys->list);
        free(keys);
    }
}
