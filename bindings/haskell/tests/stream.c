/* Streams whose finalizers run during calls of other threads, as at the end of a program, and in a
 * forked process: stream */
#include "../cbits/sealane_hs.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define CHECK(condition)                                                            \
    do {                                                                            \
        if (!(condition)) {                                                         \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition);         \
            _exit(1);                                                               \
        }                                                                           \
    } while (0)

/* sealane_hs_release calls this function of GHC's runtime for ranges only. */
void hs_free_fun_ptr(void (*function)(void))
{
    (void)function;
    abort();
}

/* A stream for a passphrase needs the time of scrypt before its first state. */
static sealane_hs_stream *slow_stream(void)
{
    sealane_hs_shared *recipients = sealane_hs_recipients_new();
    CHECK(sealane_age_recipients_add_passphrase(sealane_hs_object(recipients), "a", 1, 16, NULL) == SEALANE_OK);
    sealane_hs_stream *stream = sealane_hs_stream_encrypt(recipients, SEALANE_AGE_BINARY);
    CHECK(stream != NULL);
    sealane_hs_release(recipients);
    return stream;
}

static void *wait_for(void *stream)
{
    size_t len = 1;
    CHECK(sealane_hs_stream_wait(stream, &len) == SEALANE_HS_DONE && len == 0);
    return NULL;
}

int main(void)
{
    pthread_t thread;
    sealane_hs_stream *stream = slow_stream();
    CHECK(pthread_create(&thread, NULL, wait_for, stream) == 0);
    usleep(20000);
    sealane_hs_stream_free(stream);
    pthread_join(thread, NULL);

    stream = slow_stream();
    pid_t child = fork();
    if (child == 0) {
        uint8_t byte = 1;
        sealane_age_error error;
        alarm(60);
        CHECK(sealane_hs_stream_feed(stream, &byte, 1) == 1);
        wait_for(stream);
        CHECK(sealane_hs_stream_status(stream, &error) == SEALANE_WRONG_STATE);
        CHECK(strstr(error.message, "in another process") != NULL && error.chunk == SEALANE_AGE_NO_CHUNK);
        sealane_hs_stream_free(stream);
        _exit(0);
    }
    int status;
    CHECK(child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0);
    size_t len;
    CHECK(sealane_hs_stream_wait(stream, &len) != SEALANE_HS_DONE);
    sealane_hs_stream_free(stream);
    return 0;
}
