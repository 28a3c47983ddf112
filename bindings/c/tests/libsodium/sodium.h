/* The names of libsodium for its own tests, on the interface of Sealane. Only for these tests. */
#ifndef SODIUM_H
#define SODIUM_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sealane.h"

#define MAX_MESSAGE SEALANE_MESSAGE_BYTES_MAX
#define MAX_STREAM (SEALANE_MESSAGE_BYTES_MAX + 64)

/* ---- helpers of libsodium that have nothing to do with its primitives */

static inline int sodium_init(void) { return (int)sealane_check_abi(SEALANE_ABI); }
static inline void *sodium_malloc(size_t len) { return malloc(len ? len : 1); }
static inline void sodium_free(void *memory) { free(memory); }
static inline void randombytes_buf(void *out, size_t len) { if (sealane_random(out, len)) abort(); }

static inline uint32_t randombytes_uniform(uint32_t bound)
{
    uint32_t random;
    randombytes_buf(&random, sizeof random);
    return random % bound;
}

static inline char *sodium_bin2hex(char *hex, size_t max, const unsigned char *bin, size_t len)
{
    if (max <= 2 * len) abort();
    for (size_t i = 0; i < len; i++) snprintf(hex + 2 * i, 3, "%02x", (unsigned)bin[i]);
    return hex;
}

/* The tests give no other characters than digits, and use none of the last three arguments. */
static inline int sodium_hex2bin(unsigned char *bin, size_t max, const char *hex, size_t len,
                                 const char *ignore, size_t *bin_len, const char **end)
{
    (void)ignore, (void)end;
    if (len % 2 || len / 2 > max) return -1;
    for (size_t i = 0; i < len / 2; i++) {
        unsigned value;
        if (sscanf(hex + 2 * i, "%2x", &value) != 1) return -1;
        bin[i] = (unsigned char)value;
    }
    if (bin_len) *bin_len = len / 2;
    return 0;
}

/* ---- AEADs */

/* libsodium's first AEAD, from before RFC 8439: a nonce of 8 bytes, and no padding. */
enum { OLD_CHACHA20_POLY1305 = 100 };

static inline size_t nonce_bytes(uint32_t aead)
{
    return aead == OLD_CHACHA20_POLY1305 ? 8 : sealane_aead_nonce_bytes(aead);
}

static inline int old_tag(uint8_t tag[16], const uint8_t *c, size_t c_len, const uint8_t *ad, size_t ad_len,
                          const uint8_t *nonce, const uint8_t *key)
{
    uint8_t one_time[32] = {0}, lengths[2][8];
    sealane_poly1305 *mac = sealane_poly1305_new();
    int status = sealane_chacha20_xor(SEALANE_CHACHA20_ORIGINAL, key, nonce, 8, 0, one_time, 32, one_time);
    for (int i = 0; i < 8; i++) {
        lengths[0][i] = (uint8_t)((uint64_t)ad_len >> 8 * i);
        lengths[1][i] = (uint8_t)((uint64_t)c_len >> 8 * i);
    }
    status |= sealane_poly1305_init(mac, one_time);
    status |= sealane_poly1305_update(mac, ad, ad_len);
    status |= sealane_poly1305_update(mac, lengths[0], 8);
    status |= sealane_poly1305_update(mac, c, c_len);
    status |= sealane_poly1305_update(mac, lengths[1], 8);
    status |= sealane_poly1305_final(mac, tag);
    sealane_poly1305_free(mac);
    return status;
}

static inline int seal(uint32_t aead, uint8_t *c, uint8_t *tag, const uint8_t *m, size_t len, const uint8_t *ad,
                       size_t ad_len, const uint8_t *nonce, const uint8_t *key)
{
    if (aead != OLD_CHACHA20_POLY1305)
        return sealane_aead_seal(aead, key, nonce, nonce_bytes(aead), ad, ad_len, m, len, c, tag) ? -1 : 0;
    return sealane_chacha20_xor(SEALANE_CHACHA20_ORIGINAL, key, nonce, 8, 1, m, len, c) |
                   old_tag(tag, c, len, ad, ad_len, nonce, key) ? -1 : 0;
}

static inline int open_tag(uint32_t aead, uint8_t *m, const uint8_t *c, size_t len, const uint8_t *tag,
                           const uint8_t *ad, size_t ad_len, const uint8_t *nonce, const uint8_t *key)
{
    if (aead == OLD_CHACHA20_POLY1305) {
        uint8_t right[16];
        if (old_tag(right, c, len, ad, ad_len, nonce, key) || memcmp(right, tag, 16) != 0) {
            if (m) memset(m, 0, len);
            return -1;
        }
        return m && sealane_chacha20_xor(SEALANE_CHACHA20_ORIGINAL, key, nonce, 8, 1, c, len, m) ? -1 : 0;
    }
    if (m == NULL) { /* Only the tag is of interest. */
        sealane_opener *opener = sealane_opener_new();
        int status = sealane_opener_init(opener, aead, key, nonce, nonce_bytes(aead), ad, ad_len);
        status |= sealane_opener_authenticate(opener, c, len);
        status |= sealane_opener_verify(opener, tag);
        sealane_opener_free(opener);
        return status ? -1 : 0;
    }
    return sealane_aead_open(aead, key, nonce, nonce_bytes(aead), ad, ad_len, c, len, tag, m) ? -1 : 0;
}

