/* Sealane: the C interface. Generated from bindings/c/src: change that and run
 * `cargo run -p sealane-c-header` in bindings/c.
 *
 * Rules for all functions:
 * - Results other than SEALANE_OK mean failure. Where a function says nothing else, it has then
 *   written nothing.
 * - A pointer may be NULL only if its length is 0, or where a function says so. Each non-NULL
 *   pointer must be valid for its length. Output need not be initialised.
 * - Buffers that a function writes must not overlap others. Input and output of a transformation
 *   may be exactly the same buffer. All other overlaps of inputs and outputs are refused with
 *   SEALANE_OVERLAP. Those with contexts and with `error` are not always noticed.
 * - While a function runs, nobody else may use its outputs, not even to read them: functions that
 *   encrypt copy the plaintext there first.
 * - Keys, nonces and the tag of sealane_aead_open are copied first, so they may be anywhere. The
 *   library wipes its copies of keys: those in a context at the latest when it is freed, others
 *   before the function returns. Registers and the unused stack below the caller may keep words of
 *   keys (SECURITY.md).
 * - Functions may be called from several threads at once, but a context only from one at a time,
 *   unless it says something else.
 * - Texts need no zero byte at their end, because their length is an argument.
 * - There is no global state to initialise. Running out of memory ends the process, except where
 *   it gives SEALANE_NO_MEMORY.
 */


#ifndef SEALANE_H
#define SEALANE_H

#include <stddef.h>
#include <stdint.h>

/**
 * The length of a key in bytes.
 */
#define SEALANE_KEY_BYTES 32

/**
 * The length of a tag in bytes.
 */
#define SEALANE_TAG_BYTES 16

/**
 * The length of the longest message of an AEAD in bytes.
 */
#define SEALANE_MESSAGE_BYTES_MAX 274877906880

/**
 * The AEAD of RFC 8439: a nonce has 12 bytes, and must never be used twice with the same key.
 */
#define SEALANE_CHACHA20_POLY1305 1

/**
 * The AEAD of draft-irtf-cfrg-xchacha-03: a nonce has 24 bytes, and may be random.
 */
#define SEALANE_XCHACHA20_POLY1305 2

/**
 * The binary form of a file.
 */
#define SEALANE_AGE_BINARY 0

/**
 * The text form of a file: armor. Decryption recognises it, but ranges are read only from binary
 * files.
 */
#define SEALANE_AGE_ARMOR 1

/**
 * The length of an error message in bytes, with the zero byte at its end.
 */
#define SEALANE_AGE_MESSAGE_BYTES 256

/**
 * The chunk number of errors that are not about a chunk.
 */
#define SEALANE_AGE_NO_CHUNK UINT64_MAX

/**
 * X25519: `age1...`, which every implementation of age supports.
 */
#define SEALANE_AGE_X25519 1

/**
 * ML-KEM-768 with X25519: `age1pq1...`, which is post-quantum, and which age supports since
 * version 1.3.
 */
#define SEALANE_AGE_MLKEM768X25519 2

/**
 * The length of a buffer that holds any text which `sealane_age_keygen` or `sealane_age_recipient`
 * writes, with the zero byte at its end.
 */
#define SEALANE_AGE_KEY_TEXT_BYTES 2048

/**
 * The length of the text of a part in bytes, with the zero byte at its end.
 */
#define SEALANE_AGE_PART_TEXT_BYTES 96

/**
 * The length of a label in bytes, with the zero byte at its end.
 */
#define SEALANE_AGE_LABEL_BYTES 101

/**
 * The length of the text of a share set id in bytes, with the zero byte at its end.
 */
#define SEALANE_AGE_SHARE_SET_TEXT_BYTES 33

/**
 * ChaCha20 of RFC 8439: a nonce of 12 bytes and a block counter of 32 bits.
 */
#define SEALANE_CHACHA20 1

/**
 * XChaCha20 of draft-irtf-cfrg-xchacha-03: a nonce of 24 bytes and a block counter of 32 bits.
 */
#define SEALANE_XCHACHA20 2

/**
 * ChaCha20 as first published: a nonce of 8 bytes and a block counter of 64 bits.
 */
#define SEALANE_CHACHA20_ORIGINAL 3

/**
 * The largest number of shares of one secret.
 */
#define SEALANE_SHARES_MAX 255

/**
 * The version of the binary interface that this header describes. It is also the number in the
 * library's file name (`libsealane.so.0`), and changes when programs must be recompiled.
 */
#define SEALANE_ABI 0

/**
 * The result of a function.
 */
