/* The numbers that the Haskell modules repeat. If the header has others, the package does not
 * compile. */
#include "sealane_hs.h"

#include <stddef.h>

#define SAME(number, item) _Static_assert((item) == (number), #item " has another value in Haskell")

/* The types of the functions. */
SAME(0, SEALANE_ABI);

/* Sealane.Foreign */
SAME(272, sizeof(sealane_age_error));
SAME(0, 8 % _Alignof(sealane_age_error));
SAME(0, offsetof(sealane_age_error, message));
SAME(256, offsetof(sealane_age_error, chunk));
SAME(264, offsetof(sealane_age_error, io));
SAME(UINT64_MAX, SEALANE_AGE_NO_CHUNK);
SAME(0, SEALANE_OK);
SAME(1, SEALANE_NOT_AUTHENTIC);
SAME(10, SEALANE_INVALID_SHARES);
SAME(19, SEALANE_NO_MEMORY);
SAME(255, SEALANE_INTERNAL);

/* Sealane.Age.Keys */
SAME(0, SEALANE_AGE_BINARY);
SAME(1, SEALANE_AGE_ARMOR);
SAME(1, SEALANE_AGE_X25519);
SAME(2, SEALANE_AGE_MLKEM768X25519);
SAME(2048, SEALANE_AGE_KEY_TEXT_BYTES);

/* Sealane.Age.Threshold */
SAME(96 + 101 + 33 + 3, sizeof(sealane_age_part));
SAME(0, offsetof(sealane_age_part, text));
SAME(96, offsetof(sealane_age_part, label));
SAME(96 + 101, offsetof(sealane_age_part, share_set));
SAME(96 + 101 + 33, offsetof(sealane_age_part, threshold));
SAME(96 + 101 + 33 + 1, offsetof(sealane_age_part, count));
SAME(96 + 101 + 33 + 2, offsetof(sealane_age_part, point));

/* Sealane.Age.Lazy */
SAME(0, SEALANE_HS_OUTPUT);
SAME(1, SEALANE_HS_NEEDS_INPUT);

/* Sealane.Aead and Sealane.ChaCha20 */
SAME(1, SEALANE_CHACHA20_POLY1305);
SAME(2, SEALANE_XCHACHA20_POLY1305);
SAME(1, SEALANE_CHACHA20);
SAME(2, SEALANE_XCHACHA20);
SAME(3, SEALANE_CHACHA20_ORIGINAL);
SAME(32, SEALANE_KEY_BYTES);
SAME(16, SEALANE_TAG_BYTES);
