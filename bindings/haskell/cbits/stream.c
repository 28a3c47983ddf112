#define _GNU_SOURCE
#include "sealane_hs.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The length of four chunks, so that the two threads rarely wait for each other. */
enum { BUFFER_BYTES = 4 << 16 };

struct sealane_hs_stream {
    /* The process of the thread. In another process, the lock may be held forever. */
    pid_t process;
    pthread_mutex_t lock;
    /* Haskell has passed input, taken output, or abandoned the file. */
    pthread_cond_t for_worker;
    /* The output is full, input is needed, or the file is done. */
    pthread_cond_t for_haskell;
    sealane_hs_shared *keys;
    bool encrypts;
    uint32_t format;
    /* The number of owners: Haskell, the thread, and calls. The last one frees the memory. */
    int owners;
    bool needs_input;
    bool input_ended;
    bool abandoned;
    bool done;
    sealane_status status;
    sealane_age_error error;
    size_t input_start;
    size_t input_end;
    size_t output_len;
    uint8_t input[BUFFER_BYTES];
    uint8_t output[BUFFER_BYTES];
};

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

static bool is_forked(const sealane_hs_stream *stream)
{
    return stream->process != getpid();
}

static void wipe_and_free(sealane_hs_stream *stream)
{
    sealane_hs_release(stream->keys);
    explicit_bzero(stream, sizeof *stream);
    free(stream);
}

/* Locks a stream for a call, which becomes an owner. */
static void enter(sealane_hs_stream *stream)
{
    pthread_mutex_lock(&stream->lock);
    stream->owners++;
}

/* Gives up one ownership of a locked stream. */
static void release(sealane_hs_stream *stream)
{
    bool is_last = --stream->owners == 0;
    pthread_mutex_unlock(&stream->lock);
    if (is_last) {
        pthread_cond_destroy(&stream->for_haskell);
        pthread_cond_destroy(&stream->for_worker);
        pthread_mutex_destroy(&stream->lock);
        wipe_and_free(stream);
    }
}

/* The callback of type sealane_read. */
static ptrdiff_t read_input(void *context, uint8_t *buffer, size_t len)
{
    sealane_hs_stream *stream = context;
    pthread_mutex_lock(&stream->lock);
    while (stream->input_start == stream->input_end && !stream->input_ended && !stream->abandoned) {
        stream->needs_input = true;
        pthread_cond_signal(&stream->for_haskell);
        pthread_cond_wait(&stream->for_worker, &stream->lock);
    }
    ptrdiff_t result = -1;
    if (!stream->abandoned) {
        size_t count = least(len, stream->input_end - stream->input_start);
        memcpy(buffer, stream->input + stream->input_start, count);
        stream->input_start += count;
        result = (ptrdiff_t)count;
    }
    pthread_mutex_unlock(&stream->lock);
    return result;
}

/* The callback of type sealane_write. */
static ptrdiff_t write_output(void *context, const uint8_t *bytes, size_t len)
{
    sealane_hs_stream *stream = context;
    pthread_mutex_lock(&stream->lock);
    while (stream->output_len == BUFFER_BYTES && !stream->abandoned) {
        pthread_cond_signal(&stream->for_haskell);
        pthread_cond_wait(&stream->for_worker, &stream->lock);
    }
    ptrdiff_t result = -1;
    if (!stream->abandoned) {
        size_t count = least(len, BUFFER_BYTES - stream->output_len);
        memcpy(stream->output + stream->output_len, bytes, count);
        stream->output_len += count;
        result = (ptrdiff_t)count;
    }
    pthread_mutex_unlock(&stream->lock);
    return result;
}

static void *work(void *context)
{
    sealane_hs_stream *stream = context;
    const void *list = sealane_hs_object(stream->keys);
    sealane_age_error error = { .chunk = SEALANE_AGE_NO_CHUNK };
    /* With 1 thread, the library calls the callbacks from this thread. */
    sealane_status status = stream->encrypts
        ? sealane_age_encrypt_stream(list, stream->format, 1, read_input, stream, write_output, stream, &error)
        : sealane_age_decrypt_stream(list, 1, read_input, stream, write_output, stream, &error);
    pthread_mutex_lock(&stream->lock);
    stream->done = true;
    stream->status = status;
    stream->error = error;
    pthread_cond_signal(&stream->for_haskell);
    release(stream);
    return NULL;
}

