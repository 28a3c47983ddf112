/* What the Haskell package needs in addition to the C interface. */
#ifndef SEALANE_HS_H
#define SEALANE_HS_H

#include <sealane.h>
#include <stdbool.h>

void sealane_hs_free_key(void *key);
int sealane_hs_open_input(const char *path);
/* Creates and locks a file. Fails with EEXIST if another process has the file. */
int sealane_hs_open_output(const char *path, unsigned mode);
/* These write a file, or the names in a folder, to the disk. The second one succeeds if that is not
 * supported or not permitted. */
int sealane_hs_sync(int file);
int sealane_hs_sync_folder(const char *path);
/* These fail with EEXIST if the new file exists. */
int sealane_hs_refuse_existing(const char *path);
int sealane_hs_rename_new(const char *from, const char *to);
/* The result is -1 after an error. */
int64_t sealane_hs_file_len(int file);

/* An object of the library with several owners: a value in Haskell, calls that use the object, and
 * streams. At the end of the program, GHC runs finalizers while other threads may still be in
 * calls. */
typedef struct sealane_hs_shared sealane_hs_shared;

/* The result is NULL if there is not enough memory. */
sealane_hs_shared *sealane_hs_recipients_new(void);
sealane_hs_shared *sealane_hs_identities_new(void);
sealane_hs_shared *sealane_hs_sealer_new(void);
sealane_hs_shared *sealane_hs_opener_new(void);
/* Takes the ranges, and frees them if the result is NULL. The Haskell function `read_at`, which may
 * be NULL, is freed after the ranges, but not if the result is NULL. */
sealane_hs_shared *sealane_hs_ranges_new(void *ranges, void *read_at);
/* Adds an owner. */
sealane_hs_shared *sealane_hs_share(sealane_hs_shared *shared);
void *sealane_hs_object(const sealane_hs_shared *shared);
/* Removes an owner. The last one wipes and frees the object. */
void sealane_hs_release(sealane_hs_shared *shared);

/* A file that a C thread encrypts or decrypts while Haskell passes pieces of input and takes pieces
 * of output. The thread does not call Haskell, so the program may use any GHC runtime, and may
 * abandon the file at any time, also during other calls.
 *
 * A forked process does not have the thread. There, the file ends with SEALANE_WRONG_STATE. */
typedef struct sealane_hs_stream sealane_hs_stream;

enum sealane_hs_state {
    SEALANE_HS_OUTPUT = 0,
    SEALANE_HS_NEEDS_INPUT = 1,
    SEALANE_HS_DONE = 2,
};

/* The result is NULL if there is not enough memory, or no thread can be started. */
sealane_hs_stream *sealane_hs_stream_encrypt(sealane_hs_shared *recipients, uint32_t format);
sealane_hs_stream *sealane_hs_stream_decrypt(sealane_hs_shared *identities);
/* Waits until there are `*len` bytes of output, input is needed, or the file is done. */
int sealane_hs_stream_wait(sealane_hs_stream *stream, size_t *len);
/* Takes `len` bytes of output, which sealane_hs_stream_wait has announced. */
void sealane_hs_stream_take(sealane_hs_stream *stream, uint8_t *output, size_t len);
/* Copies input when it is needed, and returns the number of bytes copied. A length of 0 ends the
 * input. */
size_t sealane_hs_stream_feed(sealane_hs_stream *stream, const uint8_t *input, size_t len);
/* Returns the result for a file that is done, and writes the details of an error. */
sealane_status sealane_hs_stream_status(const sealane_hs_stream *stream, sealane_age_error *error);
/* Wipes and frees the stream. Abandons the file, unless it is done. */
void sealane_hs_stream_free(sealane_hs_stream *stream);

#endif
