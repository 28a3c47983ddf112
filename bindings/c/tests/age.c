/* Keys of files, and files in memory. */
#include "age.h"

sealane_age_recipients *recipients_of(const char *text)
{
    sealane_age_recipients *recipients = sealane_age_recipients_new();
    CHECK(recipients != NULL);
    OK(sealane_age_recipients_add(recipients, text, strlen(text), NULL));
    return recipients;
}

sealane_age_identities *identities_of(const char *text)
{
    sealane_age_identities *identities = sealane_age_identities_new();
    CHECK(identities != NULL);
    OK(sealane_age_identities_add(identities, text, strlen(text), NULL));
    return identities;
}

void new_key(uint32_t kind, char *identity, char *recipient)
{
    OK(sealane_age_keygen(kind, identity, SEALANE_AGE_KEY_TEXT_BYTES, NULL));
    OK(sealane_age_recipient(identity, strlen(identity), recipient, SEALANE_AGE_KEY_TEXT_BYTES, NULL));
}

static void keys(void)
{
    char identity[SEALANE_AGE_KEY_TEXT_BYTES], other[SEALANE_AGE_KEY_TEXT_BYTES];
    char recipient[SEALANE_AGE_KEY_TEXT_BYTES];
    sealane_age_error error;
    new_key(SEALANE_AGE_X25519, identity, recipient);
    CHECK(strlen(identity) == 74 && strlen(recipient) == 62);
    CHECK(strncmp(identity, "AGE-SECRET-KEY-1", 16) == 0 && strncmp(recipient, "age1", 4) == 0);
    OK(sealane_age_keygen(SEALANE_AGE_X25519, other, 75, NULL)); /* Exactly enough. */
    CHECK(strcmp(identity, other) != 0);
    IS(SEALANE_WRONG_LENGTH, sealane_age_keygen(SEALANE_AGE_X25519, other, 74, &error));
    CHECK(strcmp(error.message, sealane_status_message(SEALANE_WRONG_LENGTH)) == 0);
    CHECK(error.chunk == SEALANE_AGE_NO_CHUNK && error.io == 0);
    IS(SEALANE_NULL_POINTER, sealane_age_keygen(SEALANE_AGE_X25519, NULL, 75, NULL));
    IS(SEALANE_UNKNOWN_ALGORITHM, sealane_age_keygen(3, other, sizeof other, NULL));
    new_key(SEALANE_AGE_MLKEM768X25519, other, recipient);
    CHECK(strncmp(other, "AGE-SECRET-KEY-PQ-1", 19) == 0 && strlen(recipient) == 1959);
    IS(SEALANE_WRONG_LENGTH, sealane_age_recipient(other, strlen(other), recipient, 1959, NULL));
    IS(SEALANE_INVALID_TEXT, sealane_age_recipient("age1", 4, recipient, sizeof recipient, &error));
    CHECK(strcmp(error.message, "line 1: a recipient (public key), where an identity (private key) is expected") == 0);
    IS(SEALANE_INVALID_TEXT, sealane_age_recipient(NULL, 0, recipient, sizeof recipient, NULL));
    IS(SEALANE_NULL_POINTER, sealane_age_recipient(NULL, 5, recipient, sizeof recipient, NULL));
    IS(SEALANE_OVERLAP, sealane_age_recipient(other, strlen(other), other, sizeof other, NULL));
    IS(SEALANE_OVERLAP, sealane_age_recipient(identity, 74, identity + 73, 63, NULL));
    char two[160];
    snprintf(two, sizeof two, "%.74s\n%.74s", identity, identity);
    IS(SEALANE_INVALID_TEXT, sealane_age_recipient(two, strlen(two), recipient, sizeof recipient, &error));

    sealane_age_recipients *recipients = sealane_age_recipients_new();
    IS(SEALANE_INVALID_TEXT, sealane_age_recipients_add(recipients, "# none\n", 7, &error));
    IS(SEALANE_INVALID_TEXT, sealane_age_recipients_add(recipients, identity, 74, &error));
    IS(SEALANE_INVALID_TEXT, sealane_age_recipients_add(recipients, "\xff", 1, &error));
    IS(SEALANE_INVALID_TEXT, sealane_age_recipients_add(recipients, "ssh-ed25519 AAAA", 16, &error));
    static const char plugin[] = "age1yubikey1qwt50d05nh5vutpdzmlg5wn80xq5negm4uj9ghv0snvdd3yysf5yw3rhl3t";
    IS(SEALANE_INVALID_TEXT, sealane_age_recipients_add(recipients, plugin, strlen(plugin), &error));
    CHECK(strcmp(error.message, "a recipient of a plugin, which this library does not start") == 0);
    IS(SEALANE_NULL_POINTER, sealane_age_recipients_add(recipients, NULL, 1, &error));
    IS(SEALANE_NULL_POINTER, sealane_age_recipients_add(NULL, identity, 74, &error));
    IS(SEALANE_NULL_POINTER, sealane_age_recipients_add_passphrase(NULL, "a", 1, 1, NULL));
    IS(SEALANE_NULL_POINTER, sealane_age_recipients_add_passphrase(recipients, NULL, 1, 1, NULL));
    IS(SEALANE_INVALID_TEXT, sealane_age_recipients_add_passphrase(recipients, "\xff", 1, 1, NULL));
    IS(SEALANE_INVALID_TEXT, sealane_age_recipients_add_passphrase(recipients, NULL, 0, 1, NULL));
    IS(SEALANE_OUT_OF_RANGE, sealane_age_recipients_add_passphrase(recipients, "a", 1, 23, NULL));
    IS(SEALANE_OUT_OF_RANGE, sealane_age_recipients_add_passphrase(recipients, "a", 1, 257, NULL));
    IS(SEALANE_INVALID_SHARES, sealane_age_recipients_require(recipients, 1, NULL, 0, NULL));
    IS(SEALANE_INVALID_SHARES, sealane_age_recipients_require(recipients, 256, NULL, 0, NULL));
    IS(SEALANE_INVALID_TEXT, sealane_age_recipients_require(recipients, 2, "a\nb", 3, NULL));
    IS(SEALANE_NULL_POINTER, sealane_age_recipients_require(NULL, 2, NULL, 0, NULL));
    sealane_bytes *file = NULL;
    IS(SEALANE_INVALID_RECIPIENTS, sealane_age_encrypt(recipients, SEALANE_AGE_BINARY, NULL, 0, &file, &error));
    CHECK(file == NULL);
    sealane_age_recipients_free(recipients);
    sealane_age_recipients_free(NULL);

    sealane_age_identities *identities = sealane_age_identities_new();
    IS(SEALANE_INVALID_TEXT, sealane_age_identities_add(identities, "age1", 4, &error));
    IS(SEALANE_INVALID_TEXT, sealane_age_identities_add(identities, identity, 73, &error));
    CHECK(strcmp(error.message, "line 1: malformed secret key") == 0);
    IS(SEALANE_NULL_POINTER, sealane_age_identities_add(identities, NULL, 74, &error));
    IS(SEALANE_NULL_POINTER, sealane_age_identities_add(NULL, identity, 74, &error));
    IS(SEALANE_OUT_OF_RANGE, sealane_age_identities_add_passphrase(identities, "a", 1, 23, &error));
    IS(SEALANE_NULL_POINTER, sealane_age_identities_add_passphrase(identities, NULL, 1, 0, &error));
    IS(SEALANE_NULL_POINTER, sealane_age_identities_add_passphrase(NULL, "a", 1, 0, &error));
    IS(SEALANE_INVALID_TEXT, sealane_age_identities_add_part(identities, identity, 74, &error));
    IS(SEALANE_NULL_POINTER, sealane_age_identities_add_part(identities, NULL, 74, &error));
    IS(SEALANE_NULL_POINTER, sealane_age_identities_add_part(NULL, identity, 74, &error));
    sealane_age_identities_free(identities);
    sealane_age_identities_free(NULL);
}

