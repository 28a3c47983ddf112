/* What the tests of files share. */
#ifndef AGE_H
#define AGE_H

#include "check.h"

sealane_age_recipients *recipients_of(const char *text);
sealane_age_identities *identities_of(const char *text);

/* Creates a key. Each buffer has SEALANE_AGE_KEY_TEXT_BYTES bytes. */
void new_key(uint32_t kind, char *identity, char *recipient);

#endif
