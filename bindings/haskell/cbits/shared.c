#include "sealane_hs.h"

#include <HsFFI.h>
#include <stdatomic.h>
#include <stdlib.h>

struct sealane_hs_shared {
    void *object;
    /* A Haskell function that the object calls, or NULL. */
    void *function;
    void (*free_object)(void *object);
    atomic_size_t owners;
};

static void free_recipients(void *object)
{
    sealane_age_recipients_free(object);
}

static void free_identities(void *object)
{
    sealane_age_identities_free(object);
}

static void free_sealer(void *object)
{
    sealane_sealer_free(object);
}

static void free_opener(void *object)
{
    sealane_opener_free(object);
}

static void free_ranges(void *object)
{
    sealane_age_ranges_free(object);
}

static sealane_hs_shared *shared_new(void *object, void (*free_object)(void *object), void *function)
{
    sealane_hs_shared *shared = malloc(sizeof *shared);
    if (shared == NULL || object == NULL) {
        free_object(object);
        free(shared);
        return NULL;
    }
    shared->object = object;
    shared->function = function;
    shared->free_object = free_object;
    atomic_init(&shared->owners, 1);
    return shared;
}

sealane_hs_shared *sealane_hs_recipients_new(void)
{
    return shared_new(sealane_age_recipients_new(), free_recipients, NULL);
}

sealane_hs_shared *sealane_hs_identities_new(void)
{
    return shared_new(sealane_age_identities_new(), free_identities, NULL);
}

sealane_hs_shared *sealane_hs_sealer_new(void)
{
    return shared_new(sealane_sealer_new(), free_sealer, NULL);
}

sealane_hs_shared *sealane_hs_opener_new(void)
{
    return shared_new(sealane_opener_new(), free_opener, NULL);
}

sealane_hs_shared *sealane_hs_ranges_new(void *ranges, void *read_at)
{
    return shared_new(ranges, free_ranges, read_at);
}

sealane_hs_shared *sealane_hs_share(sealane_hs_shared *shared)
{
    atomic_fetch_add_explicit(&shared->owners, 1, memory_order_relaxed);
    return shared;
}

void *sealane_hs_object(const sealane_hs_shared *shared)
{
    return shared->object;
}

void sealane_hs_release(sealane_hs_shared *shared)
{
    if (atomic_fetch_sub_explicit(&shared->owners, 1, memory_order_acq_rel) == 1) {
        shared->free_object(shared->object);
        /* Finalizers may call hs_free_fun_ptr. */
        if (shared->function != NULL) {
            hs_free_fun_ptr((HsFunPtr)shared->function);
        }
        free(shared);
    }
}
