/* The Community Cryptography Test Vectors for age. */
#include <dirent.h>

#include "age.h"

struct text {
    uint8_t *data;
    size_t len, size;
};

static ptrdiff_t append(void *context, const uint8_t *data, size_t len)
{
    struct text *text = context;
    if (text->len + len > text->size) {
        text->size = 2 * (text->len + len);
        text->data = realloc(text->data, text->size);
        CHECK(text->data != NULL);
    }
    memcpy(text->data + text->len, data, len);
    text->len += len;
    return (ptrdiff_t)len;
}

static ptrdiff_t take(void *context, uint8_t *buffer, size_t len)
{
    return (ptrdiff_t)fread(buffer, 1, len, context);
}

/* Returns whether a result is the one that a vector expects. */
static int is_expected(const char *expect, sealane_status status)
{
    if (strcmp(expect, "success") == 0)
        return status == SEALANE_OK;
    if (strcmp(expect, "no match") == 0)
        return status == SEALANE_NO_MATCH;
    if (strcmp(expect, "header failure") == 0)
        return status == SEALANE_MALFORMED || status == SEALANE_EXCESSIVE_WORK;
    if (strcmp(expect, "armor failure") == 0)
        return status == SEALANE_MALFORMED;
    CHECK(strcmp(expect, "HMAC failure") == 0 || strcmp(expect, "payload failure") == 0);
    return status == SEALANE_NOT_AUTHENTIC;
}

/* Tests a vector and returns 1. Returns 0 for a compressed vector, which is skipped. */
static int vector(const char *folder, const char *name)
{
    char path[1000], line[300], expect[100] = "";
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "rb");
    CHECK(file != NULL);
    sealane_age_identities *identities = sealane_age_identities_new();
    int is_compressed = 0;
    for (;;) {
        CHECK(fgets(line, sizeof line, file) != NULL);
        if (strcmp(line, "\n") == 0)
            break;
        line[strcspn(line, "\n")] = 0;
        if (strncmp(line, "expect: ", 8) == 0)
            snprintf(expect, sizeof expect, "%.99s", line + 8);
        else if (strncmp(line, "identity: ", 10) == 0)
            OK(sealane_age_identities_add(identities, line + 10, strlen(line + 10), NULL));
        else if (strncmp(line, "passphrase: ", 12) == 0)
            OK(sealane_age_identities_add_passphrase(identities, line + 12, strlen(line + 12), 0, NULL));
        else if (strncmp(line, "compressed: ", 12) == 0)
            is_compressed = 1;
    }
    if (!is_compressed) {
        const long start = ftell(file);
        struct text whole = {0}, released = {0};
        sealane_age_error error = {.message = ""};
        sealane_bytes *plaintext = NULL;
        uint8_t piece[4096];
        for (size_t n; (n = fread(piece, 1, sizeof piece, file)) > 0;)
            append(&whole, piece, n);
        CHECK(fseek(file, start, SEEK_SET) == 0);
        const sealane_status status =
            sealane_age_decrypt_stream(identities, 1, take, file, append, &released, &error);
        if (!is_expected(expect, status)) {
            fprintf(stderr, "%s: expected \"%s\", found %d: %s\n", name, expect, status, error.message);
            exit(1);
        }
        CHECK((status == SEALANE_OK) == (error.message[0] == 0));
        IS(status, sealane_age_decrypt(identities, whole.data, whole.len, &plaintext, NULL));
        if (status == SEALANE_OK) {
            CHECK(sealane_bytes_len(plaintext) == released.len);
            CHECK(released.len == 0 || memcmp(sealane_bytes_data(plaintext), released.data, released.len) == 0);
        } else {
            CHECK(plaintext == NULL);
        }
        sealane_bytes_free(plaintext);
        free(whole.data), free(released.data);
    }
    sealane_age_identities_free(identities);
    fclose(file);
    return !is_compressed;
}

void test_age_vectors(const char *folder)
{
    DIR *entries = opendir(folder);
    CHECK(entries != NULL);
    int count = 0;
    for (struct dirent *entry; (entry = readdir(entries)) != NULL;)
        if (entry->d_name[0] != '.')
            count += vector(folder, entry->d_name);
    closedir(entries);
    CHECK(count == 125); /* The other 22 are compressed with zlib. */
}
