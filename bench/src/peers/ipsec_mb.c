/* Jobs of Intel's Multi-Buffer Crypto for IPsec, one at a time and in place. */

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

int bench_imb_aead(IMB_MGR *manager, int seal, const uint8_t *key, const uint8_t *nonce, const uint8_t *aad,
                   uint64_t aad_length, uint8_t *data, uint64_t length, uint8_t *tag)
{
    IMB_JOB *job = IMB_GET_NEXT_JOB(manager);
    job->cipher_mode = IMB_CIPHER_CHACHA20_POLY1305;
    job->cipher_direction = seal ? IMB_DIR_ENCRYPT : IMB_DIR_DECRYPT;
    job->hash_alg = IMB_AUTH_CHACHA20_POLY1305;
    job->chain_order = seal ? IMB_ORDER_CIPHER_HASH : IMB_ORDER_HASH_CIPHER;
    job->enc_keys = key;
    job->dec_keys = key;
    job->key_len_in_bytes = 32;
    job->iv = nonce;
    job->iv_len_in_bytes = 12;
    job->u.CHACHA20_POLY1305.aad = aad;
    job->u.CHACHA20_POLY1305.aad_len_in_bytes = aad_length;
    job->src = data;
    job->dst = data;
    job->cipher_start_src_offset_in_bytes = 0;
    job->hash_start_src_offset_in_bytes = 0;
    job->msg_len_to_cipher_in_bytes = length;
    job->msg_len_to_hash_in_bytes = length;
    job->auth_tag_output = tag;
    job->auth_tag_output_len_in_bytes = 16;
    return run(manager, job);
}