enum sealane_status
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : int32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
  /**
   * Success.
   */
  SEALANE_OK = 0,
  /**
   * The message, its associated data, its nonce or its tag is not authentic, or an age file or a
   * share of its key is damaged.
   */
  SEALANE_NOT_AUTHENTIC = 1,
  /**
   * A pointer is NULL where NULL is not allowed.
   */
  SEALANE_NULL_POINTER = 2,
  /**
   * A length is not the required one, is larger than an object can be, or is too small for the
   * result.
   */
  SEALANE_WRONG_LENGTH = 3,
  /**
   * The message is longer than the key stream.
   */
  SEALANE_TOO_LONG = 4,
  /**
   * Buffers that must be separate overlap.
   */
  SEALANE_OVERLAP = 5,
  /**
   * There is no algorithm with this number.
   */
  SEALANE_UNKNOWN_ALGORITHM = 6,
  /**
   * The context has not been initialised, or has been finished.
   */
  SEALANE_WRONG_STATE = 7,
  /**
   * The operating system's generator of random numbers failed.
   */
  SEALANE_RANDOM = 8,
  /**
   * The header that the program was compiled with and the library have different binary
   * interfaces.
   */
  SEALANE_WRONG_ABI = 9,
  /**
   * A threshold, or the number or position of shares, is not valid, or a part is wrong or of
   * another file.
   */
  SEALANE_INVALID_SHARES = 10,
  /**
   * Reading or writing failed.
   */
  SEALANE_IO = 11,
  /**
   * A text is not a valid recipient, identity, part or label, or is not UTF-8.
   */
  SEALANE_INVALID_TEXT = 12,
  /**
   * A number is outside its range.
   */
  SEALANE_OUT_OF_RANGE = 13,
  /**
   * There are no recipients, or they cannot be combined, or one of them fails.
   */
  SEALANE_INVALID_RECIPIENTS = 14,
  /**
   * No identity opens the file, or the passphrase is wrong.
   */
  SEALANE_NO_MATCH = 15,
  /**
   * The file is not in the age v1 format, or its header or its armor is malformed.
   */
  SEALANE_MALFORMED = 16,
  /**
   * The file needs the shares of several holders, and too few are available.
   */
  SEALANE_TOO_FEW_SHARES = 17,
  /**
   * The file asks for more scrypt work than is allowed.
   */
  SEALANE_EXCESSIVE_WORK = 18,
  /**
   * There is not enough memory for scrypt, or for the chunks of a range.
   */
  SEALANE_NO_MEMORY = 19,
  /**
   * An error in the library itself. Outputs and contexts must not be used further.
   */
  SEALANE_INTERNAL = 255,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum sealane_status sealane_status;
#else
typedef int32_t sealane_status;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/**
 * A list of identities that open files: new, add for each text, use for any number of files, free.
 * Several threads may use the list at once while none of them adds to it.
 */
typedef struct sealane_age_identities sealane_age_identities;

/**
 * A file whose plaintext is read by ranges: open, read any number of ranges, free. It may be used
 * from several threads at once if its callback may. A file descriptor always may.
 */
typedef struct sealane_age_ranges sealane_age_ranges;

/**
 * A list of recipients of files: new, add for each text, use for any number of files, free.
 * Several threads may use the list at once while none of them adds to it.
 */
typedef struct sealane_age_recipients sealane_age_recipients;

/**
 * Bytes that the library has allocated. They are wiped when they are freed.
 */
typedef struct sealane_bytes sealane_bytes;

/**
 * A key stream of ChaCha20 and a position in it: new, init, update for each piece, free.
 */
typedef struct sealane_chacha20 sealane_chacha20;

/**
 * A message that is opened in pieces, in one of two ways:
 *
 * - Twice over the ciphertext: init, authenticate for each piece, verify, then decrypt for each
 *   piece. No plaintext exists before it is authentic.
 * - Once over the ciphertext: init, decrypt_unauthenticated for each piece, verify. The plaintext
 *   may be an attacker's until verify has returned SEALANE_OK.
 *
 * After that, init starts the next message. Free it at the end.
 */
typedef struct sealane_opener sealane_opener;

/**
 * A message that is authenticated in pieces: new, then for each message init, update for each
 * piece, and final or final_verify. Free it at the end.
 */
typedef struct sealane_poly1305 sealane_poly1305;

/**
 * A message that is encrypted in pieces: new, then for each message init, update for each piece,
 * final. Free it at the end.
 */
typedef struct sealane_sealer sealane_sealer;

/**
 * The details of an error. Functions write them only when they fail.
 */
typedef struct {
  /**
   * A description in English without a full stop. It holds no secrets.
   */
  char message[SEALANE_AGE_MESSAGE_BYTES];
  /**
   * The number of the damaged chunk, or SEALANE_AGE_NO_CHUNK. Chunk n holds the 64 KiB of
   * plaintext from byte n * 65536 on.
   */
  uint64_t chunk;
  /**
   * For SEALANE_IO: the result of the callback that failed, or the system's error number. 0 if
   * there is none.
   */
  int64_t io;
} sealane_age_error;

/**
 * A part of a file for several holders, and the description of the share, which is authenticated.
 */
typedef struct {
  /**
   * The text, which is secret. Send it to the person who opens the file, then wipe it.
   */
  char text[SEALANE_AGE_PART_TEXT_BYTES];
  /**
   * The label, or an empty text.
   */
  char label[SEALANE_AGE_LABEL_BYTES];
  /**
   * The share set id in hexadecimal digits, as `sealane inspect` shows it.
   */
  char share_set[SEALANE_AGE_SHARE_SET_TEXT_BYTES];
  /**
   * The number of parts needed to open the file.
   */
  uint8_t threshold;
  /**
   * The number of holders.
   */
  uint8_t count;
  /**
   * The number of this holder, counted from 1.
   */
  uint8_t point;
} sealane_age_part;

/**
 * Reads up to `len` bytes of the file, starting at byte `offset`. Everything else is as in
 * sealane_read.
 */
typedef ptrdiff_t (*sealane_read_at)(void *context, uint64_t offset, uint8_t *buffer, size_t len);

/**
 * Reads up to `len` bytes into `buffer`. Returns the number of bytes read, 0 at the end, or a
 * negative number after an error. The negative number becomes `io` of sealane_age_error.
 *
 * The callback must return normally, and not leave by longjmp or a C++ exception. It must not
 * change or free the objects that were passed to the function that calls it.
 */
