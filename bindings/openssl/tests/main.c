/* Runs all tests of the provider, with this version of OpenSSL: program FOLDER VERSION [few] */
#include "check.h"

const char *folder;
int few;
EVP_CIPHER *ours, *theirs, *our_stream, *their_stream, *xchacha;
EVP_MAC *our_mac, *their_mac;

int main(int argc, char **argv)
{
    CHECK(argc >= 3);
    folder = argv[1];
    few = argc > 3;
    /* The versions of the headers and of the library. */
    CHECK(strcmp(OPENSSL_VERSION_STR, argv[2]) == 0);
    CHECK(strcmp(OpenSSL_version(OPENSSL_VERSION_STRING), argv[2]) == 0);
    /* First, while no other library context has the module. */
    test_process();
    CHECK(OSSL_PROVIDER_set_default_search_path(NULL, folder) == 1);
    OSSL_PROVIDER *sealane = OSSL_PROVIDER_load(NULL, "sealane");
    OSSL_PROVIDER *standard = OSSL_PROVIDER_load(NULL, "default");
    CHECK(sealane != NULL && standard != NULL);

    ours = EVP_CIPHER_fetch(NULL, "ChaCha20-Poly1305", "provider=sealane");
    theirs = EVP_CIPHER_fetch(NULL, "ChaCha20-Poly1305", "provider=default");
    our_stream = EVP_CIPHER_fetch(NULL, "ChaCha20", "provider=sealane");
    their_stream = EVP_CIPHER_fetch(NULL, "ChaCha20", "provider=default");
    xchacha = EVP_CIPHER_fetch(NULL, "XChaCha20-Poly1305", NULL);
    our_mac = EVP_MAC_fetch(NULL, "POLY1305", "provider=sealane");
    their_mac = EVP_MAC_fetch(NULL, "POLY1305", "provider=default");
    CHECK(ours && theirs && our_stream && their_stream && xchacha && our_mac && their_mac);

    test_aead();
    test_xchacha();
    test_nonces();
    test_pieces();
    test_tls();
    test_stream();
    test_mac();
    test_differences();
    EVP_CIPHER_free(ours);
    EVP_CIPHER_free(theirs);
    EVP_CIPHER_free(our_stream);
    EVP_CIPHER_free(their_stream);
    EVP_CIPHER_free(xchacha);
    EVP_MAC_free(our_mac);
    EVP_MAC_free(their_mac);
    CHECK(OSSL_PROVIDER_unload(sealane) == 1 && OSSL_PROVIDER_unload(standard) == 1);
    puts("all tests of the provider passed");
    return 0;
}
