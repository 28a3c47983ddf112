/* Files through callbacks and file descriptors. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include "age.h"

/* Memory that callbacks read or write, `step` bytes at a time. */
struct stream {
    uint8_t *data;
    size_t len, at, step;
    /* The position at which the callback fails, and the result that it then returns. */
    size_t fails_at;
    ptrdiff_t failure;
    /* The thread that calls the library, and how often callbacks ran on it and on others. */
    pthread_t caller;
    size_t calls, calls_elsewhere;
};

static ptrdiff_t transfer(struct stream *stream, size_t len)
{
    if (pthread_equal(pthread_self(), stream->caller))
        stream->calls++;
    else
        stream->calls_elsewhere++;
    if (len > stream->step)
        len = stream->step;
    if (len > stream->len - stream->at)
        len = stream->len - stream->at;
    if (stream->failure != 0 && stream->at + len > stream->fails_at)
        return stream->failure;
    stream->at += len;
    return (ptrdiff_t)len;
}

static ptrdiff_t read_from(void *context, uint8_t *buffer, size_t len)
{
    struct stream *stream = context;
    const size_t at = stream->at;
    const ptrdiff_t result = transfer(stream, len);
    if (stream->at > at)
        memcpy(buffer, stream->data + at, stream->at - at);
    return result;
}

static ptrdiff_t write_to(void *context, const uint8_t *data, size_t len)
{
    struct stream *stream = context;
    const size_t at = stream->at;
    const ptrdiff_t result = transfer(stream, len);
    if (stream->at > at)
        memcpy(stream->data + at, data, stream->at - at);
    return result;
}

static struct stream stream_of(uint8_t *data, size_t len, size_t step)
{
    return (struct stream){.data = data, .len = len, .step = step, .caller = pthread_self()};
}

static sealane_age_recipients *recipients;
static sealane_age_identities *identities;

static void round_trip(size_t len, size_t step, size_t threads, uint32_t format)
{
    uint8_t *text = bytes(len, 5), *file = bytes(2 * len + 1000, 0), *back = bytes(len + 1, 0);
    struct stream in = stream_of(text, len, step), out = stream_of(file, 2 * len + 1000, step);
    OK(sealane_age_encrypt_stream(recipients, format, threads, read_from, &in, write_to, &out, NULL));
    const size_t file_len = out.at;
    in = stream_of(file, file_len, step);
    out = stream_of(back, len + 1, step);
    OK(sealane_age_decrypt_stream(identities, threads, read_from, &in, write_to, &out, NULL));
    CHECK(out.at == len && memcmp(text, back, len) == 0);
    free(text), free(file), free(back);
}

