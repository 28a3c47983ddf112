package sealane.jca;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.security.AlgorithmParameters;
import java.security.InvalidAlgorithmParameterException;
import java.security.Provider;
import java.security.spec.AlgorithmParameterSpec;
import java.util.Arrays;
import javax.crypto.AEADBadTagException;
import javax.crypto.ShortBufferException;
import javax.crypto.spec.IvParameterSpec;

/**
 * ChaCha20-Poly1305 and XChaCha20-Poly1305. The tag of 16 bytes follows the ciphertext.
 *
 * <p>A message of up to 64 KiB in one call needs no native state. A longer one is processed in
 * pieces, and a ciphertext is authenticated before the first byte is decrypted. A decrypting {@code
 * update} returns nothing: the ciphertext is kept until {@code doFinal}.
 */
final class AeadCipher extends NonceCipher {
    private static final int TAG = Variant.TAG_BYTES;
    private static final byte[] EMPTY = {};

    private final Provider provider;

    /** The length of associated data in {@code head}. */
    private int aadLen;

    /** Whether the message has begun, so that associated data is no longer accepted. */
    private boolean aadDone;

    /**
     * The state of a message in pieces, or of one with long associated data. Null for other
     * messages.
     */
    private Context context;

    private boolean started;

    /**
     * The ciphertext that was passed to {@code update}. A long array is released at the next
     * initialization.
     */
    private byte[] kept = EMPTY;

    private int keptLen;

    AeadCipher(Variant variant, Provider provider) {
        super(variant);
        this.provider = provider;
    }

    @Override
    byte[] nonceOf(AlgorithmParameterSpec params) throws InvalidAlgorithmParameterException {
        if (!(params instanceof IvParameterSpec iv)) {
            throw new InvalidAlgorithmParameterException(variant.aeadName + " needs an IvParameterSpec");
        }
        byte[] nonce = iv.getIV();
        if (nonce.length != variant.nonceBytes) {
            throw new InvalidAlgorithmParameterException(
                    "A nonce of " + variant.aeadName + " has " + variant.nonceBytes + " bytes");
        }
        return nonce;
    }

    @Override
    byte[] nonceOf(AlgorithmParameters params) throws InvalidAlgorithmParameterException {
        if (!params.getAlgorithm().equalsIgnoreCase(variant.aeadName)) {
            throw new InvalidAlgorithmParameterException(
                    "The parameters are those of " + params.getAlgorithm() + ", not of " + variant.aeadName);
        }
        try {
            NonceParameters parsed = new NonceParameters(variant);
            parsed.engineInit(params.getEncoded());
            return parsed.nonce();
        } catch (IOException e) {
            throw new InvalidAlgorithmParameterException(e);
        }
    }

    @Override
    void begin(AlgorithmParameterSpec params) {
        reset();
        if (kept.length > Protocol.CALL_BYTES) {
            kept = EMPTY;
        }
    }

    @Override
    protected AlgorithmParameters engineGetParameters() {
        return NonceParameters.of(provider, variant, hasNonce() ? nonce() : randomNonce(null));
    }

    @Override
    int outputSize(int inLen, boolean isFinal) {
        if (encrypting) {
            return isFinal ? Math.addExact(inLen, TAG) : inLen;
        }
        return isFinal ? Math.max(Math.addExact(inLen - TAG, keptLen), 0) : 0;
    }

    @Override
    protected void engineUpdateAAD(byte[] in, int offset, int len) {
        associate(new Bytes(in, offset), len);
    }

    @Override
    protected void engineUpdateAAD(ByteBuffer in) {
        associate(new Bytes(in), in.remaining());
        in.position(in.limit());
    }

    private void associate(Bytes in, int len) {
        if (!ready) {
            throw new IllegalStateException("The cipher must be initialized before associated data");
        }
        if (aadDone) {
            throw new IllegalStateException("Associated data must precede the message");
        }
        try {
            if (in.array != null) {
                associate(in.array, in.start, len);
            } else {
                associate(in.copy(0, len), 0, len);
            }
        } catch (Throwable e) {
            // Some of it may be missing, for example after an OutOfMemoryError.
            abandon(e);
            throw e;
        }
    }

