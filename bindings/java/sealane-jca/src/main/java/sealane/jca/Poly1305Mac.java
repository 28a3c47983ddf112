package sealane.jca;

import java.nio.ByteBuffer;
import java.security.InvalidAlgorithmParameterException;
import java.security.InvalidKeyException;
import java.security.Key;
import java.security.spec.AlgorithmParameterSpec;
import java.util.Arrays;
import javax.crypto.MacSpi;

/**
 * Poly1305 of RFC 8439, with a one-time key of 32 bytes.
 *
 * <p>A key must not authenticate two messages. So after {@code doFinal}, the MAC must be
 * initialized again before it is used.
 */
final class Poly1305Mac extends MacSpi {
    /** Messages up to this length are collected in an array, and need no native memory. */
    private static final int COLLECTED_BYTES = 1024;

    private final byte[] head = new byte[Protocol.HEAD_BYTES];
    private final byte[] collected = new byte[COLLECTED_BYTES];

    /** The argument of an update with one byte, which then allocates nothing that could fail. */
    private final byte[] single = new byte[1];
    private int length;
    private boolean ready;

    /** The message, once it is too long to be collected. */
    private Context context;

    Poly1305Mac() {}

    @Override
    protected int engineGetMacLength() {
        return Variant.TAG_BYTES;
    }

    @Override
    protected void engineInit(Key key, AlgorithmParameterSpec params)
            throws InvalidKeyException, InvalidAlgorithmParameterException {
        if (params != null) {
            throw new InvalidAlgorithmParameterException("Poly1305 has no parameters");
        }
        byte[] bytes = Keys.encoded(key);
        discard();
        System.arraycopy(bytes, 0, head, 0, bytes.length);
        Arrays.fill(bytes, (byte) 0);
        ready = true;
    }

    @Override
    protected void engineUpdate(byte input) {
        single[0] = input;
        engineUpdate(single, 0, 1);
    }

    @Override
    protected void engineUpdate(byte[] input, int offset, int len) {
        checkReady();
        try {
            if (context == null && len <= COLLECTED_BYTES - length) {
                System.arraycopy(input, offset, collected, length, len);
                length += len;
                return;
            }
            if (context == null) {
                context = new Context(Protocol.MAC, Variant.IETF, head, 0);
                context.authenticate(new Bytes(collected, 0), length);
            }
            context.authenticate(new Bytes(input, offset), len);
        } catch (Throwable e) {
            // A part of the message may be missing, so it must not get a tag.
            discard();
            throw e;
        }
    }

    /**
     * Takes the bytes in pieces. Some of them are missing after a failure, such as that of a mapped
     * file that was cut.
     */
    @Override
    protected void engineUpdate(ByteBuffer input) {
        try {
            super.engineUpdate(input);
        } catch (Throwable e) {
            discard();
            throw e;
        }
    }

    @Override
    protected byte[] engineDoFinal() {
        checkReady();
        try {
            if (context != null) {
                return context.tag();
            }
            byte[] tag = new byte[Variant.TAG_BYTES];
            Protocol.check(Native.mac(head, collected, 0, length, tag));
            return tag;
        } finally {
            discard();
        }
    }

    /** Discards the message. If it has begun, its key cannot be used again. */
    @Override
    protected void engineReset() {
        if (length > 0 || context != null) {
            discard();
        }
    }

    private void checkReady() {
        if (!ready) {
            throw new IllegalStateException("A key of Poly1305 is for one message: initialize with another key");
        }
    }

    private void discard() {
        if (context != null) {
            context.close();
            context = null;
        }
        Arrays.fill(head, (byte) 0);
        Arrays.fill(collected, 0, length, (byte) 0);
        single[0] = 0;
        length = 0;
        ready = false;
    }
}
