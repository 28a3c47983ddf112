/* Intel's Multi-Buffer Crypto for IPsec, in place: one job at a time, a burst of jobs, and the
   direct functions. */

#include <intel-ipsec-mb.h>
#include <stdint.h>

IMB_MGR *bench_imb_new(void)
{
    IMB_MGR *manager = alloc_mb_mgr(0);
    if (manager != NULL)
        init_mb_mgr_auto(manager, NULL);
    return manager;
}

const char *bench_imb_version(void)
{
    return imb_get_version_str();
}

/* Submits the job and waits for it. Returns whether it succeeded. */
static int run(IMB_MGR *manager, IMB_JOB *job)
{
    job = IMB_SUBMIT_JOB_NOCHECK(manager);
    if (job == NULL)
        job = IMB_FLUSH_JOB(manager);
    return job != NULL && job->status == IMB_STATUS_COMPLETED;
}

/* Encrypts or decrypts with ChaCha20 from block 1 on. */
int bench_imb_chacha20(IMB_MGR *manager, const uint8_t *key, const uint8_t *nonce, uint8_t *data, uint64_t length)
{
    IMB_JOB *job = IMB_GET_NEXT_JOB(manager);
    job->cipher_mode = IMB_CIPHER_CHACHA20;
    job->cipher_direction = IMB_DIR_ENCRYPT;
    job->hash_alg = IMB_AUTH_NULL;
    job->chain_order = IMB_ORDER_CIPHER_HASH;
    job->enc_keys = key;
    job->dec_keys = key;
    job->key_len_in_bytes = 32;
    job->iv = nonce;
    job->iv_len_in_bytes = 12;
    job->src = data;
    job->dst = data;
    job->cipher_start_src_offset_in_bytes = 0;
    job->msg_len_to_cipher_in_bytes = length;
    return run(manager, job);
}

int bench_imb_poly1305(IMB_MGR *manager, const uint8_t *key, const uint8_t *data, uint64_t length, uint8_t *tag)
{
    IMB_JOB *job = IMB_GET_NEXT_JOB(manager);
    job->cipher_mode = IMB_CIPHER_NULL;
    job->cipher_direction = IMB_DIR_ENCRYPT;
    job->hash_alg = IMB_AUTH_POLY1305;
    job->chain_order = IMB_ORDER_HASH_CIPHER;
    job->u.POLY1305._key = key;
    job->src = data;
    job->hash_start_src_offset_in_bytes = 0;
    job->msg_len_to_hash_in_bytes = length;
    job->auth_tag_output = tag;
    job->auth_tag_output_len_in_bytes = 16;
    return run(manager, job);
}

/* A message of an AEAD. */
struct bench_imb_message {
    uint8_t nonce[12];
    uint8_t *data;
    uint8_t *tag;
};

/* The fields that the messages of an AEAD share. */
struct bench_imb_request {
    int seal;
    const uint8_t *key;
    const uint8_t *aad;
    uint64_t aad_length;
    uint64_t length;
};

static void fill(IMB_JOB *job, const struct bench_imb_request *request, const struct bench_imb_message *message)
{
    job->cipher_mode = IMB_CIPHER_CHACHA20_POLY1305;
    job->cipher_direction = request->seal ? IMB_DIR_ENCRYPT : IMB_DIR_DECRYPT;
    job->hash_alg = IMB_AUTH_CHACHA20_POLY1305;
    job->chain_order = request->seal ? IMB_ORDER_CIPHER_HASH : IMB_ORDER_HASH_CIPHER;
    job->enc_keys = request->key;
    job->dec_keys = request->key;
    job->key_len_in_bytes = 32;
    job->iv = message->nonce;
    job->iv_len_in_bytes = 12;
    job->u.CHACHA20_POLY1305.aad = request->aad;
    job->u.CHACHA20_POLY1305.aad_len_in_bytes = request->aad_length;
    job->src = message->data;
    job->dst = message->data;
    job->cipher_start_src_offset_in_bytes = 0;
    job->hash_start_src_offset_in_bytes = 0;
    job->msg_len_to_cipher_in_bytes = request->length;
    job->msg_len_to_hash_in_bytes = request->length;
    job->auth_tag_output = message->tag;
    job->auth_tag_output_len_in_bytes = 16;
}

int bench_imb_aead(IMB_MGR *manager, const struct bench_imb_request *request, const struct bench_imb_message *message)
{
    IMB_JOB *job = IMB_GET_NEXT_JOB(manager);
    fill(job, request, message);
    return run(manager, job);
}

/* Processes at most IMB_MAX_BURST_SIZE messages in one burst. */
int bench_imb_aead_burst(IMB_MGR *manager, const struct bench_imb_request *request,
                         const struct bench_imb_message *messages, uint32_t count)
{
    IMB_JOB *jobs[IMB_MAX_BURST_SIZE];
    if (IMB_GET_NEXT_BURST(manager, count, jobs) != count)
        return 0;
    for (uint32_t i = 0; i < count; i++)
        fill(jobs[i], request, &messages[i]);
    uint32_t done = IMB_SUBMIT_BURST_NOCHECK(manager, count, jobs);
    for (uint32_t i = 0; i < done; i++)
        if (jobs[i]->status != IMB_STATUS_COMPLETED)
            return 0;
    return done == count;
}

void bench_imb_aead_direct(IMB_MGR *manager, const struct bench_imb_request *request,
                           const struct bench_imb_message *message)
{
    struct chacha20_poly1305_context_data context;
    uint8_t *data = message->data;
    IMB_CHACHA20_POLY1305_INIT(manager, request->key, &context, message->nonce, request->aad, request->aad_length);
    if (request->seal) {
        IMB_CHACHA20_POLY1305_ENC_UPDATE(manager, request->key, &context, data, data, request->length);
        IMB_CHACHA20_POLY1305_ENC_FINALIZE(manager, &context, message->tag, 16);
    } else {
        IMB_CHACHA20_POLY1305_DEC_UPDATE(manager, request->key, &context, data, data, request->length);
        IMB_CHACHA20_POLY1305_DEC_FINALIZE(manager, &context, message->tag, 16);
    }
}