static void memory(uint32_t kind, uint32_t format, size_t len)
{
    char identity[SEALANE_AGE_KEY_TEXT_BYTES], recipient[SEALANE_AGE_KEY_TEXT_BYTES];
    new_key(kind, identity, recipient);
    sealane_age_recipients *recipients = recipients_of(recipient);
    sealane_age_identities *identities = identities_of(identity);
    uint8_t *text = bytes(len, 7);
    sealane_bytes *file = NULL, *back = NULL;
    sealane_age_error error;
    OK(sealane_age_encrypt(recipients, format, text, len, &file, NULL));
    const uint8_t *data = sealane_bytes_data(file);
    const size_t file_len = sealane_bytes_len(file);
    CHECK(memcmp(data, format == SEALANE_AGE_ARMOR ? "-----BEGIN AGE" : "age-encryption", 14) == 0);
    OK(sealane_age_decrypt(identities, data, file_len, &back, NULL));
    CHECK(sealane_bytes_len(back) == len && memcmp(sealane_bytes_data(back), text, len) == 0);
    sealane_bytes_free(back);
    back = NULL;

    /* A changed byte of the last chunk, and a file that is cut short. */
    uint8_t *changed = malloc(file_len);
    CHECK(changed != NULL);
    memcpy(changed, data, file_len);
    if (format == SEALANE_AGE_BINARY) {
        changed[file_len - 1] ^= 1;
        IS(SEALANE_NOT_AUTHENTIC, sealane_age_decrypt(identities, changed, file_len, &back, &error));
        CHECK(error.chunk == (len ? (len - 1) / 65536 : 0) && strstr(error.message, "last chunk") != NULL);
        IS(SEALANE_NOT_AUTHENTIC, sealane_age_decrypt(identities, data, file_len - 1, &back, &error));
    } else {
        IS(SEALANE_MALFORMED, sealane_age_decrypt(identities, data, file_len - 40, &back, &error));
    }
    IS(SEALANE_MALFORMED, sealane_age_decrypt(identities, data, 30, &back, &error));
    IS(SEALANE_MALFORMED, sealane_age_decrypt(identities, NULL, 0, &back, &error));
    sealane_age_identities *nobody = sealane_age_identities_new();
    IS(SEALANE_NO_MATCH, sealane_age_decrypt(nobody, data, file_len, &back, &error));
    CHECK(strcmp(error.message, "none of the identities can open the file") == 0);
    IS(SEALANE_NULL_POINTER, sealane_age_decrypt(NULL, data, file_len, &back, NULL));
    IS(SEALANE_NULL_POINTER, sealane_age_decrypt(identities, NULL, file_len, &back, NULL));
    IS(SEALANE_NULL_POINTER, sealane_age_decrypt(identities, data, file_len, NULL, NULL));
    IS(SEALANE_NULL_POINTER, sealane_age_encrypt(NULL, format, text, len, &back, NULL));
    IS(SEALANE_NULL_POINTER, sealane_age_encrypt(recipients, format, NULL, 1, &back, NULL));
    IS(SEALANE_NULL_POINTER, sealane_age_encrypt(recipients, format, text, len, NULL, NULL));
    IS(SEALANE_OUT_OF_RANGE, sealane_age_encrypt(recipients, 2, text, len, &back, NULL));
    IS(SEALANE_OVERLAP, sealane_age_encrypt(recipients, format, (const uint8_t *)&back, 1, &back, NULL));
    IS(SEALANE_OVERLAP, sealane_age_decrypt(identities, (const uint8_t *)&back, 1, &back, NULL));
    CHECK(back == NULL && sealane_bytes_data(NULL) == NULL && sealane_bytes_len(NULL) == 0);
    sealane_age_identities_free(nobody);
    sealane_age_identities_free(identities);
    sealane_age_recipients_free(recipients);
    sealane_bytes_free(file);
    sealane_bytes_free(NULL);
    free(text), free(changed);
}