static void failures(size_t threads)
{
    /* Threads start after 4 MiB. The failures come later. */
    const size_t LEN = threads == 1 ? 300000 : 7000000, CHUNK = 65536, late = LEN - 300000;
    const size_t bad = threads == 1 ? 2 : 100;
    uint8_t *text = bytes(LEN, 5), *file = bytes(LEN + 10000, 0), *back = bytes(LEN, 0);
    struct stream in = stream_of(text, LEN, 1 << 20), out = stream_of(file, LEN + 10000, 1 << 20);
    sealane_age_error error;
    OK(sealane_age_encrypt_stream(recipients, SEALANE_AGE_BINARY, threads, read_from, &in, write_to, &out, NULL));
    const size_t file_len = out.at;

    /* A changed chunk: everything before it has been written, and nothing else. */
    const size_t chunks = LEN / CHUNK + 1, start = file_len - LEN - chunks * 16 + bad * (CHUNK + 16);
    file[start] ^= 1;
    in = stream_of(file, file_len, 1 << 20);
    out = stream_of(back, LEN, 1 << 20);
    IS(SEALANE_NOT_AUTHENTIC, sealane_age_decrypt_stream(identities, threads, read_from, &in, write_to, &out, &error));
    char message[100];
    snprintf(message, sizeof message, "chunk %zu (plaintext from byte %zu) is corrupt", bad, bad * CHUNK);
    CHECK(error.chunk == bad && error.io == 0 && strcmp(error.message, message) == 0);
    CHECK(out.at == bad * CHUNK && memcmp(back, text, out.at) == 0);
    file[start] ^= 1;
    /* Cut between two chunks. */
    in = stream_of(file, start, 1 << 20);
    out = stream_of(back, LEN, 1 << 20);
    IS(SEALANE_NOT_AUTHENTIC, sealane_age_decrypt_stream(identities, threads, read_from, &in, write_to, &out, &error));
    CHECK(strcmp(error.message, "the file is cut short: its last chunk is missing") == 0);
    CHECK(out.at == bad * CHUNK);

    /* Callbacks that fail, or process more than they were given, or nothing. */
    const ptrdiff_t results[] = {-7, PTRDIFF_MAX};
    for (int i = 0; i < 2; i++) {
        in = stream_of(file, file_len, 1 << 20);
        in.fails_at = late + 200000, in.failure = results[i];
        out = stream_of(back, LEN, 1 << 20);
        IS(SEALANE_IO, sealane_age_decrypt_stream(identities, threads, read_from, &in, write_to, &out, &error));
        CHECK(error.io == results[i] && error.chunk == SEALANE_AGE_NO_CHUNK);
        in.at = 0, in.failure = 0;
        out = stream_of(back, LEN, 1 << 20);
        out.fails_at = late + 100000, out.failure = results[i];
        IS(SEALANE_IO, sealane_age_decrypt_stream(identities, threads, read_from, &in, write_to, &out, &error));
        CHECK(error.io == results[i] && strstr(error.message, "the callback ") == error.message);
        CHECK((out.calls_elsewhere > 0) == (threads > 1));
        in = stream_of(text, LEN, 1 << 20);
        in.fails_at = late + 1000, in.failure = results[i];
        out = stream_of(back, LEN, 1 << 20);
        IS(SEALANE_IO, sealane_age_encrypt_stream(recipients, SEALANE_AGE_BINARY, threads, read_from, &in, write_to,
                                                  &out, &error));
        CHECK(error.io == results[i]);
    }
    in = stream_of(text, LEN, 1 << 20);
    out = stream_of(back, late + 1000, 1 << 20); /* A full output takes no more bytes. */
    IS(SEALANE_IO, sealane_age_encrypt_stream(recipients, SEALANE_AGE_BINARY, threads, read_from, &in, write_to, &out,
                                              &error));

    IS(SEALANE_NULL_POINTER, sealane_age_encrypt_stream(NULL, 0, threads, read_from, &in, write_to, &out, NULL));
    IS(SEALANE_NULL_POINTER, sealane_age_encrypt_stream(recipients, 0, threads, NULL, &in, write_to, &out, NULL));
    IS(SEALANE_NULL_POINTER, sealane_age_encrypt_stream(recipients, 0, threads, read_from, &in, NULL, &out, NULL));
    IS(SEALANE_OUT_OF_RANGE, sealane_age_encrypt_stream(recipients, 2, threads, read_from, &in, write_to, &out, NULL));
    IS(SEALANE_NULL_POINTER, sealane_age_decrypt_stream(NULL, threads, read_from, &in, write_to, &out, NULL));
    IS(SEALANE_NULL_POINTER, sealane_age_decrypt_stream(identities, threads, NULL, &in, write_to, &out, NULL));
    IS(SEALANE_NULL_POINTER, sealane_age_decrypt_stream(identities, threads, read_from, &in, NULL, &out, NULL));
    free(text), free(file), free(back);
}

/* Which threads call the callbacks. */
static void threads_of_callbacks(void)
{
    const size_t room = 8000000;
    uint8_t *text = bytes(room, 5), *file = bytes(room, 0);
    for (size_t threads = 1; threads <= 2; threads++)
        for (int is_long = 0; is_long < 2; is_long++) {
            const size_t len = is_long ? 7000000 : 1000;
            struct stream in = stream_of(text, len, room), out = stream_of(file, room, room);
            OK(sealane_age_encrypt_stream(recipients, SEALANE_AGE_BINARY, threads, read_from, &in, write_to, &out,
                                          NULL));
            CHECK(in.calls > 0 && in.calls_elsewhere == 0 && out.calls > 0);
            CHECK((out.calls_elsewhere > 0) == (threads > 1 && is_long));
            in = stream_of(file, out.at, room), out = stream_of(text, room, room);
            OK(sealane_age_decrypt_stream(identities, threads, read_from, &in, write_to, &out, NULL));
            CHECK(in.calls > 0 && in.calls_elsewhere == 0 && out.calls > 0 && out.at == len);
            CHECK((out.calls_elsewhere > 0) == (threads > 1 && is_long));
        }
    free(text), free(file);
}

/* Returns whether another process would find a lock on the file. Locks are not inherited. */
static int is_locked(int file)
{
    const pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) {
        struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
        _exit(fcntl(file, F_GETLK, &lock) != 0 ? 2 : lock.l_type != F_UNLCK);
    }
    int status;
    CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) < 2);
    return WEXITSTATUS(status);
}

