/* Runs all tests of the C interface. */
#include "check.h"

int main(int argc, char **argv)
{
    CHECK(argc == 3); /* The folders of the age vectors and of the ssh keys. */
    test_status();
    test_aead();
    test_pieces();
    test_batch();
    test_chacha20();
    test_poly1305();
    test_random();
    test_shamir();
    test_age();
    test_age_streams();
    test_age_ranges();
    test_age_vectors(argv[1]);
    test_age_ssh(argv[2]);
    puts("all tests of the C interface passed");
    return 0;
}