    private void associate(byte[] in, int offset, int len) {
        int end = Protocol.HEAD_BYTES + aadLen;
        if (context == null && len <= Protocol.CALL_BYTES - end) {
            if (len > head.length - end) {
                byte[] longer = Arrays.copyOf(head, Math.max(end + len, 2 * head.length));
                Keys.wipe(head);
                head = longer;
            }
            System.arraycopy(in, offset, head, end, len);
            aadLen += len;
            return;
        }
        createContext();
        context.associate(new Bytes(in, offset), len);
    }

    /** A fast path for the most common case: a whole message in arrays. */
    @Override
    protected int engineDoFinal(byte[] in, int inOff, int inLen, byte[] out, int outOff)
            throws ShortBufferException, AEADBadTagException {
        checkRoom(out, outOff, outputSize(inLen, true));
        if (!isOneCall(in, inLen) || (in == out && inOff != outOff)) {
            return super.engineDoFinal(in == null ? EMPTY : in, inOff, inLen, out, outOff);
        }
        checkReady(inLen);
        try {
            return oneCall(in, inOff, inLen, out, outOff);
        } catch (Throwable e) {
            abandon(e);
            throw e;
        }
    }

    @Override
    protected byte[] engineDoFinal(byte[] in, int inOff, int inLen) throws AEADBadTagException {
        if (!isOneCall(in, inLen)) {
            return super.engineDoFinal(in == null ? EMPTY : in, inOff, inLen);
        }
        checkReady(inLen);
        try {
            byte[] out = new byte[outputSize(inLen, true)];
            oneCall(in, inOff, inLen, out, 0);
            return out;
        } catch (Throwable e) {
            abandon(e);
            throw e;
        }
    }

    private boolean isOneCall(byte[] in, int inLen) {
        int len = encrypting ? inLen : inLen - TAG;
        return in != null && context == null && keptLen == 0 && len >= 0 && fits(len);
    }

    private int oneCall(byte[] in, int inOff, int inLen, byte[] out, int outOff) throws AEADBadTagException {
        if (encrypting) {
            // Even if this fails, the nonce counts as used.
            ready = false;
            int status = Native.seal(variant.ordinal(), head, aadLen, in, inOff, inLen, out, outOff);
            reset();
            Protocol.check(status);
            return inLen + TAG;
        }
        int status = Native.open(variant.ordinal(), head, aadLen, in, inOff, inLen - TAG, out, outOff);
        reset();
        checkTag(status);
        return inLen - TAG;
    }

    /** Returns whether a message can be processed in one call. */
    private boolean fits(int len) {
        return len <= Protocol.CALL_BYTES - aadLen;
    }

    @Override
    boolean copies(boolean isFinal) {
        return !encrypting && (!isFinal || keptLen > 0);
    }

    @Override
    int process(Bytes in, int inLen, Bytes out, boolean isFinal) throws AEADBadTagException {
        if (!isFinal) {
            aadDone = true;
            if (!encrypting) {
                keep(in, inLen);
                return 0;
            }
            encrypt(in, inLen, out);
            return inLen;
        }
        try {
            return encrypting ? seal(in, inLen, out) : open(in, inLen, out);
        } finally {
            ready = !encrypting;
            reset();
        }
    }

    private void encrypt(Bytes in, int len, Bytes out) {
        startContext();
        Bytes from = separate(in, len, out, len);
        try {
            context.transform(from, len, from == in ? out : from);
            putCopy(from, in, len, out);
        } finally {
            wipeCopy(from, in);
        }
    }

    /** Returns the input, or a copy in an array if the input partially overlaps the output. */
    private static Bytes separate(Bytes in, int inLen, Bytes out, int outLen) {
        return inLen > 0 && in.overlapsPartly(inLen, out, outLen) ? new Bytes(in.copy(0, inLen), 0) : in;
    }

    /** Writes a copy that was transformed in place to the output. */
    private static void putCopy(Bytes copy, Bytes in, int len, Bytes out) {
        if (copy != in) {
            out.put(0, copy.array, len);
        }
    }