static void passphrases(void)
{
    sealane_age_recipients *recipients = sealane_age_recipients_new();
    sealane_age_identities *identities = sealane_age_identities_new();
    sealane_age_identities *limited = sealane_age_identities_new(), *wrong = sealane_age_identities_new();
    sealane_bytes *file = NULL, *back = NULL;
    sealane_age_error error;
    OK(sealane_age_recipients_add_passphrase(recipients, "correct horse", 13, 4, NULL));
    OK(sealane_age_encrypt(recipients, SEALANE_AGE_BINARY, (const uint8_t *)"text", 4, &file, NULL));
    const uint8_t *data = sealane_bytes_data(file);
    const size_t len = sealane_bytes_len(file);
    OK(sealane_age_identities_add_passphrase(identities, "correct horse", 13, 0, NULL));
    OK(sealane_age_identities_add_passphrase(limited, "correct horse", 13, 3, NULL));
    OK(sealane_age_identities_add_passphrase(wrong, "correct horses", 14, 0, NULL));
    OK(sealane_age_decrypt(identities, data, len, &back, NULL));
    CHECK(sealane_bytes_len(back) == 4 && memcmp(sealane_bytes_data(back), "text", 4) == 0);
    sealane_bytes_free(back);
    IS(SEALANE_EXCESSIVE_WORK, sealane_age_decrypt(limited, data, len, &back, &error));
    CHECK(strstr(error.message, "work factor of 4") != NULL);
    IS(SEALANE_NO_MATCH, sealane_age_decrypt(wrong, data, len, &back, &error));
    CHECK(strcmp(error.message, "the passphrase is wrong") == 0);
    sealane_bytes_free(file);
    OK(sealane_age_recipients_add_passphrase(recipients, "another", 7, 4, NULL));
    IS(SEALANE_INVALID_RECIPIENTS, sealane_age_encrypt(recipients, SEALANE_AGE_BINARY, NULL, 0, &file, &error));
    CHECK(strcmp(error.message, "a passphrase cannot be combined with other recipients") == 0);
    sealane_age_recipients_free(recipients);
    sealane_age_identities_free(identities);
    sealane_age_identities_free(limited);
    sealane_age_identities_free(wrong);
}

