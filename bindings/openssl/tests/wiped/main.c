/* Freed memory holds no keys, and memory in use does, so that they would be found: main FOLDER */
#include "../../../c/tests/faults/freed.h"

#include "../check.h"

static const uint8_t nonce[24] = {7}, text[4096], other_key[32] = {1, 2, 3};
/* The key that an XChaCha20-Poly1305 message derives from the key. */
static uint8_t subkey[32];

/* Returns a place in the heap with these bytes, or NULL. */
static const uint8_t *in_heap(const uint8_t *secret, size_t len)
{
    char line[512];
    const uint8_t *found = NULL;
    int has_heap = 0;
    FILE *maps = fopen("/proc/self/maps", "r");
    CHECK(maps != NULL);
    while (fgets(line, sizeof line, maps) != NULL) {
        uintptr_t start, end;
        if (strstr(line, "[heap]") != NULL && sscanf(line, "%lx-%lx", &start, &end) == 2) {
            has_heap = 1;
            found = memmem((const void *)start, end - start, secret, len);
        }
    }
    fclose(maps);
    CHECK(has_heap);
    return found;
}

/* Returns the number of secrets that are in the heap, and notes their places. */
static int secrets_in_heap(void)
{
    places[0] = in_heap(secret_key, sizeof secret_key);
    places[1] = in_heap(secret_s, sizeof secret_s);
    places[2] = secret_subkey ? in_heap(secret_subkey, 32) : NULL;
    return (places[0] != NULL) + (places[1] != NULL) + (places[2] != NULL);
}

/* Checks that no secret is in the heap, and that all memory that held one was freed after it was
 * wiped. */
static void are_wiped(void)
{
    CHECK(places[0] == NULL && places[1] == NULL && places[2] == NULL);
    CHECK(unwiped == 0);
    CHECK(secrets_in_heap() == 0);
}

/* Messages in pieces, which have a state of their own on the heap. */
static void test_messages(const char *name, size_t len, int is_authentic)
{
    uint8_t sealed[4096], tag[TAG];
    EVP_CIPHER *cipher = EVP_CIPHER_fetch(NULL, name, "provider=sealane");
    CHECK(cipher != NULL);
    EVP_CIPHER_CTX *ctx = context(cipher, secret_key, nonce, 1);
    for (size_t at = 0; at < len; at += 100)
        update(ctx, sealed + at, text + at, len - at < 100 ? len - at : 100);
    CHECK(finish(ctx) == 1);
    CHECK(unwiped == 0);
    get_tag(ctx, tag);
    tag[0] ^= !is_authentic;
    CHECK(EVP_CipherInit_ex2(ctx, NULL, NULL, nonce, 0, NULL) == 1);
    set_tag(ctx, tag);
    for (size_t at = 0; at < len; at += 100)
        update(ctx, sealed + at, sealed + at, len - at < 100 ? len - at : 100);
    CHECK((finish(ctx) == 1) == is_authentic);
    CHECK(unwiped == 0);
    /* The message has ended, and the context keeps the key for the next one. */
    CHECK(secrets_in_heap() == 1 && places[0] != NULL);
    EVP_CIPHER_CTX_free(ctx);
    EVP_CIPHER_free(cipher);
    are_wiped();
}

/* A message that does not end. Its state holds all `count` secrets. */
static void test_unfinished(const char *name, int count, size_t pieces)
{
    uint8_t out[100];
    EVP_CIPHER *cipher = EVP_CIPHER_fetch(NULL, name, "provider=sealane");
    for (int is_encrypted = 0; is_encrypted < 2; is_encrypted++)
        for (int is_new_key = 0; is_new_key < 2; is_new_key++) {
            EVP_CIPHER_CTX *ctx = context(cipher, secret_key, nonce, is_encrypted), *copy = EVP_CIPHER_CTX_new();
            for (size_t i = 0; i < pieces; i++)
                update(ctx, out, text, sizeof out);
            CHECK(secrets_in_heap() == count);
            CHECK(copy != NULL && EVP_CIPHER_CTX_copy(copy, ctx) == 1);
            if (is_new_key) {
                CHECK(EVP_CipherInit_ex2(ctx, NULL, other_key, nonce, is_encrypted, NULL) == 1);
            } else {
                EVP_CIPHER_CTX_free(ctx);
            }
            /* The copy has its own state. */
            CHECK(unwiped == 0 && secrets_in_heap() == count);
            EVP_CIPHER_CTX_free(copy);
            are_wiped();
            if (is_new_key) {
                CHECK(in_heap(other_key, sizeof other_key) != NULL);
                EVP_CIPHER_CTX_free(ctx);
                CHECK(in_heap(other_key, sizeof other_key) == NULL);
            }
        }
    EVP_CIPHER_free(cipher);
}