#define AEAD(name, aead)                                                                                     \
    static inline size_t name##_keybytes(void) { return SEALANE_KEY_BYTES; }                                 \
    static inline size_t name##_nsecbytes(void) { return 0; }                                                \
    static inline size_t name##_npubbytes(void) { return nonce_bytes(aead); }                                \
    static inline size_t name##_abytes(void) { return SEALANE_TAG_BYTES; }                                   \
    static inline size_t name##_messagebytes_max(void) { return MAX_MESSAGE; }                               \
    static inline void name##_keygen(unsigned char *key) { if (sealane_keygen(key)) abort(); }               \
    static inline int name##_encrypt_detached(                                                               \
        unsigned char *c, unsigned char *mac, unsigned long long *mac_len, const unsigned char *m,           \
        unsigned long long m_len, const unsigned char *ad, unsigned long long ad_len,                        \
        const unsigned char *nsec, const unsigned char *npub, const unsigned char *k)                        \
    {                                                                                                        \
        (void)nsec;                                                                                          \
        if (mac_len) *mac_len = 16;                                                                          \
        return seal(aead, c, mac, m, m_len, ad, ad_len, npub, k);                                            \
    }                                                                                                        \
    static inline int name##_encrypt(unsigned char *c, unsigned long long *c_len, const unsigned char *m,    \
                                     unsigned long long m_len, const unsigned char *ad,                      \
                                     unsigned long long ad_len, const unsigned char *nsec,                   \
                                     const unsigned char *npub, const unsigned char *k)                      \
    {                                                                                                        \
        (void)nsec;                                                                                          \
        if (c_len) *c_len = m_len + 16;                                                                      \
        return seal(aead, c, c + m_len, m, m_len, ad, ad_len, npub, k);                                      \
    }                                                                                                        \
    static inline int name##_decrypt_detached(unsigned char *m, unsigned char *nsec, const unsigned char *c, \
                                              unsigned long long c_len, const unsigned char *mac,            \
                                              const unsigned char *ad, unsigned long long ad_len,            \
                                              const unsigned char *npub, const unsigned char *k)             \
    {                                                                                                        \
        (void)nsec;                                                                                          \
        return open_tag(aead, m, c, c_len, mac, ad, ad_len, npub, k);                                        \
    }                                                                                                        \
    static inline int name##_decrypt(unsigned char *m, unsigned long long *m_len, unsigned char *nsec,       \
                                     const unsigned char *c, unsigned long long c_len,                       \
                                     const unsigned char *ad, unsigned long long ad_len,                     \
                                     const unsigned char *npub, const unsigned char *k)                      \
    {                                                                                                        \
        (void)nsec;                                                                                          \
        int status = c_len < 16 ? -1 : open_tag(aead, m, c, c_len - 16, c + c_len - 16, ad, ad_len, npub, k); \
        if (m_len) *m_len = status ? 0 : c_len - 16;                                                         \
        return status;                                                                                       \
    }

AEAD(crypto_aead_chacha20poly1305, OLD_CHACHA20_POLY1305)
AEAD(crypto_aead_chacha20poly1305_ietf, SEALANE_CHACHA20_POLY1305)
AEAD(crypto_aead_xchacha20poly1305_ietf, SEALANE_XCHACHA20_POLY1305)

#define crypto_aead_chacha20poly1305_KEYBYTES 32U
#define crypto_aead_chacha20poly1305_NSECBYTES 0U
#define crypto_aead_chacha20poly1305_NPUBBYTES 8U
#define crypto_aead_chacha20poly1305_ABYTES 16U
#define crypto_aead_chacha20poly1305_MESSAGEBYTES_MAX MAX_MESSAGE
#define crypto_aead_chacha20poly1305_ietf_KEYBYTES 32U
#define crypto_aead_chacha20poly1305_ietf_NSECBYTES 0U
#define crypto_aead_chacha20poly1305_ietf_NPUBBYTES 12U
#define crypto_aead_chacha20poly1305_ietf_ABYTES 16U
#define crypto_aead_chacha20poly1305_ietf_MESSAGEBYTES_MAX MAX_MESSAGE
#define crypto_aead_chacha20poly1305_IETF_KEYBYTES 32U
#define crypto_aead_chacha20poly1305_IETF_NSECBYTES 0U
#define crypto_aead_chacha20poly1305_IETF_NPUBBYTES 12U
#define crypto_aead_chacha20poly1305_IETF_ABYTES 16U
#define crypto_aead_chacha20poly1305_IETF_MESSAGEBYTES_MAX MAX_MESSAGE
#define crypto_aead_xchacha20poly1305_ietf_KEYBYTES 32U
#define crypto_aead_xchacha20poly1305_ietf_NSECBYTES 0U
#define crypto_aead_xchacha20poly1305_ietf_NPUBBYTES 24U
#define crypto_aead_xchacha20poly1305_ietf_ABYTES 16U
#define crypto_aead_xchacha20poly1305_ietf_MESSAGEBYTES_MAX MAX_MESSAGE
#define crypto_aead_xchacha20poly1305_IETF_KEYBYTES 32U
#define crypto_aead_xchacha20poly1305_IETF_NSECBYTES 0U
#define crypto_aead_xchacha20poly1305_IETF_NPUBBYTES 24U
#define crypto_aead_xchacha20poly1305_IETF_ABYTES 16U
#define crypto_aead_xchacha20poly1305_IETF_MESSAGEBYTES_MAX MAX_MESSAGE