/* The share set id in a part is that of the header, from which `sealane inspect` takes it. It
 * distinguishes files with the same label, or without one. */
static void share_sets(sealane_age_identities *holder, const char *recipients)
{
    sealane_age_recipients *unlabelled = recipients_of(recipients);
    sealane_bytes *file = NULL;
    sealane_age_part parts[2];
    char start[128];
    size_t count;
    OK(sealane_age_recipients_require(unlabelled, 2, NULL, 0, NULL));
    for (int i = 0; i < 2; i++) {
        OK(sealane_age_encrypt(unlabelled, SEALANE_AGE_BINARY, NULL, 0, &file, NULL));
        OK(sealane_age_contribute(holder, sealane_bytes_data(file), sealane_bytes_len(file), &parts[i], 1, &count, NULL));
        CHECK(count == 1 && parts[i].label[0] == 0 && strlen(parts[i].share_set) == 32);
        const int len = snprintf(start, sizeof start, "age-encryption.org/v1\n-> sealane/threshold v1 2 3 1 %s\n",
                                 parts[i].share_set);
        CHECK(memcmp(sealane_bytes_data(file), start, (size_t)len) == 0);
        sealane_bytes_free(file);
    }
    CHECK(strcmp(parts[0].share_set, parts[1].share_set) != 0);
    sealane_age_recipients_free(unlabelled);
}