    /** Wipes a copy from {@code separate}. */
    private static void wipeCopy(Bytes copy, Bytes in) {
        if (copy != in) {
            Keys.wipe(copy.array);
        }
    }

    private int seal(Bytes in, int inLen, Bytes out) {
        if (in.overlapsPartly(inLen, out, inLen + TAG)) {
            byte[] copy = new byte[inLen + TAG];
            try {
                in.get(0, copy, 0, inLen);
                Bytes copied = new Bytes(copy, 0);
                seal(copied, inLen, copied);
                out.put(0, copy, inLen + TAG);
            } finally {
                Keys.wipe(copy);
            }
            return inLen + TAG;
        }
        if (context == null && fits(inLen)) {
            Protocol.check(
                    in.array != null
                            ? Native.seal(
                                    variant.ordinal(), head, aadLen, in.array, in.start, inLen, out.array, out.start)
                            : Native.seal(
                                    variant.ordinal(), head, aadLen, in.buffer, in.start, inLen, out.buffer, out.start));
        } else {
            startContext();
            context.transform(in, inLen, out);
            out.put(inLen, context.tag(), TAG);
        }
        return inLen + TAG;
    }

    private int open(Bytes in, int inLen, Bytes out) throws AEADBadTagException {
        if (keptLen + (long) inLen < TAG) {
            throw new AEADBadTagException("The message is shorter than a tag");
        }
        if (keptLen > 0) {
            keep(in, inLen);
            Bytes all = new Bytes(kept, 0);
            int len = keptLen - TAG;
            open(all, len, all, all.copy(len, TAG));
            out.put(0, kept, len);
            return len;
        }
        int len = inLen - TAG;
        byte[] tag = in.copy(len, TAG);
        // The tag is copied, so the output may overwrite it.
        Bytes from = separate(in, inLen, out, len);
        try {
            open(from, len, from == in ? out : from, tag);
            putCopy(from, in, len, out);
        } finally {
            wipeCopy(from, in);
        }
        return len;
    }

    /**
     * Checks the tag of a message of {@code len} bytes, and decrypts the message. The tag follows
     * the ciphertext, and {@code tag} is a copy of it.
     */
    private void open(Bytes in, int len, Bytes out, byte[] tag) throws AEADBadTagException {
        if (context == null && fits(len)) {
            checkTag(
                    in.array != null
                            ? Native.open(
                                    variant.ordinal(), head, aadLen, in.array, in.start, len, out.array, out.start)
                            : Native.open(
                                    variant.ordinal(), head, aadLen, in.buffer, in.start, len, out.buffer, out.start));
            return;
        }
        startContext();
        context.authenticate(in, len);
        checkTag(context.verify(tag) ? Protocol.OK : Protocol.NOT_AUTHENTIC);
        context.transform(in, len, out);
    }

    private static void checkTag(int status) throws AEADBadTagException {
        if (status == Protocol.NOT_AUTHENTIC) {
            throw new AEADBadTagException("The tag does not belong to the message");
        }
        Protocol.check(status);
    }

    /** Appends to the ciphertext that is kept. */
    private void keep(Bytes in, int len) {
        if (len > kept.length - keptLen) {
            int enough = Math.addExact(keptLen, len);
            kept = Arrays.copyOf(kept, Math.max(enough, (int) Math.min(2L * kept.length, Integer.MAX_VALUE - 8)));
        }
        in.get(0, kept, keptLen, len);
        keptLen += len;
    }

    private void createContext() {
        if (context == null) {
            int operation = encrypting ? Protocol.SEAL : Protocol.OPEN;
            context = new Context(operation, variant, head, aadLen);
            started = false;
        }
    }

    private void startContext() {
        createContext();
        if (!started) {
            context.start();
            started = true;
        }
    }

    /** Returns to the state before any associated data. */
    @Override
    void reset() {
        aadLen = 0;
        aadDone = false;
        if (context != null) {
            context.close();
            context = null;
        }
        if (keptLen > 0) {
            // The kept bytes may be plaintext, because they are decrypted in place.
            Arrays.fill(kept, 0, keptLen, (byte) 0);
            keptLen = 0;
        }
    }
}