static void test_poly1305(size_t len)
{
    enum { FINISH, FREE, NEW_KEY, CASES };
    uint8_t tag[TAG];
    size_t written;
    EVP_MAC *mac = EVP_MAC_fetch(NULL, "POLY1305", "provider=sealane");
    for (int i = 0; i < CASES; i++) {
        EVP_MAC_CTX *ctx = EVP_MAC_CTX_new(mac);
        CHECK(mac != NULL && ctx != NULL && EVP_MAC_init(ctx, secret_key, sizeof secret_key, NULL) == 1);
        for (size_t at = 0; at < len; at += 16)
            CHECK(EVP_MAC_update(ctx, text + at, len - at < 16 ? len - at : 16) == 1);
        /* The first half of the key is in another form. */
        CHECK(secrets_in_heap() == 1 && places[1] != NULL);
        EVP_MAC_CTX *copy = EVP_MAC_CTX_dup(ctx);
        CHECK(copy != NULL);
        if (i == FINISH)
            CHECK(EVP_MAC_final(ctx, tag, &written, sizeof tag) == 1);
        if (i == NEW_KEY)
            CHECK(EVP_MAC_init(ctx, other_key, sizeof other_key, NULL) == 1);
        if (i == FREE)
            EVP_MAC_CTX_free(ctx);
        /* The copy has its own state. */
        CHECK(unwiped == 0 && secrets_in_heap() == 1);
        EVP_MAC_CTX_free(copy);
        are_wiped();
        if (i != FREE)
            EVP_MAC_CTX_free(ctx);
    }
    EVP_MAC_free(mac);
    are_wiped();
}

/* Computes a part of the key stream. The nonce begins with the number of a block. */
static void key_stream(const uint8_t key[32], const uint8_t block[16], uint8_t *out, size_t len)
{
    EVP_CIPHER *cipher = EVP_CIPHER_fetch(NULL, "ChaCha20", "provider=sealane");
    EVP_CIPHER_CTX *ctx = context(cipher, key, block, 1);
    update(ctx, out, text, len);
    EVP_CIPHER_CTX_free(ctx);
    EVP_CIPHER_free(cipher);
    are_wiped();
}

static void derive_subkey(void)
{
    uint32_t block[16];
    key_stream(secret_key, nonce, (uint8_t *)block, sizeof block);
    subkey_of_block(block, nonce, subkey);
}

/* Watches the second half of a key of Poly1305, and the subkey if there is one. */
static void watch(const uint8_t *poly1305_key, const uint8_t *derived)
{
    memcpy(secret_s, poly1305_key + 16, sizeof secret_s);
    secret_subkey = derived;
}

int main(int argc, char **argv)
{
    watch(secret_key, NULL);
    CHECK(argc == 2 && OSSL_PROVIDER_set_default_search_path(NULL, argv[1]) == 1);
    OSSL_PROVIDER *sealane = OSSL_PROVIDER_load(NULL, "sealane");
    CHECK(sealane != NULL);
    /* Block 0 of the key stream begins with the one-time key of Poly1305. */
    uint8_t one_time_key[32], extended_one_time_key[32], block_0[16] = {0};
    memcpy(block_0 + 4, nonce, 12);
    key_stream(secret_key, block_0, one_time_key, sizeof one_time_key);
    derive_subkey();
    memset(block_0, 0, sizeof block_0);
    memcpy(block_0 + 8, nonce + 16, 8);
    key_stream(subkey, block_0, extended_one_time_key, sizeof extended_one_time_key);
    for (size_t len = 1; len <= sizeof text; len *= 16) {
        for (int is_authentic = 0; is_authentic < 2; is_authentic++) {
            watch(one_time_key, NULL);
            test_messages("ChaCha20-Poly1305", len, is_authentic);
            watch(extended_one_time_key, subkey);
            test_messages("XChaCha20-Poly1305", len, is_authentic);
        }
        watch(secret_key, NULL);
        test_poly1305(len);
    }
    watch(one_time_key, NULL);
    test_unfinished("ChaCha20", 1, 1);
    /* A message of one piece has only the key. A second piece gives it a state of its own. */
    test_unfinished("ChaCha20-Poly1305", 2, 2);
    watch(extended_one_time_key, subkey);
    test_unfinished("XChaCha20-Poly1305", 3, 2);
    CHECK(OSSL_PROVIDER_unload(sealane) == 1);

    /* A block that is freed with a secret is counted. */
    uint8_t *copy = OPENSSL_memdup(secret_key, sizeof secret_key);
    CHECK(copy != NULL && secrets_in_heap() == 1 && places[0] == copy);
    OPENSSL_free(copy);
    CHECK(unwiped == 1 && places[0] == NULL);
    puts("freed memory holds no keys");
    return 0;
}
