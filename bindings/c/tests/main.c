/* Runs all tests of the C interface. */
#include "check.h"

int main(void)
{
    test_status();
    test_aead();
    test_pieces();
    test_batch();
    test_chacha20();
    test_poly1305();
    test_random();
    test_shamir();
    puts("all tests of the C interface passed");
    return 0;
}
