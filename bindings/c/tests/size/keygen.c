/* A program that needs little of the library. */
#include "../check.h"

int main(void)
{
    uint8_t key[SEALANE_KEY_BYTES];
    OK(sealane_keygen(key));
    return 0;
}