/* The header is enough to contribute: the file may end after it, or in the nonce of the payload. In
 * armor, all lines with bytes of the header are needed. */
static void contribute_to_headers(sealane_age_recipients *recipients, sealane_age_identities *holder)
{
    sealane_bytes *file = NULL;
    sealane_age_part part;
    size_t count;
    OK(sealane_age_encrypt(recipients, SEALANE_AGE_BINARY, (const uint8_t *)"text", 4, &file, NULL));
    const uint8_t *data = sealane_bytes_data(file);
    /* The last chunk has 4 bytes and a tag of 16, and the nonce before it has 16. */
    const size_t header = sealane_bytes_len(file) - 36;
    CHECK(data[header - 1] == '\n');
    for (size_t more = 0; more <= 16; more++) {
        count = 9;
        OK(sealane_age_contribute(holder, data, header + more, &part, 1, &count, NULL));
        CHECK(count == 1 && strncmp(part.text, "SEALANE-PART-1", 14) == 0);
    }
    IS(SEALANE_MALFORMED, sealane_age_contribute(holder, data, header - 1, &part, 1, &count, NULL));
    sealane_bytes_free(file);
    OK(sealane_age_encrypt(recipients, SEALANE_AGE_ARMOR, (const uint8_t *)"text", 4, &file, NULL));
    data = sealane_bytes_data(file);
    /* Lines of 64 characters, which are 48 bytes, after a line of 34 characters. */
    const size_t lines = 35 + (header + 47) / 48 * 65;
    OK(sealane_age_contribute(holder, data, lines, &part, 1, &count, NULL));
    CHECK(count == 1 && strncmp(part.text, "SEALANE-PART-1", 14) == 0);
    IS(SEALANE_MALFORMED, sealane_age_contribute(holder, data, lines - 65, &part, 1, &count, NULL));
    sealane_bytes_free(file);
}