typedef ptrdiff_t (*sealane_read)(void *context, uint8_t *buffer, size_t len);

/**
 * Writes at least one and up to `len` bytes. Returns their number, or a negative number after an
 * error. Everything else is as in sealane_read.
 */
typedef ptrdiff_t (*sealane_write)(void *context, const uint8_t *bytes, size_t len);

/**
 * A message of a batch. It is encrypted or decrypted in place.
 */
typedef struct {
  /**
   * The nonce: 12 or 24 bytes. The nonces of all messages are copied before anything is written.
   */
  const uint8_t *nonce;
  /**
   * The associated data.
   */
  const uint8_t *aad;
  /**
   * The length of the associated data in bytes.
   */
  size_t aad_len;
  /**
   * The plaintext or ciphertext.
   */
  uint8_t *data;
  /**
   * The length of `data` in bytes.
   */
  size_t data_len;
  /**
   * The tag: SEALANE_TAG_BYTES bytes, written by sealing and read by opening.
   */
  uint8_t *tag;
  /**
   * The result of opening the message: SEALANE_OK or SEALANE_NOT_AUTHENTIC. Sealing does not use
   * it.
   */
  int32_t status;
} sealane_message;

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

/**
 * Returns the length of an AEAD's nonce in bytes, or 0 if there is no such AEAD.
 */
size_t sealane_aead_nonce_bytes(uint32_t aead);

/**
 * Encrypts a message and authenticates it together with associated data.
 *
 * `aead` is SEALANE_CHACHA20_POLY1305 or SEALANE_XCHACHA20_POLY1305. `key` has SEALANE_KEY_BYTES
 * bytes, `nonce` 12 or 24, `ciphertext` as many as `plaintext`, and `tag` SEALANE_TAG_BYTES.
 * `ciphertext` may be `plaintext`.
 *
 * Returns SEALANE_TOO_LONG if the message is longer than SEALANE_MESSAGE_BYTES_MAX.
 *
 * # Safety
 * The rules of the header.
 */
sealane_status sealane_aead_seal(uint32_t aead,
                                 const uint8_t *key,
                                 const uint8_t *nonce,
                                 size_t nonce_len,
                                 const uint8_t *aad,
                                 size_t aad_len,
                                 const uint8_t *plaintext,
                                 size_t plaintext_len,
                                 uint8_t *ciphertext,
                                 uint8_t *tag);

/**
 * Decrypts a message if its tag matches the message, the associated data, the nonce and the key.
 *
 * The lengths are those of `sealane_aead_seal`. `plaintext` may be `ciphertext`.
 *
 * Returns SEALANE_NOT_AUTHENTIC if the tag does not match. A separate `plaintext` is then filled
 * with zeros, and a buffer for both holds the ciphertext as before.
 *
 * # Safety
 * The rules of the header.
 */
sealane_status sealane_aead_open(uint32_t aead,
                                 const uint8_t *key,
                                 const uint8_t *nonce,
                                 size_t nonce_len,
                                 const uint8_t *aad,
                                 size_t aad_len,
                                 const uint8_t *ciphertext,
                                 size_t ciphertext_len,
                                 const uint8_t *tag,
                                 uint8_t *plaintext);

/**
 * Returns a new list without identities, or NULL after an error in the library itself. Free it
 * with `sealane_age_identities_free`.
 */
sealane_age_identities *sealane_age_identities_new(void);

/**
 * Adds identities: a text or a file with one on each line, `AGE-SECRET-KEY-1...` or
 * `AGE-SECRET-KEY-PQ-1...`, or the file of an ssh private key that is not encrypted. Empty lines
 * and lines that begin with # are skipped. Plugin identities are refused.
 *
 * Returns SEALANE_INVALID_TEXT if a line is not an identity or is one of a plugin, if an ssh key
 * is encrypted or of another type, or if there is no identity. No identity is added then.
 *
 * # Safety
 * The rules of the header. `error` may be NULL.
 */
sealane_status sealane_age_identities_add(sealane_age_identities *identities,
                                          const char *text,
                                          size_t text_len,
                                          sealane_age_error *error);

/**
 * Adds a passphrase. Files that ask for more scrypt work than `max_work_factor` are refused with
 * SEALANE_EXCESSIVE_WORK. 0 means 22, the largest, which takes 4 GiB of memory and half a minute.
 *
 * Returns SEALANE_INVALID_TEXT if the passphrase is not UTF-8, and SEALANE_OUT_OF_RANGE for a
 * work factor above 22.
 *
 * # Safety
 * The rules of the header. `error` may be NULL.
 */
sealane_status sealane_age_identities_add_passphrase(sealane_age_identities *identities,
                                                     const char *passphrase,
                                                     size_t passphrase_len,
                                                     uint32_t max_work_factor,
                                                     sealane_age_error *error);

/**
 * Adds an ssh private key: the file that ssh-keygen writes, of type ssh-ed25519 or ssh-rsa. Pass
 * NULL and length 0 as the passphrase of a key that is not encrypted.
 *
 * Returns SEALANE_NO_MATCH if the passphrase does not decrypt the key, and SEALANE_INVALID_TEXT if
 * the text is not such a key, if a key is encrypted and there is no passphrase, or if the
 * passphrase is not UTF-8.
 *
 * # Safety
 * The rules of the header. `error` may be NULL.
 */