/* ---- streams */

#define STREAM(name, variant, nonce_len, counter)                                                            \
    static inline size_t name##_keybytes(void) { return SEALANE_KEY_BYTES; }                                 \
    static inline size_t name##_noncebytes(void) { return nonce_len; }                                       \
    static inline size_t name##_messagebytes_max(void) { return name##_MESSAGEBYTES_MAX; }                   \
    static inline int name##_xor_ic(unsigned char *c, const unsigned char *m, unsigned long long len,        \
                                    const unsigned char *n, counter ic, const unsigned char *k)              \
    {                                                                                                        \
        return sealane_chacha20_xor(variant, k, n, nonce_len, ic, m, len, c) ? -1 : 0;                       \
    }                                                                                                        \
    static inline int name##_xor(unsigned char *c, const unsigned char *m, unsigned long long len,           \
                                 const unsigned char *n, const unsigned char *k)                             \
    {                                                                                                        \
        return name##_xor_ic(c, m, len, n, 0, k);                                                            \
    }                                                                                                        \
    static inline int name(unsigned char *c, unsigned long long len, const unsigned char *n,                 \
                           const unsigned char *k)                                                           \
    {                                                                                                        \
        memset(c, 0, len);                                                                                   \
        return name##_xor(c, c, len, n, k);                                                                  \
    }

#define crypto_stream_chacha20_KEYBYTES 32U
#define crypto_stream_chacha20_NONCEBYTES 8U
#define crypto_stream_chacha20_MESSAGEBYTES_MAX SIZE_MAX
#define crypto_stream_chacha20_ietf_KEYBYTES 32U
#define crypto_stream_chacha20_ietf_NONCEBYTES 12U
#define crypto_stream_chacha20_IETF_NONCEBYTES 12U
#define crypto_stream_chacha20_ietf_MESSAGEBYTES_MAX MAX_STREAM

STREAM(crypto_stream_chacha20, SEALANE_CHACHA20_ORIGINAL, 8, uint64_t)
STREAM(crypto_stream_chacha20_ietf, SEALANE_CHACHA20, 12, uint32_t)

/* ---- Poly1305 */

typedef struct { sealane_poly1305 *context; } crypto_onetimeauth_state;

static inline size_t crypto_onetimeauth_statebytes(void) { return sizeof(crypto_onetimeauth_state); }
static inline size_t crypto_onetimeauth_poly1305_statebytes(void) { return sizeof(crypto_onetimeauth_state); }
static inline size_t crypto_onetimeauth_bytes(void) { return SEALANE_TAG_BYTES; }
static inline size_t crypto_onetimeauth_poly1305_bytes(void) { return SEALANE_TAG_BYTES; }
static inline size_t crypto_onetimeauth_keybytes(void) { return SEALANE_KEY_BYTES; }
static inline size_t crypto_onetimeauth_poly1305_keybytes(void) { return SEALANE_KEY_BYTES; }
static inline const char *crypto_onetimeauth_primitive(void) { return "poly1305"; }
static inline void crypto_onetimeauth_keygen(unsigned char *key) { if (sealane_keygen(key)) abort(); }

static inline int crypto_onetimeauth(unsigned char *out, const unsigned char *in, unsigned long long len,
                                     const unsigned char *k)
{
    return sealane_poly1305_mac(k, in, len, out) ? -1 : 0;
}

static inline int crypto_onetimeauth_verify(const unsigned char *h, const unsigned char *in,
                                            unsigned long long len, const unsigned char *k)
{
    return sealane_poly1305_verify(k, in, len, h) ? -1 : 0;
}

static inline int crypto_onetimeauth_init(crypto_onetimeauth_state *state, const unsigned char *key)
{
    state->context = sealane_poly1305_new();
    return sealane_poly1305_init(state->context, key) ? -1 : 0;
}

static inline int crypto_onetimeauth_update(crypto_onetimeauth_state *state, const unsigned char *in,
                                            unsigned long long len)
{
    return sealane_poly1305_update(state->context, in, len) ? -1 : 0;
}

static inline int crypto_onetimeauth_final(crypto_onetimeauth_state *state, unsigned char *out)
{
    int status = sealane_poly1305_final(state->context, out) ? -1 : 0;
    sealane_poly1305_free(state->context);
    return status;
}

#endif