static void threshold(void)
{
    char identity[3][SEALANE_AGE_KEY_TEXT_BYTES], recipient[3][SEALANE_AGE_KEY_TEXT_BYTES];
    sealane_age_recipients *recipients = sealane_age_recipients_new();
    sealane_age_identities *holder[3];
    sealane_age_part parts[2];
    sealane_age_error error;
    size_t count = 9;
    sealane_bytes *file = NULL, *back = NULL;
    for (int i = 0; i < 3; i++) {
        new_key(SEALANE_AGE_X25519, identity[i], recipient[i]);
        holder[i] = identities_of(identity[i]);
    }
    OK(sealane_age_recipients_require(recipients, 3, "plans for 2027", 14, NULL));
    OK(sealane_age_recipients_add(recipients, recipient[0], 62, NULL));
    OK(sealane_age_recipients_add(recipients, recipient[1], 62, NULL));
    IS(SEALANE_INVALID_SHARES, sealane_age_encrypt(recipients, SEALANE_AGE_ARMOR, NULL, 0, &file, &error));
    OK(sealane_age_recipients_add(recipients, recipient[2], 62, NULL));
    OK(sealane_age_recipients_require(recipients, 2, "plans for 2027", 14, NULL));
    OK(sealane_age_encrypt(recipients, SEALANE_AGE_ARMOR, (const uint8_t *)"text", 4, &file, NULL));
    const uint8_t *data = sealane_bytes_data(file);
    const size_t len = sealane_bytes_len(file);
    IS(SEALANE_TOO_FEW_SHARES, sealane_age_decrypt(holder[0], data, len, &back, &error));
    CHECK(strcmp(error.message, "the file needs 2 of 3 holders together, and 1 of them is here") == 0);
    OK(sealane_age_contribute(holder[2], data, len, parts, 2, &count, NULL));
    CHECK(count == 1 && parts[0].threshold == 2 && parts[0].count == 3 && parts[0].point == 3);
    CHECK(strcmp(parts[0].label, "plans for 2027") == 0 && strncmp(parts[0].text, "SEALANE-PART-1", 14) == 0);
    OK(sealane_age_identities_add_part(holder[0], parts[0].text, strlen(parts[0].text), NULL));
    OK(sealane_age_decrypt(holder[0], data, len, &back, NULL));
    CHECK(sealane_bytes_len(back) == 4 && memcmp(sealane_bytes_data(back), "text", 4) == 0);
    sealane_bytes_free(back);

    /* One person has two identities. */
    OK(sealane_age_identities_add(holder[1], identity[2], 74, NULL));
    OK(sealane_age_decrypt(holder[1], data, len, &back, NULL));
    sealane_bytes_free(back);
    OK(sealane_age_contribute(holder[1], data, len, parts, 2, &count, NULL));
    CHECK(count == 2);
    count = 9;
    IS(SEALANE_WRONG_LENGTH, sealane_age_contribute(holder[1], data, len, parts, 1, &count, NULL));
    CHECK(count == 2);
    sealane_age_identities *nobody = sealane_age_identities_new();
    OK(sealane_age_contribute(nobody, data, len, NULL, 0, &count, NULL));
    CHECK(count == 0);
    IS(SEALANE_NULL_POINTER, sealane_age_contribute(NULL, data, len, parts, 2, &count, NULL));
    IS(SEALANE_NULL_POINTER, sealane_age_contribute(nobody, NULL, len, parts, 2, &count, NULL));
    IS(SEALANE_NULL_POINTER, sealane_age_contribute(nobody, data, len, NULL, 2, &count, NULL));
    IS(SEALANE_NULL_POINTER, sealane_age_contribute(nobody, data, len, parts, 2, NULL, NULL));
    IS(SEALANE_OVERLAP, sealane_age_contribute(nobody, (const uint8_t *)parts, 9, parts, 2, &count, NULL));
    IS(SEALANE_MALFORMED, sealane_age_contribute(nobody, data, 90, parts, 2, &count, NULL));

    contribute_to_headers(recipients, holder[2]);
    char all[200];
    snprintf(all, sizeof all, "%.62s\n%.62s\n%.62s", recipient[0], recipient[1], recipient[2]);
    share_sets(holder[2], all);

    /* A part of another file. */
    sealane_bytes *other = NULL;
    OK(sealane_age_encrypt(recipients, SEALANE_AGE_BINARY, NULL, 0, &other, NULL));
    IS(SEALANE_INVALID_SHARES,
       sealane_age_decrypt(holder[0], sealane_bytes_data(other), sealane_bytes_len(other), &back, &error));
    CHECK(strcmp(error.message, "a part is of another file") == 0);
    CHECK(strstr(sealane_status_message(SEALANE_INVALID_SHARES), "a part is wrong or of another file") != NULL);
    /* One holder with two shares. */
    OK(sealane_age_recipients_add(recipients, recipient[2], 62, NULL));
    IS(SEALANE_INVALID_RECIPIENTS, sealane_age_encrypt(recipients, SEALANE_AGE_BINARY, NULL, 0, &back, &error));
    CHECK(strstr(error.message, "a recipient would hold two shares: age1") == error.message);
    for (int i = 0; i < 3; i++)
        sealane_age_identities_free(holder[i]);
    sealane_age_identities_free(nobody);
    sealane_age_recipients_free(recipients);
    sealane_bytes_free(file);
    sealane_bytes_free(other);
}

void test_age(void)
{
    const size_t lengths[] = {0, 1, 65535, 65536, 65537, 200000};
    keys();
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        memory(SEALANE_AGE_X25519, SEALANE_AGE_BINARY, lengths[i]);
        memory(SEALANE_AGE_MLKEM768X25519, SEALANE_AGE_ARMOR, lengths[i]);
    }
    passphrases();
    threshold();
}