sealane_status sealane_age_identities_add_ssh(sealane_age_identities *identities,
                                              const char *text,
                                              size_t text_len,
                                              const char *passphrase,
                                              size_t passphrase_len,
                                              sealane_age_error *error);

/**
 * Adds a part that a holder has contributed: see `sealane_age_contribute`. A part opens only the
 * file that it was created for. Functions that decrypt return SEALANE_INVALID_SHARES if a part is
 * wrong or of another file, and the other parts and the identities do not suffice.
 *
 * Returns SEALANE_INVALID_TEXT if the text is not a part.
 *
 * # Safety
 * The rules of the header. `error` may be NULL.
 */
sealane_status sealane_age_identities_add_part(sealane_age_identities *identities,
                                               const char *part,
                                               size_t part_len,
                                               sealane_age_error *error);

/**
 * Wipes and frees the identities. NULL is allowed.
 *
 * # Safety
 * The rules of the header. The identities must not be used afterwards.
 */
void sealane_age_identities_free(sealane_age_identities *identities);

/**
 * Writes the text of a new identity, with a zero byte at its end. It is secret: wipe the buffer
 * after use.
 *
 * Returns SEALANE_UNKNOWN_ALGORITHM if `kind` is not SEALANE_AGE_X25519 or
 * SEALANE_AGE_MLKEM768X25519, SEALANE_WRONG_LENGTH if `size` is too small, and SEALANE_RANDOM if
 * the operating system's generator fails.
 *
 * # Safety
 * The rules of the header. `error` may be NULL.
 */
sealane_status sealane_age_keygen(uint32_t kind,
                                  char *identity,
                                  size_t size,
                                  sealane_age_error *error);

/**
 * Writes the text of an identity's recipient, with a zero byte at its end.
 *
 * Returns SEALANE_INVALID_TEXT if `identity` is not exactly one identity or is one of a plugin,
 * and SEALANE_WRONG_LENGTH if `size` is too small.
 *
 * # Safety
 * The rules of the header. `error` may be NULL.
 */
sealane_status sealane_age_recipient(const char *identity,
                                     size_t identity_len,
                                     char *recipient,
                                     size_t size,
                                     sealane_age_error *error);

/**
 * Returns the first byte, which is valid until `sealane_bytes_free`. It is not NULL, unless
 * `bytes` is.
 *
 * # Safety
 * The rules of the header.
 */
const uint8_t *sealane_bytes_data(const sealane_bytes *bytes);

/**
 * Returns the number of bytes, or 0 if `bytes` is NULL.
 *
 * # Safety
 * The rules of the header.
 */
size_t sealane_bytes_len(const sealane_bytes *bytes);

/**
 * Wipes and frees bytes. NULL is allowed.
 *
 * # Safety
 * The rules of the header. The bytes must not be used afterwards.
 */
void sealane_bytes_free(sealane_bytes *bytes);

/**
 * Encrypts a file in memory, on one thread. `format` is SEALANE_AGE_BINARY or SEALANE_AGE_ARMOR.
 * `*file` becomes the file: free it with `sealane_bytes_free`. After an error, it is unchanged.
 *
 * # Safety
 * The rules of the header. `error` may be NULL.
 */
sealane_status sealane_age_encrypt(const sealane_age_recipients *recipients,
                                   uint32_t format,
                                   const uint8_t *plaintext,
                                   size_t plaintext_len,
                                   sealane_bytes **file,
                                   sealane_age_error *error);

/**
 * Decrypts a file in memory, binary or armored, on one thread. `*plaintext` becomes all of the
 * plaintext: free it with `sealane_bytes_free`. After an error, it is unchanged.
 *
 * # Safety
 * The rules of the header. `error` may be NULL.
 */
sealane_status sealane_age_decrypt(const sealane_age_identities *identities,
                                   const uint8_t *file,
                                   size_t file_len,
                                   sealane_bytes **plaintext,
                                   sealane_age_error *error);

/**
 * Writes the parts that these identities contribute to a file for several holders. Show each
 * holder the label and the share set id, and nothing else about the file, before the holder sends
 * the part.
 *
 * `file` is the file, or its beginning with the whole header. `parts` has room for `size` parts,
 * and `*count` becomes the number of parts. A count of 0 is not an error: no identity holds a
 * share.
 *
 * Returns SEALANE_WRONG_LENGTH if `size` is less than the number of parts. `*count` then still
 * becomes that number.
 *
 * # Safety
 * The rules of the header. `error` may be NULL.
 */
sealane_status sealane_age_contribute(const sealane_age_identities *identities,
                                      const uint8_t *file,
                                      size_t file_len,
                                      sealane_age_part *parts,
                                      size_t size,
                                      size_t *count,
                                      sealane_age_error *error);

/**
 * Opens a binary file of `file_len` bytes that `read_at` reads. Only its header is read now.
 * `*ranges` becomes the reader: free it with `sealane_age_ranges_free`. After an error, it is
 * unchanged.
 *
 * # Safety
 * The rules of the header. `read_at` is called with `context`, which may be NULL, until the reader
 * is freed, and from each thread that uses the reader. `error` may be NULL.
 */
sealane_status sealane_age_ranges_open(const sealane_age_identities *identities,
                                       sealane_read_at read_at,
                                       void *context,
                                       uint64_t file_len,
                                       sealane_age_ranges **ranges,
                                       sealane_age_error *error);

