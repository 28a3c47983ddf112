/* Watches whether an object is freed during a call: LD_PRELOAD=ends.so PROGRAM
 *
 * It is compiled with the name of the object: -DWATCH_SEALER. The watched call writes a line feed
 * to descriptor 3, and does not return. At the end of PROGRAM, standard error tells whether there
 * was a call, and whether its object was freed. */
#include <sealane.h>
#include <stdatomic.h>
#include <stdio.h>
#include <unistd.h>

static _Atomic(const void *) used;
static atomic_int freed;

static _Noreturn void stay(const void *object)
{
    used = object;
    if (write(3, "\n", 1) != 1)
        perror("descriptor 3");
    for (;;)
        pause();
}

static void note(const void *object)
{
    if (object != NULL && object == used)
        freed = 1;
}

#if defined WATCH_RECIPIENTS
sealane_status sealane_age_encrypt(const sealane_age_recipients *recipients, uint32_t format, const uint8_t *plaintext,
                                   size_t plaintext_len, sealane_bytes **file, sealane_age_error *error)
{
    (void)format, (void)plaintext, (void)plaintext_len, (void)file, (void)error;
    stay(recipients);
}

void sealane_age_recipients_free(sealane_age_recipients *recipients)
{
    note(recipients);
}
#elif defined WATCH_SEALER
sealane_status sealane_sealer_update(sealane_sealer *sealer, const uint8_t *plaintext, size_t len, uint8_t *ciphertext)
{
    (void)plaintext, (void)len, (void)ciphertext;
    stay(sealer);
}

void sealane_sealer_free(sealane_sealer *sealer)
{
    note(sealer);
}
#elif defined WATCH_RANGES
sealane_status sealane_age_ranges_read(const sealane_age_ranges *ranges, uint64_t offset, uint8_t *buffer, size_t len,
                                       size_t *read, sealane_age_error *error)
{
    (void)offset, (void)buffer, (void)len, (void)read, (void)error;
    stay(ranges);
}

void sealane_age_ranges_free(sealane_age_ranges *ranges)
{
    note(ranges);
}
#endif

__attribute__((destructor)) static void report(void)
{
    fprintf(stderr, "called %d freed %d\n", used != NULL, freed);
}