static bool start(sealane_hs_stream *stream)
{
    pthread_attr_t attributes;
    if (pthread_attr_init(&attributes) != 0) {
        return false;
    }
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    /* Blocks all signals, which are for the threads of Haskell's runtime. A new thread inherits the
     * mask. */
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    pthread_t thread;
    bool started = pthread_create(&thread, &attributes, work, stream) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&attributes);
    return started;
}

static sealane_hs_stream *stream_new(sealane_hs_shared *keys, bool encrypts, uint32_t format)
{
    sealane_hs_stream *stream = calloc(1, sizeof *stream);
    if (stream == NULL) {
        return NULL;
    }
    stream->process = getpid();
    stream->keys = sealane_hs_share(keys);
    stream->encrypts = encrypts;
    stream->format = format;
    stream->owners = 2;
    pthread_mutex_init(&stream->lock, NULL);
    pthread_cond_init(&stream->for_worker, NULL);
    pthread_cond_init(&stream->for_haskell, NULL);
    if (!start(stream)) {
        pthread_mutex_lock(&stream->lock);
        stream->owners = 1;
        release(stream);
        return NULL;
    }
    return stream;
}

sealane_hs_stream *sealane_hs_stream_encrypt(sealane_hs_shared *recipients, uint32_t format)
{
    return stream_new(recipients, true, format);
}

sealane_hs_stream *sealane_hs_stream_decrypt(sealane_hs_shared *identities)
{
    return stream_new(identities, false, 0);
}

int sealane_hs_stream_wait(sealane_hs_stream *stream, size_t *len)
{
    if (is_forked(stream)) {
        *len = 0;
        return SEALANE_HS_DONE;
    }
    enter(stream);
    while (stream->output_len != BUFFER_BYTES && !stream->needs_input && !stream->done) {
        pthread_cond_wait(&stream->for_haskell, &stream->lock);
    }
    *len = stream->output_len;
    int state = stream->output_len != 0 ? SEALANE_HS_OUTPUT : stream->done ? SEALANE_HS_DONE : SEALANE_HS_NEEDS_INPUT;
    release(stream);
    return state;
}

void sealane_hs_stream_take(sealane_hs_stream *stream, uint8_t *output, size_t len)
{
    if (is_forked(stream)) {
        /* The output was announced before the fork, and is still there. */
        memcpy(output, stream->output, len);
        return;
    }
    enter(stream);
    memcpy(output, stream->output, len);
    /* The thread may have written more since sealane_hs_stream_wait returned. */
    stream->output_len -= len;
    memmove(stream->output, stream->output + len, stream->output_len);
    pthread_cond_signal(&stream->for_worker);
    release(stream);
}

size_t sealane_hs_stream_feed(sealane_hs_stream *stream, const uint8_t *input, size_t len)
{
    size_t count = least(len, BUFFER_BYTES);
    if (is_forked(stream)) {
        return count;
    }
    enter(stream);
    stream->input_start = 0;
    stream->input_end = count;
    stream->input_ended = len == 0;
    stream->needs_input = false;
    if (count != 0) {
        memcpy(stream->input, input, count);
    }
    pthread_cond_signal(&stream->for_worker);
    release(stream);
    return count;
}

sealane_status sealane_hs_stream_status(const sealane_hs_stream *stream, sealane_age_error *error)
{
    if (is_forked(stream)) {
        *error = (sealane_age_error){
            .message = "the lazy file was begun in another process, and cannot continue here",
            .chunk = SEALANE_AGE_NO_CHUNK,
        };
        return SEALANE_WRONG_STATE;
    }
    *error = stream->error;
    return stream->status;
}

void sealane_hs_stream_free(sealane_hs_stream *stream)
{
    if (is_forked(stream)) {
        /* The other owners exist only in the other process. */
        wipe_and_free(stream);
        return;
    }
    pthread_mutex_lock(&stream->lock);
    stream->abandoned = true;
    pthread_cond_signal(&stream->for_worker);
    release(stream);
}
