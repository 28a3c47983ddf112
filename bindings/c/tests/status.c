/* Results, messages and versions. */
#include "check.h"

void test_status(void)
{
    const int known[] = {SEALANE_OK, SEALANE_NOT_AUTHENTIC, SEALANE_NULL_POINTER, SEALANE_WRONG_LENGTH,
                         SEALANE_TOO_LONG, SEALANE_OVERLAP, SEALANE_UNKNOWN_ALGORITHM,
                         SEALANE_WRONG_STATE, SEALANE_RANDOM, SEALANE_WRONG_ABI,
                         SEALANE_INVALID_SHARES, SEALANE_IO, SEALANE_INVALID_TEXT, SEALANE_OUT_OF_RANGE,
                         SEALANE_INVALID_RECIPIENTS, SEALANE_NO_MATCH, SEALANE_MALFORMED,
                         SEALANE_TOO_FEW_SHARES, SEALANE_EXCESSIVE_WORK, SEALANE_NO_MEMORY,
                         SEALANE_INTERNAL};
    const size_t count = sizeof known / sizeof *known;
    for (size_t i = 0; i < count; i++) {
        const char *message = sealane_status_message(known[i]);
        CHECK(strlen(message) > 0 && strcmp(message, "unknown status") != 0);
        for (size_t j = 0; j < i; j++)
            CHECK(strcmp(message, sealane_status_message(known[j])) != 0);
    }
    CHECK(strcmp(sealane_status_message(-1), "unknown status") == 0);
    CHECK(strcmp(sealane_status_message(1000), "unknown status") == 0);

    CHECK(strcmp(sealane_version(), VERSION) == 0);
    CHECK(sealane_abi() == SEALANE_ABI);
    OK(sealane_check_abi(SEALANE_ABI));
    IS(SEALANE_WRONG_ABI, sealane_check_abi(SEALANE_ABI + 1));
}
