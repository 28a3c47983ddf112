package sealane.jca;

import java.nio.ByteBuffer;
import java.security.AlgorithmParameters;
import java.security.InvalidAlgorithmParameterException;
import java.security.InvalidKeyException;
import java.security.Key;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;
import java.security.spec.AlgorithmParameterSpec;
import java.util.Arrays;
import javax.crypto.AEADBadTagException;
import javax.crypto.Cipher;
import javax.crypto.CipherSpi;
import javax.crypto.NoSuchPaddingException;
import javax.crypto.ShortBufferException;

/**
 * What the ciphers share: keys, nonces, and the rules for both.
 *
 * <p>Each pair of key and nonce encrypts only one message. So an encrypting cipher must be
 * initialized again after {@code doFinal}, with a different pair. A decrypting cipher can continue
 * with the same pair.
 */
abstract class NonceCipher extends CipherSpi {
    private static final int SHORT_AAD_BYTES = 64;

    final Variant variant;

    /** Key, nonce and associated data. */
    byte[] head = new byte[Protocol.HEAD_BYTES + SHORT_AAD_BYTES];

    /** Whether {@code head} has a key and a nonce. */
    private boolean keyed;

    boolean encrypting;

    /** Whether data may be processed with the key and the nonce. */
    boolean ready;

    NonceCipher(Variant variant) {
        this.variant = variant;
    }

    /** Returns the nonce in parameters. The other parameters are for {@link #begin}. */
    abstract byte[] nonceOf(AlgorithmParameterSpec params) throws InvalidAlgorithmParameterException;

    /** Returns the nonce of parameters. */
    abstract byte[] nonceOf(AlgorithmParameters params) throws InvalidAlgorithmParameterException;

    /**
     * Starts a message with the key and the nonce in {@code head}. {@code params} is null unless
     * the cipher was initialized with an {@link AlgorithmParameterSpec}.
     */
    abstract void begin(AlgorithmParameterSpec params);

    /** Returns the length of the output for {@code inLen} more bytes. */
    abstract int outputSize(int inLen, boolean isFinal);

    /** Returns whether {@link #process} only copies between its arguments and an array. */
    abstract boolean copies(boolean isFinal);

    /**
     * Processes a piece, which may be the last. The output has room. Unless this only copies, input
     * and output are both arrays or both direct buffers. Returns the length of the output.
     */
    abstract int process(Bytes in, int inLen, Bytes out, boolean isFinal) throws AEADBadTagException;

    /** Wipes what is left of a message. */
    abstract void reset();

    /**
     * Ends a message after a failure that may have left out a part of it, so that it cannot be
     * continued. After a wrong tag, a decrypting cipher is ready for the next message.
     */
    final void abandon(Throwable failure) {
        if (!(failure instanceof AEADBadTagException)) {
            ready = false;
            reset();
        }
    }

    /** Throws an exception if {@code inLen} more bytes cannot be processed. */
    void checkReady(int inLen) {
        if (!ready) {
            throw new IllegalStateException(
                    encrypting
                            ? "The key and the nonce have encrypted a message, or a call has failed: initialize with another nonce"
                            : "A call has failed: initialize again");
        }
    }

    final byte[] nonce() {
        return Arrays.copyOfRange(
                head, Protocol.NONCE_OFFSET, Protocol.NONCE_OFFSET + variant.nonceBytes);
    }

    final boolean hasNonce() {
        return keyed;
    }

    final byte[] randomNonce(SecureRandom random) {
        byte[] nonce = new byte[variant.nonceBytes];
        (random != null ? random : new SecureRandom()).nextBytes(nonce);
        return nonce;
    }

    @Override
    protected void engineSetMode(String mode) throws NoSuchAlgorithmException {
        if (!mode.equalsIgnoreCase("None")) {
            throw new NoSuchAlgorithmException("The mode must be None");
        }
    }

    @Override
    protected void engineSetPadding(String padding) throws NoSuchPaddingException {
        if (!padding.equalsIgnoreCase("NoPadding")) {
            throw new NoSuchPaddingException("The padding must be NoPadding");
        }
    }

    @Override
    protected int engineGetBlockSize() {
        return 0;
    }

    @Override
    protected int engineGetOutputSize(int inLen) {
        return outputSize(inLen, true);
    }

    @Override
    protected byte[] engineGetIV() {
        return keyed ? nonce() : null;
    }

    @Override
    protected int engineGetKeySize(Key key) throws InvalidKeyException {
        byte[] bytes = Keys.encoded(key);
        Keys.wipe(bytes);
        return 8 * bytes.length;
    }

    @Override
    protected void engineInit(int mode, Key key, SecureRandom random) throws InvalidKeyException {
        if (mode == Cipher.DECRYPT_MODE) {
            throw new InvalidKeyException("Decryption needs the parameters of the encryption");
        }
        init(mode, key, randomNonce(random));
        begin(null);
    }

    @Override
    protected void engineInit(int mode, Key key, AlgorithmParameterSpec params, SecureRandom random)
            throws InvalidKeyException, InvalidAlgorithmParameterException {
        if (params == null) {
            engineInit(mode, key, random);
            return;
        }
        init(mode, key, nonceOf(params));
        begin(params);
    }

    @Override
    protected void engineInit(int mode, Key key, AlgorithmParameters params, SecureRandom random)
            throws InvalidKeyException, InvalidAlgorithmParameterException {
        if (params == null) {
            engineInit(mode, key, random);
            return;
        }
        init(mode, key, nonceOf(params));
        begin(null);
    }