/**
 * Does the same as `sealane_age_ranges_open` for the descriptor of a regular file, which may be
 * closed after this call. Its position is not used. Other kinds of files are refused with
 * SEALANE_IO.
 *
 * The reader has a duplicate of the descriptor. `sealane_age_ranges_free` closes it, and this
 * function does if it fails. Closing it releases all record locks (`fcntl`, `lockf`) of the
 * process on the file.
 *
 * # Safety
 * The rules of the header. `error` may be NULL.
 */
sealane_status sealane_age_ranges_open_fd(const sealane_age_identities *identities,
                                          int file,
                                          sealane_age_ranges **ranges,
                                          sealane_age_error *error);

/**
 * Writes the length of the plaintext in bytes. It reads and authenticates the last chunk, because
 * the length of the file alone proves nothing.
 *
 * # Safety
 * The rules of the header. `error` may be NULL.
 */
sealane_status sealane_age_ranges_len(const sealane_age_ranges *ranges,
                                      uint64_t *len,
                                      sealane_age_error *error);

/**
 * Reads up to `len` bytes of plaintext, starting at byte `offset`. `*read` becomes their number,
 * which is less than `len` only at the end of the plaintext. Only the chunks that hold these bytes
 * are fetched. Reading up to the end also proves that the plaintext ends there.
 *
 * After an error, `buffer` is filled with zeros. Invalid arguments leave it unchanged.
 *
 * # Safety
 * The rules of the header. `error` may be NULL.
 */
sealane_status sealane_age_ranges_read(const sealane_age_ranges *ranges,
                                       uint64_t offset,
                                       uint8_t *buffer,
                                       size_t len,
                                       size_t *read,
                                       sealane_age_error *error);

/**
 * Wipes the keys and frees the reader. NULL is allowed.
 *
 * # Safety
 * The rules of the header. The reader must not be used afterwards.
 */
void sealane_age_ranges_free(sealane_age_ranges *ranges);

/**
 * Returns a new list without recipients, or NULL after an error in the library itself. Free it
 * with `sealane_age_recipients_free`.
 */
sealane_age_recipients *sealane_age_recipients_new(void);

/**
 * Adds recipients: a text or a file with one on each line, `age1...`, `age1pq1...`, `age1tag1...`,
 * `age1tagpq1...`, or an ssh public key, `ssh-ed25519 ...` or `ssh-rsa ...`. Empty lines and lines
 * that begin with # are skipped. Plugin recipients are refused.
 *
 * Returns SEALANE_INVALID_TEXT if a line is not a recipient, or there is none. No recipient is
 * added then.
 *
 * # Safety
 * The rules of the header. `error` may be NULL.
 */
sealane_status sealane_age_recipients_add(sealane_age_recipients *recipients,
                                          const char *text,
                                          size_t text_len,
                                          sealane_age_error *error);

/**
 * Adds a passphrase, which must be the only recipient. Each file then takes scrypt with
 * N = 2^`work_factor`, and 2^(`work_factor` + 10) bytes of memory. A `work_factor` of 0 means 18:
 * about a second and 256 MiB.
 *
 * Returns SEALANE_INVALID_TEXT if the passphrase is empty or not UTF-8, and SEALANE_OUT_OF_RANGE
 * for a work factor above 22, which the default limit of readers refuses.
 *
 * # Safety
 * The rules of the header. `error` may be NULL.
 */
sealane_status sealane_age_recipients_add_passphrase(sealane_age_recipients *recipients,
                                                     const char *passphrase,
                                                     size_t passphrase_len,
                                                     uint32_t work_factor,
                                                     sealane_age_error *error);

/**
 * Requires any `threshold` of all recipients together to open files, instead of any one. Only
 * Sealane opens such files. `label` is a note that holders see before they contribute: up to 100
 * bytes of UTF-8, or NULL with length 0.
 *
 * Encryption returns SEALANE_INVALID_SHARES if there are fewer recipients than `threshold`, and
 * SEALANE_INVALID_RECIPIENTS if a recipient occurs twice. This function returns
 * SEALANE_INVALID_SHARES if `threshold` is below 2 or above 255, and SEALANE_INVALID_TEXT if the
 * label is not allowed.
 *
 * # Safety
 * The rules of the header. `error` may be NULL.
 */
sealane_status sealane_age_recipients_require(sealane_age_recipients *recipients,
                                              size_t threshold,
                                              const char *label,
                                              size_t label_len,
                                              sealane_age_error *error);

/**
 * Wipes and frees the recipients. NULL is allowed.
 *
 * # Safety
 * The rules of the header. The recipients must not be used afterwards.
 */
void sealane_age_recipients_free(sealane_age_recipients *recipients);

/**
 * Encrypts what `read` returns, up to its end, and passes the file to `write`. `format` is
 * SEALANE_AGE_BINARY or SEALANE_AGE_ARMOR. Memory does not grow with the file: it is about 3 MiB
 * for each thread.
 *
 * `threads` is the number of threads that encrypt, and 0 means one for each core. `read` is called
 * from the calling thread, and so is `write` for the beginning of a file. Unless `threads` is 1 or
 * the file is short, `write` is then called from another thread, at the same time as `read`, but
 * never at the same time as itself.
 *
 * After an error, what has been written is not a complete file.
 *
 * # Safety
 * The rules of the header. `read_context` and `write_context` are passed to the callbacks and may
 * be NULL. `error` may be NULL.
 */
sealane_status sealane_age_encrypt_stream(const sealane_age_recipients *recipients,
                                          uint32_t format,
                                          size_t threads,
                                          sealane_read read,
                                          void *read_context,
                                          sealane_write write,
                                          void *write_context,
                                          sealane_age_error *error);

