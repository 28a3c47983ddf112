/* ssh keys. */
#include "age.h"

/* Reads a file of up to `size` - 1 bytes, and ends it with a zero byte. */
static size_t read_file(const char *folder, const char *name, char *text, size_t size)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "rb");
    CHECK(file != NULL);
    const size_t len = fread(text, 1, size - 1, file);
    CHECK(len > 0 && len < size - 1 && !ferror(file));
    text[len] = 0;
    fclose(file);
    return len;
}

void test_age_ssh(const char *folder)
{
    static const struct {
        const char *public_key, *private_key, *passphrase;
    } keys[] = {
        {"ssh_ed25519.pub", "ssh_ed25519", NULL},
        {"ssh_ed25519.pub", "ssh_ed25519_encrypted", "correct horse"},
        {"ssh_rsa.pub", "ssh_rsa", NULL},
    };
    static const uint8_t text[] = "attack at dawn";
    char key[4096];
    sealane_age_error error;
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        const char *passphrase = keys[i].passphrase;
        read_file(folder, keys[i].public_key, key, sizeof key);
        sealane_age_recipients *recipients = recipients_of(key);
        sealane_bytes *file = NULL, *back = NULL;
        OK(sealane_age_encrypt(recipients, SEALANE_AGE_BINARY, text, sizeof text, &file, NULL));
        const uint8_t *data = sealane_bytes_data(file);
        const size_t file_len = sealane_bytes_len(file);
        const size_t key_len = read_file(folder, keys[i].private_key, key, sizeof key);
        sealane_age_identities *identities = sealane_age_identities_new();
        const size_t passphrase_len = passphrase ? strlen(passphrase) : 0;
        if (passphrase) {
            IS(SEALANE_INVALID_TEXT, sealane_age_identities_add(identities, key, key_len, &error));
            CHECK(strcmp(error.message, "the ssh key is encrypted: its passphrase is needed") == 0);
            IS(SEALANE_INVALID_TEXT, sealane_age_identities_add_ssh(identities, key, key_len, NULL, 0, NULL));
            IS(SEALANE_NO_MATCH, sealane_age_identities_add_ssh(identities, key, key_len, "wrong", 5, NULL));
            IS(SEALANE_INVALID_TEXT, sealane_age_identities_add_ssh(identities, key, key_len, "\xff", 1, NULL));
            IS(SEALANE_NO_MATCH, sealane_age_decrypt(identities, data, file_len, &back, NULL));
        } else {
            OK(sealane_age_identities_add(identities, key, key_len, &error));
            OK(sealane_age_decrypt(identities, data, file_len, &back, NULL));
            sealane_bytes_free(back);
            sealane_age_identities_free(identities);
            identities = sealane_age_identities_new();
        }
        OK(sealane_age_identities_add_ssh(identities, key, key_len, passphrase, passphrase_len, &error));
        OK(sealane_age_decrypt(identities, data, file_len, &back, NULL));
        CHECK(sealane_bytes_len(back) == sizeof text && memcmp(sealane_bytes_data(back), text, sizeof text) == 0);
        sealane_bytes_free(back);

        IS(SEALANE_INVALID_TEXT, sealane_age_identities_add_ssh(identities, key, key_len / 2, NULL, 0, NULL));
        IS(SEALANE_NULL_POINTER, sealane_age_identities_add_ssh(identities, NULL, 1, NULL, 0, NULL));
        IS(SEALANE_NULL_POINTER, sealane_age_identities_add_ssh(identities, key, key_len, NULL, 1, NULL));
        IS(SEALANE_NULL_POINTER, sealane_age_identities_add_ssh(NULL, key, key_len, NULL, 0, NULL));
        sealane_bytes_free(file);
        sealane_age_identities_free(identities);
        sealane_age_recipients_free(recipients);
    }
}
