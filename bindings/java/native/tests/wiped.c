/* Contexts that are finished hold no keys, and freed memory holds none: wiped LIBRARY */
#include "../../../c/tests/faults/freed.h"

#include <stdio.h>
#include <stdlib.h>

/* The numbers of the operations, and of the AEAD. */
enum { SEAL, OPEN, MAC, IETF = 0 };

#define CHECK(condition)                                                              \
    do {                                                                              \
        if (!(condition)) {                                                           \
            fprintf(stderr, "%s:%d: failed: %s\n", __FILE__, __LINE__, #condition);   \
            exit(1);                                                                  \
        }                                                                             \
    } while (0)

static void *(*context_new)(int32_t, int32_t, const uint8_t *, int32_t);
static int32_t (*start)(void *), (*tag)(void *, uint8_t *), (*verify)(void *, const uint8_t *);
static int32_t (*transform)(void *, const uint8_t *, int32_t, int32_t, uint8_t *, int32_t);
static int32_t (*authenticate)(void *, const uint8_t *, int32_t, int32_t);
static int32_t (*xor)(int32_t, const uint8_t *, int64_t, const uint8_t *, int32_t, int32_t, uint8_t *, int32_t);
static void (*context_free)(void *);

/* Frees a context, which must hold no secret any more. */
static void finished(void *context)
{
    CHECK(!holds_secret(context));
    context_free(context);
    CHECK(unwiped == 0);
}

static void aead(const uint8_t *head, int32_t len, int is_authentic)
{
    static const uint8_t text[4096];
    uint8_t sealed[4096], computed[16];
    void *sealer = context_new(SEAL, IETF, head, 0), *opener = context_new(OPEN, IETF, head, 0);
    CHECK(sealer != NULL && opener != NULL && holds_secret(sealer));
    CHECK(start(sealer) == 0 && start(opener) == 0 && holds_secret(sealer));
    for (int32_t at = 0; at < len; at += 100) {
        int32_t piece = len - at < 100 ? len - at : 100;
        CHECK(transform(sealer, text, at, piece, sealed, at) == 0 && authenticate(opener, sealed, at, piece) == 0);
    }
    CHECK(tag(sealer, computed) == 0);
    finished(sealer);
    computed[0] ^= !is_authentic;
    CHECK((verify(opener, computed) == 0) == is_authentic);
    if (is_authentic) {
        CHECK(transform(opener, sealed, 0, len, sealed, 0) == 0 && memcmp(sealed, text, len) == 0);
        context_free(opener);
        CHECK(unwiped == 0);
    } else {
        finished(opener);
    }
}

static void mac(const uint8_t *head, int32_t len)
{
    static const uint8_t text[4096];
    uint8_t computed[16];
    void *context = context_new(MAC, IETF, head, 0);
    CHECK(context != NULL && holds_secret(context));
    for (int32_t at = 0; at < len; at += 16)
        CHECK(authenticate(context, text, at, len - at < 16 ? len - at : 16) == 0);
    CHECK(tag(context, computed) == 0);
    finished(context);
}

int main(int argc, char **argv)
{
    uint8_t head[32 + 24] = {0}, block[32];
    void *library = argc == 2 ? dlopen(argv[1], RTLD_NOW) : NULL;
    CHECK(library != NULL);
    struct {
        void *function;
        const char *name;
    } functions[] = {{&context_new, "new"},   {&start, "start"},   {&transform, "transform"}, {&authenticate, "authenticate"},
                     {&tag, "tag"},           {&verify, "verify"}, {&context_free, "free"}};
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
        char name[64];
        snprintf(name, sizeof name, "sealane_jca_context_%s", functions[i].name);
        CHECK((*(void **)functions[i].function = dlsym(library, name)) != NULL);
    }
    CHECK((*(void **)&xor = dlsym(library, "sealane_jca_xor")) != NULL);
    memcpy(head, secret_key, sizeof secret_key);
    for (int32_t len = 1; len <= 4096; len *= 16) {
        /* Block 0 of the key stream is the key of Poly1305. */
        CHECK(xor(IETF, head, 0, (uint8_t[32]){0}, 0, 32, block, 0) == 0);
        memcpy(secret_s, block + 16, sizeof secret_s);
        aead(head, len, 0);
        aead(head, len, 1);
        memcpy(secret_s, secret_key + 16, sizeof secret_s);
        mac(head, len);
    }
    /* The library frees its contexts with the function that watches, which notices a key. */
    void *context = context_new(SEAL, IETF, head, 0);
    places[0] = context;
    context_free(context);
    CHECK(places[0] == NULL);
    free_unwiped();
    CHECK(unwiped == 1);
    puts("freed memory holds no keys");
    return 0;
}
