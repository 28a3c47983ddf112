/* Loads the native library as a Java virtual machine does, and compares a tag with RFC 8439,
 * section 2.5.2. For platforms without a virtual machine to test with. */
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

int main(int argc, char **argv)
{
    static const uint8_t key[56] = {
        0x85, 0xd6, 0xbe, 0x78, 0x57, 0x55, 0x6d, 0x33, 0x7f, 0x44, 0x52, 0xfe, 0x42, 0xd5, 0x06, 0xa8,
        0x01, 0x03, 0x80, 0x8a, 0xfb, 0x0d, 0xb2, 0xfd, 0x4a, 0xbf, 0xf6, 0xaf, 0x41, 0x49, 0xf5, 0x1b};
    static const uint8_t expected[16] = {
        0xa8, 0x06, 0x1d, 0xc1, 0x30, 0x51, 0x36, 0xc6, 0xc2, 0x2b, 0x8b, 0xaf, 0x0c, 0x01, 0x27, 0xa9};
    static const char message[] = "Cryptographic Forum Research Group";
    uint8_t tag[16];
    int32_t (*mac)(const uint8_t *, const void *, int32_t, int32_t, uint8_t *);
    void *library = argc == 2 ? dlopen(argv[1], RTLD_NOW) : NULL;

    if (library == NULL) {
        fprintf(stderr, "%s\n", dlerror());
        return 1;
    }
    mac = (int32_t (*)(const uint8_t *, const void *, int32_t, int32_t, uint8_t *))dlsym(library, "sealane_jca_mac");
    if (mac == NULL || mac(key, message, 0, (int32_t)strlen(message), tag) != 0 || memcmp(tag, expected, 16) != 0) {
        fputs("the tag is wrong\n", stderr);
        return 1;
    }
    puts("the library works");
    return 0;
}
