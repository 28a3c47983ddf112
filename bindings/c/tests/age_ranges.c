/* Ranges of files. */
#include <unistd.h>

#include "age.h"

/* A file in memory, and how much of it has been read. */
struct file {
    const uint8_t *data;
    size_t len, step, read;
    ptrdiff_t failure;
};

static ptrdiff_t read_at(void *context, uint64_t offset, uint8_t *buffer, size_t len)
{
    struct file *file = context;
    if (file->failure != 0)
        return file->failure;
    if (offset >= file->len)
        return 0;
    if (len > file->len - offset)
        len = file->len - (size_t)offset;
    if (len > file->step)
        len = file->step;
    memcpy(buffer, file->data + offset, len);
    file->read += len;
    return (ptrdiff_t)len;
}

static sealane_age_recipients *recipients;
static sealane_age_identities *identities;

static void ranges_of(size_t len)
{
    uint8_t *text = bytes(len, 3), *out = bytes(len + 10, 0);
    for (size_t i = 0; i < len; i++)
        text[i] = (uint8_t)(i * i >> 5);
    sealane_bytes *sealed = NULL;
    OK(sealane_age_encrypt(recipients, SEALANE_AGE_BINARY, text, len, &sealed, NULL));
    struct file file = {.data = sealane_bytes_data(sealed), .len = sealane_bytes_len(sealed), .step = 50000};
    FILE *stored = tmpfile();
    CHECK(stored != NULL && write(fileno(stored), file.data, file.len) == (ptrdiff_t)file.len);
    sealane_age_ranges *ranges[2] = {NULL, NULL};
    OK(sealane_age_ranges_open(identities, read_at, &file, file.len, &ranges[0], NULL));
    OK(sealane_age_ranges_open_fd(identities, fileno(stored), &ranges[1], NULL));
    fclose(stored);

    const size_t edges[] = {0, 1, 65535, 65536, 65537, 131072, 1 << 20, (1 << 20) + 1, len / 2, len, len + 5};
    enum { EDGES = sizeof edges / sizeof *edges };
    for (int r = 0; r < 2; r++) {
        uint64_t found = 0;
        size_t read = 0;
        OK(sealane_age_ranges_len(ranges[r], &found, NULL));
        CHECK(found == len);
        for (size_t i = 0; i < EDGES; i++)
            for (size_t j = 0; j < EDGES; j++) {
                const size_t start = edges[i], wanted = edges[j] < len + 10 ? edges[j] : len + 10;
                const size_t rest = start < len ? len - start : 0, expected = wanted < rest ? wanted : rest;
                OK(sealane_age_ranges_read(ranges[r], start, out, wanted, &read, NULL));
                CHECK(read == expected && memcmp(out, text + (start < len ? start : len), read) == 0);
            }
        OK(sealane_age_ranges_read(ranges[r], UINT64_MAX, out, 10, &read, NULL));
        CHECK(read == 0);
    }
    /* A small range takes two chunks at most. */
    if (len > 200000) {
        size_t read;
        file.read = 0;
        OK(sealane_age_ranges_read(ranges[0], 65530, out, 10, &read, NULL));
        CHECK(read == 10 && file.read == 2 * 65552);
    }
    sealane_age_ranges_free(ranges[0]);
    sealane_age_ranges_free(ranges[1]);
    sealane_bytes_free(sealed);
    free(text), free(out);
}