/**
 * Decrypts a file that `read` returns, binary or armored, and passes its plaintext to `write`.
 * Threads, callbacks and memory are as in `sealane_age_encrypt_stream`.
 *
 * Everything that has been written before an error is authentic: it is the beginning of the
 * plaintext. The plaintext is complete only after SEALANE_OK.
 *
 * # Safety
 * The rules of the header. `read_context` and `write_context` are passed to the callbacks and may
 * be NULL. `error` may be NULL.
 */
sealane_status sealane_age_decrypt_stream(const sealane_age_identities *identities,
                                          size_t threads,
                                          sealane_read read,
                                          void *read_context,
                                          sealane_write write,
                                          void *write_context,
                                          sealane_age_error *error);

/**
 * Does the same as `sealane_age_encrypt_stream` from one file descriptor to another. Both are used
 * from their current positions on, and stay open, with the record locks (`fcntl`, `lockf`) of the
 * process on these files. SEALANE_OVERLAP is returned, and nothing written, if both are the same
 * regular file or block device.
 *
 * # Safety
 * The rules of the header. No other thread closes a descriptor before this function returns.
 * `error` may be NULL.
 */
sealane_status sealane_age_encrypt_fd(const sealane_age_recipients *recipients,
                                      uint32_t format,
                                      size_t threads,
                                      int input,
                                      int output,
                                      sealane_age_error *error);

/**
 * Does the same as `sealane_age_decrypt_stream` from one file descriptor to another. Both are used
 * from their current positions on, and stay open, with the record locks (`fcntl`, `lockf`) of the
 * process on these files. SEALANE_OVERLAP is returned, and nothing written, if both are the same
 * regular file or block device.
 *
 * # Safety
 * The rules of the header. No other thread closes a descriptor before this function returns.
 * `error` may be NULL.
 */
sealane_status sealane_age_decrypt_fd(const sealane_age_identities *identities,
                                      size_t threads,
                                      int input,
                                      int output,
                                      sealane_age_error *error);

/**
 * Encrypts messages in place and writes their tags: the same as `sealane_aead_seal` for each of
 * them, but faster if they are short. `nonce_len` is the length of every nonce.
 *
 * # Safety
 * The rules of the header.
 */
sealane_status sealane_aead_seal_batch(uint32_t aead,
                                       const uint8_t *key,
                                       size_t nonce_len,
                                       const sealane_message *messages,
                                       size_t count);

/**
 * Decrypts messages in place, and writes the `status` of each. A message that is not authentic is
 * wiped, and does not affect the others.
 *
 * Returns SEALANE_NOT_AUTHENTIC if any message is not authentic. After other errors nothing has
 * been written, and `status` has no meaning.
 *
 * # Safety
 * The rules of the header.
 */
sealane_status sealane_aead_open_batch(uint32_t aead,
                                       const uint8_t *key,
                                       size_t nonce_len,
                                       sealane_message *messages,
                                       size_t count);

/**
 * Encrypts or decrypts data with the key stream from block `counter` on. This does not detect
 * changes: use an AEAD unless the protocol has its own authentication.
 *
 * `variant` is SEALANE_CHACHA20, SEALANE_XCHACHA20 or SEALANE_CHACHA20_ORIGINAL, with a nonce of
 * 12, 24 or 8 bytes. `output` has as many bytes as `input`, and may be `input`.
 *
 * Returns SEALANE_TOO_LONG if the block counter would overflow.
 *
 * # Safety
 * The rules of the header.
 */
sealane_status sealane_chacha20_xor(uint32_t variant,
                                    const uint8_t *key,
                                    const uint8_t *nonce,
                                    size_t nonce_len,
                                    uint64_t counter,
                                    const uint8_t *input,
                                    size_t input_len,
                                    uint8_t *output);

/**
 * Returns a new context, or NULL after an error in the library itself. Free it with
 * `sealane_chacha20_free`.
 */
sealane_chacha20 *sealane_chacha20_new(void);

/**
 * Starts at block `counter` of a key stream. The arguments are those of `sealane_chacha20_xor`.
 * A key stream in progress is abandoned, also if this fails.
 *
 * # Safety
 * The rules of the header.
 */
sealane_status sealane_chacha20_init(sealane_chacha20 *chacha20,
                                     uint32_t variant,
                                     const uint8_t *key,
                                     const uint8_t *nonce,
                                     size_t nonce_len,
                                     uint64_t counter);

/**
 * Returns a copy of a context at its position, or NULL if the context is NULL or after an error in
 * the library itself. Free both contexts.
 *
 * # Safety
 * The rules of the header.
 */
sealane_chacha20 *sealane_chacha20_dup(const sealane_chacha20 *chacha20);

/**
 * Encrypts or decrypts the next piece, of any length. `output` has as many bytes as `input`, and
 * may be `input`.
 *
 * Returns SEALANE_TOO_LONG if the block counter would overflow. The position is then unchanged.
 *
 * # Safety
 * The rules of the header.
 */
sealane_status sealane_chacha20_update(sealane_chacha20 *chacha20,
                                       const uint8_t *input,
                                       size_t input_len,
                                       uint8_t *output);

/**
 * Wipes and frees a context. NULL is allowed.
 *
 * # Safety
 * The rules of the header. The context must not be used afterwards.
 */
void sealane_chacha20_free(sealane_chacha20 *chacha20);