    private void init(int mode, Key key, byte[] nonce) throws InvalidKeyException {
        if (mode != Cipher.ENCRYPT_MODE && mode != Cipher.DECRYPT_MODE) {
            throw new UnsupportedOperationException("Keys cannot be wrapped");
        }
        byte[] bytes = Keys.encoded(key);
        try {
            if (mode == Cipher.ENCRYPT_MODE && keyed && isCurrent(bytes, nonce)) {
                throw new InvalidKeyException("The key and the nonce are those of the previous message");
            }
            System.arraycopy(bytes, 0, head, 0, bytes.length);
            System.arraycopy(nonce, 0, head, Protocol.NONCE_OFFSET, nonce.length);
        } finally {
            Keys.wipe(bytes);
        }
        keyed = true;
        encrypting = mode == Cipher.ENCRYPT_MODE;
        ready = true;
    }

    /** Compares the nonce first, because it is public and nearly always differs. */
    private boolean isCurrent(byte[] key, byte[] nonce) {
        int end = Protocol.NONCE_OFFSET + nonce.length;
        if (!Arrays.equals(head, Protocol.NONCE_OFFSET, end, nonce, 0, nonce.length)) {
            return false;
        }
        int difference = 0;
        for (int i = 0; i < key.length; i++) {
            difference |= key[i] ^ head[i];
        }
        return difference == 0;
    }

    @Override
    protected byte[] engineUpdate(byte[] in, int inOff, int inLen) {
        try {
            return process(in, inOff, inLen, false);
        } catch (AEADBadTagException e) {
            throw unexpected(e);
        }
    }

    @Override
    protected int engineUpdate(byte[] in, int inOff, int inLen, byte[] out, int outOff)
            throws ShortBufferException {
        checkReady(inLen);
        int needed = outputSize(inLen, false);
        if (needed > 0) {
            if (out == null) {
                throw new ShortBufferException("There is no output");
            }
            checkRoom(out, outOff, needed);
        }
        try {
            return process(in, inOff, inLen, out, outOff, false);
        } catch (AEADBadTagException e) {
            throw unexpected(e);
        }
    }

    private static AssertionError unexpected(AEADBadTagException e) {
        return new AssertionError("only the end of a message has a tag", e);
    }

    @Override
    protected byte[] engineDoFinal(byte[] in, int inOff, int inLen) throws AEADBadTagException {
        return process(in, inOff, inLen, true);
    }

    @Override
    protected int engineDoFinal(byte[] in, int inOff, int inLen, byte[] out, int outOff)
            throws ShortBufferException, AEADBadTagException {
        checkReady(inLen);
        checkRoom(out, outOff, outputSize(inLen, true));
        return process(in, inOff, inLen, out, outOff, true);
    }

    private byte[] process(byte[] in, int inOff, int inLen, boolean isFinal) throws AEADBadTagException {
        checkReady(inLen);
        int needed = outputSize(inLen, isFinal);
        try {
            byte[] out = new byte[needed];
            process(new Bytes(in, inOff), inLen, new Bytes(out, 0), isFinal);
            return out;
        } catch (Throwable e) {
            abandon(e);
            throw e;
        }
    }

    private int process(byte[] in, int inOff, int inLen, byte[] out, int outOff, boolean isFinal)
            throws AEADBadTagException {
        try {
            return process(new Bytes(in, inOff), inLen, new Bytes(out, outOff), isFinal);
        } catch (Throwable e) {
            abandon(e);
            throw e;
        }
    }

    static void checkRoom(byte[] out, int outOff, int len) throws ShortBufferException {
        if (out.length - outOff < len) {
            throw new ShortBufferException("The output needs " + len + " bytes");
        }
    }

    @Override
    protected int engineUpdate(ByteBuffer in, ByteBuffer out) throws ShortBufferException {
        if (!in.hasRemaining()) {
            return 0;
        }
        try {
            return process(in, out, false);
        } catch (AEADBadTagException e) {
            throw unexpected(e);
        }
    }

    @Override
    protected int engineDoFinal(ByteBuffer in, ByteBuffer out)
            throws ShortBufferException, AEADBadTagException {
        return process(in, out, true);
    }

    private int process(ByteBuffer in, ByteBuffer out, boolean isFinal)
            throws ShortBufferException, AEADBadTagException {
        int inLen = in.remaining();
        int needed = outputSize(inLen, isFinal);
        if (out.remaining() < needed) {
            throw new ShortBufferException("The output needs " + needed + " bytes");
        }
        checkReady(inLen);
        int outLen;
        try {
            Bytes from = new Bytes(in);
            Bytes to = new Bytes(out);
            boolean usable = from.isForNative() && to.isForNative() && from.sameKind(to);
            outLen = usable || copies(isFinal)
                    ? process(from, inLen, to, isFinal)
                    : processCopy(from, inLen, to, needed, isFinal);
        } catch (Throwable e) {
            abandon(e);
            throw e;
        }
        in.position(in.limit());
        out.position(out.position() + outLen);
        return outLen;
    }

    /** Copies the input to an array, and processes it in place. */
    private int processCopy(Bytes in, int inLen, Bytes out, int needed, boolean isFinal)
            throws AEADBadTagException {
        byte[] copy = new byte[Math.max(inLen, needed)];
        try {
            in.get(0, copy, 0, inLen);
            Bytes copied = new Bytes(copy, 0);
            int outLen = process(copied, inLen, copied, isFinal);
            out.put(0, copy, outLen);
            return outLen;
        } finally {
            Keys.wipe(copy);
        }
    }

    @Override
    protected byte[] engineWrap(Key key) {
        throw new UnsupportedOperationException("Keys cannot be wrapped");
    }

    @Override
    protected Key engineUnwrap(byte[] wrapped, String algorithm, int type) {
        throw new UnsupportedOperationException("Keys cannot be unwrapped");
    }
}