static void failures(void)
{
    enum { LEN = 3 << 20 };
    uint8_t *text = bytes(LEN, 3), *out = bytes(LEN, 0), *changed;
    sealane_bytes *sealed = NULL;
    sealane_age_error error;
    OK(sealane_age_encrypt(recipients, SEALANE_AGE_BINARY, text, LEN, &sealed, NULL));
    const size_t len = sealane_bytes_len(sealed), start = len - LEN - 48 * 16;
    changed = malloc(len);
    CHECK(changed != NULL);
    memcpy(changed, sealane_bytes_data(sealed), len);
    struct file file = {.data = changed, .len = len, .step = len};
    sealane_age_ranges *ranges = NULL;
    uint64_t found = 7;
    size_t read = 7;
    OK(sealane_age_ranges_open(identities, read_at, &file, len, &ranges, NULL));

    /* A changed chunk: other ranges can still be read, and a range that includes it leaves no
     * plaintext. */
    changed[start + 20 * 65552 + 5] ^= 1;
    OK(sealane_age_ranges_read(ranges, 0, out, 20 * 65536, &read, NULL));
    CHECK(memcmp(out, text, 20 * 65536) == 0);
    read = 7;
    IS(SEALANE_NOT_AUTHENTIC, sealane_age_ranges_read(ranges, 0, out, LEN, &read, &error));
    CHECK(error.chunk == 20 && read == 7);
    for (size_t i = 0; i < 20 * 65536; i++)
        CHECK(out[i] == 0);
    OK(sealane_age_ranges_len(ranges, &found, NULL));
    CHECK(found == LEN);

    file.failure = -12;
    IS(SEALANE_IO, sealane_age_ranges_read(ranges, 5, out, 10, &read, &error));
    CHECK(error.io == -12);
    file.failure = PTRDIFF_MAX;
    IS(SEALANE_IO, sealane_age_ranges_len(ranges, &found, &error));
    file.failure = 0;
    file.len = len - 100; /* The file became shorter. */
    IS(SEALANE_NOT_AUTHENTIC, sealane_age_ranges_len(ranges, &found, &error));
    file.len = len;
    IS(SEALANE_NULL_POINTER, sealane_age_ranges_len(NULL, &found, NULL));
    IS(SEALANE_NULL_POINTER, sealane_age_ranges_len(ranges, NULL, NULL));
    IS(SEALANE_NULL_POINTER, sealane_age_ranges_read(NULL, 0, out, 1, &read, NULL));
    IS(SEALANE_NULL_POINTER, sealane_age_ranges_read(ranges, 0, NULL, 1, &read, NULL));
    IS(SEALANE_NULL_POINTER, sealane_age_ranges_read(ranges, 0, out, 1, NULL, NULL));
    IS(SEALANE_OVERLAP, sealane_age_ranges_read(ranges, 0, (uint8_t *)&read, 1, &read, NULL));
    sealane_age_ranges_free(ranges);
    sealane_age_ranges_free(NULL);

    /* A length that cuts the file between two chunks, and one that is impossible for a file. */
    ranges = NULL;
    OK(sealane_age_ranges_open(identities, read_at, &file, start + 65552, &ranges, NULL));
    IS(SEALANE_NOT_AUTHENTIC, sealane_age_ranges_len(ranges, &found, &error));
    sealane_age_ranges_free(ranges);
    ranges = NULL;
    OK(sealane_age_ranges_open(identities, read_at, &file, start + 5, &ranges, NULL));
    IS(SEALANE_NOT_AUTHENTIC, sealane_age_ranges_len(ranges, &found, &error));
    IS(SEALANE_NOT_AUTHENTIC, sealane_age_ranges_read(ranges, 0, out, 1, &read, &error));
    sealane_age_ranges_free(ranges);
    ranges = NULL;
    IS(SEALANE_MALFORMED, sealane_age_ranges_open(identities, read_at, &file, 50, &ranges, &error));
    IS(SEALANE_NULL_POINTER, sealane_age_ranges_open(NULL, read_at, &file, len, &ranges, NULL));
    IS(SEALANE_NULL_POINTER, sealane_age_ranges_open(identities, NULL, &file, len, &ranges, NULL));
    IS(SEALANE_NULL_POINTER, sealane_age_ranges_open(identities, read_at, &file, len, NULL, NULL));
    IS(SEALANE_NULL_POINTER, sealane_age_ranges_open_fd(NULL, 0, &ranges, NULL));
    IS(SEALANE_IO, sealane_age_ranges_open_fd(identities, -1, &ranges, &error));
    /* A pipe has no length. */
    int ends[2];
    CHECK(pipe(ends) == 0 && write(ends[1], changed, 200) == 200);
    IS(SEALANE_IO, sealane_age_ranges_open_fd(identities, ends[0], &ranges, &error));
    CHECK(strstr(error.message, "regular file") != NULL);
    close(ends[0]), close(ends[1]);
    sealane_age_identities *nobody = sealane_age_identities_new();
    IS(SEALANE_NO_MATCH, sealane_age_ranges_open(nobody, read_at, &file, len, &ranges, &error));
    CHECK(ranges == NULL && found == LEN && read == 7);
    sealane_age_identities_free(nobody);
    sealane_bytes_free(sealed);
    free(text), free(out), free(changed);
}

void test_age_ranges(void)
{
    char identity[SEALANE_AGE_KEY_TEXT_BYTES], recipient[SEALANE_AGE_KEY_TEXT_BYTES];
    new_key(SEALANE_AGE_X25519, identity, recipient);
    recipients = recipients_of(recipient);
    identities = identities_of(identity);
    const size_t lengths[] = {0, 1, 65536, 65537, (1 << 20) + (1 << 16)};
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++)
        ranges_of(lengths[i]);
    failures();
    sealane_age_recipients_free(recipients);
    sealane_age_identities_free(identities);
}