/**
 * Returns a new context, or NULL after an error in the library itself. Free it with
 * `sealane_opener_free`.
 */
sealane_opener *sealane_opener_new(void);

/**
 * Starts a message. A message that was not finished is abandoned, also if this fails.
 *
 * # Safety
 * The rules of the header.
 */
sealane_status sealane_opener_init(sealane_opener *opener,
                                   uint32_t aead,
                                   const uint8_t *key,
                                   const uint8_t *nonce,
                                   size_t nonce_len,
                                   const uint8_t *aad,
                                   size_t aad_len);

/**
 * Returns a copy of a context in its state, or NULL if the context is NULL or after an error in
 * the library itself. Free both contexts.
 *
 * # Safety
 * The rules of the header.
 */
sealane_opener *sealane_opener_dup(const sealane_opener *opener);

/**
 * Adds the next piece of ciphertext without decrypting it.
 *
 * Returns SEALANE_NOT_AUTHENTIC if the message is longer than SEALANE_MESSAGE_BYTES_MAX. Then
 * `sealane_opener_verify` fails too.
 *
 * # Safety
 * The rules of the header.
 */
sealane_status sealane_opener_authenticate(sealane_opener *opener,
                                           const uint8_t *ciphertext,
                                           size_t ciphertext_len);

/**
 * Adds the next piece of ciphertext and decrypts it **before it is known to be authentic**.
 * `plaintext` has as many bytes as `ciphertext`, and may be `ciphertext`.
 *
 * The plaintext must not be used until `sealane_opener_verify` has returned SEALANE_OK. If that
 * returns anything else, discard all of it.
 *
 * Fails as `sealane_opener_authenticate` does.
 *
 * # Safety
 * The rules of the header.
 */
sealane_status sealane_opener_decrypt_unauthenticated(sealane_opener *opener,
                                                      const uint8_t *ciphertext,
                                                      size_t ciphertext_len,
                                                      uint8_t *plaintext);

/**
 * Compares the tag of the message with `tag`, which has SEALANE_TAG_BYTES bytes, in constant time.
 *
 * Returns SEALANE_NOT_AUTHENTIC if the tags differ or the message was too long. The message is
 * then abandoned.
 *
 * # Safety
 * The rules of the header.
 */
sealane_status sealane_opener_verify(sealane_opener *opener, const uint8_t *tag);

/**
 * Decrypts the next piece of a message whose tag has been verified, from the first piece on.
 * `plaintext` has as many bytes as `ciphertext`, and may be `ciphertext`. The pieces must be the
 * bytes that were authenticated, but may be cut elsewhere.
 *
 * Returns SEALANE_WRONG_STATE before `sealane_opener_verify`, and SEALANE_NOT_AUTHENTIC past the
 * end of the message.
 *
 * # Safety
 * The rules of the header.
 */
sealane_status sealane_opener_decrypt(sealane_opener *opener,
                                      const uint8_t *ciphertext,
                                      size_t ciphertext_len,
                                      uint8_t *plaintext);

/**
 * Wipes and frees a context. NULL is allowed.
 *
 * # Safety
 * The rules of the header. The context must not be used afterwards.
 */
void sealane_opener_free(sealane_opener *opener);

/**
 * Computes the tag of a message with Poly1305 (RFC 8439, section 2.5). The key has
 * SEALANE_KEY_BYTES bytes and must not be used for a second message. The tag has
 * SEALANE_TAG_BYTES bytes.
 *
 * # Safety
 * The rules of the header.
 */
sealane_status sealane_poly1305_mac(const uint8_t *key,
                                    const uint8_t *message,
                                    size_t message_len,
                                    uint8_t *tag);

/**
 * Computes the tag of a message and compares it with `tag`, in constant time.
 *
 * Returns SEALANE_NOT_AUTHENTIC if they differ.
 *
 * # Safety
 * The rules of the header.
 */
sealane_status sealane_poly1305_verify(const uint8_t *key,
                                       const uint8_t *message,
                                       size_t message_len,
                                       const uint8_t *tag);

/**
 * Returns a new context, or NULL after an error in the library itself. Free it with
 * `sealane_poly1305_free`.
 */
sealane_poly1305 *sealane_poly1305_new(void);

/**
 * Starts a message with a key of SEALANE_KEY_BYTES bytes.
 * A message in progress is abandoned, also if this fails.
 *
 * # Safety
 * The rules of the header.
 */
sealane_status sealane_poly1305_init(sealane_poly1305 *poly1305, const uint8_t *key);

/**
 * Returns a copy of a context in its state, or NULL if the context is NULL or after an error in
 * the library itself. Free both contexts.
 *
 * # Safety
 * The rules of the header.
 */
sealane_poly1305 *sealane_poly1305_dup(const sealane_poly1305 *poly1305);

/**
 * Adds the next piece of the message, of any length.
 *
 * # Safety
 * The rules of the header.
 */
sealane_status sealane_poly1305_update(sealane_poly1305 *poly1305,
                                       const uint8_t *piece,
                                       size_t piece_len);

/**
 * Ends the message and writes its tag of SEALANE_TAG_BYTES bytes.
 *
 * # Safety
 * The rules of the header.
 */
sealane_status sealane_poly1305_final(sealane_poly1305 *poly1305, uint8_t *tag);

/**
 * Ends the message and compares its tag with `tag`, in constant time.
 *
 * Returns SEALANE_NOT_AUTHENTIC if they differ.
 *
 * # Safety
 * The rules of the header.
 */
