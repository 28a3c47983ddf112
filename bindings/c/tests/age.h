/* Shared parts of the tests of files. */
#ifndef AGE_H
#define AGE_H

#include "check.h"

sealane_age_recipients *recipients_of(const char *text);
sealane_age_identities *identities_of(const char *text);

/* Both buffers have SEALANE_AGE_KEY_TEXT_BYTES bytes. */
void new_key(uint32_t kind, char *identity, char *recipient);

#endif
