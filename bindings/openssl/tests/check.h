/* What the tests share. A check that fails ends the program. */
#ifndef CHECK_H
#define CHECK_H

#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/params.h>
#include <openssl/provider.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK(condition)                                                                  \
    do {                                                                                  \
        if (!(condition)) {                                                               \
            fprintf(stderr, "%s:%d: failed: %s\n", __FILE__, __LINE__, #condition);       \
            ERR_print_errors_fp(stderr);                                                  \
            exit(1);                                                                      \
        }                                                                                 \
    } while (0)

/* Checks that a call fails, and that the last error has this text. */
#define FAILS(call, text)                                                                 \
    do {                                                                                  \
        ERR_clear_error();                                                                \
        CHECK((call) <= 0);                                                               \
        const char *reason_ = ERR_reason_error_string(ERR_peek_last_error());             \
        if (reason_ == NULL || strcmp(reason_, (text)) != 0)                              \
            fprintf(stderr, "the error is: %s\n", reason_ ? reason_ : "none");            \
        CHECK(reason_ != NULL && strcmp(reason_, (text)) == 0);                           \
        ERR_clear_error();                                                                \
    } while (0)

/* Checks that a call fails and leaves no error, as OpenSSL's own provider does for forgeries. */
#define IS_FORGERY(call)                                                                  \
    do {                                                                                  \
        ERR_clear_error();                                                                \
        CHECK((call) <= 0);                                                               \
        CHECK(ERR_peek_error() == 0);                                                     \
    } while (0)

#define TAG 16
/* The error of a nonce that has encrypted a message. */
#define USED "no nonce (IV) has been set since the last message"

/* The folder of sealane.so. */
extern const char *folder;
/* Whether to test only a few lengths, because valgrind is slow. */
extern int few;
/* The ciphers and Poly1305 of both providers. */
extern EVP_CIPHER *ours, *theirs, *our_stream, *their_stream, *xchacha;
extern EVP_MAC *our_mac, *their_mac;

static inline uint8_t *bytes(size_t len, unsigned first)
{
    /* Memory of exactly this size, so that valgrind detects each access past its end. */
    uint8_t *memory = malloc(len ? len : 1);
    CHECK(memory != NULL);
    for (size_t i = 0; i < len; i++)
        memory[i] = (uint8_t)(first + 31 * i + (i >> 8));
    return memory;
}

static inline EVP_CIPHER_CTX *context(const EVP_CIPHER *cipher, const uint8_t *key, const uint8_t *nonce, int encrypt)
{
    EVP_CIPHER_CTX *ctx = EVP_CIPHER_CTX_new();
    CHECK(ctx != NULL && EVP_CipherInit_ex2(ctx, cipher, key, nonce, encrypt, NULL) == 1);
    return ctx;
}

static inline void update(EVP_CIPHER_CTX *ctx, uint8_t *out, const uint8_t *in, size_t len)
{
    int written = -1;
    CHECK(EVP_CipherUpdate(ctx, out, &written, in, (int)len) == 1 && written == (int)len);
}

static inline int finish(EVP_CIPHER_CTX *ctx)
{
    uint8_t nothing[TAG];
    int written = -1;
    int status = EVP_CipherFinal_ex(ctx, nothing, &written);
    CHECK(status != 1 || written == 0);
    return status;
}

static inline void get_tag(EVP_CIPHER_CTX *ctx, uint8_t tag[TAG])
{
    CHECK(EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_GET_TAG, TAG, tag) == 1);
}

static inline void set_tag(EVP_CIPHER_CTX *ctx, const uint8_t tag[TAG])
{
    CHECK(EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_SET_TAG, TAG, (void *)tag) == 1);
}

/* Checks that a parameter is a pointer to these bytes, as for the functions EVP_CIPHER_CTX_iv and
 * EVP_CIPHER_CTX_original_iv, which are deprecated. Returns the pointer. */
static inline uint8_t *is_pointer_to(EVP_CIPHER_CTX *ctx, const char *name, const uint8_t *bytes, size_t len)
{
    void *pointer = NULL;
    OSSL_PARAM get[] = {OSSL_PARAM_construct_octet_ptr(name, &pointer, 16), OSSL_PARAM_construct_end()};
    CHECK(EVP_CIPHER_CTX_get_params(ctx, get) == 1 && get[0].return_size == len);
    CHECK(pointer != NULL && memcmp(pointer, bytes, len) == 0);
    return pointer;
}

/* Encrypts with one call to OpenSSL's own cipher. */
static inline void expected(const uint8_t *key, const uint8_t *nonce, const uint8_t *aad, size_t aad_len,
                            const uint8_t *text, size_t len, uint8_t *out, uint8_t tag[TAG])
{
    EVP_CIPHER_CTX *ctx = context(theirs, key, nonce, 1);
    update(ctx, NULL, aad, aad_len);
    update(ctx, out, text, len);
    CHECK(finish(ctx) == 1);
    get_tag(ctx, tag);
    EVP_CIPHER_CTX_free(ctx);
}

/* Computes the subkey (draft-irtf-cfrg-xchacha-03, section 2.2) from a block of ChaCha20. The block
 * is the subkey and the input added up, so the input is taken away from it. */
static inline void subkey_of_block(const uint32_t block[16], const uint8_t nonce[16], uint8_t subkey[32])
{
    uint32_t input[16];
    memcpy(input, "expand 32-byte k", 16);
    memcpy(input + 12, nonce, 16);
    for (int i = 0; i < 4; i++) {
        uint32_t first = block[i] - input[i], last = block[12 + i] - input[12 + i];
        memcpy(subkey + 4 * i, &first, 4);
        memcpy(subkey + 16 + 4 * i, &last, 4);
    }
}

void test_aead(void);
void test_xchacha(void);
void test_nonces(void);
void test_pieces(void);
void test_tls(void);
void test_stream(void);
void test_differences(void);
void test_mac(void);
void test_process(void);

#endif
