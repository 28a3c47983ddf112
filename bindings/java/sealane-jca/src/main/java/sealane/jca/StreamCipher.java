package sealane.jca;

import java.nio.ByteBuffer;
import java.security.AlgorithmParameters;
import java.security.InvalidAlgorithmParameterException;
import java.security.KeyException;
import java.security.ProviderException;
import java.security.spec.AlgorithmParameterSpec;
import javax.crypto.spec.ChaCha20ParameterSpec;
import javax.crypto.spec.IvParameterSpec;

/**
 * ChaCha20 and XChaCha20 without authentication.
 *
 * <p>The parameters of ChaCha20 are a {@link ChaCha20ParameterSpec}, whose block counter wraps from
 * 2^32 - 1 to 0. Without parameters, it starts at block 1, like the JDK's cipher. The parameters of
 * XChaCha20 are an {@link IvParameterSpec} of 24 bytes, and it starts at block 0.
 */
final class StreamCipher extends NonceCipher {
    private static final int BLOCK_BYTES = 64;
    private static final long KEY_STREAM_BYTES = BLOCK_BYTES * (1L << 32);

    /** The position of the first byte of the key stream to use. */
    private long first;

    /** The number of bytes that have been processed. */
    private long done;

    StreamCipher(Variant variant) {
        super(variant);
    }

    @Override
    byte[] nonceOf(AlgorithmParameterSpec params) throws InvalidAlgorithmParameterException {
        if (variant == Variant.IETF) {
            if (!(params instanceof ChaCha20ParameterSpec chacha)) {
                throw new InvalidAlgorithmParameterException("ChaCha20 needs a ChaCha20ParameterSpec");
            }
            return chacha.getNonce();
        }
        if (!(params instanceof IvParameterSpec iv) || iv.getIV().length != variant.nonceBytes) {
            throw new InvalidAlgorithmParameterException("XChaCha20 needs an IvParameterSpec of 24 bytes");
        }
        return iv.getIV();
    }

    @Override
    byte[] nonceOf(AlgorithmParameters params) throws InvalidAlgorithmParameterException {
        throw new InvalidAlgorithmParameterException("There are no AlgorithmParameters of " + variant.cipherName);
    }

    @Override
    void begin(AlgorithmParameterSpec params) {
        if (params instanceof ChaCha20ParameterSpec chacha) {
            first = BLOCK_BYTES * Integer.toUnsignedLong(chacha.getCounter());
        } else {
            first = variant == Variant.IETF ? BLOCK_BYTES : 0;
        }
        done = 0;
    }

    @Override
    protected AlgorithmParameters engineGetParameters() {
        return null;
    }

    @Override
    protected void engineUpdateAAD(byte[] in, int offset, int len) {
        throw new IllegalStateException(variant.cipherName + " has no associated data");
    }

    @Override
    protected void engineUpdateAAD(ByteBuffer in) {
        throw new IllegalStateException(variant.cipherName + " has no associated data");
    }

    @Override
    int outputSize(int inLen, boolean isFinal) {
        return inLen;
    }

    @Override
    void checkReady(int inLen) {
        super.checkReady(inLen);
        if (inLen > KEY_STREAM_BYTES - done) {
            throw new ProviderException(
                    new KeyException("The key stream is exhausted: initialize with another nonce"));
        }
    }

    @Override
    boolean copies(boolean isFinal) {
        return false;
    }

    @Override
    int process(Bytes in, int inLen, Bytes out, boolean isFinal) {
        transform(in, inLen, out);
        if (isFinal) {
            done = 0;
            ready = !encrypting;
        }
        return inLen;
    }

    @Override
    void reset() {}

    private void transform(Bytes in, int len, Bytes out) {
        if (len > 0 && in.overlapsPartly(len, out, len)) {
            byte[] copy = in.copy(0, len);
            try {
                xor(new Bytes(copy, 0), len, new Bytes(copy, 0));
                out.put(0, copy, len);
            } finally {
                Keys.wipe(copy);
            }
        } else {
            xor(in, len, out);
        }
    }

    private void xor(Bytes in, int len, Bytes out) {
        for (int piece, i = 0; i < len; i += piece) {
            long position = (first + done) % KEY_STREAM_BYTES;
            piece = Math.min(Protocol.CALL_BYTES, len - i);
            // The counter can wrap only between two pieces.
            piece = (int) Math.min(piece, KEY_STREAM_BYTES - position);
            int from = in.start + i;
            int to = out.start + i;
            Protocol.check(
                    in.array != null
                            ? Native.xor(variant.ordinal(), head, position, in.array, from, piece, out.array, to)
                            : Native.xor(variant.ordinal(), head, position, in.buffer, from, piece, out.buffer, to));
            done += piece;
        }
    }
}