sealane_status sealane_poly1305_final_verify(sealane_poly1305 *poly1305, const uint8_t *tag);

/**
 * Wipes and frees a context. NULL is allowed.
 *
 * # Safety
 * The rules of the header. The context must not be used afterwards.
 */
void sealane_poly1305_free(sealane_poly1305 *poly1305);

/**
 * Fills a buffer with random bytes from the operating system, which are suitable for keys and
 * nonces.
 *
 * Returns SEALANE_RANDOM if the operating system's generator fails. The buffer must not be used
 * then.
 *
 * # Safety
 * The rules of the header.
 */
sealane_status sealane_random(uint8_t *bytes, size_t len);

/**
 * Writes a random key of SEALANE_KEY_BYTES bytes, for an AEAD, ChaCha20 or Poly1305.
 *
 * Returns SEALANE_RANDOM if the operating system's generator fails.
 *
 * # Safety
 * The rules of the header.
 */
sealane_status sealane_keygen(uint8_t *key);

/**
 * Returns a new context, or NULL after an error in the library itself. Free it with
 * `sealane_sealer_free`.
 */
sealane_sealer *sealane_sealer_new(void);

/**
 * Starts a message. A message that was not finished is abandoned, also if this fails.
 *
 * # Safety
 * The rules of the header.
 */
sealane_status sealane_sealer_init(sealane_sealer *sealer,
                                   uint32_t aead,
                                   const uint8_t *key,
                                   const uint8_t *nonce,
                                   size_t nonce_len,
                                   const uint8_t *aad,
                                   size_t aad_len);

/**
 * Returns a copy of a context in its state, or NULL if the context is NULL or after an error in
 * the library itself. Free both contexts.
 *
 * Both contexts continue the same message with the same nonce. If they encrypt different text,
 * anyone who sees both ciphertexts learns about both texts, so send only one.
 *
 * # Safety
 * The rules of the header.
 */
sealane_sealer *sealane_sealer_dup(const sealane_sealer *sealer);

/**
 * Encrypts the next piece. `ciphertext` has as many bytes as `plaintext`, and may be `plaintext`.
 *
 * Returns SEALANE_TOO_LONG if the message would be longer than SEALANE_MESSAGE_BYTES_MAX. The
 * piece is then not part of the message.
 *
 * # Safety
 * The rules of the header.
 */
sealane_status sealane_sealer_update(sealane_sealer *sealer,
                                     const uint8_t *plaintext,
                                     size_t plaintext_len,
                                     uint8_t *ciphertext);

/**
 * Ends the message and writes its tag of SEALANE_TAG_BYTES bytes.
 *
 * # Safety
 * The rules of the header.
 */
sealane_status sealane_sealer_final(sealane_sealer *sealer, uint8_t *tag);

/**
 * Wipes and frees a context. NULL is allowed.
 *
 * # Safety
 * The rules of the header. The context must not be used afterwards.
 */
void sealane_sealer_free(sealane_sealer *sealer);

/**
 * Splits a secret of any length into shares. Any `threshold` of them restore it, and fewer reveal
 * nothing about it.
 *
 * `points` has `count` evaluation points: different numbers from 1 to 255, such as 1, 2, 3 for
 * three shares. `shares[i]` becomes the share at `points[i]`, and is as long as the secret. Keep
 * each point with its share.
 *
 * Returns SEALANE_INVALID_SHARES if the threshold is 0 or above `count`, `count` is above
 * SEALANE_SHARES_MAX, or a point is 0 or occurs twice; SEALANE_RANDOM if the operating system's
 * generator fails.
 *
 * # Safety
 * The rules of the header.
 */
sealane_status sealane_shamir_split(size_t threshold,
                                    const uint8_t *points,
                                    size_t count,
                                    const uint8_t *secret,
                                    size_t secret_len,
                                    uint8_t *const *shares);

/**
 * Combines shares: `shares[i]`, of `share_len` bytes, is the share at `points[i]`. Pass exactly
 * `threshold` shares. More are allowed if all of them are right.
 *
 * `target` 0 gives the secret. Another number gives the share at that point, so that a lost share
 * can be restored. `output` has `share_len` bytes.
 *
 * **Wrong or too few shares give a wrong secret without an error**, so authenticate the secret:
 * for example, use it as the key of an AEAD.
 *
 * Returns SEALANE_INVALID_SHARES if `count` is 0 or above SEALANE_SHARES_MAX, or a point is 0 or
 * occurs twice.
 *
 * # Safety
 * The rules of the header.
 */
sealane_status sealane_shamir_combine(const uint8_t *points,
                                      size_t count,
                                      uint8_t target,
                                      const uint8_t *const *shares,
                                      size_t share_len,
                                      uint8_t *output);

/**
 * Returns a description of a result, in English and without a full stop. The pointer stays valid.
 * A number that is not a `sealane_status` gives "unknown status".
 */
const char *sealane_status_message(int32_t status);

/**
 * Returns the version of the library, such as "0.1.0".
 */
const char *sealane_version(void);

/**
 * Returns the version of the library's binary interface.
 */
uint32_t sealane_abi(void);

/**
 * Checks that the library has the binary interface of the program's header. Call
 * `sealane_check_abi(SEALANE_ABI)` after loading the library at run time.
 *
 * Returns SEALANE_WRONG_ABI if it has another one.
 */
sealane_status sealane_check_abi(uint32_t abi);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* SEALANE_H */
