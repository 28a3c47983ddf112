/* Threads, a fork, and loading the provider again. */
#include "check.h"

#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

static OSSL_LIB_CTX *library;

/* Encrypts and decrypts growing messages. Returns NULL, or its argument after an error. */
static void *work(void *argument)
{
    uint8_t key[32] = {1}, nonce[12] = {2}, text[3000], sealed[3000], back[3000], tag[TAG];
    EVP_CIPHER *cipher = EVP_CIPHER_fetch(library, "ChaCha20-Poly1305", "provider=sealane");
    if (cipher == NULL)
        return argument;
    memset(text, 3, sizeof text);
    for (size_t len = 0; len <= sizeof text; len += few ? 1500 : 7) {
        EVP_CIPHER_CTX *ctx = context(cipher, key, nonce, 1);
        update(ctx, sealed, text, len);
        CHECK(finish(ctx) == 1);
        get_tag(ctx, tag);
        CHECK(EVP_CipherInit_ex2(ctx, NULL, NULL, nonce, 0, NULL) == 1);
        set_tag(ctx, tag);
        update(ctx, back, sealed, len);
        CHECK(finish(ctx) == 1 && memcmp(back, text, len) == 0);
        EVP_CIPHER_CTX_free(ctx);
    }
    EVP_CIPHER_free(cipher);
    return NULL;
}

/* The child process continues a message of the parent. Neither process notices that the other
 * encrypts with the same nonce: docs/openssl.md says it. */
static void test_fork(void)
{
    uint8_t key[32] = {1}, nonce[12] = {2}, text[200] = {3}, whole[200], out[200], tag[TAG], same[TAG];
    EVP_CIPHER *cipher = EVP_CIPHER_fetch(library, "ChaCha20-Poly1305", "provider=sealane");
    CHECK(cipher != NULL);
    EVP_CIPHER_CTX *ctx = context(cipher, key, nonce, 1);
    update(ctx, whole, text, 200);
    CHECK(finish(ctx) == 1);
    get_tag(ctx, tag);
    CHECK(EVP_CipherInit_ex2(ctx, NULL, NULL, nonce, 1, NULL) == 1);
    update(ctx, out, text, 99);
    EVP_CIPHER_CTX *other = context(cipher, key, nonce, 1);
    fflush(NULL);
    pid_t child = fork();
    CHECK(child >= 0);
    update(ctx, out + 99, text + 99, 101);
    CHECK(finish(ctx) == 1);
    get_tag(ctx, same);
    CHECK(memcmp(whole, out, 200) == 0 && memcmp(tag, same, TAG) == 0);
    text[0] = child == 0;
    update(other, out, text, 200);
    CHECK(finish(other) == 1);
    EVP_CIPHER_CTX_free(other);
    EVP_CIPHER_CTX_free(ctx);
    EVP_CIPHER_free(cipher);
    if (child == 0) {
        CHECK(work(&library) == NULL);
        _exit(0);
    }
    int status = -1;
    CHECK(waitpid(child, &status, 0) == child && status == 0);
}

void test_process(void)
{
    for (int turn = 0; turn < (few ? 2 : 20); turn++) {
        library = OSSL_LIB_CTX_new();
        CHECK(library != NULL && OSSL_PROVIDER_set_default_search_path(library, folder) == 1);
        OSSL_PROVIDER *sealane = OSSL_PROVIDER_load(library, "sealane");
        CHECK(sealane != NULL && OSSL_PROVIDER_self_test(sealane) == 1);
        char text[8];
        OSSL_PARAM wrong[] = {OSSL_PARAM_construct_utf8_string(OSSL_PROV_PARAM_STATUS, text, sizeof text),
                              OSSL_PARAM_construct_end()};
        FAILS(OSSL_PROVIDER_get_params(sealane, wrong), "a parameter has a wrong type or size");
        pthread_t threads[4];
        for (int i = 0; i < 4; i++)
            CHECK(pthread_create(&threads[i], NULL, work, &library) == 0);
        for (int i = 0; i < 4; i++) {
            void *failed = &library;
            CHECK(pthread_join(threads[i], &failed) == 0 && failed == NULL);
        }
        test_fork();
        CHECK(OSSL_PROVIDER_unload(sealane) == 1);
        OSSL_LIB_CTX_free(library);
        /* The module is no longer mapped. */
        FILE *maps = fopen("/proc/self/maps", "r");
        char line[4096];
        CHECK(maps != NULL);
        while (fgets(line, sizeof line, maps) != NULL)
            CHECK(strstr(line, "sealane.so") == NULL);
        fclose(maps);
    }
}