static void descriptors(size_t threads)
{
    enum { LEN = 7000000 };
    uint8_t *text = bytes(LEN, 9), *back = bytes(LEN, 0);
    FILE *plain = tmpfile(), *sealed = tmpfile(), *opened = tmpfile();
    CHECK(plain && sealed && opened);
    const int in = fileno(plain), file = fileno(sealed), out = fileno(opened);
    sealane_age_error error;
    CHECK(write(in, text, LEN) == LEN && lseek(in, 100, SEEK_SET) == 100);
    CHECK(write(file, "before", 6) == 6);
    const int locked[] = {in, file, out};
    for (int i = 0; i < 3; i++) {
        struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
        CHECK(!is_locked(locked[i]) && fcntl(locked[i], F_SETLK, &lock) == 0 && is_locked(locked[i]));
    }
    OK(sealane_age_encrypt_fd(recipients, SEALANE_AGE_BINARY, threads, in, file, NULL));
    CHECK(lseek(file, 6, SEEK_SET) == 6);
    OK(sealane_age_decrypt_fd(identities, threads, file, out, NULL));
    /* All three are still open and locked. */
    for (int i = 0; i < 3; i++)
        CHECK(is_locked(locked[i]));
    CHECK(lseek(out, 0, SEEK_END) == LEN - 100 && pread(out, back, LEN, 0) == LEN - 100);
    CHECK(memcmp(back, text + 100, LEN - 100) == 0);
    CHECK(lseek(in, 0, SEEK_CUR) == LEN && lseek(file, 0, SEEK_CUR) > LEN);

    IS(SEALANE_MALFORMED, sealane_age_decrypt_fd(identities, threads, in, out, &error)); /* At its end. */
    IS(SEALANE_IO, sealane_age_decrypt_fd(identities, threads, -1, out, &error));
    CHECK(error.io == EBADF);
    IS(SEALANE_IO, sealane_age_decrypt_fd(identities, threads, file, 1000000, &error));
    CHECK(error.io == EBADF);
    IS(SEALANE_IO, sealane_age_encrypt_fd(recipients, SEALANE_AGE_BINARY, threads, -1, out, &error));
    IS(SEALANE_IO, sealane_age_encrypt_fd(recipients, SEALANE_AGE_BINARY, threads, in, -2, NULL));
    IS(SEALANE_NULL_POINTER, sealane_age_encrypt_fd(NULL, SEALANE_AGE_BINARY, threads, in, out, &error));
    IS(SEALANE_OUT_OF_RANGE, sealane_age_encrypt_fd(recipients, 7, threads, in, out, &error));
    IS(SEALANE_NULL_POINTER, sealane_age_decrypt_fd(NULL, threads, in, out, &error));
    /* One file as input and output would be lost. */
    const int again = dup(in);
    char path[64];
    snprintf(path, sizeof path, "/dev/fd/%d", in);
    const int other = open(path, O_RDONLY);
    CHECK(again >= 0 && other >= 0 && lseek(in, 0, SEEK_SET) == 0);
    IS(SEALANE_OVERLAP, sealane_age_encrypt_fd(recipients, SEALANE_AGE_BINARY, threads, in, in, &error));
    CHECK(strcmp(error.message, "the output is the same file as the input") == 0);
    IS(SEALANE_OVERLAP, sealane_age_encrypt_fd(recipients, SEALANE_AGE_BINARY, threads, other, again, &error));
    CHECK(lseek(file, 6, SEEK_SET) == 6);
    IS(SEALANE_OVERLAP, sealane_age_decrypt_fd(identities, threads, file, file, &error));
    CHECK(pread(in, back, LEN, 0) == LEN && memcmp(back, text, LEN) == 0 && lseek(in, 0, SEEK_END) == LEN);
    /* Failures keep the locks, too. */
    for (int i = 0; i < 3; i++)
        CHECK(is_locked(locked[i]));
    close(again), close(other);
    int pipes[2];
    CHECK(pipe(pipes) == 0);
    IS(SEALANE_IO, sealane_age_decrypt_fd(identities, threads, pipes[1], out, &error)); /* Not for reading. */
    CHECK(error.io == EBADF);
    close(pipes[0]), close(pipes[1]);
    fclose(plain), fclose(sealed), fclose(opened);
    free(text), free(back);
}

void test_age_streams(void)
{
    char identity[SEALANE_AGE_KEY_TEXT_BYTES], recipient[SEALANE_AGE_KEY_TEXT_BYTES];
    new_key(SEALANE_AGE_X25519, identity, recipient);
    recipients = recipients_of(recipient);
    identities = identities_of(identity);
    const size_t lengths[] = {0, 1, 65536, 65537, 1000000};
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++)
        for (size_t threads = 0; threads <= 3; threads++) {
            round_trip(lengths[i], 1000000, threads, SEALANE_AGE_BINARY);
            round_trip(lengths[i], 777, threads, SEALANE_AGE_ARMOR);
        }
    threads_of_callbacks();
    failures(1);
    failures(2);
    descriptors(1);
    descriptors(0);
    sealane_age_recipients_free(recipients);
    sealane_age_identities_free(identities);
}
